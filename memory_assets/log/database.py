"""The one class that opens the store's file (architecture.md sections 4, *Privacy*, and 5).

A connection is opened late and closed early, always under the lock; nothing holds one over an embedding, a proof, a model's
answer or a page.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb

from memory_assets.log.errors import StoreError, StoreFullError
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
        if self.path.exists():
            with self._lock.shared(), _connected(self.path, read_only=True) as connection:
                current = applied_version(connection) == schema_version()
        else:
            current = False
        if not current:
            with self._lock.exclusive(), _connected(self.path) as connection:
                migrate(connection)
            self.path.chmod(0o600)
        self._migrated = True


@contextlib.contextmanager
def _connected(path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        connection = duckdb.connect(str(path), read_only=read_only, config=_CONFIG)
    except duckdb.Error as error:
        raise _translated(error, path) from error
    try:
        # DuckDB's default would give local times where a TIMESTAMP is made from the clock (measured: 9 h off in Seoul).
        connection.execute("SET TimeZone = 'UTC'")
        yield connection
    except duckdb.Error as error:
        raise _translated(error, path) from error
    finally:
        connection.close()


def _translated(error: duckdb.Error, path: Path) -> StoreError:
    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if "No space left" in message or "not enough disk space" in message.lower():
        return StoreFullError(
            f"the disk that holds {path} is full; nothing of this batch was written",
            hint="free some space and run the command again: what was written before is kept",
        )
    if "Could not set lock" in message:
        return StoreError(
            f"another program has {path} open", hint="close it (a DuckDB shell, perhaps) and run the command again"
        )
    if isinstance(error, duckdb.IOException):
        return StoreError(f"{path} cannot be used: {message}", hint="run `memory doctor`")
    return StoreError(f"a statement of the store failed: {message}", hint="run `memory doctor`")
