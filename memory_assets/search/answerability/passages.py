"""The messages that a search's hits cite, whole, as what an answer may quote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory_assets.log.fetching import fetch
from memory_assets.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.search import SearchHitV1

Place = tuple[str, int]

MOST_PASSAGES: Final = 20
"""Messages that are looked at for an answer."""
_AROUND: Final = 400
"""Characters on either side of what a memory or task quotes that are looked at with it."""
_MOST_SENTENCES: Final = 60

_MESSAGES: Final = """
WITH places AS (
  SELECT DISTINCT * FROM (SELECT unnest(from_json($places, '[{"session_id": "VARCHAR", "message_index": "INTEGER"}]'),
    recursive := true))
), before AS (
  SELECT p.session_id, p.message_index, max(m.message_index) AS earlier
  FROM places p JOIN messages m ON m.session_id = p.session_id AND m.kind = 'said' AND m.message_index < p.message_index
    AND m.message_index >= p.message_index - 40
  GROUP BY ALL
)
SELECT m.session_id, m.message_index, m.text, m.name, m.role, m.ts, b.earlier, e.text, e.name, e.role
FROM places p JOIN messages m USING (session_id, message_index)
LEFT JOIN before b USING (session_id, message_index)
LEFT JOIN messages e ON e.session_id = p.session_id AND e.message_index = b.earlier
"""
_ROW: Final = re.compile(r"^[ \t]{0,8}\|(?![ :|-]*$).*\|[ \t]*$", re.MULTILINE)
_LINE: Final = re.compile(r"\S(?:[^\n]{0,218}\S)?")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a message that a hit cites.

    Attributes:
        hit: the best hit that cites it; ``place`` the message.
        text: the whole stored message; spans index it.
        start, end: the part that may be quoted, half-open, code points.
        speaker: by name where the conversation has names, else None.
        before: what was said just before it, and by whom; empty where it is the first.
        sentences: of that part, in order.
    """

    hit: SearchHitV1
    place: Place
    text: str
    start: int
    end: int
    speaker: str | None
    role: str
    said_at: datetime
    before: str
    before_speaker: str | None
    sentences: tuple[Sentence, ...]


def passages_of(connection: duckdb.DuckDBPyConnection, hits: Sequence[SearchHitV1]) -> list[Passage]:
    """The passages of some hits, best first; each message once."""
    spans: dict[Place, tuple[SearchHitV1, int | None, int | None]] = {}
    for hit, place, start, end in _cited(hits):
        if place not in spans and len(spans) < MOST_PASSAGES:
            spans[place] = (hit, start, end)
    points = json.dumps([{"session_id": session_id, "message_index": index} for session_id, index in spans])
    rows = {(row[0], row[1]): row[2:] for row in (fetch(connection, _MESSAGES, {"places": points}) if spans else [])}
    return [_passage(hit, place, start, end, rows[place]) for place, (hit, start, end) in spans.items() if place in rows]


def _cited(hits: Sequence[SearchHitV1]) -> Iterator[tuple[SearchHitV1, Place, int | None, int | None]]:
    for hit in hits:
        for citation in hit.citations[:2]:
            session_id, index = getattr(citation, "session_id", None), getattr(citation, "message_index", None)
            if session_id is not None and index is not None:
                yield hit, (session_id, index), getattr(citation, "span_start", None), getattr(citation, "span_end", None)


def _passage(hit: SearchHitV1, place: Place, start: int | None, end: int | None, row: tuple[object, ...]) -> Passage:
    text, name, role, said_at, _, before, before_name, _ = row
    assert isinstance(text, str) and isinstance(role, str) and isinstance(said_at, datetime)
    low, high = start or 0, len(text) if end is None else end
    if hit.unit_kind != "passage":
        low, high = max(0, low - _AROUND), min(len(text), high + _AROUND)
    return Passage(
        hit=hit,
        place=place,
        text=text,
        start=low,
        end=high,
        speaker=name if isinstance(name, str) else None,
        role=role,
        said_at=said_at,
        before=before if isinstance(before, str) else "",
        before_speaker=before_name if isinstance(before_name, str) else None,
        sentences=tuple(_quotable(text, low, high)),
    )


def _quotable(text: str, start: int, end: int) -> list[Sentence]:
    """Sentences and rows of tables within a part of a message; where it has none, its lines."""
    within = [one for one in sentences(text) if one.start >= start and one.end <= end]
    rows = [Sentence(match.start(), match.end(), match[0], "item", "") for match in _ROW.finditer(text, start, end)]
    found = sorted([*within, *rows], key=lambda one: one.start)
    lines = () if found else _LINE.finditer(text, start, end)
    return (found or [Sentence(match.start(), match.end(), match[0], "prose", "") for match in lines])[:_MOST_SENTENCES]
