"""A connection to PostgreSQL, and what its failures mean to a person."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from memory_assets.court_backend.address import PostgresAddress, masked
from memory_assets.court_backend.errors import PostgresBusyError, PostgresRefusedError, PostgresUnavailableError
from memory_assets.errors import MemoryAssetsError

if TYPE_CHECKING:
    from psycopg import Connection, Error

LEAST_SERVER = 150_000
"""The oldest version that the tests are run with."""

CONNECT_SECONDS = 5
SILENT_SECONDS = 120.0
"""A server that says nothing for so long is gone: longer than any statement takes but the making of an index."""

# An attribute of a connection for which something else goes.
_SILENT = "silent_seconds"

KEEPALIVE_SECONDS = 10
UNHEARD_SECONDS = 30
"""After so long the system gives a machine up that does not confirm what was sent."""

_GOES_ON = "the log and the store's own answers need no PostgreSQL"
_INSTALL = "install the extra `memory_assets[postgres]`, or set court.backend to `embedded`"

# What the client says of an address or a login that can never work: no second try helps.
_WRONG_LOGIN = ("password authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry")
_WRONG_ADDRESS = ("could not translate host name", "invalid", "resolve")


@contextlib.contextmanager
def connected(address: PostgresAddress) -> Iterator[Connection[Any]]:
    """A connection that commits only where a transaction is opened on it.

    Raises:
        PostgresUnavailableError: it cannot be reached, or went away meanwhile.
        PostgresRefusedError: it cannot be used: no rights, too old.
        PostgresBusyError: somebody else held what was needed for too long.
    """
    with translated(address):
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


@cache
def impatient() -> type[Connection[Any]]:
    """A kind of connection that fails where the server says nothing for too long.

    The system notices a machine that is gone, and not a server that stands still: its machine confirms whatever is sent.
    """
    psycopg = library()

    class Impatient(psycopg.Connection):  # type: ignore[misc, name-defined]
        def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **options: Any) -> Any:
            most = getattr(self, _SILENT, None) or SILENT_SECONDS
            return super().wait(_heard(gen, most, psycopg.OperationalError), *arguments, **options)

    return Impatient


def allow_silence(connection: Connection[Any], seconds: float | None) -> None:
    """From now on so long for what this connection is asked; None for what goes for every statement."""
    setattr(connection, _SILENT, seconds)


def _heard(work: Generator[Any, Any, Any], most: float, error: type[Exception]) -> Generator[Any, Any, Any]:
    """The client's own steps, as long as the server says something: it is asked ten times a second whether it did."""
    try:
        wanted = next(work)
        heard = time.monotonic()
        while True:
            ready = yield wanted
            if ready:
                heard = time.monotonic()
            elif time.monotonic() - heard > most:
                raise error(f"it has said nothing for {most:.0f} seconds")
            wanted = work.send(ready)
    except StopIteration as done:
        return done.value
    finally:
        work.close()


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
    version = connection.info.server_version
    if version < LEAST_SERVER:
        raise PostgresRefusedError(
            f"{address} is version {version // 10_000}, which is too old",
            hint=f"use PostgreSQL {LEAST_SERVER // 10_000} or newer, or set court.backend to `embedded`",
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
    from psycopg import errors

    said = masked(error.diag.message_primary or str(error))
    match error:
        case errors.LockNotAvailable():
            return PostgresBusyError(
                f"another process writes the court's tables of {address}",
                hint="`memory court project` again when it is done; what it writes is the same",
            )
        case errors.InsufficientPrivilege():
            return PostgresRefusedError(
                f"{address} does not allow it: {said}",
                hint="GRANT CREATE, CONNECT ON DATABASE … TO the role of court.postgres_url, or let it own schema memory_court",
            )
        case errors.DependentObjectsStillExist() | errors.ForeignKeyViolation() | errors.FeatureNotSupported():
            return PostgresRefusedError(
                f"what others made of the court's tables of {address} is in the way: {_named(error) or said}",
                hint="drop what hangs on them (a view, a foreign key), `memory court project`, and make it again",
            )
        case errors.OperationalError() if any(words in said for words in _WRONG_LOGIN):
            return PostgresUnavailableError(
                f"{address} lets nobody in: {said}",
                hint="mend user and database of court.postgres_url; the password comes from PGPASSWORD or a passfile",
                passes=False,
            )
        case errors.OperationalError() | errors.InterfaceError() | errors.QueryCanceled():
            wrong = any(words in said for words in _WRONG_ADDRESS)
            hint = "correct court.postgres_url" if wrong else "start it, then run `memory court project`"
            return PostgresUnavailableError(f"{address} does not answer: {said}", hint=f"{hint}; {_GOES_ON}", passes=not wrong)
        case _:
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
