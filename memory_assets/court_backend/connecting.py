"""A connection to PostgreSQL, and what its failures mean to a person."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memory_assets.court_backend.errors import PostgresBusyError, PostgresRefusedError, PostgresUnavailableError
from memory_assets.errors import MemoryAssetsError
from memory_assets.postgres import client
from memory_assets.postgres.address import PostgresAddress, masked
from memory_assets.postgres.client import failure_of, impatient, said_by, too_old

if TYPE_CHECKING:
    from psycopg import Connection, Error

CONNECT_SECONDS = 5
KEEPALIVE_SECONDS = 10
UNHEARD_SECONDS = 30
"""After so long the system gives a machine up that does not confirm what was sent."""

_GOES_ON = "the log and the store's own answers need no PostgreSQL"
_INSTALL = "install the extra `memory_assets[postgres]`, or set court.backend to `embedded`"


@contextlib.contextmanager
def connected(address: PostgresAddress) -> Iterator[Connection[Any]]:
    """A connection that commits only where a transaction is opened on it.

    Raises:
        PostgresUnavailableError: it cannot be reached, or went away meanwhile.
        PostgresRefusedError: it cannot be used: no rights, too old.
        PostgresBusyError: somebody else held what was needed for too long.
    """
    with translated(address):
        library()
        connection = impatient().connect(address.url, autocommit=True, **connect_options())
        # Its own way out would raise once more where the server went away.
        with contextlib.closing(connection):
            check_server(connection, address)
            yield connection


def connect_options() -> dict[str, Any]:
    """What every connection is opened with: a machine that went away is missed soon."""
    return {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "memory_assets",
        "keepalives": 1,
        "keepalives_idle": KEEPALIVE_SECONDS,
        "keepalives_interval": KEEPALIVE_SECONDS // 2,
        "keepalives_count": 3,
        "tcp_user_timeout": UNHEARD_SECONDS * 1000,
    }


def library() -> Any:
    """The client library, which comes with an extra.

    Raises:
        PostgresUnavailableError: it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        raise PostgresUnavailableError(
            f"the client of PostgreSQL cannot be loaded: {masked(str(error))}", hint=_INSTALL, passes=False
        ) from error
    return psycopg


def check_server(connection: Connection[Any], address: PostgresAddress) -> None:
    """Refuse a server that is older than any that this was tried with.

    Raises:
        PostgresRefusedError
    """
    if version := too_old(connection):
        raise PostgresRefusedError(
            f"{address} is version {version}, which is too old",
            hint=f"use PostgreSQL {client.LEAST_SERVER // 10_000} or newer, or set court.backend to `embedded`",
        )


@contextlib.contextmanager
def translated(address: PostgresAddress) -> Iterator[None]:
    """Errors of the client library become errors that say what to do; none repeats a password or a row."""
    psycopg = library()
    try:
        yield
    except psycopg.Error as error:
        raise _meant(error, address) from None  # the library's own error may repeat what was written


def _meant(error: Error, address: PostgresAddress) -> MemoryAssetsError:
    said = said_by(error)
    match failure_of(error):
        case "locked":
            return PostgresBusyError(
                f"another process writes the court's tables of {address}",
                hint="`memory court project` again when it is done; what it writes is the same",
            )
        case "rights":
            return PostgresRefusedError(
                f"{address} does not allow it: {said}",
                hint="GRANT CREATE, CONNECT ON DATABASE … TO the role of court.postgres_url, or let it own schema memory_court",
            )
        case "in the way":
            return PostgresRefusedError(
                f"what others made of the court's tables of {address} is in the way: {_named(error) or said}",
                hint="drop what hangs on them (a view, a foreign key), `memory court project`, and make it again",
            )
        case "login":
            return PostgresUnavailableError(
                f"{address} lets nobody in: {said}",
                hint="mend user and database of court.postgres_url; the password comes from PGPASSWORD or a passfile",
                passes=False,
            )
        case "address":
            hint = f"correct court.postgres_url; {_GOES_ON}"
            return PostgresUnavailableError(f"{address} does not answer: {said}", hint=hint, passes=False)
        case "unreachable" | "told off":
            hint = f"start it, then run `memory court project`; {_GOES_ON}"
            return PostgresUnavailableError(f"{address} does not answer: {said}", hint=hint)
        case "no room":
            hint = f"make room on its disk, then run `memory court project`; {_GOES_ON}"
            return PostgresUnavailableError(f"{address} has no room: {said}", hint=hint)
        case "read only" | "refused":
            return PostgresRefusedError(
                f"{address} refused what was asked: {said}",
                hint=f"`memory court project --rebuild` writes its tables anew; {_GOES_ON}",
            )


def _named(error: Error) -> str:
    """What hangs on our tables. Of a reference the details repeat a row: its table and its own name say enough."""
    from psycopg import errors

    if isinstance(error, errors.ForeignKeyViolation):
        return f"{error.diag.constraint_name} of {error.diag.schema_name}.{error.diag.table_name}"
    return masked(error.diag.message_detail or "")
