"""A server that says nothing any more keeps no command waiting."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.court_backend import connecting, postgres_lessons
from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.errors import PostgresUnavailableError
from memory_assets.court_backend.postgres_lessons import PostgresLessons
from memory_assets.postgres import client
from memory_assets.postgres.address import PostgresAddress
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt
from memory_assets_tests.postgres.databases import There

MOST_SECONDS = 8.0
"""Far below the minutes that a system waits by itself."""


@pytest.fixture
def court(folder: Path) -> PlantedCourt:
    planted = PlantedCourt(folder, Planted(16))
    planted.plant([("coder", f"rule {number}") for number in range(4)])
    return planted


class Between:
    """Stands between a client and a server, and passes on what both say until it is told to be silent."""

    def __init__(self, server: tuple[str, int] | None) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.is_silent = server is None
        self._ended = threading.Event()
        self._sockets: list[socket.socket] = []
        self._work = threading.Thread(target=self._listen, daemon=True)
        self._work.start()

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            if self._server is not None:
                server = socket.create_connection(self._server)
                self._sockets.append(server)
                threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), selectors.DefaultSelector() as ready:
            ready.register(client, selectors.EVENT_READ, server)
            ready.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in ready.select():
                    said = key.fileobj.recv(65_536)  # type: ignore[union-attr]
                    if not said:
                        return
                    if not self.is_silent:
                        key.data.sendall(said)

    def end(self) -> None:
        self._ended.set()
        for one in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture
def silent() -> Iterator[Between]:
    """Accepts whoever comes and says nothing."""
    pytest.importorskip("psycopg")
    between = Between(None)
    yield between
    between.end()


@pytest.mark.long
def test_a_server_that_never_says_anything(silent: Between, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "CONNECT_SECONDS", 2)
    address = PostgresAddress(f"postgresql://owner@127.0.0.1:{silent.port}/court?connect_timeout=600")
    mirror = CourtInPostgres(address, court.database, court.embedder, court.index)
    lessons = PostgresLessons(address, court.embedder)
    for asked in (mirror.project, mirror.state, lambda: lessons.search_lessons("coder", court.embedder.embed_query("a"), 3)):
        began = time.monotonic()
        with pytest.raises(PostgresUnavailableError, match="does not answer"):
            asked()
        assert time.monotonic() - began < MOST_SECONDS


@pytest.mark.long
def test_a_server_that_falls_silent(there18: There, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", there18.server.password)
    monkeypatch.setattr(postgres_lessons, "SILENT_SECONDS", 1.0)
    between = Between(("127.0.0.1", there18.server.port))
    address = PostgresAddress(f"postgresql://owner@127.0.0.1:{between.port}/{there18.database}")
    mirror = CourtInPostgres(address, court.database, court.embedder, court.index)
    lessons, query = PostgresLessons(address, court.embedder), court.embedder.embed_query("rule 1")
    try:
        mirror.project()
        assert lessons.search_lessons("coder", query, 1)
        between.is_silent = True
        began = time.monotonic()
        with pytest.raises(PostgresUnavailableError, match="does not answer"):
            lessons.search_lessons("coder", query, 1)
        assert time.monotonic() - began < 2 * MOST_SECONDS
    finally:
        between.end()
        lessons.close()


@pytest.mark.long
def test_a_server_that_falls_silent_while_it_is_written_to(
    there18: There, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", there18.server.password)
    monkeypatch.setattr(client, "SILENT_SECONDS", 1.0)
    between = Between(("127.0.0.1", there18.server.port))
    address = PostgresAddress(f"postgresql://owner@127.0.0.1:{between.port}/{there18.database}")

    class Silencing(Planted):
        def embed_documents(self, texts: object) -> object:  # type: ignore[override]
            between.is_silent = True
            return super().embed_documents(texts)  # type: ignore[arg-type]

    court.plant([("coder", "embedded now")], indexed=False)
    try:
        began = time.monotonic()
        with pytest.raises(PostgresUnavailableError, match="does not answer"):
            CourtInPostgres(address, court.database, Silencing(16), court.index).project()
        assert time.monotonic() - began < MOST_SECONDS
        assert there18.rows("SELECT to_regnamespace('memory_court') IS NULL") == [(True,)]
    finally:
        between.end()


def test_connections_are_kept_alive(there18: There) -> None:
    """The system finds a machine that is gone: the numbers that it was told are those of the open socket."""
    pytest.importorskip("psycopg")
    import psycopg

    with psycopg.connect(there18.server.on_loopback(there18.database).url, password=there18.server.password,
                         **connecting.connect_options()) as connection:  # fmt: skip
        open_socket = socket.socket(fileno=connection.fileno())
        try:
            assert open_socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert open_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == connecting.KEEPALIVE_SECONDS
            assert open_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == connecting.UNHEARD_SECONDS * 1000
        finally:
            open_socket.detach()
