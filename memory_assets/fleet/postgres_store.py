"""The log in PostgreSQL: rows behind a head, under an advisory lock that is a lease.

Whoever holds the lock speaks ten times a second, and the server ends a session that is silent for longer within a transaction.
So a machine that was stopped holds nobody up, and one that works for long holds the lock for as long as it lives.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.fleet import connections
from memory_assets.fleet.connections import Connections
from memory_assets.fleet.pushing import push_rows
from memory_assets.fleet.schema import LEASE_SECONDS, LOCK_KEY, applied, migrate, newest_version
from memory_assets.fleet.whole_log import MirrorThere, enroll, mirrors_of, moving_of, put_in_place
from memory_assets.identifiers import canonical_json
from memory_assets.log.errors import (
    SharedLogDiffersError,
    SharedLogUnavailableError,
    StoreLockedError,
)
from memory_assets.log.event_store import SHARED_COLUMNS, Access, Epoch, Row, StoreState, Versions, refuse_unwritable
from memory_assets.log.migrations import schema_version as client_version
from memory_assets.log.tip import FIRST, Tip
from memory_assets.postgres.address import masked
from memory_assets.postgres.client import allow_silence, failure_of

if TYPE_CHECKING:
    from psycopg import Connection

    from memory_assets.postgres.address import PostgresAddress

_BEAT_SECONDS = 0.1
"""The lease less this is how long a holder that lives may be kept from speaking."""
POLL_SECONDS = 5.0
"""Whoever listens looks by itself so often: a word that a server sends is lost where the connection breaks."""
_ENDED_SECONDS = 0.5
CHANNEL = "memory_log"
_LOGGER = logging.getLogger(__name__)

_COLUMNS = ", ".join(SHARED_COLUMNS)
_STATE = """
SELECT l.store_id, l.epoch, l.least_client, l.versions, (SELECT max(version) FROM memory_log.schema_migrations),
  e.seq, e.link_hash, memory_log.reads_all(), memory_log.read_projects(), memory_log.may_write(), l.moving
