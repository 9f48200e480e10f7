"""What goes wrong with PostgreSQL is said with what to do; nothing is half written, and the store answers on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_assets.court_backend import projector
from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.errors import (
    NotProjectedError,
    PostgresBusyError,
    PostgresRefusedError,
    PostgresUnavailableError,
)
from memory_assets.court_backend.postgres_lessons import PostgresLessons
from memory_assets.postgres import client
from memory_assets.postgres.address import PostgresAddress, masked
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt, lesson_id
from memory_assets_tests.postgres.databases import There
from memory_assets_tests.postgres.servers import Server, wheel_18

pytestmark = pytest.mark.long


@pytest.fixture
def court(folder: Path) -> PlantedCourt:
    planted = PlantedCourt(folder, Planted(16))
    planted.plant([("coder", f"rule {number}") for number in range(12)])
    return planted


def mirror_at(court: PlantedCourt, address: PostgresAddress) -> CourtInPostgres:
    return CourtInPostgres(address, court.database, court.embedder, court.index)


def guest(there: There, *rights: str) -> PostgresAddress:
    """A role of a database that may log in, and what else is granted."""
    there.rows(f"DROP ROLE IF EXISTS {there.database}_guest")
    there.rows(f"CREATE ROLE {there.database}_guest LOGIN")
    for right in rights:
        there.rows(f"GRANT {right} ON DATABASE {there.database} TO {there.database}_guest")
    return there.server.address(there.database, user=f"{there.database}_guest")


def test_whatever_statement_it_goes_away_at_nothing_is_half_there(
    there: There, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    mirror = mirror_at(court, there.address)
    mirror.project()
    before = _state(there)
    court.plant([("reviewer", f"another {number}") for number in range(8)])
    court.forget([lesson_id(3)])
    execute, done = psycopg.Connection.execute, 0

    def ended_at(place: int) -> Any:
        calls = iter(range(10_000))

        def counted(connection: psycopg.Connection[Any], *arguments: Any, **options: Any) -> Any:
            if next(calls) == place:
                there.rows(f"SELECT pg_terminate_backend({connection.info.backend_pid})")
            return execute(connection, *arguments, **options)

        return counted

    for place in range(1, 200):
        with monkeypatch.context() as patched:
            # The superuser's own statements go by a cursor of another connection.
            patched.setattr(there.server, "execute", _by_cursor(there.server))
            patched.setattr(psycopg.Connection, "execute", ended_at(place))
            try:
                mirror.project()
            except PostgresUnavailableError as error:
                assert "memory court project" in error.hint
            else:
                break
        assert _state(there) == before
        done += 1
    assert done > 15 and mirror.differing() == {}
    assert _state(there) != before


def test_two_at_once_write_one_behind_the_other_and_the_newest(there: There, court: PlantedCourt) -> None:
    import psycopg

    mirror = mirror_at(court, there.address)
    mirror.project()
    with psycopg.connect(there.address.url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [projector.WRITER_LOCK])
        waiting = threading.Thread(target=mirror.project)
        waiting.start()
        _until_somebody_waits(there)
        court.plant([("coder", "said while it waited")])
        other.commit()
        waiting.join(30)
    assert there.rows("SELECT count(*) FROM memory_court.lessons WHERE title = 'said while it waited'") == [(1,)]
    assert mirror.differing() == {}


def test_who_waits_too_long_for_another_is_told(there: There, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    monkeypatch.setattr(projector, "WAIT_SECONDS", 1)
    with psycopg.connect(there.address.url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [projector.WRITER_LOCK])
        with pytest.raises(PostgresBusyError, match="another process writes"):
            mirror_at(court, there.address).project()


def test_without_rights_it_says_which_are_missing(there: There, court: PlantedCourt) -> None:
    with pytest.raises(PostgresRefusedError, match="does not allow it: permission denied") as caught:
        mirror_at(court, guest(there)).project()
    assert "GRANT CREATE" in caught.value.hint


def test_who_may_not_make_the_extension_searches_without_it(there18: There, court: PlantedCourt) -> None:
    address = guest(there18, "CREATE")
    assert mirror_at(court, address).project().has_vector_type is False
    lessons = PostgresLessons(address, court.embedder)
    assert [hit.lesson_id for hit in lessons.search_lessons("coder", court.embedder.embed_query("rule 4"), 1)] == [lesson_id(4)]
    lessons.close()
    # Once somebody with the right to it has made it, the vectors are written anew as what it knows.
    there18.rows("CREATE EXTENSION vector")
    done = mirror_at(court, address).project()
    assert (done.has_vector_type, done.written, done.embedded) == (True, 0, 12)


def test_an_old_server_is_refused(there: There, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LEAST_SERVER", 190_000)
    for asked in (mirror_at(court, there.address).project, mirror_at(court, there.address).state, lambda: _asked(court, there)):
        with pytest.raises(PostgresRefusedError, match="which is too old") as caught:
            asked()
        assert "PostgreSQL 19 or newer" in caught.value.hint


def test_a_schema_of_somebody_else_is_left_alone(there: There, court: PlantedCourt) -> None:
    there.rows("CREATE SCHEMA memory_court; CREATE TABLE memory_court.theirs (one int)")
    with pytest.raises(PostgresRefusedError, match="not ours"):
        mirror_at(court, there.address).project(rebuild=True)
    assert there.rows("SELECT count(*) FROM memory_court.theirs") == [(0,)]


def test_the_tables_of_another_store_go_by_a_rebuild_alone(there: There, court: PlantedCourt, tmp_path: Path) -> None:
    mirror_at(court, there.address).project()
    other = PlantedCourt(tmp_path / "other", Planted(16))
    other.plant([("writer", "one")])
    with pytest.raises(PostgresRefusedError, match="another store") as caught:
        mirror_at(other, there.address).project()
    assert "--rebuild" in caught.value.hint and there.rows("SELECT count(*) FROM memory_court.lessons") == [(12,)]
    assert mirror_at(other, there.address).project(rebuild=True).written == 2
    assert mirror_at(other, there.address).differing() == {}


def test_what_was_never_written_cannot_be_searched(there: There, court: PlantedCourt) -> None:
    with pytest.raises(NotProjectedError, match="no lessons with vectors of planted-16") as caught:
        _asked(court, there)
    assert "memory court project" in caught.value.hint
    mirror_at(court, there.address).project()
    with pytest.raises(NotProjectedError, match="no lessons with vectors of other-16"):
        PostgresLessons(there.address, Planted(16, model="other")).search_lessons("coder", court.embedder.embed_query("a"), 3)


def test_the_password_comes_from_the_environment_or_a_passfile_and_is_never_shown(
    there: There, court: PlantedCourt, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passfile"))
    mirror = mirror_at(court, there.server.on_loopback(there.database))
    with pytest.raises(PostgresUnavailableError, match=r"lets nobody in: .*no password supplied"):
        mirror.project()
    monkeypatch.setenv("PGPASSWORD", "s3cret-and-wrong")
    with pytest.raises(PostgresUnavailableError, match="password authentication failed") as caught:
        mirror.project()
    assert not caught.value.passes and "s3cret" not in f"{caught.value} {caught.value.hint}"
    monkeypatch.setenv("PGPASSWORD", there.server.password)
    assert mirror.project().written == 24
    monkeypatch.delenv("PGPASSWORD")
    (tmp_path / "passfile").write_text(f"127.0.0.1:{there.server.port}:*:owner:{there.server.password}\n")
    (tmp_path / "passfile").chmod(0o600)
    assert mirror.project().written == 0


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://owner@127.0.0.1:1/court", "does not answer"),
        ("postgresql://owner@no-such-host.invalid/court", "does not answer"),
        ("postgresql://owner@127.0.0.1/court?no_such_option=1", "refused|does not answer"),
    ],
)
def test_a_wrong_address_is_said_to_be_wrong(url: str, told: str, court: PlantedCourt) -> None:
    pytest.importorskip("psycopg")
    for asked in (mirror_at(court, PostgresAddress(url)).project, lambda: _asked(court, PostgresAddress(url))):
        with pytest.raises((PostgresUnavailableError, PostgresRefusedError), match=told) as caught:
            asked()
        assert caught.value.hint


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may end."""
    pytest.importorskip("psycopg")
    programs = wheel_18()
    if programs is None:
        pytest.skip("no PostgreSQL 18: install the extra `postgres-test`")
    server = Server(programs)
    yield server
    server.remove()


