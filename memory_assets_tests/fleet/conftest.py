"""Each kind of log, and machines that share it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.fleet.opening import shared_log
from memory_assets_tests.fleet.hosts import ALONE, Fleet
from memory_assets_tests.postgres.databases import KINDS, There, running, server_of, there, there18
from memory_assets_tests.postgres.servers import Server

__all__ = ["running", "there", "there18"]


@pytest.fixture(autouse=True)
def _connections_are_let_go() -> Iterator[None]:
    """A test's connections end with it: its server has few."""
    yield
    shared_log.cache_clear()
    gc.collect()


@pytest.fixture(params=["embedded", *KINDS])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Fleet:
    """Machines over each kind of log; the embedded one has one machine."""
    if request.param == "embedded":
        return Fleet(tmp_path, ALONE)
    server = server_of(request.getfixturevalue("running"), request.param)
    return Fleet(tmp_path, server.address(server.new_database()).url)


@pytest.fixture
def shared(there: There, tmp_path: Path) -> Fleet:
    """Machines over a log in each kind of PostgreSQL."""
    return Fleet(tmp_path, there.address.url)


@pytest.fixture
def own_server(running: dict[str, Server]) -> Server:
    """A server that a test may stop and start: each kind's programs as they are there."""
    return server_of(running, "postgres15")
