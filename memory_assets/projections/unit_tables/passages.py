"""Passages: what a person or an agent wrote, message by message, the long ones in parts; each cites its own characters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.projections.unit_tables.unit_facets import facets_of
from memory_assets.projections.unit_tables.unit_rows import Draft, citation, spoken
from memory_assets.text.lexical_text import search_text
from memory_assets.text.passages import passages

if TYPE_CHECKING:
    import duckdb

NEIGHBOURS = 2
"""Passages before and behind one that are said around it."""
NEIGHBOUR_CHARACTERS = 400
"""How much of a neighbour is."""

_MESSAGES = """
WITH templates AS (
  SELECT session_id, message_index, list([span_start, span_end] ORDER BY span_start) AS spans
  FROM message_origins WHERE origin = 'template' AND session_id IN (SELECT session_id FROM affected) GROUP BY ALL
)
SELECT m.session_id, m.message_index, m.message_uid, m.role, m.name, m.text, m.ts, s.title, s.project, s.cwd,
  coalesce(t.spans, [])
FROM messages m JOIN sessions s USING (session_id) LEFT JOIN templates t USING (session_id, message_index)
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
    templates: Sequence[Sequence[int]]
    """The stretches that a program wrote: like what is injected, they are no passages."""

    def is_template(self, start: int, end: int) -> bool:
        return any(first <= start and end <= last for first, last in self.templates)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A part of a message with its tokens, and those of its beginning, by which its neighbours know it."""

    message: _Message
    part: int
    span: tuple[int, int]
    body: str
    own_text: str
    head_text: str


def passage_drafts(connection: duckdb.DuckDBPyConnection) -> Iterator[Draft]:
    """The passages of the scope's sessions."""
    messages = (_Message(*row) for row in connection.execute(_MESSAGES).fetchall())
    for _, of_session in itertools.groupby(messages, key=lambda message: message.session_id):
        told = [passage for message in of_session for passage in _parts(message)]
        yield from (_draft(told, place) for place in range(len(told)))


def _parts(message: _Message) -> Iterator[_Passage]:
    for part, (start, end) in enumerate(passages(message.text)):
        body = message.text[start:end]
        if not body.isspace() and not message.is_template(start, end):
            own_text = search_text(spoken(message.speaker, body))
            whole_head = len(body) <= NEIGHBOUR_CHARACTERS
            head = own_text if whole_head else search_text(spoken(message.speaker, body[:NEIGHBOUR_CHARACTERS]))
            yield _Passage(message, part, (start, end), body, own_text, head)


def _whole(passage: _Passage) -> dict[str, bool]:
    """Said of a passage that is all of its message: it is cited without its characters."""
    return {"whole": True} if passage.span == (0, len(passage.message.text)) else {}


def _draft(told: Sequence[_Passage], place: int) -> Draft:
    passage = told[place]
    message = passage.message
    around = [*told[max(0, place - NEIGHBOURS) : place], *told[place + 1 : place + 1 + NEIGHBOURS]]
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
    )


def _source_id(message: _Message, part: int) -> str:
    """Of the first part that of its message. A session's id holds no slash, and a message's may hold anything."""
    return f"{message.session_id}/{part}#{message.uid}" if part else f"{message.session_id}#{message.uid}"
