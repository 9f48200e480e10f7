"""The append-only log: append, read, replay; nothing else.

There is no method that changes or removes an event, in this class or in any that stands on it.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import duckdb

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.errors import HeadMovedError, LogTamperedError, UnstorableTextError
from memory_assets.log.events import NewEvent, StoredEvent, event_id_of, payload_text
from memory_assets.log.links import newest_link
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.rows import write_rows
from memory_assets.log.sql import IN_LIST, json_list, visible
from memory_assets.log.tip import Tip

COLUMNS = (
    "seq, event_id, ts, event_type, actor, session_id, payload_json, checksum, occurred_at, payload_version, "
    "causation_id, stage_version, chain_id, project, build_id, telemetry_json"
)
REPLAY_CHUNK = 20_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


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


class EventLog:
    """The log in a store's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self,
        events: Iterable[NewEvent],
        *,
        build: Build | None = None,
        heads: Mapping[str, str | None] | None = None,
        metrics: Sequence[StageMetric] = (),
    ) -> Appended:
        """Write a batch in one transaction: all of it or nothing; what is known already is not written again.

        Args:
            build: the run that writes.
            metrics: how long the batch's sessions took, kept in the same transaction.
            heads: for sessions, the newest session_ingested that the batch was made from (None: no history yet). When
                another process was faster nothing is written.

        Raises:
            HeadMovedError: a session has another head now.
            StoreLockedError, StoreFullError, StoreError: see :class:`~memory_assets.log.database.Database`.
        """
        batch = list(events)
        if not batch and not heads and not metrics:
            return Appended(0, 0, (), self.last_seq())
        rows = rows_of(batch)
        with self._database.writing() as connection:
            appended = insert(connection, rows, build=build, heads=heads)
            insert_metrics(connection, metrics, build)
            return appended

    def replay(self, event_types: Sequence[str] | None = None, since: int = 0) -> Iterator[StoredEvent]:
        """Every event behind ``since`` in commit order, read in chunks: no connection is held between them."""
        end = since + 1
        while since < end:
            with self._database.reading() as connection:
                end = _last_seq(connection)
                # By range, not by LIMIT: that would look at all that is left for each chunk.
                chunk = _select(
                    connection,
                    f"events WHERE seq > ? AND seq <= ? AND (? IS NULL OR event_type IN {IN_LIST}) ORDER BY seq",
                    [since, since + REPLAY_CHUNK, event_types and "", json_list(event_types or ())],
                )
            yield from chunk
            since += REPLAY_CHUNK

    def current(self, session_ids: Sequence[str], event_type: str) -> dict[str, StoredEvent]:
        """For each session the event of this type in its latest history under the configured versions, if there is one.

        The history's newest revision is followed through the stages, each in the version that is configured: not the
        highest seq, which an older configuration may have written.
        """
        with self._database.reading() as connection:
            return current_events(connection, session_ids, event_type)

    def by_id(self, event_ids: Sequence[str]) -> dict[str, StoredEvent]:
        """Events by their ids; what is unknown or not visible is absent."""
        if not event_ids:
            return {}
        with self._database.reading() as connection:
            # Looked up by their ids alone first: the rest of the row is read only for those (measured: a third of the time).
            wanted = visible(f"seq IN (SELECT seq FROM events WHERE event_id IN {IN_LIST})")
            found = _select(connection, wanted, [json_list(event_ids)])
        return {event.event_id: event for event in found}

    def of_sessions(self, session_ids: Sequence[str], event_types: Sequence[str] | None = None) -> list[StoredEvent]:
        """The visible events of these sessions in commit order."""
        with self._database.reading() as connection:
            return _select(
                connection,
                visible(f"session_id IN {IN_LIST} AND (? IS NULL OR event_type IN {IN_LIST})") + " ORDER BY seq",
                [json_list(session_ids), event_types and "", json_list(event_types or ())],
            )

    def known(self, session_ids: Sequence[str], event_type: str) -> dict[str, StoredEvent]:
        """The visible events of one type of these sessions, by id: what a stage need not do again."""
        return {event.event_id: event for event in self.of_sessions(session_ids, [event_type])}

    def configure(self, versions: Mapping[str, str]) -> None:
        """State which version of each stage :meth:`current` and the folds follow. Writes only when something differs."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall()
        if dict(rows) == dict(versions):
            return
        with self._database.writing() as connection:
            connection.execute("DELETE FROM configured_versions")
            for event_type, version in versions.items():
                connection.execute("INSERT INTO configured_versions VALUES (?, ?)", [event_type, version])

    def last_seq(self) -> int:
        """The newest seq, 0 for an empty log."""
        with self._database.reading() as connection:
            return _last_seq(connection)

    @contextlib.contextmanager
    def held(self) -> Iterator[HeldLog]:
        """The log on one open connection, for callers that append many batches and let nobody else in meanwhile."""
        with self._database.held() as connection:
            yield HeldLog(self._database, connection)


class HeldLog:
    """Appending on a connection that stays open. See :meth:`EventLog.held`."""

    def __init__(self, database: Database, connection: duckdb.DuckDBPyConnection) -> None:
        self._database = database
        self._connection = connection
        self._tip = database.checked_tip(connection)

    def append(self, events: Iterable[NewEvent]) -> Appended:
        """As :meth:`EventLog.append`, one transaction."""
        rows = rows_of(list(events))
        self._connection.execute("BEGIN")
        try:
            appended = insert(self._connection, rows, behind=self._tip)
            self._tip = self._database.commit(self._connection, self._tip, appended.tip)
        except BaseException:
            with contextlib.suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")
            raise
        return appended


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
    behind: Tip | None = None,
) -> Appended:
    """Insert a batch inside the caller's transaction. Set-based: a row at a time costs 130 times as much (measured).

    Args:
        behind: where the log ends; looked up where the caller does not know.
    """
    if heads:
        _check_heads(connection, heads)
    if not rows.events:
        return Appended(0, 0, rows.conflicts, _last_seq(connection))
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
        return Appended(0, len(rows.events), tuple(conflicts), _last_seq(connection))
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


def current_events(
    connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str], event_type: str
) -> dict[str, StoredEvent]:
    """:meth:`EventLog.current` on a connection that the caller has."""
    chain = list(CHAIN.values())
    steps = chain[1 : chain.index(event_type) + 1]
    query = f"""
        WITH mine AS (SELECT seq, event_id, event_type, session_id, causation_id, stage_version
                      FROM {visible(f"session_id IN {IN_LIST}")}),
        s0 AS (SELECT session_id, arg_max(event_id, seq) AS event_id FROM mine
               WHERE event_type = 'session_ingested' GROUP BY session_id)
    """
    for number, step in enumerate(steps, start=1):
        query += f""",
        s{number} AS (SELECT m.session_id, arg_max(m.event_id, m.seq) AS event_id FROM s{number - 1} p
              JOIN mine m ON m.causation_id = p.event_id AND m.event_type = '{step}'
              JOIN configured_versions c ON c.event_type = '{step}' AND c.stage_version = m.stage_version
              GROUP BY m.session_id)
        """
    query += f"SELECT {COLUMNS} FROM events WHERE event_id IN (SELECT event_id FROM s{len(steps)})"
    rows = connection.execute(query, [json_list(session_ids)]).fetchall()
    return {row[5]: StoredEvent._make(row) for row in rows}


def _select(connection: duckdb.DuckDBPyConnection, tail: str, parameters: list[object]) -> list[StoredEvent]:
    return list(map(StoredEvent._make, connection.execute(f"SELECT {COLUMNS} FROM {tail}", parameters).fetchall()))


def _last_seq(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    return int(row[0]) if row else 0


def _check_heads(connection: duckdb.DuckDBPyConnection, heads: Mapping[str, str | None]) -> None:
    rows = connection.execute(
        f"""SELECT session_id, arg_max(event_id, seq)
            FROM {visible(f"event_type = 'session_ingested' AND session_id IN {IN_LIST}")} GROUP BY session_id""",
        [json_list(heads)],
    ).fetchall()
    now = dict(rows)
    moved = [session_id for session_id, expected in heads.items() if now.get(session_id) != expected]
    if moved:
        raise HeadMovedError(sorted(moved))


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
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND
