"""Who may read and write a shared log, by roles of its server; to be called by whoever owns its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.event_store import SHARED_COLUMNS, Access

if TYPE_CHECKING:
    from psycopg import Connection

    from memory_assets.fleet.postgres_store import PostgresStore

# Never more of `events` than its own columns: what the server notes of a row is the server's word.
_TO_READ = (
    "GRANT USAGE ON SCHEMA memory_log TO {role}",
    "GRANT SELECT ON memory_log.schema_migrations, memory_log.log, memory_log.events, memory_log.mirrors TO {role}",
)
# A vector tells of its text: who reads some projects alone has none.
_TO_READ_ALL = ("GRANT SELECT ON memory_log.vectors TO {role}",)
_TO_WRITE = (
    f"GRANT INSERT ({', '.join(SHARED_COLUMNS)}) ON memory_log.events TO {{role}}",
    "GRANT UPDATE (least_client, versions) ON memory_log.log TO {role}",
    "GRANT INSERT, SELECT, DELETE ON memory_log.pieces TO {role}",
    "GRANT INSERT ON memory_log.mirrors, memory_log.vectors TO {role}",
)
_NOTHING = (
    "REVOKE ALL ON ALL TABLES IN SCHEMA memory_log FROM {role}",
    "REVOKE ALL ON SCHEMA memory_log FROM {role}",
)


def grant(store: PostgresStore, role: str, access: Access) -> None:
    """Let a role do so much, and no more than that.

    Raises:
        InvalidArgumentError: the server has no such role, or it is to write to projects alone.
        SharedLogUnavailableError, SharedLogRefusedError
    """
    if access.may_write and access.projects is not None:
        raise InvalidArgumentError(
            "who writes sees everything: the events of all projects follow one another",
            hint="leave --project out, or leave --write out",
        )
    with store.administered() as connection:
        _take_back(connection, role)
        of_all = _TO_READ_ALL if access.projects is None else ()
        _run(connection, role, (*_TO_READ, *of_all, *(_TO_WRITE if access.may_write else ())))
        for project in [None] if access.projects is None else access.projects:
            connection.execute(
                "INSERT INTO memory_log.grants (role_name, project, may_write) VALUES (%s, %s, %s)",
                [role, project, access.may_write],
            )


def revoke(store: PostgresStore, role: str) -> None:
    """Let a role do nothing any more; what its mirrors hold they hold.

    Raises:
        InvalidArgumentError: the server has no such role.
        SharedLogUnavailableError, SharedLogRefusedError
    """
    with store.administered() as connection:
        _take_back(connection, role)


def _take_back(connection: Connection[Any], role: str) -> None:
    if not connection.execute("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = %s", [role]).fetchall():
        raise InvalidArgumentError(
            f"the server has no role {role!r}", hint="`CREATE ROLE … LOGIN` makes one, by whoever may do so there"
        )
    connection.execute("DELETE FROM memory_log.grants WHERE role_name = %s", [role])
    _run(connection, role, _NOTHING)


def _run(connection: Connection[Any], role: str, statements: Sequence[str]) -> None:
    from psycopg import sql

    for statement in statements:
        connection.execute(sql.SQL(statement).format(role=sql.Identifier(role)))
