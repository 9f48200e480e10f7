"""Connections to the PostgreSQL of a shared log, kept between uses, and what their failures mean to a person."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memory_assets.log.errors import (
    SharedLogRefusedError,
    SharedLogUnavailableError,
    StoreError,
    StoreLockedError,
)
from memory_assets.postgres import client
from memory_assets.postgres.address import PostgresAddress, masked
from memory_assets.postgres.certificate import is_refused, why_refused
from memory_assets.postgres.client import allow_silence, failure_of, impatient, said_by, too_old

if TYPE_CHECKING:
    from psycopg import Connection, Error

SILENT_SECONDS = 15.0
"""A server that says nothing for so long is given up: what is asked of it here takes a moment, but for waiting for the lock."""

OPTIONS: dict[str, Any] = {
    "application_name": "memory_assets",
    # Whatever PGCLIENTENCODING or the role says.
    "client_encoding": "utf8",
    "connect_timeout": 5,
    # A server or a network that vanished is noticed within seconds, also in the middle of a commit.
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
    # A pooler in front of the server gives each transaction another connection.
    "prepare_threshold": None,
}

# A commit that was answered stays, whatever the server's default is: mirrors rest on it.
_SETTLED = """SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"""

_WAITS = "nothing was written, and what the mirror holds can be read meanwhile"


class Connections:
    """Connections of one process to one database; each is used by one at a time."""

    def __init__(self, address: PostgresAddress) -> None:
        self.address = address
        self._guard = threading.Lock()
        self._idle: list[Connection[Any]] = []
        self._process = os.getpid()
        # What a forked child has of its parent: closing it would end the parent's session.
        self._inherited: list[Connection[Any]] = []

    @contextlib.contextmanager
    def used(self) -> Iterator[Connection[Any]]:
        """A connection that commits only where a transaction is opened on it.

        Raises:
            SharedLogUnavailableError, SharedLogRefusedError, StoreLockedError: whatever PostgreSQL fails by.
        """
        with translated(self.address):
            connection = self._taken()
            try:
                yield connection
            except BaseException:
                _close(connection)
                raise
            self._leave(connection)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close what nobody uses."""
        with self._guard:
            idle, self._idle = self._idle, []
        if self._process != os.getpid():
            self._inherited += idle
            return
        for connection in idle:
            _close(connection)

    def _taken(self) -> Connection[Any]:
        with self._guard:
            if self._process != os.getpid():
                self._inherited += self._idle
                self._idle, self._process = [], os.getpid()
            while self._idle:
                idle = self._idle.pop()
                if _is_alive(idle):
                    return idle
                _close(idle)
        connection: Connection[Any] = _opened(self.address)
        try:
            allow_silence(connection, SILENT_SECONDS)
            check_server(connection, self.address)
            connection.execute(_SETTLED)
        except BaseException:
            _close(connection)
            raise
        return connection

    def _leave(self, connection: Connection[Any]) -> None:
        from psycopg.pq import TransactionStatus

        if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
            _close(connection)
            return
        with self._guard:
            self._idle.append(connection)


def _opened(address: PostgresAddress) -> Connection[Any]:
    library()
    return impatient().connect(address.url, autocommit=True, **OPTIONS)


def _is_alive(connection: Connection[Any]) -> bool:
    """Whether nothing waits to be read: of an idle connection that is the news that it ended."""
    try:
        return not connection.closed and not select.select([connection.fileno()], [], [], 0)[0]
    except (OSError, ValueError):
        return False


def _close(connection: Connection[Any]) -> None:
    with contextlib.suppress(Exception):  # its server may be gone
        connection.close()


def library() -> Any:
    """The client library, which comes with an extra.

    Raises:
        SharedLogUnavailableError: it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        raise SharedLogUnavailableError(
            f"the client of PostgreSQL cannot be loaded: {masked(str(error))}",
            hint="install the extra `memory_assets[postgres]`, or take store.url away",
        ) from error
    return psycopg


def check_server(connection: Connection[Any], address: PostgresAddress) -> None:
    """Refuse a server that is older than any that this was tried with, or that keeps text in another encoding.

    Raises:
        SharedLogRefusedError
    """
    if version := too_old(connection):
        raise SharedLogRefusedError(
            f"{address} is version {version}, which is too old", hint=f"use PostgreSQL {client.LEAST_SERVER // 10_000} or newer"
        )
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise SharedLogRefusedError(
            f"{address} keeps text as {encoding}", hint="make the database with ENCODING 'UTF8' TEMPLATE template0"
        )


@contextlib.contextmanager
def translated(address: PostgresAddress) -> Iterator[None]:
    """Errors of the client library become errors that say what to do; none repeats a password or a row."""
    psycopg = library()
    try:
        yield
    except psycopg.Error as error:
        raise _meant(error, address) from None  # the library's own error may repeat what was written


def _meant(error: Error, address: PostgresAddress) -> StoreError:
    said = said_by(error)
    match failure_of(error):
        case "login" if is_refused(said):
            return SharedLogUnavailableError(
                f"the certificate of {address} is not trusted: {masked(why_refused(address.url) or said)}",
                hint="renew it, or name in sslrootcert of store.url who signed it; look at the clock here as well",
            )
        case "locked":
            return StoreLockedError(
                f"another machine holds the shared log of {address}",
                hint="wait for it to finish, then run the command again; what was written before is kept",
            )
        case "rights":
            return SharedLogRefusedError(
                f"{address} does not allow it: {said}",
                hint="GRANT CREATE, CONNECT ON DATABASE … TO the role of store.url, or let it own schema memory_log",
            )
        case "read only":
            return SharedLogRefusedError(f"{address} can be read alone: {said}", hint="name the server that takes writes")
        case "told off":
            return SharedLogUnavailableError(
                f"{address} ended the session, for this process was silent too long while it held the log",
                hint=f"run the command again; {_WAITS}",
            )
        case "no room":
            return SharedLogUnavailableError(
                f"{address} has no room: {said}", hint=f"make room on its disk, and run the command again; {_WAITS}"
            )
        case "login":
            return SharedLogUnavailableError(
                f"{address} lets nobody in: {said}",
                hint="mend user, database and TLS of store.url; the password comes from PGPASSWORD or a passfile",
            )
        case "address":
            return SharedLogUnavailableError(f"{address} does not answer: {said}", hint=f"correct store.url; {_WAITS}")
        case "unreachable":
            hint = f"start it, or look at the network, and run the command again; {_WAITS}"
            return SharedLogUnavailableError(f"{address} does not answer: {said}", hint=hint)
        case "in the way" | "refused":
            return SharedLogRefusedError(
                f"{address} refused what was asked: {said}", hint="`memory mirror status` says what it is"
            )
