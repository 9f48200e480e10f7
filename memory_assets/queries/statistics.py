"""What the store holds, counted."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.log.fetching import counts, fetch, scalar
from memory_assets.log.sql import WORDS
from memory_assets.queries.memory_use import memory_use
from memory_assets.results.stats import Stats

if TYPE_CHECKING:
    import duckdb

_SHOWN = """
SELECT coalesce(sum(g.shown), 0), count(DISTINCT (u.unit_kind, u.source_id)),
  count(DISTINCT u.source_id) FILTER (u.unit_kind = 'entry')
FROM unit_usage g JOIN memory_units u ON u.unit_kind = g.unit_kind AND md5(u.source_id) = g.source_hash WHERE g.shown > 0
"""
_FEEDBACK = """
SELECT signal, count(*) FROM unit_feedback
WHERE (unit_kind, source_id) IN (SELECT (unit_kind, source_id) FROM memory_units) GROUP BY 1 ORDER BY 1
"""


def store_stats(connection: duckdb.DuckDBPyConnection, store: Path, vectors: Path, *, project: str | None = None) -> Stats:
    """Counts of every kind of row, and the bytes on disk.

    Args:
        project: of which alone is told of what use it was; all else is of the whole store.
    """
    sessions, messages, characters = fetch(
        connection, "SELECT count(*), coalesce(sum(message_count), 0), coalesce(sum(char_len), 0) FROM sessions"
    )[0]
    deliveries, units_shown, memories_shown = fetch(connection, _SHOWN)[0]
    by_stage = counts(connection, "SELECT stage, count(*) FROM entries WHERE status <> 'superseded' GROUP BY 1 ORDER BY 1")
    return Stats(
        schema_version="stats.v1",
        sessions=sessions,
        sessions_by_status=counts(connection, "SELECT status, count(*) FROM sessions GROUP BY 1 ORDER BY 1"),
        sessions_by_format=counts(connection, "SELECT source_kind, count(*) FROM sessions GROUP BY 1 ORDER BY 1"),
        messages=int(messages),
        characters=int(characters),
        entries=sum(by_stage.values()),
        entries_by_type=counts(
            connection, "SELECT entry_type, count(*) FROM entries WHERE status <> 'superseded' GROUP BY 1 ORDER BY 1"
        ),
        entries_by_stage=by_stage,
        quotes_by_method=counts(connection, "SELECT match_method, count(*) FROM evidence_spans GROUP BY 1 ORDER BY 1"),
        memories=scalar(connection, "SELECT count(*) FROM memories"),
        tasks_by_status=counts(connection, "SELECT task_status, count(*) FROM v_tasks GROUP BY 1 ORDER BY 1"),
        units_by_kind=counts(connection, "SELECT unit_kind, count(*) FROM memory_units GROUP BY 1 ORDER BY 1"),
        outbox_by_status=counts(
            connection, f"SELECT status, count(*) FROM vector_outbox WHERE embedding_version <> '{WORDS}' GROUP BY 1 ORDER BY 1"
        ),
        quarantined=scalar(connection, "SELECT count(DISTINCT session_id) FROM quarantine"),
        events=scalar(connection, "SELECT count(*) FROM events"),
        store_bytes=_bytes_of(store),
        vectors_bytes=_bytes_of(vectors),
        deliveries=int(deliveries),
        units_shown=units_shown,
        memories_shown=memories_shown,
        feedback_by_signal=counts(connection, _FEEDBACK),
        usage=memory_use(connection, project=project),
    )


def _bytes_of(path: Path) -> int:
    # A writer may take a file away while it is counted.
    total = 0
    for file in path.rglob("*") if path.is_dir() else [path]:
        with contextlib.suppress(OSError):
            total += file.lstat().st_size if file.is_file() else 0
    return total
