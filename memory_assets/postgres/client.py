"""What every room that speaks to PostgreSQL asks of its client: an end to each wait, and the kind of each failure."""

from __future__ import annotations

import re
import time
from collections.abc import Generator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from memory_assets.postgres.address import masked

if TYPE_CHECKING:
    from psycopg import Connection, Error

LEAST_SERVER = 150_000
"""The oldest version that the tests are run with."""

SILENT_SECONDS = 120.0
"""A server that says nothing for so long is gone: longer than any statement takes but the making of an index."""

Failure = Literal[
    "locked", "rights", "in the way", "read only", "told off", "no room", "login", "address", "unreachable", "refused"
]
"""By what a statement or a connection fails: another one holds what it waits for, rights are missing, things of others hang on
what goes, the server takes no writes, the server ended a session that was silent, its disk is full, it lets this login or this
address never in, nobody answers, or it refuses what is asked."""

# An attribute of a connection for which something else goes.
_SILENT = "silent_seconds"

# What the client says of an address or a login that can never work: no second try helps.
_WRONG_LOGIN = (
    "password authentication failed",
    "no password supplied",
    "does not exist",
    "no pg_hba.conf entry",
    "certificate",
    "SSL",
)
# Its client asks it of who reads, where nobody answers: what is to be done stands in the hint.
_QUESTION = re.compile(r"\s*Is the server running[^?]*\?")
_WRONG_ADDRESS = ("could not translate host name", "invalid", "resolve")
# A connection that broke over TLS names it, and is no wrong login.
_BROKE = ("closed unexpectedly", "SYSCALL")


@cache
def impatient() -> type[Connection[Any]]:
    """A kind of connection that fails where the server says nothing for too long.

    The system notices a machine that is gone, and not a server that stands still: its machine confirms whatever is sent.
    """
    import psycopg

    class Impatient(psycopg.Connection[Any]):
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


def too_old(connection: Connection[Any]) -> int | None:
    """The major version of a server that is older than any that this was tried with; None where it is not."""
    version = connection.info.server_version
    return version // 10_000 if version < LEAST_SERVER else None


def said_by(error: Error) -> str:
    """What the server or its client says, in one line and without a password."""
    return masked(_QUESTION.sub("", error.diag.message_primary or str(error)))


def failure_of(error: Error) -> Failure:
    """By what it failed."""
    from psycopg import errors

    said = said_by(error)
    match error:
        case errors.LockNotAvailable():
            return "locked"
        case errors.InsufficientPrivilege():
            return "rights"
        case errors.DependentObjectsStillExist() | errors.ForeignKeyViolation() | errors.FeatureNotSupported():
            return "in the way"
        case errors.ReadOnlySqlTransaction():
            return "read only"
        case errors.IdleInTransactionSessionTimeout():
            return "told off"
        case errors.DiskFull():
            return "no room"
        case errors.OperationalError() if _any(_WRONG_LOGIN, said) and not _any(_BROKE, said):
            return "login"
        case errors.OperationalError() | errors.InterfaceError() | errors.QueryCanceled():
            return "address" if _any(_WRONG_ADDRESS, said) else "unreachable"
        case _:
            return "refused"


def _any(words: tuple[str, ...], said: str) -> bool:
    return any(word in said for word in words)
