"""When the write-ahead log is written into the file, and what belongs together is read on one connection."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import duckdb
import pytest

from memory_assets.log.checkpoints import CheckpointPolicy
from memory_assets.log.database import Database

pytestmark = pytest.mark.usefixtures("made_anew")


def wal(database: Database) -> Path:
    return database.path.with_name(f"{database.path.name}.wal")


def write(database: Database, name: str) -> None:
    with database.writing() as connection:
        connection.execute("INSERT OR REPLACE INTO configured_versions VALUES (?, ?)", [name, name])


def versions(database: Database) -> set[str]:
    with database.reading() as connection:
        return {row[0] for row in connection.execute("SELECT event_type FROM configured_versions").fetchall()}


def test_openings_are_weighed_against_a_checkpoint() -> None:
    policy = CheckpointPolicy()
    policy.opened("to write", 0.010, 0)
    policy.written(0.300)
    for _ in range(4):
        policy.opened("to write", 0.080, 10_000)
    assert not policy.is_due(10_000)  # 0.28 s were lost
    policy.opened("to write", 0.080, 10_000)
    assert policy.is_due(10_000)
    policy.written(0.200)
    assert not policy.is_due(10_000)
    for _ in range(100):
        policy.opened("to write", 0.010, 10_000)  # no slower than a bare opening: nothing is lost
    assert not policy.is_due(10_000)


def test_a_log_that_is_empty_or_far_too_long() -> None:
    policy = CheckpointPolicy()
    policy.opened("to write", 100.0, 1)
    assert policy.is_due(1) and not policy.is_due(0)
    assert CheckpointPolicy().is_due(32 * 2**20)


def test_what_is_due_is_written_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(tmp_path)
    monkeypatch.setattr(CheckpointPolicy, "is_due", lambda self, log_bytes: False)
    write(database, "a")
    assert wal(database).stat().st_size > 0
    monkeypatch.setattr(CheckpointPolicy, "is_due", lambda self, log_bytes: log_bytes > 0)
    write(database, "b")
    assert not wal(database).exists() or wal(database).stat().st_size == 0
    assert versions(Database(tmp_path)) == {"a", "b"}


@pytest.mark.parametrize("is_kept", [False, True])
def test_who_comes_to_rest_leaves_nothing_to_be_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    database = Database(tmp_path)
    monkeypatch.setattr(CheckpointPolicy, "is_due", lambda self, log_bytes: False)
    with database.kept_open() if is_kept else contextlib.nullcontext():
        write(database, "a")
        assert wal(database).stat().st_size > 0
        database.come_to_rest()
        assert not wal(database).exists() or wal(database).stat().st_size == 0
        with monkeypatch.context() as patch:
            patch.setattr(CheckpointPolicy, "write", lambda self, connection: pytest.fail("there is nothing to write"))
            database.come_to_rest()
    assert versions(Database(tmp_path)) == {"a"}


def test_a_checkpoint_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(tmp_path)
    monkeypatch.setattr(CheckpointPolicy, "is_due", lambda self, log_bytes: True)
    with database.writing() as connection:
        connection.execute("INSERT INTO configured_versions VALUES ('a', 'a')")
        # Another transaction on the same file keeps DuckDB from writing one.
        other = connection.cursor()
        other.execute("BEGIN")
        other.execute("INSERT INTO configured_versions VALUES ('b', 'b')")
    other.close()
    assert versions(database) == {"a"}


def test_reading_inside_reading_is_one_connection(tmp_path: Path) -> None:
    database = Database(tmp_path)
    others: list[duckdb.DuckDBPyConnection] = []

    def elsewhere() -> None:
        with database.reading() as connection:
            others.append(connection)

    with database.reading() as outer:
        with database.reading() as inner:
            assert inner is outer
        assert outer.execute("SELECT 1").fetchall() == [(1,)]
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert others[0] is not outer
    with pytest.raises(duckdb.ConnectionException):
        outer.execute("SELECT 1")
    with database.reading() as later:
        assert later is not outer


def test_writing_inside_reading_is_refused_at_once(tmp_path: Path) -> None:
    database = Database(tmp_path)
    with database.reading(), pytest.raises(RuntimeError, match="behind the reading"):
        write(database, "a")
    write(database, "b")
    assert versions(database) == {"b"}
