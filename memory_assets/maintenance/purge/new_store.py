"""The store written anew, beside the old one: a file that never held what is gone.

Events that stay keep everything but their place: they are numbered from 1 without a gap, in their order, and linked anew. What
was folded of them is copied: no table refers to a place in the log, and a test replays the new log and compares.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.identifiers import canonical_json
from memory_assets.log.batches import insert, rows_of
from memory_assets.log.database import STORE_FILE_NAME
from memory_assets.log.errors import LogTamperedError, StoreError
from memory_assets.log.events import NewEvent
from memory_assets.log.links import LINKED_COLUMNS, LINKED_ROW, Sound, verify_links
from memory_assets.log.migrations import migrate
from memory_assets.log.opening import opened_to_write
from memory_assets.log.payloads.purged import Purged
from memory_assets.log.payloads.usage import UsageCounted
from memory_assets.log.readers import literal
from memory_assets.log.rows import ROW_COLUMNS, write_rows
from memory_assets.log.tip import FIRST, Tip, Tips, read_tips, write_tips
from memory_assets.maintenance.usage import counting_event, uses_of_rows
from memory_assets.projections.going import TOMBSTONES, counted_by_type, find_going, sessions_concerned
from memory_assets.projections.rebuild import derived_tables
from memory_assets.projections.usage import USES

if TYPE_CHECKING:
    import duckdb

_CHUNK = 10_000

_OLD = "old.main"
_NEW = "memory.main"

_IS_A_UNIT = f"(unit_kind, source_id) IN (SELECT (unit_kind, source_id) FROM {_OLD}.memory_units)"
_COUNTS_NO_UNIT = f"(unit_kind, source_hash) NOT IN (SELECT (unit_kind, md5(source_id)) FROM {_OLD}.memory_units)"

# What is not copied of the tables whose rows people's words and files make: the rows of events that are gone.
_LEFT_OUT = {
    "answers": "event_id IN (SELECT event_id FROM gone_events)",
    "decisions": "event_id IN (SELECT event_id FROM gone_events)",
    "decision_evidence": f"decision_id IN (SELECT decision_id FROM {_OLD}.decisions WHERE event_id IN (FROM gone_events))",
    "task_words": "event_id IN (SELECT event_id FROM gone_events)",
    "unit_feedback": "event_id IN (SELECT event_id FROM gone_events)",
    "build_runs": "build_id IN (SELECT build_id FROM gone_builds)",
    "unit_usage": _COUNTS_NO_UNIT,
    "unit_usage_days": _COUNTS_NO_UNIT,
    "source_files": "uri IN (SELECT uri FROM gone_uris)",
}
_BEHIND = f"UPDATE {_NEW}.decisions SET caused_by = NULL WHERE caused_by NOT IN (SELECT decision_id FROM {_NEW}.decisions)"

# What is kept of the tables that are neither truth nor folded; of any other one nothing, which does no harm.
_OPERATIONAL = {
    "configured_versions": "true",
    "pipeline_metrics": f"""session_id IS NULL
      OR session_id IN (SELECT session_id FROM {_NEW}.events WHERE event_type NOT IN {TOMBSTONES})""",
    "vector_outbox": f"op = 'upsert' AND item_id IN (SELECT unit_id FROM {_NEW}.memory_units)",
    "usage_before_events": f"(unit_kind, source_id) IN (SELECT (unit_kind, source_id) FROM {_NEW}.memory_units)",
    "title_vectors": f"(project_key, name_hash) IN (SELECT (project_key, name_hash) FROM {_NEW}.task_names)",
}
NOT_COPIED = ("schema_migrations", "projection_offsets")
"""Operational tables that the new store has of its own."""

_GONE = f"""
CREATE OR REPLACE TEMP TABLE gone_events AS SELECT event_id FROM {_OLD}.events WHERE seq IN (SELECT seq FROM going);
CREATE OR REPLACE TEMP TABLE gone_uris AS
SELECT payload_json ->> '$.uri' AS uri FROM {_OLD}.events
WHERE event_type = 'session_rejected' AND seq IN (SELECT seq FROM going)
EXCEPT SELECT payload_json ->> '$.uri' FROM {_OLD}.events
WHERE event_type IN ('session_rejected', 'source_registered') AND seq NOT IN (SELECT seq FROM going);
"""
_STAYING = f"""SELECT CAST(payload_json AS VARCHAR), {LINKED_ROW} FROM {_OLD}.events
WHERE seq > ? AND seq <= ? AND seq NOT IN (SELECT seq FROM going) ORDER BY seq"""
_OFFSET = f"""
INSERT INTO {_NEW}.projection_offsets
SELECT o.projector_name, e.ts, e.event_id, e.seq, o.projector_version, o.updated_at
FROM {_OLD}.projection_offsets o, (FROM {_NEW}.events ORDER BY seq DESC LIMIT 1) e
"""
_USES_THAT_STAY = f"""
SELECT unit_kind, source_id, sum(shown), sum(opened), sum(cited), min(first_at), max(last_at)
FROM (SELECT {USES} FROM {_OLD}.events WHERE event_type = '{UsageCounted.event_type}' AND seq IN (SELECT seq FROM going))
WHERE {_IS_A_UNIT} GROUP BY unit_kind, source_id, CAST(first_at AS DATE), CAST(last_at AS DATE) ORDER BY ALL
"""
_LIVING = f"SELECT DISTINCT session_id FROM {_NEW}.events WHERE session_id IS NOT NULL AND event_type NOT IN {TOMBSTONES}"
_DIGESTED = f"SELECT {LINKED_ROW} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"


class MovedOnError(Exception):
    """Somebody wrote to the log behind the last fold: fold, then begin again."""


@dataclass(frozen=True, slots=True)
class NewStore:
    """What was written.

    Attributes:
        sessions: those that lose something, and whether they lose everything.
        living: those of which more than tombstones is left.
        events: those that stay, without the one that tells of the purge.
    """

    sessions: dict[str, bool]
    living: frozenset[str]
    events: int
    told: Purged


def write_new_store(folder: Path, staged: Path) -> NewStore | None:
    """Write the files of the new store into ``staged``; None where nothing is to be taken out. Under the exclusive lock.

    Args:
        folder: of the old store, folded up to its log's end; it is only read.

    Raises:
        MovedOnError: the old store is not folded up to its log's end.
        LogTamperedError: the old log is not what was written.
        StoreFullError, StoreError: the new files are of no use.
    """
    path = staged / STORE_FILE_NAME
    with opened_to_write(path) as connection:
        migrate(connection)
        connection.execute(f"ATTACH {literal(folder / STORE_FILE_NAME)} AS old (READ_ONLY)")
        old = _verified(connection, folder)
        if not find_going(connection):
            return None
        removed, sessions = counted_by_type(connection), sessions_concerned(connection)
        connection.execute(f"USE memory; {_GONE}")
        connection.execute("BEGIN")
        tip, digest = _write_events(connection, old)
        told = Purged(
            old_seq=old.seq,
            old_link=old.link_hash.hex(),
            new_seq=tip.seq,
            new_link=tip.link_hash.hex(),
            removed=removed,
            survivors_digest=digest,
        )
        counted_anew = _counted_anew(connection, old)
        appended = insert(connection, rows_of([NewEvent(told, inputs=(told.old_link,)), *counted_anew]), behind=tip)
        _copy_tables(connection)
        living = frozenset(session_id for (session_id,) in connection.execute(_LIVING).fetchall())
        connection.execute("COMMIT")
        connection.execute("DETACH old")
        connection.execute("CHECKPOINT")
    path.chmod(0o600)
    write_tips(staged, Tips(appended.tip or tip))
    _check(staged, told)
    return NewStore(sessions, living, tip.seq, told)


def _verified(connection: duckdb.DuckDBPyConnection, folder: Path) -> Tip:
    """Where the old log ends, every event of which is what was written; the old store is the current one from here on."""
    connection.execute("USE old")
    folded = connection.execute(
        "SELECT coalesce(max(last_seq), 0) = (SELECT coalesce(max(seq), 0) FROM events) FROM projection_offsets"
    )
    if not folded.fetchall()[0][0]:
        raise MovedOnError
    found = verify_links(connection, read_tips(folder))
    if not isinstance(found, Sound):
        raise LogTamperedError(found)
    return found.last


def _write_events(connection: duckdb.DuckDBPyConnection, old: Tip) -> tuple[Tip, str]:
    tip, digest = FIRST, hashlib.sha256()
    for since in range(0, old.seq, _CHUNK):
        rows = connection.execute(_STAYING, [since, since + _CHUNK]).fetchall()
        columns = dict(zip(("payload_json", *LINKED_COLUMNS), zip(*rows, strict=True), strict=True)) if rows else {}
        _digest(digest, (row[1:] for row in rows))
        if rows:
            tip = write_rows(connection, {name: columns[name] for name in ROW_COLUMNS}, tip)
    return tip, digest.hexdigest()


def _digest(digest: hashlib._Hash, rows: Iterator[Sequence[object]]) -> None:
    """Take in events as their linked columns, but for their place; the payload is in by its checksum."""
    for row in rows:
        digest.update(canonical_json(row[1:]).encode() + b"\n")


def _counted_anew(connection: duckdb.DuckDBPyConnection, old: Tip) -> list[NewEvent]:
    """What the counts that go count of units that stay."""
    uses = uses_of_rows(connection.execute(_USES_THAT_STAY).fetchall())
    return [counting_event(f"purged {old.link_hash.hex()}", uses)] if uses else []


def _copy_tables(connection: duckdb.DuckDBPyConnection) -> None:
    for table in derived_tables():
        left_out = _LEFT_OUT.get(table, "false")
        connection.execute(f"INSERT INTO {_NEW}.{table} BY NAME SELECT * FROM {_OLD}.{table} WHERE NOT ({left_out})")
    connection.execute(_BEHIND)
    for table, kept in _OPERATIONAL.items():
        connection.execute(f"INSERT INTO {_NEW}.{table} BY NAME SELECT * FROM {_OLD}.{table} WHERE {kept}")
    connection.execute(_OFFSET)


def _check(staged: Path, told: Purged) -> None:
    """Read the new file as anybody will: every link holds, and what stayed is what it was."""
    digest = hashlib.sha256()
    with opened_to_write(staged / STORE_FILE_NAME) as connection:
        found = verify_links(connection, read_tips(staged))
        for since in range(0, told.new_seq, _CHUNK):
            upto = min(since + _CHUNK, told.new_seq)
            _digest(digest, iter(connection.execute(_DIGESTED, [since, upto]).fetchall()))
    if not isinstance(found, Sound) or digest.hexdigest() != told.survivors_digest:
        raise StoreError(
            "the new store does not hold what the old one holds; nothing was changed",
            hint="run `memory fsck`, then purge again",
        )


def operational_tables() -> frozenset[str]:
    """Those of which this file says what is kept."""
    return frozenset((*_OPERATIONAL, *NOT_COPIED))
