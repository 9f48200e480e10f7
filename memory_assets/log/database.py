"""The one class that opens the store's file (architecture.md sections 4, *Privacy*, and 5).

A connection is opened late and closed early, always under the lock; nothing holds one over an embedding, a proof, a model's
answer or a page.
"""

from __future__ import annotations

import contextlib
import errno
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb

from memory_assets.log.checkpoints import CheckpointPolicy
from memory_assets.log.errors import StoreError, full_disk, of_system
from memory_assets.log.lock import DEFAULT_TIMEOUT_SECONDS, StoreLock
from memory_assets.log.migrations import applied_version, migrate, schema_version

# No socket is ever opened for an extension; what is needed is loaded from installed packages by path.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
STORE_FILE_NAME = "memory.duckdb"


class Database:
    """The store's DuckDB file.

    Args:
        folder: holds the file and its locks; made (0700) when missing.
        lock_timeout: seconds to wait for other processes.
    """

    def __init__(self, folder: Path, *, lock_timeout: float = DEFAULT_TIMEOUT_SECONDS) -> None:
        self.path = folder / STORE_FILE_NAME
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise of_system(error, folder) from error
            raise StoreError(
                f"the folder {folder} cannot be made: {error.strerror}", hint="choose another one with MEMORY_HOME"
            ) from error
        self._lock = StoreLock(folder, timeout=lock_timeout)
        self._checkpoints = CheckpointPolicy()
        self._threads = threading.local()
        self._migrated = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection under the shared lock. Keep it for a few bounded queries.

        Inside another one of the same thread it is that one: an opening costs 15 ms and more, so what belongs together is
        read together.

        Raises:
            StoreLockedError: when a writer holds the store for too long.
            StoreError: when the file cannot be read.
        """
        if (outer := self._outer) is not None:
            yield outer
            return
        self._ensure_schema()
        with self._lock.shared(), self._connected(read_only=True) as connection:
            self._threads.reading = connection
            try:
                yield connection
            finally:
                self._threads.reading = None

    @property
    def _outer(self) -> duckdb.DuckDBPyConnection | None:
        """The connection that this thread is reading on."""
        return getattr(self._threads, "reading", None)

    @contextlib.contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection under the exclusive lock, inside one transaction: committed at the end, rolled back on an error.

        Raises:
            StoreLockedError: when others hold the store for too long.
            StoreFullError: when the disk is full; nothing was written.
            RuntimeError: inside :meth:`reading` of the same thread, which would wait for itself.
        """
        if self._outer is not None:
            raise RuntimeError("what this thread is reading it cannot write: the writing goes behind the reading")
        self._ensure_schema()
        with self._lock.exclusive(), self._connected() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
                connection.execute("COMMIT")
                self._checkpoint_if_due(connection)
            except BaseException:
                with contextlib.suppress(duckdb.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def held(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A writing connection outside a transaction, for bulk work that commits by itself (rebuild, benchmarks)."""
        self._ensure_schema()
        with self._lock.exclusive(), self._connected() as connection:
            yield connection
            self._checkpoint_if_due(connection)

    @contextlib.contextmanager
    def _connected(self, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        log_bytes = self._log_bytes()
        started = time.perf_counter()
        with _connected(self.path, read_only=read_only) as connection:
            self._checkpoints.opened(time.perf_counter() - started, log_bytes)
            yield connection

    def _checkpoint_if_due(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self._checkpoints.is_due(self._log_bytes()):
            started = time.perf_counter()
            # The transaction is committed whatever becomes of this; the next one tries again.
            with contextlib.suppress(duckdb.Error):
                connection.execute("CHECKPOINT")
            self._checkpoints.written(time.perf_counter() - started)

    def _log_bytes(self) -> int:
        try:
            return self.path.with_name(f"{self.path.name}.wal").stat().st_size
        except FileNotFoundError:
            return 0

    @contextlib.contextmanager
    def reading_attached(self, connection: duckdb.DuckDBPyConnection, name: str) -> Iterator[None]:
        """This store under ``name`` on another store's connection, read-only, under the shared lock."""
        self._ensure_schema()
        path = str(self.path).replace("'", "''")
        with self._lock.shared():
            connection.execute(f"ATTACH '{path}' AS {name} (READ_ONLY)")
            try:
                yield
            finally:
                connection.execute(f"DETACH {name}")

    def _ensure_schema(self) -> None:
        if self._migrated:
            return
        if not self.path.exists():
            self._create()
        with self._lock.shared(), _connected(self.path, read_only=True) as connection:
            current = applied_version(connection) == schema_version()
        if not current:
            with self._lock.exclusive(), _connected(self.path) as connection:
                migrate(connection)
        self._migrated = True

    def _create(self) -> None:
        """Make the file under another name and move it into its place: a process that dies meanwhile leaves no half store."""
        unfinished = self.path.with_name(f"{STORE_FILE_NAME}.new")
        with self._lock.exclusive():
            if self.path.exists():
                return
            try:
                for leftover in (unfinished, unfinished.with_name(f"{unfinished.name}.wal")):
                    leftover.unlink(missing_ok=True)
                with _connected(unfinished) as connection:
                    migrate(connection)
                    connection.execute("CHECKPOINT")
                unfinished.chmod(0o600)
                unfinished.rename(self.path)
            except OSError as error:
                raise of_system(error, unfinished) from error


@contextlib.contextmanager
def _connected(path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        connection = duckdb.connect(str(path), read_only=read_only, config=_CONFIG)
    except duckdb.Error as error:
        raise _translated(error, path) from error
    try:
        # DuckDB's default would give local times where a TIMESTAMP is made from the clock (measured: 9 h off in Seoul).
        connection.execute("SET TimeZone = 'UTC'")
        if not read_only:
            connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        yield connection
    except duckdb.Error as error:
        raise _translated(error, path) from error
    finally:
        connection.close()
        if not read_only:
            _make_private(path.with_name(f"{path.name}.wal"))


def _make_private(path: Path) -> None:
    # DuckDB makes its files with the process's umask, and this one holds what sessions say.
    with contextlib.suppress(OSError):
        path.chmod(0o600)


def _translated(error: duckdb.Error, path: Path) -> StoreError:
    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if "No space left" in message or "not enough disk space" in message.lower():
        return full_disk(path)
    if "Could not set lock" in message:
        return StoreError(
            f"another program has {path} open", hint="close it (a DuckDB shell, perhaps) and run the command again"
        )
    if isinstance(error, duckdb.IOException):
        return StoreError(f"{path} cannot be used: {message}", hint="run `memory doctor`")
    return StoreError(f"a statement of the store failed: {message}", hint="run `memory doctor`")
