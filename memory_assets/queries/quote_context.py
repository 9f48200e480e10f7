"""What a quote stands under: the heading above it in its message, and the words that it answers.

A sentence that was clear to those who talked names its subject a heading or a question earlier. Both are read from the
messages as they stand, so nothing is stored twice and nothing can be stale.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import SpanCitation
from memory_assets.extraction.sentence_context import words_of
from memory_assets.log.fetching import fetch
from memory_assets.results.memories import QuoteContext
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import hands_over_plan, origin_at, origins_of
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    import duckdb

_READ = 40_000
"""Characters of a message that are read for its headings."""
_ASKED_READ = 4_000
_BEFORE = 5
"""Messages of the other side that are looked at: the nearest may say "go on" alone."""
_TELLING_WORDS = 3
"""Telling words of a sentence that says what it is about."""
_SHOWN = 200

_STOOD = f"""
WITH places AS (
  SELECT unnest(from_json(?, '[{{"number": "INTEGER", "session_id": "VARCHAR", "message_index": "INTEGER"}}]'),
    recursive := true)
), within AS (
  SELECT p.number, p.session_id, p.message_index, m.role, left(m.text, {_READ}) AS text
  FROM places p JOIN messages m USING (session_id, message_index)
)
SELECT w.number, w.role, w.text,
  list({{'index': b.message_index, 'role': b.role, 'text': b.text}} ORDER BY b.message_index DESC)
  FILTER (b.message_index IS NOT NULL)
FROM within w LEFT JOIN (
  SELECT v.number, m.message_index, m.role, left(m.text, {_ASKED_READ}) AS text
  FROM within v JOIN messages m USING (session_id)
  WHERE m.message_index < v.message_index AND m.kind = 'said' AND NOT m.sidechain
    AND (m.role = 'user' OR m.role = 'assistant' AND v.role = 'user')
  QUALIFY row_number() OVER (PARTITION BY v.number, m.role ORDER BY m.message_index DESC)
    <= CASE m.role WHEN 'user' THEN {_BEFORE} ELSE 1 END
) b USING (number) GROUP BY ALL
"""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """Where a quote begins."""

    session_id: str
    message_index: int
    start: int


def quote_contexts(connection: duckdb.DuckDBPyConnection, places: Sequence[QuotePlace | None]) -> list[QuoteContext | None]:
    """What each quote stands under; None for one without a place, or under nothing."""
    asked = [
        {"number": number, "session_id": place.session_id, "message_index": place.message_index}
        for number, place in enumerate(places)
        if place is not None
    ]
    found: list[QuoteContext | None] = [None] * len(places)
    for number, role, text, before in fetch(connection, _STOOD, [json.dumps(asked)]) if asked else []:
        place = places[number]
        if place is not None:
            found[number] = _context(place, role, text, before or ())
    return found


def _context(place: QuotePlace, role: str, text: str, before: Sequence[Mapping[str, Any]]) -> QuoteContext | None:
    said = sentences(text)
    heading = next((one.heading for one in reversed(said) if one.start <= place.start), "").replace("**", "").strip()
    asked = next((found for one in before if one["role"] == "user" and (found := _subject(one["index"], one["text"]))), None)
    if role == "user":
        own = _subject(place.message_index, text)
        if own is not None and own[1].end <= place.start:
            asked = own
        else:
            asked = _question([one for one in before if one["role"] == "assistant"]) or asked
    if not heading and asked is None:
        return None
    return QuoteContext(
        heading=heading[:_SHOWN] or None,
        asked=asked[1].text[:_SHOWN] if asked else None,
        asked_uri=SpanCitation(place.session_id, asked[0], ((asked[1].start, asked[1].end),)).uri if asked else None,
    )


def _subject(index: int, text: str) -> tuple[int, Sentence] | None:
    """What a person's message is about: the heading of a plan, else the first typed sentence that says something."""
    said = sentences(text)
    if hands_over_plan(text) and (headed := next((one for one in said if one.shape == "heading"), None)) is not None:
        return index, headed
    stretches = origins_of(Message("", "user", "said", text))
    typed = (one for one in said if origin_at(stretches, one.start) == "typed")
    return next(((index, one) for one in typed if _says_what(one)), None)


def _question(before: Sequence[Mapping[str, Any]]) -> tuple[int, Sentence] | None:
    """The last question of an agent's message, which a person's next one answers."""
    for one in before:
        asked = [sentence for sentence in sentences(one["text"]) if sentence.text.rstrip("*_` )").endswith("?")]
        if asked:
            return one["index"], asked[-1]
    return None


def _says_what(one: Sentence) -> bool:
    return len(words_of(one.text)) >= _TELLING_WORDS and not is_one_turn(one.text)
