"""What an address or an id names, in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation, NotACitation, SpanCitation, bare, parse_citation
from memory_assets.errors import InvalidArgumentError
from memory_assets.log.fetching import fetch, full_id
from memory_assets.queries.citations import memory_in_place, quotes_in_place, resolve_citation, span_in_place
from memory_assets.queries.entries import memories_by_id, one_entry
from memory_assets.queries.tasks import task_view
from memory_assets.results.shown import Resolved, ResolvedEntry, ResolvedSpan, ResolvedTask, ResolvedUnit, ShownSpan
from memory_assets.search.answers.unit_citations import citations_of
from memory_assets.search.entity_ids import one_entity

if TYPE_CHECKING:
    import duckdb

PLACES = 3
"""Places of a task or a unit that are shown in their messages."""

_UNIT = """
SELECT unit_id, unit_kind, title, summary, body, stage, status, project, session_id, occurred_at, source_id, citations_json
FROM memory_units WHERE unit_id = ?
"""
_FORMS = "as in mem:a7Bc3x, session:ID#m=12&c=140-182, file:src/app.py, or the id of an entry, task, memory or unit"


def resolve(connection: duckdb.DuckDBPyConnection, text: str) -> Resolved:
    """What an address names (see `parse_citation`), or the id of a memory, entry, task or unit, whole or its beginning.

    Raises:
        InvalidArgumentError: the text is no address and no id, or a span lies outside its message.
        NotFoundError: it names nothing in the store.
        AmbiguousIdError: several ids begin with it.
    """
    given = bare(text)
    prefix = given[:4]
    if prefix == "mem_":
        memory_id = full_id(
            connection,
            "SELECT memory_id AS id FROM memories",
            given,
            what="memory",
            listed_by="memory entries list",
            prefix="mem_",
        )
        return memory_in_place(connection, memories_by_id(connection, [memory_id])[memory_id])
    if prefix == "ent_":
        entry = one_entry(connection, given)
        quotes = quotes_in_place(connection, [entry], [entry.memory_id] if entry.memory_id else [])
        return ResolvedEntry(kind="entry", entry=entry, quotes=quotes)
    if given.startswith(("tsk_", "task:")):
        return _task(connection, given)
    if prefix == "unt_":
        return _unit(connection, given)
    citation = parse_citation(text)
    if isinstance(citation, NotACitation):
        raise InvalidArgumentError(f"{text[:80]!r} is no citation and no id: {citation.reason}", hint=_FORMS)
    found = resolve_citation(connection, citation)
    return _shown(found) if isinstance(found, ResolvedSpan) else found


def _task(connection: duckdb.DuckDBPyConnection, given: str) -> ResolvedTask:
    task = task_view(connection, one_entity(connection, given, "task").entity_id)
    places = tuple(_place(connection, parse_citation(quote.uri)) for quote in task.evidence[:PLACES])
    return ResolvedTask(kind="task", task=task, places=places, place_count=len(task.evidence))


def _unit(connection: duckdb.DuckDBPyConnection, given: str) -> Resolved:
    unit_id = full_id(
        connection, "SELECT unit_id AS id FROM memory_units", given, what="unit", listed_by="memory search", prefix="unt_"
    )
    *plain, source_id, citations_json = fetch(connection, _UNIT, [unit_id])[0]
    places = json.loads(citations_json)
    match plain[1]:
        case "entry":
            return memory_in_place(connection, memories_by_id(connection, [source_id])[source_id])
        case "task":
            return _task(connection, source_id)
        case "passage":
            return _shown(_whole(_place(connection, _address(places[0]))))
    cited = citations_of(connection, [unit_id], places=len(places))[unit_id]
    shown = tuple(_place(connection, _address(place)) for place in places[:PLACES])
    return ResolvedUnit.of_row(
        ("unit", *plain, tuple(citation.model_dump(mode="json") for citation in cited), shown, len(places), "quoted")
    )


def _whole(span: ResolvedSpan) -> ResolvedSpan:
    """A passage under its address: a message that is one is cited without its characters."""
    if span.segments != ((0, len(span.message.text)),):
        return span
    return span.model_copy(update={"uri": MessageCitation(span.message.session_id, span.message.message_index).uri})


def _shown(span: ResolvedSpan) -> ShownSpan:
    return ShownSpan(kind="terminal_snapshot" if span.uri.startswith("terminal:") else "span", **dict(span))


def _address(place: dict[str, Any]) -> SpanCitation:
    segments = tuple((int(start), int(end)) for start, end in place["segments"])
    return SpanCitation(place["session_id"], place["message_index"], segments)


def _place(connection: duckdb.DuckDBPyConnection, citation: object) -> ResolvedSpan:
    assert isinstance(citation, MessageCitation | SpanCitation), citation  # what a fold wrote as evidence is a place
    return span_in_place(connection, citation)
