"""What a store holds, to be compared and searched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import StoredEvent
from memory_assets.maintenance.rebuild import verify_all
from memory_assets.projections.rebuild import derived_tables
from memory_assets.settings import Settings

# When something was written and by which run: never the same twice.
WHEN_WRITTEN = frozenset(
    {
        ("entries", "created_at"),
        ("entries", "build_id"),
        ("promotions", "ts"),
        ("promotions", "build_id"),
        ("idris_checks", "checked_at"),
        ("source_files", "registered_at"),
        ("quarantine", "quarantined_at"),
    }
)

Rows = list[dict[str, Any]]


def log_of(settings: Settings) -> EventLog:
    return EventLog(Resources(settings).database)


def events(settings: Settings, *event_types: str) -> list[StoredEvent]:
    """The events of some types, all of them without one."""
    return list(log_of(settings).replay(event_types or None))


def rows(settings: Settings, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with Resources(settings).database.reading() as connection:
        return connection.execute(query, list(parameters)).fetchall()


def tables(settings: Settings, *, without: Iterable[tuple[str, str]] = ()) -> dict[str, Rows]:
    """Every derived table, its rows sorted; ``build_runs`` is of the runs and not of what is remembered."""
    left_out = WHEN_WRITTEN | set(without)
    found: dict[str, Rows] = {}
    with Resources(settings).database.reading() as connection:
        for table in derived_tables():
            if table == "build_runs":
                continue
            cursor = connection.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description or []]
            kept = [
                {name: value for name, value in zip(names, row, strict=True) if (table, name) not in left_out}
                for row in cursor.fetchall()
            ]
            found[table] = sorted(kept, key=repr)
    return found


def differing(one: dict[str, Rows], other: dict[str, Rows]) -> dict[str, list[str]]:
    """The columns of each table in which two states differ; short enough to be read in a failure."""
    found: dict[str, list[str]] = {}
    for table in one:
        if one[table] == other[table]:
            continue
        if len(one[table]) != len(other[table]):
            found[table] = [f"{len(one[table])} rows against {len(other[table])}"]
            continue
        found[table] = [
            column
            for column in one[table][0]
            if sorted(map(repr, (row[column] for row in one[table])))
            != sorted(map(repr, (row[column] for row in other[table])))
        ] or ["the same values in other rows"]
    return found


def assert_rebuilds_equal(settings: Settings) -> None:
    """A replay gives every derived table again, and the index has one row a unit."""
    report = verify_all(Resources(settings))
    assert report.equal, report.differences


def index_rows(settings: Settings) -> list[dict[str, Any]]:
    """What is found by its words, each with the hash of the text that its vector was made of; None where none was made."""
    words = Resources(settings).word_index.rows(["unit_id", "session_id", "own_text", "context_text"]).to_pylist()
    vectors = Resources(settings).vector_index.rows(["unit_id", "embed_hash"]).to_pylist()
    embedded = {row["unit_id"]: row["embed_hash"] for row in vectors}
    assert embedded.keys() <= {row["unit_id"] for row in words}
    return [row | {"embed_hash": embedded.get(row["unit_id"])} for row in words]


def texts_of_store(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every text of the store with the table and column where it stands: log, tables and index.

    DuckDB compresses its strings, so a scan of the file's bytes alone would prove nothing.
    """
    with Resources(settings).database.reading() as connection:
        columns = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal ORDER BY 1, 2"
        ).fetchall()
        for table, column in columns:
            for (value,) in connection.execute(f'SELECT CAST("{column}" AS VARCHAR) FROM "{table}"').fetchall():
                if value is not None:
                    yield f"{table}.{column}", value
    words, vectors = Resources(settings).word_index, Resources(settings).vector_index
    for index, texts in ((words, ["own_text", "context_text", "speaker", "hit"]), (vectors, ["hit"])):
        if index.exists():
            for row in index.rows(texts).to_pylist():
                yield from ((f"index.{column}", text) for column, text in row.items() if text is not None)


def texts_of_dagster(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every value of every table of Dagster's databases."""
    for path in sorted(settings.dagster_home.rglob("*.db")):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for row in connection.execute(f'SELECT * FROM "{table}"'):
                    for value in row:
                        if isinstance(value, bytes):
                            value = value.decode("utf-8", "replace")
                        if isinstance(value, str):
                            yield f"{path.name}.{table}", value
        finally:
            connection.close()


def files_holding(folder: Path, needle: bytes) -> list[str]:
    """The files under a folder that hold some bytes."""
    return [
        str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file() and needle in path.read_bytes()
    ]
