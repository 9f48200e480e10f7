"""One resolver for everything that names a unit or a place of a session.

An id is a ``mem:`` or ``session:`` citation, or the id of a unit, memory, entry or task, whole or its beginning; square
brackets around it are left out. Ids are looked up together, and one that names nothing is a value of its own: the others
are answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, assert_never

from memory_assets.citations.addresses import (
    MemoryCitation,
    MessageCitation,
    SpanCitation,
    TerminalCitation,
    bare,
    parse_citation,
)
from memory_assets.errors import MemoryAssetsError, NotFoundError
from memory_assets.log.fetching import fetch, storable
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.search.entity_ids import one_entity

if TYPE_CHECKING:
    import duckdb

_TYPED = re.compile(r"(?:unt|mem|ent)_\S{0,40}")
_TASK = re.compile(r"tsk_|task:")

# Of a shortened id the one unit that it begins, if there is but one. A prefix alone begins none.
_BY_ID = """
WITH given AS (SELECT unnest(from_json(?, '["VARCHAR"]')) AS beginning), named AS (
  SELECT unit_id AS id, unit_id FROM memory_units
  UNION ALL SELECT source_id, unit_id FROM memory_units WHERE unit_kind = 'entry'
  UNION ALL SELECT n.entry_id, u.unit_id FROM entries n
    LEFT JOIN memory_units u ON u.unit_kind = 'entry' AND u.source_id = n.memory_id WHERE n.status <> 'superseded'
)
SELECT g.beginning, count(DISTINCT n.id), arg_min(coalesce(n.unit_id, ''), (n.id <> g.beginning, n.id)),
  bool_or(n.id = g.beginning)
FROM given g JOIN named n ON length(g.beginning) > 4 AND starts_with(n.id, g.beginning) GROUP BY g.beginning
"""
_BY_SHORT_ID = f"""
SELECT DISTINCT c.short_id, coalesce(u.unit_id, ''), 'mem:' || k.short_id FROM memory_citations c
LEFT JOIN memory_units u ON u.unit_kind = 'entry' AND u.source_id = c.memory_id
LEFT JOIN memories m ON m.memory_id = c.memory_id LEFT JOIN memories k ON k.memory_id = m.superseded_by
WHERE c.short_id IN {IN_LIST}
"""
_OF_TASKS = f"SELECT source_id, unit_id FROM memory_units WHERE unit_kind = 'task' AND source_id IN {IN_LIST}"
_UNITS = f"""
SELECT u.unit_id, u.unit_kind, u.source_id, CASE u.unit_kind WHEN 'task' THEN u.source_id ELSE 'mem:' || m.short_id END,
  u.title, u.citations_json
FROM memory_units u LEFT JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id WHERE u.unit_id IN {IN_LIST}
"""
# The passage that holds a place, or none: what a tool wrote is a message and no passage.
_AT_PLACES = """
WITH points AS (
  SELECT unnest(from_json(?, '[{"uri": "VARCHAR", "session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER"}]'),
    recursive := true)
)
SELECT p.uri, m.char_len, coalesce(s.title, s.session_id), u.unit_id, u.source_id
FROM points p JOIN messages m USING (session_id, message_index) JOIN sessions s USING (session_id)
LEFT JOIN memory_units u ON u.unit_kind = 'passage' AND u.session_id = p.session_id AND u.message_index = p.message_index
  AND u.span_start <= p.start AND p.start < u.span_end
"""


@dataclass(frozen=True, slots=True)
class MessageSpan:
    """Characters of a message, half-open, in segments where something is left out."""

    session_id: str
    message_index: int
    segments: tuple[tuple[int, int], ...]

    @property
    def start(self) -> int:
        return self.segments[0][0]

    @property
    def end(self) -> int:
        return self.segments[-1][1]

    def uri(self, length: int | None = None) -> str:
        """Its address; that of the message where it is all of the ``length`` characters."""
        if self.segments == ((0, length),):
            return MessageCitation(self.session_id, self.message_index).uri
        return SpanCitation(self.session_id, self.message_index, self.segments).uri


@dataclass(frozen=True, slots=True)
class ResolvedId:
    """What an id names.

    Attributes:
        given: the id as it was given.
        unit_id, unit_kind, source_id: of the unit; None for a place that no passage holds.
        address: what a person would ask for it by, ``mem:a7Bc3x`` or a task's id; None for what is neither.
        places: where it is said, the first said first; none for a task of which only people spoke.
    """

    given: str
    unit_id: str | None
    unit_kind: str | None
    source_id: str | None
    address: str | None
    title: str
    places: tuple[MessageSpan, ...]


@dataclass(frozen=True, slots=True)
class UnresolvedId:
    """An id that names nothing: why, and what to do."""

    given: str
    code: Literal["not_found", "invalid_argument"]
    reason: str
    hint: str = ""


_SpanAddress = MessageCitation | SpanCitation
_UNKNOWN = "`memory search` and `memory entries list` name what there is"
_NO_UNIT = "it is set aside, or none of its quotes was found: `memory show` or `memory evidence show` tells"


def resolve_ids(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> list[ResolvedId | UnresolvedId]:
    """What each id names, in the order of the ids; one that comes again is answered once."""
    parsed = {given: _parsed(given) for given in dict.fromkeys(ids)}
    asked = list(parsed.values())
    by_short = _rows(connection, _BY_SHORT_ID, [one.short_id for one in asked if isinstance(one, MemoryCitation)])
    by_id = _rows(connection, _BY_ID, [one.text for one in asked if isinstance(one, _TypedId)])
    spans = _spans(connection, [one for one in asked if isinstance(one, MessageCitation | SpanCitation)])
    tasks = _tasks(connection, [one for one in asked if isinstance(one, _TaskId)])
    named: dict[str, str | ResolvedId | UnresolvedId] = {}
    for given, one in parsed.items():
        match one:
            case MemoryCitation():
                named[given] = _unit_id(given, by_short.get(one.short_id))
            case _TypedId():
                named[given] = _begun(given, by_id.get(one.text))
            case _TaskId():
                named[given] = tasks[one.text]
            case MessageCitation() | SpanCitation():
                named[given] = _at(given, one, spans.get(one.uri))
            case UnresolvedId():
                named[given] = one
            case _:
                assert_never(one)
    units = _rows(connection, _UNITS, [found for found in named.values() if isinstance(found, str)])
    return [_of_unit(given, found, units) if isinstance(found, str) else found for given, found in named.items()]


@dataclass(frozen=True, slots=True)
class _TypedId:
    """The id of a unit, memory or entry, or the beginning of one."""

    text: str


@dataclass(frozen=True, slots=True)
class _TaskId:
    """The id of a task, the beginning of one, a former id, or a task's key."""

    text: str


