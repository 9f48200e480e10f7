"""The store's file attached read-only, for as long as somebody reads it."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from memory_assets.errors import is_full_disk, is_read_only
from memory_assets.log.errors import StoreError, full_disk, read_only_store

# No socket is ever opened for an extension; what is needed is loaded from installed packages by path.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def use_one_thread() -> None:
    """From here on this process's statements run in one thread each, for work that others should not notice.

    Threads of DuckDB that wait for each other cost a small statement a sixth of its CPU (measured).
    """
    CONFIG["threads"] = 1


@dataclass(slots=True)
class _Reader:
    """An empty DuckDB of this process, and how many read the store that is attached to it meanwhile.

    Attributes:
        sound: no statement failed on it; one that did may have left it unusable.
        attachment: stands for the store as it is attached now.
    """

    instance: duckdb.DuckDBPyConnection
    process: int
    readers: int = 0
    sound: bool = True
    attachment: object = None


class Readers:
    """Stores attached read-only, each for as long as somebody reads it.

    To open the file as a database of its own for each reading costs three times as much: 28 ms and 10 ms of a warm process
    (measured). The instance is kept and the store is not: once the last reader of this process is out, DuckDB holds no lock
    of the file, and the next one attaches what is there then. Who comes meanwhile reads the same attached store, which
    nobody changes while the shared lock is held.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._of: dict[Path, _Reader] = {}
        # What a forked child finds in use by another thread: its threads are not there, so it is neither used nor closed.
        # The child can read; DuckDB refuses it to write a file that it takes for open.
        self._inherited: list[_Reader] = []
        os.register_at_fork(before=self._before_fork, after_in_parent=self._guard.release, after_in_child=self._in_child)

    @contextlib.contextmanager
    def reading(self, path: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, float | None]]:
        """A connection of the caller's own, whose tables are the store's; and the seconds that the store took to open, unless
        it was open."""
        try:
            reader, seconds = self._enter(path)
        except duckdb.Error as error:
            raise translated(error, path) from error
        try:
            with contextlib.closing(reader.instance.cursor()) as connection:
                connection.execute("USE store")
                yield connection, seconds
        except duckdb.Error as error:
            reader.sound = False
            raise translated(error, path) from error
        finally:
            self._leave(path, reader)

    def attachment(self, path: Path) -> object | None:
        """What stands for a store for as long as it stays attached, and so as it is; None where it is not. For who reads it."""
        with self._guard:
            reader = self._of.get(path)
            return reader.attachment if reader is not None and reader.readers else None

    def _enter(self, path: Path) -> tuple[_Reader, float | None]:
        with self._guard:
            reader = self._of.get(path)
            if reader is not None and reader.readers and reader.sound:
                reader.readers += 1
                return reader, None
            if reader is None or not reader.sound:
                self._close_idle()
                reader = _Reader(_empty_instance(path), os.getpid())
            started = time.perf_counter()
            try:
                reader.instance.execute(f"ATTACH {literal(path)} AS store (READ_ONLY)")
            except duckdb.Error:
                self._of.pop(path, None)
                reader.instance.close()
                raise
            reader.readers, reader.attachment = 1, object()
            self._of[path] = reader
            return reader, time.perf_counter() - started

    def _leave(self, path: Path, reader: _Reader) -> None:
        with self._guard:
            reader.readers -= 1
            if reader.readers or reader.process != os.getpid():
                return
            try:
                reader.instance.execute("DETACH store")
            except duckdb.Error:
                reader.sound = False
            if not reader.sound:
                if self._of.get(path) is reader:
                    del self._of[path]
                reader.instance.close()

    def _close_idle(self) -> None:
        for path in [path for path, reader in self._of.items() if not reader.readers]:
            self._of.pop(path).instance.close()

    def _before_fork(self) -> None:
        self._guard.acquire()
        self._close_idle()

    def _in_child(self) -> None:
        self._inherited += self._of.values()
        self._of = {}
        self._guard.release()


def _empty_instance(path: Path) -> duckdb.DuckDBPyConnection:
    """A DuckDB without a file. What does not fit into memory goes where it would go if the store were opened itself."""
    instance = duckdb.connect(":memory:", config=CONFIG | {"temp_directory": f"{path}.tmp"})
    instance.execute("SET GLOBAL TimeZone = 'UTC'")
    return instance


READERS = Readers()


def literal(path: Path) -> str:
    """The path as SQL text."""
    return "'" + str(path).replace("'", "''") + "'"


def translated(error: duckdb.Error, path: Path) -> StoreError:
    """What an error of DuckDB means for the store."""
    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if is_full_disk(error):
        return full_disk(path)
    if is_read_only(error):
        return read_only_store(path, "it is on a medium, or has rights, that allow reading alone")
    if "Could not set lock" in message:
        return StoreError(
            f"another program has {path} open", hint="close it (a DuckDB shell, perhaps) and run the command again"
        )
    if isinstance(error, duckdb.IOException):
        return StoreError(f"{path} cannot be used: {message}", hint="run `memory doctor`")
    return StoreError(f"a statement of the store failed: {message}", hint="run `memory doctor`")
