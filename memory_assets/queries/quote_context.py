"""What a quote stands under: its session's title, the heading above it in its message, and the words that it answers.

A sentence that was clear to those who talked names its subject a heading or a question earlier. They are read from the
messages as they stand, so nothing is stored twice and nothing can be stale.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import SpanCitation
from memory_assets.extraction.sentence_context import words_of
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.memories import QuoteContext
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import hands_over_plan, origin_at, origins_of
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    import duckdb

_READ = 40_000
"""Characters of a message that are read: a quote further down stands under no heading."""
_BEFORE = 5
"""Messages of a person that are looked at: the nearest may say "go on" alone."""
_TELLING_WORDS = 3
"""Telling words of a sentence that says what it is about."""
_SHOWN = 200

_SAID = f"""
SELECT s.session_id, s.title, list(m.message_index ORDER BY m.message_index) FILTER (m.role = 'user'),
  list(m.message_index ORDER BY m.message_index) FILTER (m.role = 'assistant')
FROM sessions s LEFT JOIN messages m ON m.session_id = s.session_id AND m.kind = 'said' AND NOT m.sidechain
WHERE s.session_id IN {IN_LIST} GROUP BY s.session_id, s.title
"""
_TEXTS = f"""
SELECT session_id, message_index, role, left(text, {_READ}) FROM messages JOIN (
  SELECT unnest(from_json(?, '[{{"session_id": "VARCHAR", "message_index": "INTEGER"}}]'), recursive := true)
) USING (session_id, message_index)
"""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """Where a quote begins."""

    session_id: str
    message_index: int
    start: int


@dataclass(frozen=True, slots=True)
class _Said:
    """What a session is called, and where its person and its agent speak."""

    title: str | None = None
    person: Sequence[int] = ()
    agent: Sequence[int] = ()

    def before(self, message_index: int) -> tuple[Sequence[int], Sequence[int]]:
        """The person's nearest messages before one, the nearest first, and the agent's nearest."""
        person = self.person[: bisect_left(self.person, message_index)][-_BEFORE:]
        return person[::-1], self.agent[: bisect_left(self.agent, message_index)][-1:]


@dataclass
class _Text:
    """A message, cut into sentences once."""

    index: int
    role: str
    text: str

    @cached_property
    def sentences(self) -> list[Sentence]:
        return sentences(self.text)

    @cached_property
    def subject(self) -> Sentence | None:
        """What a person's message is about: the heading of a plan, else the first typed sentence that says something."""
        if hands_over_plan(self.text) and (headed := next((one for one in self.sentences if one.shape == "heading"), None)):
            return headed
        stretches = origins_of(Message("", "user", "said", self.text))
        typed = (one for one in self.sentences if origin_at(stretches, one.start) == "typed")
        return next((one for one in typed if _says_what(one)), None)

    @cached_property
    def question(self) -> Sentence | None:
        """The last question of an agent's message, which a person's next one answers."""
        return next((one for one in reversed(self.sentences) if one.text.rstrip("*_` )").endswith("?")), None)

    def heading_above(self, start: int) -> str:
        heading = next((one.heading for one in reversed(self.sentences) if one.start <= start), "")
        return heading.replace("**", "").strip() if start < _READ else ""


def quote_contexts(connection: duckdb.DuckDBPyConnection, places: Sequence[QuotePlace | None]) -> list[QuoteContext | None]:
    """What each quote stands under; None for one without a place, or under nothing."""
    asked = [place for place in places if place is not None]
    if not asked:
        return [None] * len(places)
    found = fetch(connection, _SAID, [json_list({place.session_id for place in asked})])
    said = {session_id: _Said(title, person or (), agent or ()) for session_id, title, person, agent in found}
    wanted = {(place.session_id, index) for place in asked for index in _needed(place, said)}
    keys = [{"session_id": session_id, "message_index": index} for session_id, index in sorted(wanted)]
    texts = {
        (session_id, index): _Text(index, role, text)
        for session_id, index, role, text in fetch(connection, _TEXTS, [json.dumps(keys)])
    }
    return [None if place is None else _context(place, said.get(place.session_id, _Said()), texts) for place in places]


def _needed(place: QuotePlace, said: dict[str, _Said]) -> Iterator[int]:
    person, agent = said.get(place.session_id, _Said()).before(place.message_index)
    yield from (place.message_index, *person, *agent)


def _context(place: QuotePlace, said: _Said, texts: dict[tuple[str, int], _Text]) -> QuoteContext | None:
    own = texts.get((place.session_id, place.message_index))
    if own is None:
        return None
    person, agent = ([texts[place.session_id, index] for index in one] for one in said.before(place.message_index))
    about = next(((one, subject) for one in person if (subject := one.subject) is not None), None)
    if own.role == "user":
        question = next(((one, asking) for one in agent if (asking := one.question) is not None), None)
        subject = own.subject
        about = (own, subject) if subject is not None and subject.end <= place.start else question or about
    heading = own.heading_above(place.start)
    if not (said.title or heading or about):
        return None
    return QuoteContext(
        session_title=said.title,
        heading=heading[:_SHOWN] or None,
        asked=about[1].text[:_SHOWN] if about else None,
        asked_uri=SpanCitation(place.session_id, about[0].index, ((about[1].start, about[1].end),)).uri if about else None,
    )


def _says_what(one: Sentence) -> bool:
    return len(words_of(one.text)) >= _TELLING_WORDS and not is_one_turn(one.text)