def _parsed(given: str) -> MemoryCitation | _SpanAddress | _TypedId | _TaskId | UnresolvedId:
    text = bare(storable(given))
    if _TYPED.fullmatch(text):
        return _TypedId(text)
    if _TASK.match(text):
        return _TaskId(text)
    citation = parse_citation(text)
    if isinstance(citation, TerminalCitation):
        return citation.place
    if isinstance(citation, MemoryCitation | MessageCitation | SpanCitation):
        return citation
    return UnresolvedId(
        given[:200],
        "invalid_argument",
        f"{given[:80]!r} is no id that can be opened",
        "as in mem:a7Bc3x, session:ID#m=12, tsk_… or the unit_id of a hit",
    )


def _rows(connection: duckdb.DuckDBPyConnection, statement: str, values: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """The rows of some values by the first column; none are asked for where there are no values."""
    return {row[0]: row[1:] for row in fetch(connection, statement, [json_list(values)])} if values else {}


def _unit_id(given: str, row: tuple[Any, ...] | None) -> str | UnresolvedId:
    if row is None:
        return UnresolvedId(given, "not_found", f"there is no memory {given.strip()}", _UNKNOWN)
    unit_id, kept = row
    hint = f"it is set aside in favour of {kept}: `memory show` tells of both" if kept else _NO_UNIT
    return unit_id or UnresolvedId(given, "not_found", f"{given.strip()} has nothing that search shows", hint)


def _begun(given: str, row: tuple[Any, ...] | None) -> str | UnresolvedId:
    if row is None:
        return UnresolvedId(given, "not_found", f"there is nothing with the id {given.strip()}", _UNKNOWN)
    count, unit_id, is_whole = row
    if count > 1 and not is_whole:
        return UnresolvedId(given, "invalid_argument", f"{given.strip()!r} begins {count} ids", "give more of it")
    return _unit_id(given, (unit_id, None))


def _tasks(connection: duckdb.DuckDBPyConnection, asked: Sequence[_TaskId]) -> dict[str, str | ResolvedId | UnresolvedId]:
    """By the text that names each: the unit, or the task itself where it has no unit."""
    known: dict[str, str | ResolvedId | UnresolvedId] = {}
    found = {}
    for one in asked:
        try:
            found[one.text] = one_entity(connection, one.text, "task")
        except MemoryAssetsError as error:
            code: Literal["not_found", "invalid_argument"] = (
                "not_found" if isinstance(error, NotFoundError) else "invalid_argument"
            )
            known[one.text] = UnresolvedId(one.text[:200], code, str(error), error.hint)
    units = _rows(connection, _OF_TASKS, [task.entity_id for task in found.values()])
    for text, task in found.items():
        row = units.get(task.entity_id)
        known[text] = row[0] if row else ResolvedId(text, None, "task", task.entity_id, task.entity_id, task.title, ())
    return known


def _spans(connection: duckdb.DuckDBPyConnection, asked: Sequence[_SpanAddress]) -> dict[str, tuple[Any, ...]]:
    points = [
        {
            "uri": one.uri,
            "session_id": one.session_id,
            "message_index": one.message_index,
            "start": one.span_start if isinstance(one, SpanCitation) else 0,
        }
        for one in asked
    ]
    return {row[0]: row[1:] for row in fetch(connection, _AT_PLACES, [json.dumps(points)])} if points else {}


def _at(given: str, citation: _SpanAddress, row: tuple[Any, ...] | None) -> ResolvedId | UnresolvedId:
    if row is None:
        return UnresolvedId(
            given,
            "not_found",
            f"session {citation.session_id} has no message {citation.message_index}",
            "`memory sessions list` and `memory sessions show ID` name them",
        )
    length, title, unit_id, source_id = row
    segments = citation.segments if isinstance(citation, SpanCitation) else ((0, max(length, 1)),)
    if isinstance(citation, SpanCitation) and segments[-1][1] > length:
        return UnresolvedId(
            given,
            "invalid_argument",
            f"{citation.uri} ends behind its message, which has {length} characters",
            "the session may have been replaced by another text since the citation was made",
        )
    place = MessageSpan(citation.session_id, citation.message_index, segments)
    return ResolvedId(given, unit_id, "passage" if unit_id else None, source_id, None, title, (place,))


def _of_unit(given: str, unit_id: str, units: dict[str, tuple[Any, ...]]) -> ResolvedId:
    kind, source_id, address, title, citations = units[unit_id]
    places = (
        MessageSpan(one["session_id"], one["message_index"], tuple((start, end) for start, end in one["segments"]))
        for one in json.loads(citations)
    )
    return ResolvedId(given, unit_id, kind, source_id, address, title, tuple(dict.fromkeys(places)))
