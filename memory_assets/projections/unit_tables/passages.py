"""Passages: what is said, message by message, the long ones in parts; each cites its own characters.

What a program wrote in somebody's name is a passage as well, but nobody's neighbour: it has no place among what was said.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.projections.unit_tables.turns import turn_of
from memory_assets.projections.unit_tables.unit_facets import facets_of
from memory_assets.projections.unit_tables.unit_rows import Draft, citation, spoken
from memory_assets.text.lexical_text import search_text
from memory_assets.text.passages import passages
from memory_assets.vocabulary import ORIGINS, Origin, Turn

if TYPE_CHECKING:
    import duckdb

NEIGHBOURS = 2
"""Passages before and behind one that are said around it."""
NEIGHBOUR_CHARACTERS = 400
"""How much of a neighbour is."""

# Who wrote a message of each role of which no stretch is anybody else's.
_OWN: Mapping[str, Origin] = {"user": "typed", "assistant": "said"}

_MESSAGES = """
WITH origins AS (
  SELECT session_id, message_index, list(row(span_start, span_end, origin) ORDER BY span_start) AS stretches
  FROM message_origins WHERE session_id IN (SELECT session_id FROM affected) GROUP BY ALL
)
SELECT m.session_id, m.message_index, m.message_uid, m.role, m.name, m.text, m.ts, s.title, s.project, s.cwd,
  coalesce(o.stretches, [])
FROM messages m JOIN sessions s USING (session_id) LEFT JOIN origins o USING (session_id, message_index)
WHERE m.kind = 'said' AND m.session_id IN (SELECT session_id FROM affected) AND regexp_matches(m.text, '\\S')
ORDER BY m.session_id, m.message_index
"""


@dataclass(frozen=True, slots=True)
class _Message:
    session_id: str
    index: int
    uid: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime
    session_title: str | None
    project: str | None
    worktree: str | None
    stretches: Sequence[tuple[int, int, Origin]]
    """Who wrote it, where that was not its speaker throughout."""

    def origin(self, start: int, end: int) -> Origin | None:
        """Who wrote some characters. Where several did, those of the person or the agent count first."""
        if not self.stretches:
            return _OWN.get(self.role)
        wrote = {origin for first, last, origin in self.stretches if self.text[max(start, first) : min(end, last)].strip()}
        return min(wrote, key=ORIGINS.index)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A part of a message with its tokens, and those of its beginning, by which its neighbours know it."""

    message: _Message
    part: int
    span: tuple[int, int]
    body: str
    own_text: str
    head_text: str
    origin: Origin | None

    @property
    def says(self) -> tuple[str, str | None]:
        """Who says it."""
        return self.message.role, self.message.speaker


def passage_drafts(connection: duckdb.DuckDBPyConnection) -> Iterator[Draft]:
    """The passages of the scope's sessions."""
    messages = (_Message(*row) for row in connection.execute(_MESSAGES).fetchall())
    for _, of_session in itertools.groupby(messages, key=lambda message: message.session_id):
        parts = [passage for message in of_session for passage in _parts(message)]
        told = [passage for passage in parts if passage.origin != "template"]
        yield from (_draft(passage, place, _around(told, place), _turn(told, place)) for place, passage in enumerate(told))
        yield from (_draft(passage, None, ()) for passage in parts if passage.origin == "template")


def _parts(message: _Message) -> Iterator[_Passage]:
    for part, (start, end) in enumerate(passages(message.text)):
        body = message.text[start:end]
        if not body.isspace():
            own_text = search_text(spoken(message.speaker, body))
            whole_head = len(body) <= NEIGHBOUR_CHARACTERS
            head = own_text if whole_head else search_text(spoken(message.speaker, body[:NEIGHBOUR_CHARACTERS]))
            yield _Passage(message, part, (start, end), body, own_text, head, message.origin(start, end))


def _around(told: Sequence[_Passage], place: int) -> Sequence[_Passage]:
    return [*told[max(0, place - NEIGHBOURS) : place], *told[place + 1 : place + 1 + NEIGHBOURS]]


def _turn(told: Sequence[_Passage], place: int) -> Turn | None:
    passage = told[place]
    before = told[place - 1] if place else passage
    return turn_of(passage.body, before.body if before.says != passage.says else None)


def _whole(passage: _Passage) -> dict[str, bool]:
    """Said of a passage that is all of its message: it is cited without its characters."""
    return {"whole": True} if passage.span == (0, len(passage.message.text)) else {}


def _draft(passage: _Passage, place: int | None, around: Sequence[_Passage], turn: Turn | None = None) -> Draft:
    message = passage.message
    return Draft(
        kind="passage",
        source_id=_source_id(message, passage.part),
        title=message.session_title or message.session_id,
        body=passage.body,
        occurred_at=message.said_at,
        citations=[citation(message.session_id, message.index, *passage.span) | _whole(passage)],
        own_text=passage.own_text,
        around_text=" ".join(neighbour.head_text for neighbour in around),
        facets=facets_of(passage.body),
        part=passage.part,
        project=message.project,
        worktree=message.worktree,
        session_id=message.session_id,
        message_index=message.index,
        place=place,
        span=passage.span,
        role=message.role,
        speaker=message.speaker,
        origin=passage.origin,
        turn=turn,
    )


def _source_id(message: _Message, part: int) -> str:
    """Of the first part that of its message. A session's id holds no slash, and a message's may hold anything."""
    return f"{message.session_id}/{part}#{message.uid}" if part else f"{message.session_id}#{message.uid}"
