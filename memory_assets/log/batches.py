"""A batch of events on its way into the log: hashed outside the lock, and written in the caller's transaction.

What is in the log already is not written again; the same key with another payload is told, and the stored event stays.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import duckdb

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.errors import HeadMovedError, LogTamperedError, UnstorableTextError
from memory_assets.log.events import NewEvent, event_id_of, payload_text
from memory_assets.log.links import newest_link
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.rows import write_rows
from memory_assets.log.sql import IN_LIST, json_list, seen
from memory_assets.log.tip import Tip
from memory_assets.moments import microseconds_of


@dataclass(frozen=True, slots=True)
class ChecksumConflict:
    """The same key with another payload: a stage that is not a function of its inputs. The stored event stays."""

    event_id: str
    dedupe_key: str
    stored_checksum: str
    offered_checksum: str


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a batch.

    Attributes:
        new: how many events were written, the build's opening event among them.
        known: how many were in the log already, with the same payload.
        conflicts: those that were in the log with another payload; always a bug, never silent.
        last_seq: the newest seq of the log after the batch.
        tip: where the log ends after a batch of which something is new.
    """

    new: int
    known: int
    conflicts: tuple[ChecksumConflict, ...]
    last_seq: int
    tip: Tip | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Build:
    """The run on whose behalf events are written. ``opening`` is written in front of the first batch that adds something."""

    build_id: str
    opening: NewEvent
    dagster_run_id: str | None = None


@dataclass(frozen=True, slots=True)
class StageMetric:
    """How one stage fared with one session."""

    stage: str
    session_id: str
    latency_ms: float
    success: bool
    error: str | None = None
    counts: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class EventRows:
    """A batch ready to be inserted: deduplicated, with payloads as canonical JSON and their checksums."""

    events: tuple[NewEvent, ...]
    event_ids: tuple[str, ...]
    keys: tuple[str, ...]
    payloads: tuple[str, ...]
    checksums: tuple[str, ...]
    conflicts: tuple[ChecksumConflict, ...] = ()

    def at(self, positions: Sequence[int]) -> EventRows:
        """Only the rows at these positions."""
        return EventRows(
            events=tuple(self.events[position] for position in positions),
            event_ids=tuple(self.event_ids[position] for position in positions),
            keys=tuple(self.keys[position] for position in positions),
            payloads=tuple(self.payloads[position] for position in positions),
            checksums=tuple(self.checksums[position] for position in positions),
        )


def rows_of(events: Sequence[NewEvent]) -> EventRows:
    """Validate, serialise and hash outside the lock, so that the lock is held for the insert alone."""
    taken: dict[str, tuple[NewEvent, str, str, str]] = {}
    conflicts = []
    for event in events:
        key = event.dedupe_key
        payload = payload_text(event.payload)
        try:
            checksum = sha256_hex(payload)
            event_id = event_id_of(key)
            if event.telemetry:
                canonical_json(event.telemetry).encode()
        except UnicodeEncodeError as error:
            raise _unstorable(event) from error
        earlier = taken.setdefault(event_id, (event, key, payload, checksum))
        if earlier[3] != checksum:
            conflicts.append(ChecksumConflict(event_id, key, earlier[3], checksum))
    return EventRows(
        events=tuple(row[0] for row in taken.values()),
        event_ids=tuple(taken),
        keys=tuple(row[1] for row in taken.values()),
        payloads=tuple(row[2] for row in taken.values()),
        checksums=tuple(row[3] for row in taken.values()),
        conflicts=tuple(conflicts),
    )


def _unstorable(event: NewEvent) -> UnstorableTextError:
    return UnstorableTextError(
        f"a {event.event_type} of session {event.session_id!r} holds text that is no text: half a character",
        hint="whoever made the event replaces such characters first (U+FFFD), as the readers do",
    )


def insert(
    connection: duckdb.DuckDBPyConnection,
    rows: EventRows,
    *,
    build: Build | None = None,
    heads: Mapping[str, str | None] | None = None,
    unforgotten: Collection[str] = (),
    behind: Tip | None = None,
) -> Appended:
    """Insert a batch inside the caller's transaction. Set-based: a row at a time costs 130 times as much (measured).

    Args:
        unforgotten: sessions that nobody may have forgotten meanwhile.
        behind: where the log ends; looked up where the caller does not know.
    """
    if heads:
        _check_heads(connection, heads)
    # What begins behind the word that a session is forgotten would be read: a session without a history has no head that moves.
    if must_not := {*unforgotten, *(session_id for session_id, head in (heads or {}).items() if head is None)}:
        _check_unforgotten(connection, must_not)
    if not rows.events:
        return Appended(0, 0, rows.conflicts, last_seq(connection))
    stored = dict(
        connection.execute(
            f"SELECT event_id, checksum FROM events WHERE event_id IN {IN_LIST}", [json_list(rows.event_ids)]
        ).fetchall()
    )
    conflicts = list(rows.conflicts)
    fresh = []
    for position, event_id in enumerate(rows.event_ids):
        if event_id not in stored:
            fresh.append(position)
        elif stored[event_id] != rows.checksums[position]:
            conflicts.append(ChecksumConflict(event_id, rows.keys[position], stored[event_id], rows.checksums[position]))
    if not fresh:
        return Appended(0, len(rows.events), tuple(conflicts), last_seq(connection))
    new = _with_opening(connection, rows.at(fresh), build)
    before = behind or newest_link(connection)
    if before is None:
        raise LogTamperedError("its newest event has no link")
    last = write_rows(connection, _columns(new, build), before)
    return Appended(len(new.events), len(rows.events) - len(fresh), tuple(conflicts), last.seq, last)


