"""What a unit cites, as ``citation.v1``: first the messages that it rests on, then what it names.

What a tool wrote and a gotcha rests on is cited as what it is: a snapshot of a terminal, or a record of the session's log.
Files, commits and symbols are cited only where the unit's facets hold them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation, SpanCitation, TerminalCitation
from memory_assets.citations.errors import InvalidCitationError
from memory_assets.citations.external import CommitCitation, FileCitation, LogCitation, SymbolCitation
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.citation import (
    AnyCitationV1,
    CitationV1,
    LogCitationV1,
    TerminalSnapshotCitationV1,
    citation_v1,
)

if TYPE_CHECKING:
    import duckdb

CITED = 5
"""Places of a unit that are cited: what was said a hundred times is one thing."""
NAMED = 5
"""Files, commits and symbols of a unit that are cited."""

_SHELLS = re.compile(
    r"(?:bash|shell|sh|zsh|powershell|cmd|terminal|exec|exec_command|local_shell|local_shell_call|run_shell_command|shell_command"
    r"|run_terminal_cmd|run_terminal_command|run_in_terminal|execute_command|run_command|write_stdin|bashoutput)"
)
_UNITS = f"""
SELECT u.unit_id, u.unit_kind, 'mem:' || m.short_id, u.citations_json
FROM memory_units u LEFT JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id
WHERE u.unit_id IN {IN_LIST}
"""
# A result names its tool itself, or through the call that it answers.
_MESSAGES = """
WITH places AS (
  SELECT DISTINCT * FROM (SELECT unnest(from_json($places, '[{"session_id": "VARCHAR", "message_index": "INTEGER"}]'),
    recursive := true))
)
SELECT m.session_id, m.message_index, m.role, m.name, m.ts, m.text, s.source_uri, m.kind, coalesce(m.tool_name, c.tool_name)
FROM places p JOIN messages m USING (session_id, message_index) JOIN sessions s USING (session_id)
LEFT JOIN messages c ON m.kind = 'tool_result' AND c.session_id = m.session_id AND c.kind = 'tool_call'
  AND c.tool_use_id = m.tool_use_id
