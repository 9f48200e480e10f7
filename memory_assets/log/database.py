"""The one class that opens the store's file (architecture.md sections 4, *Privacy*, and 5).

A connection is opened late and closed early, always under the lock; nothing holds one over an embedding, a proof, a model's
answer or a page.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

import duckdb

from memory_assets.log.errors import StoreError, full_disk, of_system
from memory_assets.log.lock import DEFAULT_TIMEOUT_SECONDS, StoreLock
from memory_assets.log.migrations import applied_version, migrate, schema_version

# No socket is ever opened for an extension; what is needed is loaded from installed packages by path.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
STORE_FILE_NAME = "memory.duckdb"

# Closing a connection would write a checkpoint each time, and a checkpoint writes the indexes whole: 300 ms at 60,000 events,
# and growing. What was committed is safe in the write-ahead log, which costs 4 ms a megabyte at each opening (measured). So
# a checkpoint is written when that log has grown to a part of the file.
_CHECKPOINT_FRACTION = 32
_CHECKPOINT_BYTES = (4 * 2**20, 32 * 2**20)


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
        self._migrated = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection under the shared lock. Keep it for one bounded query.

        Raises:
            StoreLockedError: when a writer holds the store for too long.
            StoreError: when the file cannot be read.
        """
        self._ensure_schema()
        with self._lock.shared(), _connected(self.path, read_only=True) as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection under the exclusive lock, inside one transaction: committed at the end, rolled back on an error.

        Raises:
            StoreLockedError: when others hold the store for too long.
            StoreFullError: when the disk is full; nothing was written.
        """
        self._ensure_schema()
        with self._lock.exclusive(), _connected(self.path) as connection:
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
        with self._lock.exclusive(), _connected(self.path) as connection:
            yield connection
            self._checkpoint_if_due(connection)

    def checkpoint(self) -> None:
        """Write what the write-ahead log holds into the file; done at the end of long work."""
        with self._lock.exclusive(), _connected(self.path) as connection:
            connection.execute("CHECKPOINT")

    def _checkpoint_if_due(self, connection: duckdb.DuckDBPyConnection) -> None:
        low, high = _CHECKPOINT_BYTES
        due = min(max(_size(self.path) // _CHECKPOINT_FRACTION, low), high)
        if _size(self.path.with_name(f"{self.path.name}.wal")) >= due:
            # The transaction is committed whatever becomes of this; the next one tries again.
            with contextlib.suppress(duckdb.Error):
                connection.execute("CHECKPOINT")

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


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


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
