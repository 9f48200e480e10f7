"""The one class through which the store's file is used.

A connection is opened late and closed early, always under the lock; nothing holds one over an embedding, a proof, a model's
answer or a page.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb

from memory_assets.errors import ReadOnlyStoreError, is_full_disk
from memory_assets.log import swap
from memory_assets.log.blocks import Damage, damage_of
from memory_assets.log.checkpoints import CheckpointPolicy
from memory_assets.log.errors import LogTamperedError, SchemaMismatchError, StoreError, of_system
from memory_assets.log.event_store import EMBEDDED, EventStore
from memory_assets.log.file_length import keep_length, missing_bytes
from memory_assets.log.free_space import check_room
from memory_assets.log.keep_alive import KeepAlive
from memory_assets.log.kept_open import KeptOpen
from memory_assets.log.links import Broken, Sound, keep_first_tip, newest_link, verify_links
from memory_assets.log.lock import DEFAULT_TIMEOUT_SECONDS, ExclusiveHold, StoreLock
from memory_assets.log.migrations import applied_version, migrate, schema_version
from memory_assets.log.mirror import FOLLOW_SECONDS, Folding, Mirror
from memory_assets.log.mirror_checks import REBUILD_HINT
from memory_assets.log.opening import create, opened_to_write
from memory_assets.log.readers import READERS, literal, translated
from memory_assets.log.tip import FIRST, Tip, Tips, read_tips, write_tips

STORE_FILE_NAME = "memory.duckdb"


class Database:
    """The store's DuckDB file.

    Args:
        folder: holds the file and its locks; made (0700) when missing.
        lock_timeout: seconds to wait for other processes.
        store: the log that the file mirrors, where several machines share one.
        folding: brings the tables of a mirror up to what others wrote.
    """

    def __init__(
        self,
        folder: Path,
        *,
        lock_timeout: float = DEFAULT_TIMEOUT_SECONDS,
        store: EventStore = EMBEDDED,
        folding: Folding | None = None,
    ) -> None:
        self.path = folder / STORE_FILE_NAME
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            if is_full_disk(error):
                raise of_system(error, folder) from error
            raise StoreError(
                f"the folder {folder} cannot be made: {error.strerror}", hint="choose another one with MEMORY_HOME"
            ) from error
        self._lock = StoreLock(folder, timeout=lock_timeout)
        self._checkpoints = CheckpointPolicy()
        self._threads = threading.local()
        self._migrated = False
        self._lingering = KeepAlive(self._lock, self._attached)
        self._kept = KeptOpen(ExclusiveHold(self._lock), self._opened_to_keep, timeout=lock_timeout)
        self.mirror = Mirror(self.path, store, folding, tip=self.checked_tip, commit=self.commit, outer=lambda: self._outer)

    @contextlib.contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection under the shared lock. Keep it for a few bounded queries.

        Inside another one of the same thread it is that one: an opening costs 10 ms and more, so what belongs together is
        read together. Temporary tables and registered values last as long as the connection.

        Raises:
            StoreLockedError: when a writer holds the store for too long.
            StoreError: when the file cannot be read.
        """
        if (outer := self._outer) is not None:
            yield outer
            return
        self.follow()
        with self._checked_to_read() as connection:
            self._threads.reading = connection
            try:
                yield connection
            finally:
                self._threads.reading = None

    def follow(self, *, patiently: bool = False) -> None:
        """Bring a mirror up to the log that it mirrors; see :meth:`~memory_assets.log.mirror.Mirror.follow`."""
        if self.mirror.store.is_shared:
            self._ensure_schema()
            self.mirror.follow(self._used_to_follow, patiently=patiently)

    @contextlib.contextmanager
    def _checked_to_read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to a store whose schema is this program's: what is opened to look at the schema is read on."""
        if not self._migrated and self.path.exists() and not swap.is_waiting(self.path.parent):
            with self._used_to_read() as connection:
                if applied_version(connection) == schema_version():
                    self._migrated = True
                    yield connection
                    return
        self._ensure_schema()
        with self._used_to_read() as connection:
            yield connection

    @contextlib.contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the store open between one use and the next, for who uses it often; whoever else wants it is let in at once."""
        with self._kept.kept():
            yield

    def _used_to_read(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        # What is kept open is open for writing, which a store that cannot be written does not allow.
        writable = os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)
        return self._used() if self._kept.is_wanted and writable else self._opened_to_read()

    def _used_to_write(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return self._used() if self._kept.is_wanted else self._opened_to_write()

    def _used_to_follow(self, *, patiently: bool) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        if self._kept.is_wanted or patiently:
            return self._used_to_write()
        return self._opened_to_write(StoreLock(self.path.parent, timeout=min(FOLLOW_SECONDS, self._lock.timeout)))

    @contextlib.contextmanager
    def _used(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with self._kept.used() as connection:
                yield connection
        except duckdb.Error as error:
            raise translated(error, self.path) from error

    @contextlib.contextmanager
    def _opened_to_keep(self) -> Iterator[duckdb.DuckDBPyConnection]:
        swap.finish(self.path.parent)
        with self._connected() as connection:
            yield connection

    @contextlib.contextmanager
    def _opened_to_read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._shared(), self._attached() as connection:
            yield connection

    @contextlib.contextmanager
    def _opened_to_write(self, lock: StoreLock | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._exclusive(lock), self._connected() as connection:
            yield connection

    @property
    def attachment(self) -> object | None:
        """To be asked while reading: what stands for the store for as long as nothing can be written to it. What was read
        under the same one would be read again. None where the store is open for writing."""
        return None if self._kept.is_wanted else READERS.attachment(self.path)

    def linger(self) -> None:
        """Keep the store open for a moment, for the next question; no writer waits for it. To be called while reading."""
        if not self._kept.is_wanted:
            self._lingering.extend()

    @property
    def _outer(self) -> duckdb.DuckDBPyConnection | None:
        """The connection that this thread is reading on."""
        return getattr(self._threads, "reading", None)

    @contextlib.contextmanager
    def writing(self, *, whatever_the_tip: bool = False, log_stays: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection under the exclusive lock, inside one transaction: committed at the end, rolled back on an error.

        Args:
            whatever_the_tip: also where the log does not end as the tip says, which the commit then makes anew. For the one
                who was told by a person to do so.
            log_stays: nothing is appended: other machines are not kept out, and none is needed.

        Raises:
            LogTamperedError: the log does not end where it ended when it was last written; nothing is written to it.
            StoreLockedError: when others hold the store for too long.
            StoreFullError: when the disk is full; nothing was written.
            RuntimeError: inside :meth:`reading` of the same thread, which would wait for itself.
        """
        if self._outer is not None:
            raise RuntimeError("what this thread is reading it cannot write: the writing goes behind the reading")
        if whatever_the_tip:
            self.mirror.refuse("accepting another end", hint=REBUILD_HINT)
        self._ensure_schema()
        with self._used_to_write() as connection:
            # Asked with the store held: whoever waited for it may find that it has become a mirror.
            self.mirror.refuse_alone()
            before = (newest_link(connection) or FIRST) if whatever_the_tip else self.checked_tip(connection)
            before = before if log_stays else self.mirror.catch_up(connection, before)
            connection.execute("BEGIN")
            try:
                with self.mirror.written(connection, before, log_stays=log_stays):
                    yield connection
                self.commit(connection, before)
                self._checkpoint_if_due(connection)
            except BaseException:
                with contextlib.suppress(duckdb.Error):
                    connection.execute("ROLLBACK")
                raise

    def damage_of_file(self) -> Damage:
        """What is wrong with the blocks of the file, also with those that hold nothing now, and what was cut off.

        Raises:
            StoreError: the file cannot be read.
        """
        try:
            with self._shared():
                # What its header counts a sound file may lack: blocks that were set aside at its end and never used.
                return replace(damage_of(self.path), missing_bytes=missing_bytes(self.path))
        except FileNotFoundError:
            return Damage((), (), 0)
        except OSError as error:
            raise of_system(error, self.path) from error

    def verify_links(self, connection: duckdb.DuckDBPyConnection) -> Sound | Broken:
        """Whether the log is what was written, every column of every event; the time of reading all of it."""
        return verify_links(connection, read_tips(self.path.parent), is_whole=self.mirror.access().projects is None)

    def ends_at_tip(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Whether the log ends where it ended when it was last written: the newest event alone is looked at."""
        return self._is_tip(newest_link(connection))

    def _is_tip(self, newest: Tip | None) -> bool:
        tips = read_tips(self.path.parent)
        return isinstance(tips, Tips) and newest is not None and newest in (tips.now, tips.coming)

    def checked_tip(self, connection: duckdb.DuckDBPyConnection) -> Tip:
        """Where the log ends, which is where it ended when it was last written. To be called under the lock.

        Raises:
            LogTamperedError: it ends elsewhere, or nobody can tell.
        """
        newest = newest_link(connection)
        if newest is None or not self._is_tip(newest):
            raise LogTamperedError(self.verify_links(connection))
        return newest

    def commit(self, connection: duckdb.DuckDBPyConnection, before: Tip, newest: Tip | None = None) -> Tip:
        """End a transaction of a writing connection, and keep where the log ends now; it is returned.

        The tip is written on both sides of the commit: a process that is killed in between leaves a log that ends at one of
        the two places that the tip names.

        Args:
            before: where the log ended when the transaction began.
            newest: where it ends now; looked up where the caller does not know.

        Raises:
            StoreFullError: there is no room for it; nothing is committed.
        """
        check_room(self.path)
        newest = newest or newest_link(connection)
        if newest is None or newest == before:
            connection.execute("COMMIT")
            return before
        folder = self.path.parent
        write_tips(folder, Tips(before, newest))
        connection.execute("COMMIT")
        # It says enough as it is, and the next writer tidies up.
        with contextlib.suppress(StoreError):
            write_tips(folder, Tips(newest))
        return newest

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[Path]:
        """The store's folder under the shared lock: file, WAL and tip belong together until the caller is done."""
        self._ensure_schema()
        with self._shared():
            yield self.path.parent

    @contextlib.contextmanager
    def alone(self) -> Iterator[Path]:
        """The store's folder under the exclusive lock, with nothing of it open, for who puts other files in their place."""
        self._ensure_schema()
        with self._exclusive():
            yield self.path.parent

    def put_in_place(self, staged: Path, aside: str) -> None:
        """Make the files of a folder in the store's folder the store; see :mod:`~memory_assets.log.swap`."""
        with self._lock.exclusive():
            swap.begin(self.path.parent, staged, aside)
            swap.finish(self.path.parent)
        self._migrated = False

    @contextlib.contextmanager
    def _shared(self) -> Iterator[None]:
        """The shared lock over a store that is whole: a swap that a killed process left is carried through first."""
        while True:
            with self._lock.shared():
                if not swap.is_waiting(self.path.parent):
                    yield
                    return
            self.finish_swap()

    @contextlib.contextmanager
    def _exclusive(self, lock: StoreLock | None = None) -> Iterator[None]:
        with (lock or self._lock).exclusive():
            swap.finish(self.path.parent)
            yield

    def finish_swap(self) -> None:
        """Carry a swap through that a killed process left."""
        with self._lock.exclusive():
            swap.finish(self.path.parent)
        self._migrated = False

    @contextlib.contextmanager
    def held(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A writing connection outside a transaction, for bulk work that commits by itself (rebuild, benchmarks).

        Who appends on it asks for the :meth:`checked_tip` first and ends each transaction with :meth:`commit`.
        """
        self._ensure_schema()
        with self._opened_to_write() as connection:
            yield connection
            self._checkpoint_if_due(connection)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[duckdb.DuckDBPyConnection]:
        log_bytes = self._log_bytes()
        started = time.perf_counter()
        with opened_to_write(self.path) as connection:
            self._checkpoints.opened("to write", time.perf_counter() - started, log_bytes)
            yield connection
        keep_length(self.path)

    @contextlib.contextmanager
    def _attached(self) -> Iterator[duckdb.DuckDBPyConnection]:
        log_bytes = self._log_bytes()
        with READERS.reading(self.path) as (connection, seconds):
            if seconds is not None:
                self._checkpoints.opened("to read", seconds, log_bytes)
            yield connection

    def come_to_rest(self) -> None:
        """Write the write-ahead log into the file: whoever opens the store behind much that was written need not read it."""
        if self._log_bytes():
            with self._used_to_write() as connection:
                self._checkpoints.write(connection)

    def _checkpoint_if_due(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self._checkpoints.is_due(self._log_bytes()):
            self._checkpoints.write(connection)

    def _log_bytes(self) -> int:
        try:
            return self.path.with_name(f"{self.path.name}.wal").stat().st_size
        except FileNotFoundError:
            return 0

    @contextlib.contextmanager
    def reading_attached(self, connection: duckdb.DuckDBPyConnection, name: str) -> Iterator[None]:
        """This store under ``name`` on another store's connection, read-only, under the shared lock."""
        self._ensure_schema()
        with self._shared():
            connection.execute(f"ATTACH {literal(self.path)} AS {name} (READ_ONLY)")
            try:
                yield
            finally:
                connection.execute(f"DETACH {name}")

    def _ensure_schema(self) -> None:
        if swap.is_waiting(self.path.parent):
            self.finish_swap()
        if self._migrated:
            return
        if not self.path.exists():
            self._create()
        with self._opened_to_read() as connection:
            version = applied_version(connection)
        if version != schema_version():
            try:
                with self._exclusive(), opened_to_write(self.path) as connection:
                    migrate(connection, partial(keep_first_tip, self.path.parent))
            except ReadOnlyStoreError as error:
                raise SchemaMismatchError(
                    f"the store has schema version {version}, this program needs {schema_version()}, and {error}",
                    hint="copy the store to where it can be written: the first command there brings it up to date",
                ) from error
        self._migrated = True

    def _create(self) -> None:
        with self._exclusive():
            create(self.path)
