"""The store's file opened for writing; whoever opens it holds the store's lock, or has a copy that nobody else knows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb

from memory_assets.log.errors import of_system
from memory_assets.log.links import keep_first_tip
from memory_assets.log.migrations import migrate
from memory_assets.log.readers import CONFIG, translated


@contextlib.contextmanager
def opened_to_write(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of the caller's own."""
    try:
        connection = duckdb.connect(str(path), config=CONFIG)
    except duckdb.Error as error:
        raise translated(error, path) from error
    try:
        # DuckDB's default would give local times where a TIMESTAMP is made from the clock (measured: 9 h off in Seoul).
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        yield connection
    except duckdb.Error as error:
        raise translated(error, path) from error
    finally:
        connection.close()
        _make_private(path.with_name(f"{path.name}.wal"))


def create(path: Path) -> None:
    """Make a store's file, where there is none, under another name and move it into its place: a process that dies meanwhile
    leaves no half store.

    Raises:
        StoreError: it cannot be made.
    """
    if path.exists():
        return
    unfinished = path.with_name(f"{path.name}.new")
    try:
        for leftover in (unfinished, unfinished.with_name(f"{unfinished.name}.wal")):
            leftover.unlink(missing_ok=True)
        with opened_to_write(unfinished) as connection:
            migrate(connection, partial(keep_first_tip, path.parent))
            connection.execute("CHECKPOINT")
        unfinished.chmod(0o600)
        unfinished.rename(path)
    except OSError as error:
        raise of_system(error, unfinished) from error


def _make_private(path: Path) -> None:
    # DuckDB makes its files with the process's umask, and this one holds what sessions say.
    with contextlib.suppress(OSError):
        path.chmod(0o600)
