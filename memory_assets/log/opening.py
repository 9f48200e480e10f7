"""The store's file opened for writing; whoever opens it holds the store's lock, or has a copy that nobody else knows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb

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


def _make_private(path: Path) -> None:
    # DuckDB makes its files with the process's umask, and this one holds what sessions say.
    with contextlib.suppress(OSError):
        path.chmod(0o600)
