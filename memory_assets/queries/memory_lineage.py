"""Where a memory comes from, what people said of it, and what it was good for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

_ORIGINS = """
SELECT n.entry_id, n.session_id, s.title, s.source_uri, n.created_ts, n.created_at, n.stage, n.checker, n.source_event_id,
  e.stage_version, b.extractor_model, n.build_id, coalesce(e.dagster_run_id, b.dagster_run_id)
FROM entries n LEFT JOIN sessions s USING (session_id) LEFT JOIN events e ON e.event_id = n.source_event_id
LEFT JOIN build_runs b ON b.build_id = n.build_id
WHERE n.memory_id = ? AND n.status <> 'superseded' ORDER BY n.created_ts, n.entry_id
"""
_FEEDBACK = """
SELECT signal, said_by, note, said_at FROM unit_feedback WHERE unit_kind = 'entry' AND source_id = ?
"""
# Words of people about its entries, and of the half-life policy where age took something from them.
_WORDS = f"""
SELECT event_type, coalesce(payload_json ->> '$.confirmed_by', payload_json ->> '$.demoted_by'), payload_json ->> '$.note',
  occurred_at
FROM events WHERE event_type IN ('promotion_confirmed', 'entries_demoted') AND session_id IS NULL
  AND list_has_any(from_json(payload_json -> '$.entry_ids', '["VARCHAR"]'), (SELECT list(entry_id) FROM entries
    WHERE entry_id IN {IN_LIST}))
"""
_RESOLVED = """
SELECT 'conflict_' || resolution, resolved_by, note, resolved_at FROM conflicts
WHERE resolution IS NOT NULL AND ? IN (older_memory_id, newer_memory_id)
"""
_USAGE = """
SELECT coalesce(max(g.shown), 0), max(g.first_at), max(g.last_at),
  (SELECT count(*) FROM unit_feedback f WHERE f.unit_kind = 'entry' AND f.source_id = $memory AND f.signal = 'used'),
  (SELECT count(*) FROM unit_feedback f WHERE f.unit_kind = 'entry' AND f.source_id = $memory AND f.signal = 'helpful'),
  (SELECT count(*) FROM unit_feedback f WHERE f.unit_kind = 'entry' AND f.source_id = $memory AND f.signal = 'wrong')
FROM unit_usage g WHERE g.unit_kind = 'entry' AND g.source_hash = md5($memory)
"""


@dataclass(frozen=True, slots=True)
class EntryOrigin:
    """One of a memory's entries, and how it came to be.

    Attributes:
        source_uri: the file that its session was last read from.
        said_at: by the session's clock; ``logged_at`` by ours.
        event_id: of the log; ``stage_version`` is what the stage that wrote it was made of.
        extractor: the rules or the model that found it; None where its build is not known.
        run_id: of Dagster; None where no run wrote it.
    """

    entry_id: str
    session_id: str
    session_title: str | None
    source_uri: str | None
    said_at: datetime
    logged_at: datetime
    stage: str
    checker: str | None
    event_id: str
    stage_version: str | None
    extractor: str | None
    build_id: str | None
    run_id: str | None


@dataclass(frozen=True, slots=True)
class SaidOfMemory:
    """What somebody said of a memory: ``kind`` is a signal (used, helpful, wrong), a step, or how a conflict was resolved."""

    kind: str
    by: str | None
    note: str | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """How often a memory was shown, and what was said of that."""

    shown: int
    first_shown_at: datetime | None
    last_shown_at: datetime | None
    used: int
    helpful: int
    wrong: int


@dataclass(frozen=True, slots=True)
class MemoryLineage:
    """``origins`` in the order in which they were said; ``said`` the newest first."""

    origins: tuple[EntryOrigin, ...]
    said: tuple[SaidOfMemory, ...]
    usage: MemoryUsage


def memory_lineage(connection: duckdb.DuckDBPyConnection, memory_id: str, entry_ids: Sequence[str]) -> MemoryLineage:
    """The lineage of a memory with these entries."""
    rows = [
        *fetch(connection, _FEEDBACK, [memory_id]),
        *fetch(connection, _WORDS, [json_list(entry_ids)]),
        *fetch(connection, _RESOLVED, [memory_id]),
    ]
    said = [SaidOfMemory(*row) for row in rows]
    return MemoryLineage(
        origins=tuple(EntryOrigin(*row) for row in fetch(connection, _ORIGINS, [memory_id])),
        said=tuple(sorted(said, key=lambda one: one.at.timestamp() if one.at else 0.0, reverse=True)),
        usage=MemoryUsage(*fetch(connection, _USAGE, {"memory": memory_id})[0]),
    )