FROM memory_log.log l LEFT JOIN LATERAL (SELECT seq, link_hash FROM memory_log.events ORDER BY seq DESC LIMIT 1) e ON true
"""
_PULL = f"SELECT {_COLUMNS} FROM memory_log.events WHERE seq > %s ORDER BY seq LIMIT %s"
_WRITERS = "SELECT seq, written_by FROM memory_log.events WHERE seq = ANY(%s)"


class PostgresStore:
    """The shared log of one database.

    Args:
        lock_timeout: seconds to wait for other machines.
    """

    is_shared = True

    def __init__(self, address: PostgresAddress, *, lock_timeout: float) -> None:
        self.address = address
        self.name = str(address)
        self._lock_timeout = lock_timeout
        self._connections = Connections(address)
        self._is_made = False

    def state(self) -> StoreState:
        """The log as it is; its tables are made where there are none."""
        with self._used() as connection:
            return _state(connection)

    def pull(self, after: int, limit: int) -> list[Row]:
        """The next rows behind a seq."""
        with self._used() as connection:
            return _pull(connection, after, limit)

    def link_at(self, seq: int) -> bytes | None:
        """The link of an event; None where there is none."""
        with self._used() as connection:
            return _link_at(connection, seq)

    def writers(self, seqs: Sequence[int]) -> dict[int, str]:
        """Which role of the server wrote each of these events, as the server noted it."""
        with self._used() as connection:
            return dict(connection.execute(_WRITERS, [list(seqs)]).fetchall())

    def wait(self, after: int, seconds: float, ended: threading.Event | None = None) -> bool:
        """Wait until something stands behind a seq: news are listened for, and looked for where they were lost."""
        until = time.monotonic() + seconds
        with self._used() as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            try:
                while _state(connection).head.seq <= after:
                    if time.monotonic() >= until or (ended is not None and ended.is_set()):
                        return False
                    _hear(connection, min(until, time.monotonic() + POLL_SECONDS), ended)
                return True
            finally:
                with contextlib.suppress(Exception):
                    connection.execute(f"UNLISTEN {CHANNEL}")

    def enroll(self, host_id: str, epoch: int) -> None:
        """Name a machine that mirrors the log."""
        with self._used() as connection:
            enroll(connection, host_id, epoch)

    def mirrors(self) -> list[MirrorThere]:
        """The machines that mirror the log."""
        with self._used() as connection:
            return mirrors_of(connection)

    @contextlib.contextmanager
    def exclusive(self, accepts: Callable[[StoreState], None] = refuse_unwritable) -> Iterator[HeldStore]:
        """The log under its lock, in one transaction.

        Args:
            accepts: raises where the log is not to be written to as it is.

        Raises:
            StoreLockedError: another machine holds it for too long.
            SharedLogRefusedError: a newer program has written to it.
            SharedLogUnavailableError: it went away. Where nobody can tell whether that was before the commit or behind it, the
                log is asked again; if it cannot be, the next one who reads it knows.
        """
        held: HeldStore | None = None
        try:
            with self._used() as connection:
                self._lock(connection)
                held = HeldStore(self, connection)
                with _collecting_little(), _speaking(connection, self.address):
                    accepts(held.state())
                    yield held
                    held.is_ending = True
                # A transaction that failed answers COMMIT too, by taking everything back.
                if connection.execute("COMMIT").statusmessage != "COMMIT":
                    held.is_ending = False
                    raise SharedLogUnavailableError(
                        f"{self.address} took the transaction back", hint="run the command again: nothing was written"
                    )
        except SharedLogUnavailableError as error:
            if held is None or not held.is_ending:
                raise
            match self._has(held):
                case None:
                    raise SharedLogUnavailableError(
                        f"{error}; that was in the middle of a commit",
                        hint="run the command again once it answers: what was written is known then, and not written twice",
                    ) from None
                case False:
                    raise

    @contextlib.contextmanager
    def administered(self) -> Iterator[Connection[Any]]:
        """A transaction on the tables around the log; for its owner."""
        with self._used() as connection, connection.transaction():
            yield connection

    @contextlib.contextmanager
    def beside(self) -> Iterator[Connection[Any]]:
        """A connection to what lies beside the log, without its lock."""
        with self._used() as connection:
            yield connection

    def close(self) -> None:
        """Close what nobody uses."""
        self._connections.close()

    def _lock(self, connection: Connection[Any]) -> None:
        # Whatever the role's default is: under another one all would be read as it was before the lock was waited for.
        connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        connection.execute(
            "SELECT set_config('lock_timeout', %s, true), set_config('idle_in_transaction_session_timeout', %s, true)",
            [f"{int(self._lock_timeout * 1000)}ms", f"{int(LEASE_SECONDS * 1000)}ms"],
        )
        allow_silence(connection, self._lock_timeout + connections.SILENT_SECONDS)
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])
        allow_silence(connection, connections.SILENT_SECONDS)

    def _has(self, held: HeldStore) -> bool | None:
        """Whether what was pushed and pinned is committed; None where nobody can tell.

        The lock is waited for: a transaction that was cut off may end just now.
        """
        if held.pushed is None and held.pinned is None:
            return True
        with contextlib.suppress(SharedLogUnavailableError, StoreLockedError), self._used() as connection:
            self._lock(connection)
            link = None if held.pushed is None else _link_at(connection, held.pushed.seq)
            versions = _state(connection).versions
            connection.execute("ROLLBACK")
            is_pushed = held.pushed is None or link == held.pushed.link_hash
            return is_pushed and (held.pinned is None or versions == held.pinned)
        return None

    @contextlib.contextmanager
    def _used(self) -> Iterator[Connection[Any]]:
        with self._connections.used() as connection:
            if not self._is_made:
                if applied(connection, self.address) < newest_version():
                    migrate(connection, self.address)
                self._is_made = True
            yield connection


class HeldStore:
    """The log under its lock.

    Attributes:
        pushed: where the log ends once this is committed; None where nothing is new.
        pinned: the versions that all follow once this is committed; None where they stay.
        is_ending: whether the commit was asked for.
    """

    def __init__(self, store: PostgresStore, connection: Connection[Any]) -> None:
        self._store = store
        self._connection = self.connection = connection
        self._state = _state(connection)
        self.pushed: Tip | None = None
        self.pinned: Versions | None = None
        self.is_ending = False

    def state(self) -> StoreState:
        """The log as it was when the lock was taken, which it still is but for what was pushed."""
        return self._state

    def pull(self, after: int, limit: int) -> list[Row]:
        """The next rows behind a seq.

        On another connection: while a server waits for somebody to take what it sends, it counts no silence, and one that is
        stopped then would keep the lock.
        """
        return self._store.pull(after, limit)

    def push(self, rows: Sequence[Row], expected_head: Tip) -> Tip:
        """Append rows behind the head that they were made for; where the log ends then.

        Raises:
            SharedLogDiffersError: the log ends elsewhere, or the rows do not count on from there.
            UnstorableTextError: a text holds U+0000.
        """
        head = self.pushed or self._state.head
        if head != expected_head or [row[0] for row in rows] != list(range(head.seq + 1, head.seq + 1 + len(rows))):
            raise SharedLogDiffersError(
                f"the shared log ends at event {head.seq}, and these were made to follow event {expected_head.seq}",
                hint="run the command again",
            )
        if not rows:
            return head
        push_rows(self._connection, rows)
        if self._state.least_client < client_version():
            self._connection.execute("UPDATE memory_log.log SET least_client = %s", [client_version()])
        self._connection.execute("SELECT pg_notify(%s, '')", [CHANNEL])
        self.pushed = Tip(int(rows[-1][0]), bytes(rows[-1][-1]))
        return self.pushed

    def pin(self, versions: Versions) -> None:
        """State which versions all must follow."""
        self._connection.execute("UPDATE memory_log.log SET versions = %s", [canonical_json(dict(versions))])
        self.pinned = dict(versions)

    def rewrite(self, parts: Iterable[Sequence[Row]], head: Tip) -> None:
        """Put other rows in the place of all that are there."""
        # Some of its statements go over the whole log at once.
        allow_silence(self._connection, None)
        put_in_place(self._connection, parts)
        allow_silence(self._connection, connections.SILENT_SECONDS)
        self._connection.execute("SELECT pg_notify(%s, '')", [CHANNEL])
        self.pushed = head


def _state(connection: Connection[Any]) -> StoreState:
    (row,) = connection.execute(_STATE).fetchall()
    store_id, epoch, least_client, versions, version, seq, link, reads_all, projects, may_write, moving = row
    return StoreState(
        Epoch(store_id, epoch),
        FIRST if seq is None else Tip(int(seq), bytes(link)),
        int(version),
        int(least_client),
        None if versions is None else json.loads(versions),
        Access(None if reads_all else tuple(projects), may_write),
        moving_of(moving),
    )


def _pull(connection: Connection[Any], after: int, limit: int) -> list[Row]:
    return connection.execute(_PULL, [after, limit]).fetchall()


def _link_at(connection: Connection[Any], seq: int) -> bytes | None:
    rows = connection.execute("SELECT link_hash FROM memory_log.events WHERE seq = %s", [seq]).fetchall()
    return bytes(rows[0][0]) if rows else None


def _hear(connection: Connection[Any], until: float, ended: threading.Event | None) -> None:
    """Until the server says that something is new, somebody ends it, or the time is over."""
    while (left := until - time.monotonic()) > 0 and not (ended is not None and ended.is_set()):
        for _ in connection.notifies(timeout=min(left, _ENDED_SECONDS), stop_after=1):
            return


@contextlib.contextmanager
def _collecting_little() -> Iterator[None]:
    """Let no collection of garbage look at what is there now.

    One that looks at everything stops all threads, the one that speaks too: a third of a second of CPU where Dagster is loaded,
    and more than the lease on a busy machine.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def _speaking(connection: Connection[Any], address: PostgresAddress) -> Iterator[None]:
    """Say something to the server ten times a second, so that it knows that somebody is there.

    Whoever speaks is the first to be told that the session ended, and why. Where the work fails of that, this is raised; where
    it fails of something else, both are told.
    """
    psycopg = connections.library()
    ended = threading.Event()
    told: list[Exception] = []

    def speak() -> None:
        try:
            while not ended.wait(_BEAT_SECONDS):
                connection.execute("SELECT 1")
        except Exception as error:  # whoever works with the connection is told
            told.append(error)

    speaker = threading.Thread(target=speak, name="shared log held", daemon=True)
    speaker.start()
    try:
        yield
    except Exception as error:
        ended.set()
        speaker.join()
        if told and connection.closed:
            if isinstance(error, psycopg.Error) and failure_of(error) == "unreachable":
                raise told[0] from error
            _LOGGER.warning("%s: %s; the shared log is as it was", address, masked(str(told[0])))
        raise
    finally:
        ended.set()
        speaker.join()
