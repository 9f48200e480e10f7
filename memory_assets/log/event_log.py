"""The append-only log: append, read, replay; nothing else.

There is no method that changes or removes an event, in this class or in any that stands on it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import duckdb

from memory_assets.log.batches import Appended, Build, StageMetric, insert, insert_metrics, last_seq, rows_of
from memory_assets.log.database import Database
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.sql import IN_LIST, json_list, seen, text_list

COLUMNS = (
    "seq, event_id, ts, event_type, actor, session_id, payload_json, checksum, occurred_at, payload_version, "
    "causation_id, stage_version, chain_id, project, build_id, telemetry_json"
)
REPLAY_CHUNK = 20_000
_FEW = 30


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
        unforgotten: Collection[str] = (),
        metrics: Sequence[StageMetric] = (),
    ) -> Appended:
        """Write a batch in one transaction: all of it or nothing; what is known already is not written again.

        Args:
            build: the run that writes.
            metrics: how long the batch's sessions took, kept in the same transaction.
            heads: for sessions, the newest session_ingested that the batch was made from (None: no history yet). When
                another process was faster nothing is written.
            unforgotten: sessions of which something is told: when one of them was forgotten meanwhile nothing is written.

        Raises:
            HeadMovedError: a session has another head now, or was forgotten.
            StoreLockedError, StoreFullError, StoreError: see :class:`~memory_assets.log.database.Database`.
        """
        batch = list(events)
        if not batch and not heads and not metrics:
            return Appended(0, 0, (), self.last_seq())
        rows = rows_of(batch)
        with self._database.writing() as connection:
            appended = insert(connection, rows, build=build, heads=heads, unforgotten=unforgotten)
            insert_metrics(connection, metrics, build)
            return appended

    def replay(self, event_types: Sequence[str] | None = None, since: int = 0) -> Iterator[StoredEvent]:
        """Every event behind ``since`` in commit order, read in chunks: no connection is held between them."""
        end = since + 1
        while since < end:
            with self._database.reading() as connection:
                end = last_seq(connection)
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
            return _current_events(connection, session_ids, event_type)

    def by_id(self, event_ids: Sequence[str]) -> dict[str, StoredEvent]:
        """Events by their ids; what is unknown or not visible is absent."""
        if not event_ids:
            return {}
        with self._database.reading() as connection:
            # Looked up by their ids alone first: the rest of the row is read only for those (measured: a third of the time).
            wanted = seen(connection)(f"seq IN (SELECT seq FROM events WHERE event_id IN {IN_LIST})")
            found = _select(connection, wanted, [json_list(event_ids)])
        return {event.event_id: event for event in found}

    def of_sessions(self, session_ids: Sequence[str], event_types: Sequence[str] | None = None) -> list[StoredEvent]:
        """The visible events of these sessions in commit order."""
        of_types = "" if event_types is None else f" AND list_contains({text_list(event_types)}, event_type)"
        with self._database.reading() as connection:
            # Found first and read then, for a row of ``events`` is wide: 7.5 ms in one step, in two 4.5 for eleven rows and 2
            # for none (measured).
            wanted = seen(connection)(f"session_id IN {IN_LIST}{of_types}")
            seqs = connection.execute(f"SELECT seq FROM {wanted}", [json_list(session_ids)]).fetchall()
            return _at(connection, [row[0] for row in seqs])

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
            return last_seq(connection)

    @contextlib.contextmanager
    def held(self) -> Iterator[HeldLog]:
        """The log on one open connection, for callers that append many batches and let nobody else in meanwhile."""
        with self._database.held() as connection:
            yield HeldLog(self._database, connection)


class HeldLog:
    """Appending on a connection that stays open. See :meth:`EventLog.held`."""

    def __init__(self, database: Database, connection: duckdb.DuckDBPyConnection) -> None:
        database.mirror.refuse("appending batch by batch without letting anybody in")
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


def _current_events(
    connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str], event_type: str
) -> dict[str, StoredEvent]:
    """:meth:`EventLog.current` on a connection that the caller has.

    The chain is followed here: to plan a join for each of its steps takes twice what all these statements take (measured). An
    event follows from one of its own session, as in the fold.
    """
    chain = list(CHAIN.values())
    ingested, *steps = chain[: chain.index(event_type) + 1]
    followed = ", ".join(f"'{step}'" for step in (ingested, *steps))
    # Nothing that was made of a revision stands before it: of a long history only its end is looked at.
    rows = connection.execute(
        f"""SELECT seq, session_id, event_type, event_id, causation_id, stage_version
            FROM {seen(connection)(f"session_id IN {IN_LIST} AND event_type IN ({followed})")}
            QUALIFY seq >= max(seq) FILTER (WHERE event_type = '{ingested}') OVER (PARTITION BY session_id)""",
        [json_list(session_ids)],
    ).fetchall()
    versions = dict(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())
    found = {session_id: (seq, event_id) for seq, session_id, made, event_id, *_ in rows if made == ingested}
    # Of several that were made of the same one the newest.
    newest = {
        (session_id, made, cause): (seq, event_id)
        for seq, session_id, made, event_id, cause, version in sorted(rows)
        if version is not None and version == versions.get(made)
    }
    for step in steps:
        following = {session_id: newest.get((session_id, step, event_id)) for session_id, (_, event_id) in found.items()}
        found = {session_id: place for session_id, place in following.items() if place is not None}
    return {str(event.session_id): event for event in _at(connection, [seq for seq, _ in found.values()])}


def _at(connection: duckdb.DuckDBPyConnection, seqs: Sequence[int]) -> list[StoredEvent]:
    """The events at these places of the log, in their order."""
    if not seqs:
        return []
    # A few are looked up in the index at once; thousands in the words of a statement cost twice what one list does (measured).
    few = len(seqs) <= _FEW
    wanted = ", ".join(map(str, seqs)) if few else f"SELECT unnest(from_json('{list(seqs)}', '[\"BIGINT\"]'))"
    return _select(connection, f"events WHERE seq IN ({wanted}) ORDER BY seq", [])


def _select(connection: duckdb.DuckDBPyConnection, tail: str, parameters: list[object]) -> list[StoredEvent]:
    return list(map(StoredEvent._make, connection.execute(f"SELECT {COLUMNS} FROM {tail}", parameters).fetchall()))
