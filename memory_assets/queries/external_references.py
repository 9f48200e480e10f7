"""What the store knows of a file, commit, symbol or page that an address names: who speaks of it. Nothing is opened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memory_assets.citations.encoding import normal_path
from memory_assets.citations.errors import InvalidCitationError
from memory_assets.citations.external import CommitCitation, LogCitation, OutsideCitation, SymbolCitation
from memory_assets.errors import NotFoundError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.entries import address, memories_by_id
from memory_assets.queries.sessions import messages_at
from memory_assets.results.sessions import MessageView
from memory_assets.results.shown import NamingUnit, ResolvedName, SourceSession

if TYPE_CHECKING:
    import duckdb

SHOWN = 10
"""Memories, and other units, that are shown; all are counted."""

# A path is meant by its end: `src/app.py` names `/home/me/shop/src/app.py`, and is named by it. A bare name is not: many
# folders have an `app.py`.
_UNITS_OF_FILE = """
SELECT DISTINCT unit_id FROM unit_facets, (SELECT replace(nfc_normalize(value), '\\', '/') AS path) v
WHERE facet = 'file' AND (path = $name OR ends_with(path, '/' || $name) OR
  (contains(path, '/') AND ends_with($name, '/' || path)))
"""
_UNITS_OF_COMMIT = """
SELECT DISTINCT unit_id FROM unit_facets
WHERE facet = 'commit' AND length(value) >= 4 AND (starts_with(lower(value), $name) OR starts_with($name, lower(value)))
"""
_UNITS_OF_SYMBOL = "SELECT DISTINCT unit_id FROM unit_facets WHERE facet = 'symbol' AND nfc_normalize(value) = $name"
_UNITS = f"""
SELECT unit_id, unit_kind, source_id, title, summary, project, occurred_at, citations_json
FROM memory_units WHERE unit_id IN {IN_LIST} ORDER BY occurred_at DESC, unit_id
"""
_READ_FROM = """
SELECT session_id, title, project, message_count, started_at, source_uris FROM sessions
WHERE list_bool_or([ends_with(replace(nfc_normalize(uri), '\\', '/'), $end) FOR uri IN source_uris]) ORDER BY session_id
"""


def name_in_store(connection: duckdb.DuckDBPyConnection, citation: OutsideCitation) -> ResolvedName:
    """Who names it: memories, other units, and the sessions that were read from it.

    Raises:
        NotFoundError: nothing does.
    """
    name = _name(citation)
    unit_ids = [row[0] for row in fetch(connection, _statement(citation), {"name": name})]
    rows = fetch(connection, _UNITS, [json_list(unit_ids)]) if unit_ids else []
    memory_ids = [row[2] for row in rows if row[1] == "entry"]
    units = [row for row in rows if row[1] != "entry"]
    sessions = [] if isinstance(citation, CommitCitation | SymbolCitation) else _read_from(connection, name)
    if not rows and not sessions:
        raise NotFoundError(
            f"nothing in the store names {citation.uri[:200]}",
            hint="`memory search` finds what was said; files that nobody spoke of are not in the store, and none is opened",
        )
    found = memories_by_id(connection, memory_ids[:SHOWN])
    return ResolvedName(
        kind=citation.kind,
        uri=citation.uri,
        citation_kind=citation.kind,
        name=name,
        memories=tuple(found[memory_id] for memory_id in memory_ids[:SHOWN] if memory_id in found),
        memory_count=len(memory_ids),
        units=tuple(
            NamingUnit(
                unit_id=unit_id,
                unit_kind=kind,
                title=title,
                summary=summary,
                project=project,
                occurred_at=occurred_at,
                uri=_first_place(citations),
            )
            for unit_id, kind, _, title, summary, project, occurred_at, citations in units[:SHOWN]
        ),
        unit_count=len(units),
        sessions=tuple(sessions[:SHOWN]),
        message=_message(connection, citation, sessions),
    )


def _statement(citation: OutsideCitation) -> str:
    match citation:
        case CommitCitation():
            return _UNITS_OF_COMMIT
        case SymbolCitation():
            return _UNITS_OF_SYMBOL
        case _:
            return _UNITS_OF_FILE


def _name(citation: OutsideCitation) -> str:
    match citation:
        case CommitCitation(commit):
            return commit
        case SymbolCitation(symbol):
            return symbol
        case _:
            return citation.path


def _read_from(connection: duckdb.DuckDBPyConnection, path: str) -> list[SourceSession]:
    """The sessions that were read from a file: from the path, or from one that ends so."""
    rows = fetch(connection, _READ_FROM, {"end": path.rpartition("/")[2]})
    return [SourceSession.of_row(row[:5]) for row in rows if any(_is_end(path, uri) for uri in row[5])]


def _is_end(path: str, uri: str) -> bool:
    try:
        full = normal_path(uri)
    except InvalidCitationError:  # a source that no address can name
        return False
    return full == path or full.endswith(f"/{path.lstrip('/')}")


def _message(
    connection: duckdb.DuckDBPyConnection, citation: OutsideCitation, sessions: list[SourceSession]
) -> MessageView | None:
    """The message that a log's address names; None where several sessions were read from the file."""
    if not isinstance(citation, LogCitation) or citation.message_index is None or len(sessions) != 1:
        return None
    index = citation.message_index
    return messages_at(connection, sessions[0].session_id, index, index).get(index)


def _first_place(citations_json: str) -> str | None:
    first = next(iter(json.loads(citations_json)), None)
    return None if first is None else address(first["session_id"], first["message_index"], first["segments"])
