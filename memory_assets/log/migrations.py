"""Numbered, checksummed schema migrations, applied when a store is opened.

The files of ``sql/`` are the one statement of the schema. ``-- class: truth|derived|operational`` before a ``CREATE TABLE``
declares what a table is to a rebuild.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal

import duckdb

from memory_assets.identifiers import sha256_hex
from memory_assets.log.errors import SchemaMismatchError
from memory_assets.log.links import relink
from memory_assets.shipped_files import shipped_folder

TableClass = Literal["truth", "derived", "operational"]

# Since this version every event has a link, and a tip lies beside the store.
LINKED_SINCE = 11

_FILE_NAME = re.compile(r"V(\d{3})__([a-z0-9_]+)\.sql")
_DROPPED_OR_MADE = re.compile(r"^DROP TABLE (\w+);|^-- class: (truth|derived|operational)\nCREATE TABLE (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of ``sql/``."""

    version: int
    name: str
    statements: str

    @property
    def sha256(self) -> str:
        return sha256_hex(self.statements)


@cache
def migrations() -> tuple[Migration, ...]:
    """Every migration of the store's file, in order; raises as :func:`migrations_in`."""
    return migrations_in(shipped_folder("sql"))


def migrations_in(folder: Path) -> tuple[Migration, ...]:
    """Every migration of a folder, in order.

    Raises:
        SchemaMismatchError: when a number is missing or a file has a name that is none.
    """
    found = []
    for path in sorted(folder.glob("*.sql")):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            raise SchemaMismatchError(f"{path.name} is no migration", hint="name it V<three digits>__<lower_case_words>.sql")
        found.append(Migration(int(match[1]), match[2], path.read_text(encoding="utf-8")))
    numbers = [migration.version for migration in found]
    if not found or numbers != list(range(1, len(found) + 1)):
        raise SchemaMismatchError(
            f"migrations are numbered {numbers}", hint="they count from 1 without a gap; reinstall the package"
        )
    return tuple(found)


@cache
def schema_version() -> int:
    """The number of the newest migration."""
    return migrations()[-1].version


@cache
def table_classes() -> dict[str, TableClass]:
    """Every table of the schema and what it is to a rebuild."""
    classes: dict[str, TableClass] = {}
    for migration in migrations():
        steps = _DROPPED_OR_MADE.findall(migration.statements)
        for dropped, declared, table in steps:
            if dropped:
                del classes[dropped]
            else:
                classes[table] = declared
        if migration.statements.count("CREATE TABLE") != sum(not dropped for dropped, *_ in steps):
            raise SchemaMismatchError(f"a table of V{migration.version:03} declares no class")
    return classes


def applied_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The newest migration that this file has, after comparing what was applied with what we ship.

    Raises:
        SchemaMismatchError: when the file comes from a newer version, or a migration was edited after it was applied.
    """
    if not connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'schema_migrations'").fetchall():
        return 0
    rows = connection.execute("SELECT version, name, sha256 FROM schema_migrations ORDER BY version").fetchall()
    known = {migration.version: migration for migration in migrations()}
    for version, name, sha256 in rows:
        if version not in known:
            raise SchemaMismatchError(
                f"the store has schema version {version} ({name}), this program knows {schema_version()}",
                hint="install the newer version of memory_assets that wrote it; there is no downgrade",
            )
        if known[version].sha256 != sha256:
            raise SchemaMismatchError(
                f"migration V{version:03}__{name} is not the one that was applied to this store",
                hint="reinstall memory_assets; a migration never changes once it was released",
            )
    return int(rows[-1][0]) if rows else 0


def migrate(
    connection: duckdb.DuckDBPyConnection, linked: Callable[[duckdb.DuckDBPyConnection], None] | None = None
) -> list[int]:
    """Apply what is missing, one transaction each; the versions applied.

    Args:
        linked: called when events that had no links have got theirs, in the transaction.
    """
    done = []
    start = applied_version(connection)
    for migration in migrations()[start:]:
        connection.execute("BEGIN")
        connection.execute(migration.statements)
        if migration.version == LINKED_SINCE:
            relink(connection)
            if linked is not None:
                linked(connection)
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
            [migration.version, migration.name, migration.sha256, datetime.now(UTC).replace(tzinfo=None)],
        )
        connection.execute("COMMIT")
        done.append(migration.version)
    return done