def insert_metrics(connection: duckdb.DuckDBPyConnection, metrics: Sequence[StageMetric], build: Build | None = None) -> None:
    """Write metrics inside the caller's transaction."""
    if not metrics:
        return
    import pyarrow as pa

    now = datetime.now(UTC).replace(tzinfo=None)
    table = pa.table(
        {
            "id": [f"met_{uuid.uuid4().hex}" for _ in metrics],
            "ts": pa.array([now] * len(metrics), pa.timestamp("us")),
            "stage": [metric.stage for metric in metrics],
            "latency_ms": [metric.latency_ms for metric in metrics],
            "success": [metric.success for metric in metrics],
            "error": pa.array([metric.error for metric in metrics], pa.string()),
            "session_id": [metric.session_id for metric in metrics],
            "build_id": pa.array([build.build_id if build else None] * len(metrics), pa.string()),
            "counts_json": [canonical_json(dict(metric.counts or {})) for metric in metrics],
        }
    )
    connection.register("new_metrics", table)
    connection.execute("INSERT INTO pipeline_metrics SELECT * FROM new_metrics")
    connection.unregister("new_metrics")


def last_seq(connection: duckdb.DuckDBPyConnection) -> int:
    """The newest seq of the log, 0 for an empty one."""
    row = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    return int(row[0]) if row else 0


def _check_heads(connection: duckdb.DuckDBPyConnection, heads: Mapping[str, str | None]) -> None:
    rows = connection.execute(
        f"""SELECT session_id, arg_max(event_id, seq)
            FROM {seen(connection)(f"event_type = 'session_ingested' AND session_id IN {IN_LIST}")} GROUP BY session_id""",
        [json_list(heads)],
    ).fetchall()
    now = dict(rows)
    moved = [session_id for session_id, expected in heads.items() if now.get(session_id) != expected]
    if moved:
        raise HeadMovedError(sorted(moved))


def _check_unforgotten(connection: duckdb.DuckDBPyConnection, session_ids: Collection[str]) -> None:
    gone = connection.execute(
        f"SELECT session_id FROM forgotten_sessions WHERE session_id IN {IN_LIST}", [json_list(session_ids)]
    ).fetchall()
    if gone:
        raise HeadMovedError(sorted(row[0] for row in gone))


def _with_opening(connection: duckdb.DuckDBPyConnection, rows: EventRows, build: Build | None) -> EventRows:
    """The batch with its build's opening event in front, where that is not in the log yet."""
    if build is None:
        return rows
    opening = rows_of([build.opening])
    if connection.execute("SELECT 1 FROM events WHERE event_id = ?", [opening.event_ids[0]]).fetchall():
        return rows
    return EventRows(
        events=opening.events + rows.events,
        event_ids=opening.event_ids + rows.event_ids,
        keys=opening.keys + rows.keys,
        payloads=opening.payloads + rows.payloads,
        checksums=opening.checksums + rows.checksums,
    )


def _columns(rows: EventRows, build: Build | None) -> dict[str, Sequence[object]]:
    """What :func:`~memory_assets.log.rows.write_rows` wants of a batch."""
    count = len(rows.events)
    now: list[object] = [_microseconds(datetime.now(UTC))] * count
    nothing: list[object] = [None] * count
    happened: list[object] = [_microseconds(event.occurred_at) for event in rows.events]
    return {
        "event_id": list(rows.event_ids),
        "dedupe_key": list(rows.keys),
        "ts": now,
        "event_type": [event.event_type for event in rows.events],
        "actor": [event.actor for event in rows.events],
        "session_id": [event.session_id for event in rows.events],
        "payload_json": list(rows.payloads),
        "payload_redacted": nothing,
        "sensitivity": ["normal"] * count,
        "checksum": list(rows.checksums),
        "build_id": [build.build_id if build else None] * count,
        "created_at": now,
        "occurred_at": happened,
        "payload_version": [event.payload.payload_version for event in rows.events],
        "causation_id": [event.causation_id for event in rows.events],
        "stage_version": [event.stage_version for event in rows.events],
        "chain_id": list(map(_chain_of, rows.events, rows.event_ids)),
        "basis_chains": [event.basis_chains for event in rows.events],
        "telemetry_json": [canonical_json(event.telemetry) if event.telemetry else None for event in rows.events],
        "project": [event.project for event in rows.events],
        "dagster_run_id": [build.dagster_run_id if build else None] * count,
    }


def _chain_of(event: NewEvent, event_id: str) -> str | None:
    # A history without one begins a chain, which is named by its first revision.
    return event_id if event.chain_id is None and isinstance(event.payload, SessionIngested) else event.chain_id


def _microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds_of(moment)
