"""The tables of a shared log: numbered migrations, made by whoever comes first and may."""

from __future__ import annotations

import uuid
from functools import cache
from typing import TYPE_CHECKING, Any

from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.log.migrations import Migration, migrations_in
from memory_assets.log.migrations import schema_version as client_version
from memory_assets.shipped_files import shipped_folder

if TYPE_CHECKING:
    from psycopg import Connection

    from memory_assets.postgres.address import PostgresAddress

LOCK_KEY = 0x6D656D6F72796C67
"""Of the advisory lock under which the log of a database is written."""

LEASE_SECONDS = 1.2
"""A holder of the lock that says nothing for so long has lost it: others are to be served within two seconds."""

# Asked of the catalogue's tables: `to_regclass` answers from a cache, which may be older than the lock that was waited for.
_THERE = """SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'memory_log' AND c.relname = 'schema_migrations'),
  EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'memory_log')"""


@cache
def shared_migrations() -> tuple[Migration, ...]:
    """Every migration of a shared log, in order."""
    return migrations_in(shipped_folder("sql") / "postgres")


def newest_version() -> int:
    """The number of the newest one."""
    return shared_migrations()[-1].version


def applied(connection: Connection[Any], address: PostgresAddress) -> int:
    """The newest migration that this database has, after comparing what was applied with what we ship; 0 without tables.

    Raises:
        SharedLogRefusedError: it is newer than this program, or was made of other statements.
    """
    has_table, has_schema = connection.execute(_THERE).fetchall()[0]
    if not has_table:
        if has_schema:
            raise SharedLogRefusedError(
                f"{address} has a schema memory_log that is not ours", hint="rename it, or name another database"
            )
        return 0
    rows = connection.execute("SELECT version, name, sha256 FROM memory_log.schema_migrations ORDER BY version").fetchall()
    known = {migration.version: migration.sha256 for migration in shared_migrations()}
    for version, name, sha256 in rows:
        if version not in known:
            raise SharedLogRefusedError(
                f"the shared log of {address} has version {version} ({name}), this program knows {newest_version()}",
                hint="install the newer version of memory_assets that made it",
            )
        if known[version] != sha256:
            raise SharedLogRefusedError(
                f"migration V{version:03}__{name} is not the one that was applied to {address}", hint="reinstall memory_assets"
            )
    return int(rows[-1][0]) if rows else 0


def migrate(connection: Connection[Any], address: PostgresAddress) -> None:
    """Make what is missing, in one transaction under the lock, where others may do so at the same time.

    Raises:
        SharedLogRefusedError: as :func:`applied`, or the role may not.
    """
    with connection.transaction():
        connection.execute("SET LOCAL lock_timeout = '10s'")
        connection.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{int(LEASE_SECONDS * 1000)}ms'")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])
        start = applied(connection, address)
        for migration in shared_migrations()[start:]:
            connection.execute(migration.statements.encode())
            connection.execute(
                "INSERT INTO memory_log.schema_migrations (version, name, sha256) VALUES (%s, %s, %s)",
                [migration.version, migration.name, migration.sha256],
            )
        if start == 0:
            connection.execute(
                "INSERT INTO memory_log.log (store_id, epoch, least_client) VALUES (%s, 1, %s)",
                [uuid.uuid4().hex, client_version()],
            )
