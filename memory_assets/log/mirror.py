"""The store's file as a mirror of a log that several machines share: the same rows with the same links, and its own tables.

What another machine wrote is taken over before anything is read or written here. What is written here is committed there first
and here behind it, so whoever is killed between the two has written, and the next one takes it over like any other's.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memory_assets.log.errors import (
    SharedLogDiffersError,
    SharedLogRefusedError,
    SharedLogUnavailableError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
)
from memory_assets.log.event_store import (
    SHARED_COLUMNS,
    Access,
    EventStore,
    Row,
    StoreState,
    Versions,
    refuse_half,
    refuse_older,
)
from memory_assets.log.free_space import check_room
from memory_assets.log.links import LINKED_ROW, newest_link
from memory_assets.log.mirror_checks import (
    REBUILD_HINT,
    checked_rows,
    hint_of,
    how_it_differs,
    refuse_other_versions,
    refuse_reader,
)
from memory_assets.log.mirror_note import MirrorNote, has_note, read_note, write_note
from memory_assets.log.payloads.forgetting import FORGETTING
from memory_assets.log.rows import insert_rows
from memory_assets.log.silence_note import forget_silence, note_silence, silence_of
from memory_assets.log.tip import Tip, Tips, read_tips

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.event_store import ExclusiveStore

PULLED_ROWS = 2_000
FRESH_SECONDS = 0.25
"""So long the mirror is taken for what the shared log holds, once that was looked at."""
AWAY_SECONDS = 5.0
"""So long nobody who reads looks again for a server that did not answer."""
FOLLOW_SECONDS = 0.5
"""So long whoever reads waits for others of this machine to bring the mirror up; then it is read as it is."""
_SLOW_SECONDS = 1.0
_NOTED_SECONDS = 10.0
FOLLOW_HINT = "`memory purge` takes them out of everything here as well"
ROWS_BEHIND = f"SELECT {LINKED_ROW}, CAST(payload_json AS VARCHAR), link_hash FROM events WHERE seq > ? ORDER BY seq"
"""Rows of the store's file as a shared log holds them."""
# What keeps a mirror from being brought up, and nobody from reading it as it is.
_READ_ON = (SharedLogUnavailableError, SharedLogRefusedError, StoreReadOnlyError, StoreFullError, StoreLockedError)
_LOGGER = logging.getLogger(__name__)

TipOf = Callable[["duckdb.DuckDBPyConnection"], Tip]
Commit = Callable[["duckdb.DuckDBPyConnection", Tip, Tip], Tip]


class OpenedToFollow(Protocol):
    """Opens the file for writing, under the store's lock: waiting for others of this machine, or for a moment only."""

    def __call__(self, *, patiently: bool) -> AbstractContextManager[duckdb.DuckDBPyConnection]: ...


@dataclass(frozen=True, slots=True)
class Folding:
    """What makes tables of a log.

    Attributes:
        versions: the configured version of each stage by event type.
        fold: brings the tables up to the log, in the caller's transaction.
    """

    versions: Callable[[], Versions]
    fold: Callable[[duckdb.DuckDBPyConnection], object]


