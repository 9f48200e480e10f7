"""Rebuild, and the proof that a rebuild is equal."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.database import Database
from memory_assets.log.errors import LogTamperedError
from memory_assets.log.links import Broken
from memory_assets.log.migrations import table_classes
from memory_assets.projections.fold import Folded, catch_up, fold

if TYPE_CHECKING:
    import duckdb

SHOWN_DIFFERENCES = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that a replay gives and the store does not have, or the other way round. None stands for no row.

    Attributes:
        session_id, entry_id: whose row it is, where the table says so.
    """

    table: str
    key: str
    column: str
    stored: str | None
    replayed: str | None
    session_id: str | None = None
    entry_id: str | None = None


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a verification found.

    Attributes:
        tables: rows compared, for each derived table.
        differences: the first of them, at most :data:`SHOWN_DIFFERENCES` a table.
        difference_count: rows that differ, in all tables.
        differing: the same for each table that has any.
    """

    tables: dict[str, int]
    differences: tuple[Difference, ...]
    difference_count: int
    differing: dict[str, int] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        return self.difference_count == 0


def derived_tables() -> list[str]:
    """Every table that is folded from the log."""
    return [table for table, declared in table_classes().items() if declared == "derived"]


def rebuild(database: Database, versions: Mapping[str, str]) -> Folded:
    """Throw the derived tables away and fold them again from the whole log, in one transaction. Of a log that machines share
    the lock is held only to append the outcomes that are missing, behind it.

    Raises:
        LogTamperedError: the log is not what was written; the tables stay as they are.
    """
    is_shared = database.mirror.store.is_shared
    with database.writing(log_stays=is_shared) as connection:
        _check_links(database, connection)
        for table in derived_tables():
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM projection_offsets")
        folded = fold(connection, versions, resolve=not is_shared)
    if not is_shared:
        return folded
    resolved = catch_up(database, versions, resolve=True)
    return replace(resolved, sessions=max(folded.sessions, resolved.sessions))


def verify(database: Database, versions: Mapping[str, str]) -> RebuildReport:
    """Replay the log into a scratch store and compare every derived table in all columns, times included.

    Raises:
        LogTamperedError: the log is not what was written.
    """
    with database.reading() as connection:
        _check_links(database, connection)
    catch_up(database, versions)
    return replay(database, versions)


def replay(database: Database, versions: Mapping[str, str]) -> RebuildReport:
    """:func:`verify` of the tables as they stand, against the events that they were folded from. Writes nothing to the store.

    Args:
        versions: those that the tables were folded with.
    """
    with scratch_folder(beside=database.path) as folder:
        scratch = Database(folder)
        with scratch.held() as connection:
            while True:
                with database.reading_attached(connection, "stored"):
                    upto = _folded_upto(connection)
                    connection.execute(
                        """INSERT INTO events BY NAME SELECT * FROM stored.events
                           WHERE seq <= ? AND seq > (SELECT coalesce(max(seq), 0) FROM events) ORDER BY seq""",
                        [upto],
                    )
                connection.execute("BEGIN")
                fold(connection, versions)
                connection.execute("COMMIT")
                with database.reading_attached(connection, "stored"):
                    # Who folded more meanwhile is caught up with: the tables are compared with their own events.
                    if _folded_upto(connection) == upto:
                        return _compare(connection)


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """A private folder for a scratch store: where the store is, which has room for it, else where the system keeps such."""
    writable = os.access(beside.parent, os.W_OK)
    with tempfile.TemporaryDirectory(prefix="memory-rebuild-", dir=beside.parent if writable else None) as folder:
        yield Path(folder)


def _folded_upto(connection: duckdb.DuckDBPyConnection) -> int:
    return int(connection.execute("SELECT coalesce(max(last_seq), 0) FROM stored.projection_offsets").fetchall()[0][0])


def _check_links(database: Database, connection: duckdb.DuckDBPyConnection) -> None:
    found = database.verify_links(connection)
    if isinstance(found, Broken):
        raise LogTamperedError(found)


def _compare(connection: duckdb.DuckDBPyConnection) -> RebuildReport:
    counts: dict[str, int] = {}
    differences: list[Difference] = []
    differing: dict[str, int] = {}
    keys = _keys(connection)
    for table in derived_tables():
        counts[table], stored_count = connection.execute(
            f"SELECT (SELECT count(*) FROM {table}), (SELECT count(*) FROM stored.{table})"
        ).fetchall()[0]
        if counts[table] == stored_count == 0:
            continue
        replayed = _only_in(connection, table, f"stored.{table}", keys[table])
        if not replayed and counts[table] == stored_count:
            continue  # a key stands once: as many rows, all of them there, are the same rows
        stored = _only_in(connection, f"stored.{table}", table, keys[table])
        concerned = sorted({*stored, *replayed})
        if concerned:
            differing[table] = len(concerned)
        for key in concerned[:SHOWN_DIFFERENCES]:
            differences += _differences(table, key, stored.get(key), replayed.get(key))
    return RebuildReport(counts, tuple(differences), sum(differing.values()), differing)


def _keys(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The columns of each table's primary key."""
    rows = connection.execute(
        """SELECT table_name, constraint_column_names FROM duckdb_constraints()
           WHERE constraint_type = 'PRIMARY KEY' AND database_name = current_database()"""
    ).fetchall()
    return dict(rows)


def _only_in(connection: duckdb.DuckDBPyConnection, table: str, other: str, keys: list[str]) -> dict[str, dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {table} EXCEPT SELECT * FROM {other}")
    names = [column[0] for column in cursor.description or []]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {" ".join(str(row[key]) for key in keys): row for row in rows}


def _differences(table: str, key: str, stored: dict[str, Any] | None, replayed: dict[str, Any] | None) -> list[Difference]:
    row = stored or replayed or {}
    whose = row.get("session_id"), row.get("entry_id")
    if stored is None or replayed is None:
        return [Difference(table, key, "(row)", _presence(stored), _presence(replayed), *whose)]
    return [
        Difference(table, key, column, str(stored[column]), str(replayed[column]), *whose)
        for column in stored
        if stored[column] != replayed[column]
    ]


def _presence(row: dict[str, Any] | None) -> str | None:
    return None if row is None else "present"