"""
_FACETS = f"""
SELECT unit_id, facet, value FROM unit_facets
WHERE facet IN ('file', 'commit', 'symbol') AND unit_id IN {IN_LIST} ORDER BY unit_id, facet, value
"""


@dataclass(frozen=True, slots=True)
class CitedMessage:
    """A message as far as a citation of it says anything.

    Attributes:
        path: the file that the session was last read from.
        kind: ``said``, ``tool_result`` … (sessions/model.py).
        tool_name: of a tool's result, as the result or its call says.
    """

    session_id: str
    message_index: int
    role: str
    name: str | None
    ts: datetime
    text: str
    path: str | None
    kind: str
    tool_name: str | None


def citations_of(
    connection: duckdb.DuckDBPyConnection, unit_ids: Sequence[str], *, places: int = CITED
) -> dict[str, tuple[AnyCitationV1, ...]]:
    """Everything that some units cite, by unit: their first places, then what they name. Unknown units are absent."""
    rows = fetch(connection, _UNITS, [json_list(unit_ids)]) if unit_ids else []
    cited = {row[0]: json.loads(row[3])[:places] for row in rows}
    messages = cited_messages(connection, (place for found in cited.values() for place in found))
    named = named_citations(connection, list(cited), most=NAMED)
    found: dict[str, tuple[AnyCitationV1, ...]] = {}
    for unit_id, kind, memory, _ in rows:
        said = (
            place_citation(kind, place, messages[place["session_id"], place["message_index"]], memory)
            for place in cited[unit_id]
            if (place["session_id"], place["message_index"]) in messages
        )
        found[unit_id] = (*said, *named.get(unit_id, ()))
    return found


def cited_messages(
    connection: duckdb.DuckDBPyConnection, places: Iterable[Mapping[str, Any]]
) -> dict[tuple[str, int], CitedMessage]:
    """The messages of some places, by session and index."""
    wanted = sorted({(place["session_id"], place["message_index"]) for place in places})
    if not wanted:
        return {}
    points = json.dumps([{"session_id": session_id, "message_index": index} for session_id, index in wanted])
    return {(row[0], row[1]): CitedMessage(*row) for row in fetch(connection, _MESSAGES, {"places": points})}


def place_citation(unit_kind: str, place: Mapping[str, Any], message: CitedMessage, memory: str | None = None) -> AnyCitationV1:
    """A place of a unit's ``citations_json`` with what is known of its message.

    A passage is not quoted: it is what the hit delivers. Only a gotcha cites what a tool wrote as such; a memory and a task
    rest on messages, whoever wrote them.

    Args:
        memory: the address of the memory that it supports.
    """
    is_passage = unit_kind == "passage"
    is_of_tool = unit_kind == "gotcha" and message.kind == "tool_result"
    segments = tuple((int(start), int(end)) for start, end in place["segments"])
    is_whole = segments == ((0, len(message.text)),)
    quote = None if is_passage else message.text[place["span_start"] : place["span_end"]]
    speaker = (message.tool_name if is_of_tool else None) or message.name or message.role
    label = f"{speaker}, {message.ts:%Y-%m-%d %H:%M}"
    if is_of_tool and is_shell(message.tool_name):
        terminal = TerminalCitation(message.session_id, message.message_index, () if is_whole else segments)
        return TerminalSnapshotCitationV1.of(
            terminal, id=memory, path=message.path, tool_name=message.tool_name, ts=message.ts, quote=quote, label=label
        )
    log = _log(message) if is_of_tool else None
    if log is not None:
        return LogCitationV1.of(
            log,
            id=memory,
            session_id=message.session_id,
            tool_name=message.tool_name,
            ts=message.ts,
            quote=quote,
            label=label,
        )
    address: MessageCitation | SpanCitation = (
        MessageCitation(message.session_id, message.message_index)
        if is_whole and is_passage
        else SpanCitation(message.session_id, message.message_index, segments)
    )
    return CitationV1.of(
        address,
        id=memory,
        path=message.path,
        role=message.role,
        name=message.name,
        ts=message.ts,
        quote=quote,
        label=label,
    )


def named_citations(
    connection: duckdb.DuckDBPyConnection, unit_ids: Sequence[str], *, most: int = NAMED
) -> dict[str, tuple[AnyCitationV1, ...]]:
    """The files, commits and symbols that some units name, by unit; units that name none are absent."""
    rows = fetch(connection, _FACETS, [json_list(unit_ids)]) if unit_ids else []
    facets: dict[str, dict[str, list[str]]] = {}
    for unit_id, facet, value in rows:
        facets.setdefault(unit_id, {}).setdefault(facet, []).append(value)
    return {unit_id: cited for unit_id, found in facets.items() if (cited := tuple(_named(found))[:most])}


def is_shell(tool_name: str | None) -> bool:
    """Whether what a tool wrote is what a terminal showed; a prefix of a server (``mcp__x__``) is left out."""
    return tool_name is not None and _SHELLS.fullmatch(tool_name.rpartition("__")[2].rpartition(".")[2].lower()) is not None


def _log(message: CitedMessage) -> LogCitation | None:
    """A record of the file that the session was read from; None where that is unknown or can be no address."""
    try:
        return LogCitation(message.path, message_index=message.message_index) if message.path else None
    except InvalidCitationError:
        return None


def _named(facets: Mapping[str, Sequence[str]]) -> Iterable[AnyCitationV1]:
    # A facet gives a file by its name alone too, and a commit by its first digits: the longer one says more.
    files, commits = facets.get("file", ()), facets.get("commit", ())
    addresses: list[FileCitation | CommitCitation | SymbolCitation] = []
    for kind, values in (
        (FileCitation, [value for value in files if not any(re.search(r"[/\\]" + re.escape(value) + r"\Z", o) for o in files)]),
        (CommitCitation, [value for value in commits if not any(o != value and o.startswith(value) for o in commits)]),
        (SymbolCitation, facets.get("symbol", ())),
    ):
        for value in values:
            try:
                addresses.append(kind(value))
            except InvalidCitationError:  # what somebody wrote like a name need not be one
                continue
    return (citation_v1(address, label=_label(address)) for address in dict.fromkeys(addresses))


def _label(address: FileCitation | CommitCitation | SymbolCitation) -> str:
    match address:
        case FileCitation(path):
            return path
        case CommitCitation(commit):
            return f"commit {commit[:12]}"
        case SymbolCitation(symbol):
            return symbol
