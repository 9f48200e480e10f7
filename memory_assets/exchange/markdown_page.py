"""What is remembered as a page for people: by project and session, each memory with its quotes and their addresses, then tasks.

The tables are read on one connection, so that the page is of one moment; what is made of them is not kept in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import SpanCitation
from memory_assets.exchange.markdown_text import escaped
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.search.answers.backing import Backings, backings
from memory_assets.search.answers.corrections import has_corrections
from memory_assets.search.answers.said_otherwise import said_instead_of

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.database import Database

_FETCHED = 500
_TYPES = {
    "decision": "Decisions",
    "preference": "Preferences",
    "fact": "Facts",
    "insight": "Insights",
    "task": "Tasks spoken of",
    "reference": "References",
}
_STANDS = {"contested": ", contested", "deprecated": ", set aside"}

_PROJECTS = """
SELECT DISTINCT coalesce(project, '') AS project FROM (
  SELECT project FROM sessions UNION ALL SELECT project FROM entities WHERE entity_type = 'task')
WHERE $project IS NULL OR project = $project ORDER BY project = '', project
"""
_SESSIONS = f"""
SELECT s.session_id, s.title, s.started_at, s.message_count, n.entry_type, n.entry_id, n.title, n.stage, n.status, m.short_id,
  e.message_index, e.segments_json, coalesce(e.matched_text, e.quote), n.memory_id, k.short_id
FROM sessions s
LEFT JOIN entries n ON n.session_id = s.session_id AND n.status <> 'superseded'
LEFT JOIN memories m ON m.memory_id = n.memory_id
LEFT JOIN memories k ON k.memory_id = m.superseded_by
LEFT JOIN evidence_spans e ON e.entry_id = n.entry_id
WHERE coalesce(s.project, '') = ?
ORDER BY s.started_at, s.session_id, list_position({list(_TYPES)}, n.entry_type), n.message_index, n.ordinal, n.entry_id,
  e.ordinal
"""
_MEMORIES = "SELECT memory_id FROM memories WHERE coalesce(project, '') = ?"
_TASKS = """
SELECT t.task_id, t.title, t.task_status, t.priority,
  list(b.effective_title ORDER BY b.effective_title) FILTER (b.task_id IS NOT NULL)
FROM v_tasks t LEFT JOIN v_task_blockers_effective b ON b.task_id = t.task_id AND NOT b.is_suggested AND NOT b.is_cleared
WHERE coalesce(t.project, '') = ?
GROUP BY t.task_id, t.title, t.task_status, t.priority
ORDER BY list_position(['in_progress', 'blocked', 'pending', 'done', 'cancelled'], t.task_status), t.title, t.task_id
"""


class MarkdownPage:
    """The page of a store, or of one project of it.

    Attributes:
        sessions: how many were written by now.
    """

    def __init__(self, database: Database, project: str | None) -> None:
        self._database = database
        self._project = project
        self.sessions = 0

    def lines(self) -> Iterator[bytes]:
        """The lines of the page. To be taken at once: the store's lock is held meanwhile."""
        for line in self._written():
            yield f"{line}\n".encode()

    def _written(self) -> Iterator[str]:
        yield from ("# What is remembered", "")
        yield f"As of {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. `memory show ADDRESS` opens an address or an id."
        with self._database.reading() as connection:
            for (name,) in connection.execute(_PROJECTS, {"project": self._project}).fetchall():
                yield from ("", f"## {escaped(name) if name else 'Without a project'}")
                memories = [row[0] for row in _rows(connection, _MEMORIES, name)]
                backed, instead = backings(connection, memories), _said_instead_of(connection, memories)
                for _, rows in groupby(_rows(connection, _SESSIONS, name), key=itemgetter(0)):
                    self.sessions += 1
                    yield from _session(rows, backed, instead)
                yield from _tasks(connection, name)


def _said_instead_of(connection: duckdb.DuckDBPyConnection, memories: list[str]) -> dict[str, SaidOtherwiseV1]:
    return said_instead_of(connection, memories) if has_corrections(connection) else {}


def _rows(connection: duckdb.DuckDBPyConnection, query: str, name: str) -> Iterator[tuple[Any, ...]]:
    result = connection.execute(query, [name])
    while rows := result.fetchmany(_FETCHED):
        yield from rows


def _session(rows: Iterator[tuple[Any, ...]], backed: Backings, instead: Mapping[str, SaidOtherwiseV1]) -> Iterator[str]:
    first = next(rows)
    session_id, title, started_at, messages = first[:4]
    counted = "1 message" if messages == 1 else f"{messages:,} messages"
    yield from ("", f"### {escaped(title or '') or 'Without a title'}", "")
    yield f"Session `{session_id}`, {started_at:%Y-%m-%d %H:%M} UTC, {counted}"
    kind = None
    for entry_id, quotes in groupby(_with_first(first, rows), key=itemgetter(5)):
        if entry_id is None:
            continue
        quote = next(quotes)
        if quote[4] != kind:
            kind = quote[4]
            yield from ("", f"#### {_TYPES.get(kind, kind)}")
        named = f", `mem:{quote[9]}`" if quote[9] else ""
        kept = f" in favour of `mem:{quote[14]}`" if quote[14] else ""
        proved = backed.of(quote[13]).assurance(quote[7])
        yield from ("", f"- **{escaped(quote[6]) or 'Without a title'}** ({proved}{_STANDS.get(quote[8], '')}{kept}{named})")
        if (said := instead.get(quote[13] or "")) is not None:
            yield from ("", f"  {escaped(said.told)}: {escaped(said.text)}")
        for one in _with_first(quote, quotes):
            yield from _quote(session_id, *one[10:13])


def _with_first(first: tuple[Any, ...], rest: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    yield first
    yield from rest


def _quote(session_id: str, message_index: int | None, segments: str | None, text: str | None) -> Iterator[str]:
    if text is None:
        return
    places = json.loads(segments) if segments else []
    yield ""
    yield f"  > {escaped(text)}"
    if message_index is None or not places:
        yield "  > (not found in the session)"
        return
    address = SpanCitation(session_id, message_index, tuple((int(start), int(end)) for start, end in places)).uri
    yield from ("  >", f"  > `{address}`")


def _tasks(connection: duckdb.DuckDBPyConnection, name: str) -> Iterator[str]:
    heading = False
    for task_id, title, status, priority, blockers in _rows(connection, _TASKS, name):
        if not heading:
            heading = True
            yield from ("", "### Tasks", "")
        of = f", {priority}" if priority else ""
        waits = f"; waits for {'; '.join(map(escaped, blockers))}" if blockers else ""
        yield f"- {status.replace('_', ' ')}{of}: {escaped(title)}{waits} (`{task_id}`)"