def test_a_server_that_ends_is_missed_and_found_again(own_server: Server, court: PlantedCourt) -> None:
    there = There(own_server, own_server.new_database(), True)
    mirror_at(court, there.address).project()
    lessons, query = PostgresLessons(there.address, court.embedder), court.embedder.embed_query("rule 4")
    found = lessons.search_lessons("coder", query, 3)
    own_server.stop()
    with pytest.raises(PostgresUnavailableError, match="does not answer"):
        lessons.search_lessons("coder", query, 3)
    own_server.start()
    assert lessons.search_lessons("coder", query, 3) == found
    lessons.close()


def test_no_message_repeats_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    said = "cannot use \"postgresql://me:pa%40ss@host/db\" with password=hunter2\nsslpassword='two words' and hunter2"
    assert masked(said) == (
        'cannot use "postgresql://me:[SECRET:password]@host/db" with password=[SECRET:password] '
        "sslpassword=[SECRET:password] and [SECRET:password]"
    )


def _asked(court: PlantedCourt, where: There | PostgresAddress) -> object:
    address = where.address if isinstance(where, There) else where
    return PostgresLessons(address, court.embedder).search_lessons("coder", court.embedder.embed_query("rule 4"), 3)


def _state(there: There) -> list[tuple[object, ...]]:
    """Where the tables stand and what they hold, as one transaction sees it."""
    return there.rows(
        """SELECT p.seq, (SELECT count(*) FROM memory_court.lessons), (SELECT count(*) FROM memory_court.lesson_evidence),
             (SELECT string_agg(lesson_id || title, ',' ORDER BY lesson_id) FROM memory_court.lessons),
             (SELECT count(*) FROM pg_class WHERE relname LIKE 'lesson_vectors%') FROM memory_court.projection p"""
    )


def _by_cursor(server: Server) -> Any:
    import psycopg

    def execute(database: str, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(server.address(database).url, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    return execute


def _until_somebody_waits(there: There) -> None:
    for _ in range(500):
        if there.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
            return
        threading.Event().wait(0.02)
    raise AssertionError("nobody waits for the lock")