class Mirror:
    """A store's file beside the log that it mirrors.

    Args:
        folding: None where nobody asks for tables.
        tip: where the file's log ends, which is where it ended when it was last written.
        commit: ends a transaction of the file and keeps where its log ends.
        outer: the connection that the thread is reading on.
    """

    def __init__(
        self,
        file: Path,
        store: EventStore,
        folding: Folding | None,
        *,
        tip: TipOf,
        commit: Commit,
        outer: Callable[[], duckdb.DuckDBPyConnection | None],
    ) -> None:
        self.store = store
        self._file = file
        self._folder = file.parent
        self._folding = folding
        self._tip = tip
        self._commit = commit
        self._outer = outer
        self._looked_at = -FRESH_SECONDS
        self._noted_at = -_NOTED_SECONDS
        self._agreed: Versions | None = None
        self._refused: SharedLogRefusedError | None = None
        self.away: StoreError | None = None
        """Why the mirror was not brought up when it was read last; None where it was."""
        self._has_forgotten = False

    def access(self) -> Access:
        """What may be read and done here, as it was when the mirror was brought up last."""
        note = read_note(self._folder) if self.store.is_shared or has_note(self._folder) else None
        return Access() if note is None else note.access

    def refuse_alone(self) -> None:
        """Refuse to write to a mirror without the log that it mirrors, which would make another log of it.

        Raises:
            SharedLogRefusedError
        """
        if not self.store.is_shared and has_note(self._folder):
            raise SharedLogRefusedError(
                f"{self._folder} is a mirror of a shared log, and store.url names none",
                hint="set store.url again; to go on alone, `memory move --to embedded` with it, or `memory backup` this and "
                "`memory restore` that into another folder",
            )

    def refuse(self, what: str, hint: str = "") -> None:
        """Refuse what would change a mirror alone, where the store is one.

        Raises:
            SharedLogRefusedError
        """
        if self.store.is_shared:
            raise SharedLogRefusedError(f"{what} is not done to a shared log", hint=hint)

    def must_forget(self) -> bool:
        """Whether something was taken over that is to be forgotten, which the index does not follow by itself.

        Said once, and to nobody who is reading: what is to be done then writes.
        """
        if self._outer() is not None:
            return False
        must, self._has_forgotten = self._has_forgotten, False
        return must

    def follow(self, opened: OpenedToFollow, *, patiently: bool = False) -> None:
        """Take over what others wrote, for one who reads; where the log cannot be reached, the mirror is read as it is.

        Args:
            opened: opens the file for writing, under the store's lock.
            patiently: ask a server that was silent a moment ago too, and wait for others of this machine.

        Raises:
            SharedLogDiffersError: it is no mirror of that log.
            SharedLogUnavailableError, SharedLogRefusedError: there is no mirror yet.
        """
        began = time.monotonic()
        if not patiently and began < self._looked_at + (AWAY_SECONDS if self.away else FRESH_SECONDS):
            return
        note = read_note(self._folder)
        is_readable = note is not None and note.as_of > 0
        try:
            if is_readable and not patiently and (silent := silence_of(self._folder, self.store.name)):
                raise silent
            state = self.store.state()
            refuse_older(state)
            refuse_half(state)
            self._check_versions(state.versions)
            if not self._is_up_to(state):
                with opened(patiently=patiently or not is_readable) as connection:
                    self.catch_up(connection, self._tip(connection))
            self._is_fresh(state)
        except _READ_ON as error:
            self._is_away(error, time.monotonic() - began)
        self._looked_at = time.monotonic()

    def wait(self, seconds: float, ended: threading.Event) -> bool:
        """Wait until the shared log has more than the mirror, for so long at most; whether it has."""
        tips = read_tips(self._folder)
        return self.store.wait(tips.now.seq if isinstance(tips, Tips) else 0, seconds, ended)

    def catch_up(self, connection: duckdb.DuckDBPyConnection, before: Tip) -> Tip:
        """Take over all that the shared log has, a part a transaction, the tables with the last one; where the mirror ends.

        Args:
            before: where it ends now. The caller has the store's lock and no transaction.
        """
        if not self.store.is_shared:
            return before
        state = self.store.state()
        refuse_older(state)
        refuse_half(state)
        self._check(state, before)
        self._enroll()
        while before.seq < state.head.seq:
            rows = self.store.pull(before.seq, PULLED_ROWS)
            connection.execute("BEGIN")
            try:
                last = self._take(connection, rows, before, state)
                if last.seq >= state.head.seq:
                    self._fold(connection)
                before = self._commit(connection, before, last)
            except BaseException:
                _roll_back(connection)
                raise
        self._is_fresh(state)
        return before

    @contextlib.contextmanager
    def written(self, connection: duckdb.DuckDBPyConnection, before: Tip, *, log_stays: bool) -> Iterator[None]:
        """A transaction of the file as one of the shared log as well; the caller commits the file's behind it.

        Args:
            before: where the mirror ended when its transaction began.
            log_stays: nothing is appended, so the shared log is none of it.
        """
        if not self.store.is_shared:
            yield
            return
        if log_stays:
            if self._refused is not None:
                raise self._refused  # tables that follow other versions would not be this log's
            yield
            if newest_link(connection) != before:
                raise RuntimeError("who said that nothing is appended has appended something")
            return
        with self.store.exclusive() as shared:
            state = shared.state()
            refuse_reader(state.access)
            self._check(state, before)
            last = before
            while last.seq < state.head.seq:
                last = self._take(connection, shared.pull(last.seq, PULLED_ROWS), last, state)
            if last != before:
                self._fold(connection)
            configured = _configured(connection)
            yield
            self._pin(shared, state.versions, configured, _configured(connection))
            if added := connection.execute(ROWS_BEHIND, [state.head.seq]).fetchall():
                check_room(self._file)  # what is committed there cannot be taken back
                shared.push(added, state.head)
        forget_silence(self._folder)
        self._looked_at = time.monotonic()

    def _is_up_to(self, state: StoreState) -> bool:
        tips, note = read_tips(self._folder), read_note(self._folder)
        is_there = isinstance(tips, Tips) and tips.coming is None and tips.now == state.head
        return is_there and note is not None and note.epoch == state.epoch and note.access == state.access

    def _check(self, state: StoreState, local: Tip) -> None:
        """Whether the file is a mirror of this log, made with these versions.

        Raises:
            SharedLogDiffersError, SharedLogRefusedError
        """
        note = read_note(self._folder)
        if note is not None and note.epoch != state.epoch:
            is_purged = note.epoch.store_id == state.epoch.store_id
            what = "events were taken out of it" if is_purged else "it is another log"
            hint = FOLLOW_HINT if is_purged else REBUILD_HINT
            raise SharedLogDiffersError(f"the mirror is not of the log as it is now: {what}", hint=hint)
        if note is not None and note.access.projects != state.access.projects:
            raise SharedLogDiffersError(
                f"what may be read of the shared log has changed: it is {state.access} now", hint=REBUILD_HINT
            )
        if note is None and state.moving is not None:
            raise SharedLogRefusedError(
                f"the shared log has moved into the file of machine {state.moving.host_id[:12]}",
                hint="take store.url away where it went; it is mirrored by no machine that comes now",
            )
        link = state.head.link_hash if local.seq == state.head.seq else self.store.link_at(local.seq) if local.seq else None
        if local.seq and link != local.link_hash:
            raise SharedLogDiffersError(how_it_differs(local, state.head, link), hint=hint_of(note))
        self._check_versions(state.versions)
        if note is None:
            write_note(self._folder, MirrorNote.new(state.epoch, state.access))

    def _enroll(self) -> None:
        """Let the log know of this machine before anything of it is here: what is purged later must go here as well."""
        note = read_note(self._folder)
        # Who may only read is not known, and is told by whoever gave it that right.
        if note is not None and not note.is_enrolled and note.access.may_write:
            with contextlib.suppress(SharedLogRefusedError):
                self.store.enroll(note.host_id, note.epoch.number)
                write_note(self._folder, replace(note, is_enrolled=True))

    def _check_versions(self, pinned: Versions | None) -> None:
        if self._folding is None or pinned is None or pinned == self._agreed:
            return
        try:
            refuse_other_versions(self._folding.versions(), pinned)
        except SharedLogRefusedError as error:
            self._refused = error
            raise
        self._agreed, self._refused = pinned, None

    def _take(self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], before: Tip, state: StoreState) -> Tip:
        last = checked_rows(rows, before, is_whole=state.access.projects is None)
        columns = dict(zip(SHARED_COLUMNS, zip(*rows, strict=True), strict=True))
        self._has_forgotten = self._has_forgotten or not set(FORGETTING).isdisjoint(columns["event_type"])
        links = list(columns.pop("link_hash"))
        insert_rows(connection, columns, links)
        return last

    def _fold(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self._folding is not None:
            self._folding.fold(connection)

    def _pin(self, shared: ExclusiveStore, pinned: Versions | None, before: Versions, now: Versions) -> None:
        """Pin the first versions; refuse others that this transaction would follow. Those that the mirror followed before say
        nothing: it may not have been used since others were pinned."""
        if now and pinned is None:
            shared.pin(now)
        elif now != before and pinned is not None:
            refuse_other_versions(now, pinned)

    def _is_fresh(self, state: StoreState) -> None:
        self.away = None
        forget_silence(self._folder)
        now = time.monotonic()
        note = read_note(self._folder)
        # A note of another epoch was written by a purge since the log was asked, and is the newer one.
        is_same = note is not None and note.epoch == state.epoch
        if note is not None and is_same and (now >= self._noted_at + _NOTED_SECONDS or note.access != state.access):
            write_note(self._folder, replace(note, as_of=time.time(), access=state.access))
            self._noted_at = now
            self._enroll()

    def _is_away(self, error: StoreError, seconds: float) -> None:
        if isinstance(error, SharedLogUnavailableError) and seconds > _SLOW_SECONDS:
            note_silence(self._folder, self.store.name, error)
        note = read_note(self._folder)
        if note is None or not note.as_of:
            raise error
        if self.away is None:
            _LOGGER.warning("%s; what follows is the mirror's, %s", error, note.age())
        self.away = error


def _configured(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    return dict(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    with contextlib.suppress(duckdb.Error):
        connection.execute("ROLLBACK")
