"""Reading by attaching: one store for all who read at once, nothing of it kept, threads and forks, and what fails."""

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from memory_assets.log.database import Database
from memory_assets.log.errors import StoreError
from memory_assets.log.event_log import EventLog
from memory_assets_tests.log.samples import taken

# Opens the file for writing, which DuckDB allows to one process while no other has it open.
FOREIGN = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); c.execute('CHECKPOINT'); print('open')"


def is_free(path: Path) -> bool:
    ended = subprocess.run([sys.executable, "-c", FOREIGN, str(path)], capture_output=True, text=True, check=False)
    return ended.stdout == "open\n"


def count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM events").fetchall()[0][0])


def test_nothing_of_the_store_is_held_after_a_reading(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchall() == [(1,)]
        assert not is_free(database.path)
    assert is_free(database.path)


@pytest.mark.long
def test_an_unfinished_result_holds_nothing_either(database: Database, log: EventLog) -> None:
    log.append([taken(number) for number in range(50)])
    with database.reading() as connection:
        unfinished = connection.execute("SELECT * FROM events")
        unfinished.fetchone()
    gc.collect()
    assert is_free(database.path)
    assert log.append([taken(99)]).new == 1
    assert count(database) == 51


def test_each_reading_sees_what_was_written_before_it(database: Database, log: EventLog) -> None:
    for number in range(1, 6):
        log.append([taken(number)])
        assert count(database) == number


def test_temporary_tables_last_as_long_as_the_connection_and_are_nobody_else_s(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    with database.reading() as connection, ThreadPoolExecutor(1) as other:
        connection.execute("CREATE TEMP TABLE mine AS SELECT * FROM events")
        assert connection.execute("SELECT count(*) FROM mine").fetchall() == [(1,)]

        def elsewhere() -> bool:
            with database.reading() as theirs:
                return bool(theirs.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'mine'").fetchall())

        assert other.submit(elsewhere).result() is False
    with database.reading() as connection, pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT * FROM mine")


def test_names_of_the_store_are_the_only_ones(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    with database.reading() as connection:
        tables = connection.execute(
            "SELECT table_name, count(*) FROM duckdb_tables() GROUP BY ALL HAVING count(*) > 1"
        ).fetchall()
        assert tables == []
        assert connection.execute("SELECT count(*) FROM v_outbox_summary").fetchall() == [(0,)]
        for statement in ("CREATE TABLE other (x INTEGER)", "INSERT INTO configured_versions VALUES ('x', 'x')"):
            with pytest.raises(duckdb.Error, match="read-only"):
                connection.execute(statement)


def test_times_are_utc(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Seoul")
    with database.reading() as connection:
        assert connection.execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]


@pytest.mark.long
def test_threads_read_together_while_others_write(database: Database, log: EventLog) -> None:
    log.append([taken(0)])
    seen: list[int] = []

    def read() -> None:
        for _ in range(15):
            with database.reading() as connection:
                first = connection.execute("SELECT count(*), max(seq) FROM events").fetchall()
                assert connection.execute("SELECT count(*), max(seq) FROM events").fetchall() == first
                seen.append(first[0][0])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(1, 8):
        log.append([taken(number)])
    for thread in threads:
        thread.join()
    assert len(seen) == 60 and set(seen) <= set(range(1, 9))
    assert count(database) == 8
    assert is_free(database.path)


def test_two_stores_are_read_at_once(tmp_path: Path) -> None:
    one, other = Database(tmp_path / "it's one"), Database(tmp_path / "둘")
    EventLog(one).append([taken(1)])
    EventLog(other).append([taken(1), taken(2)])
    with one.reading() as first, other.reading() as second:
        assert first.execute("SELECT count(*) FROM events").fetchall() == [(1,)]
        assert second.execute("SELECT count(*) FROM events").fetchall() == [(2,)]
    assert (count(one), count(other), count(one)) == (1, 2, 1)


def test_a_statement_that_fails_spoils_no_later_reading(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    with database.reading() as outer:
        outer.execute("SELECT 1").fetchall()
        with ThreadPoolExecutor(1) as other:
            failed = other.submit(_fail, database)
            with pytest.raises(StoreError, match="a statement of the store failed"):
                failed.result()
        assert outer.execute("SELECT count(*) FROM events").fetchall() == [(1,)]
    assert count(database) == 1
    assert is_free(database.path)


def _fail(database: Database) -> None:
    with database.reading() as connection:
        connection.execute("SELECT nothing FROM nowhere")


def _in_child(database: Database, answers: "multiprocessing.Queue[int]", writes: bool) -> None:
    answers.put(count(database))
    if writes:
        answers.put(EventLog(database).append([taken(os.getpid())]).new)
    answers.put(count(database))


def forked(database: Database, *, writes: bool) -> list[int]:
    forking = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[int] = forking.Queue()
    child = forking.Process(target=_in_child, args=(database, answers, writes))
    child.start()
    given = [answers.get(timeout=20) for _ in range(3 if writes else 2)]
    child.join(20)
    assert child.exitcode == 0
    return given


def test_a_forked_process_reads_and_writes(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    assert count(database) == 1
    assert forked(database, writes=True) == [1, 1, 2]
    assert count(database) == 2


def test_a_process_that_was_forked_while_a_thread_was_reading_reads(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    inside, leave = threading.Event(), threading.Event()

    def read() -> None:
        with database.reading() as connection:
            connection.execute("SELECT 1").fetchall()
            inside.set()
            leave.wait(30)

    reader = threading.Thread(target=read)
    reader.start()
    inside.wait(10)
    try:
        assert forked(database, writes=False) == [1, 1]
    finally:
        leave.set()
        reader.join()
    assert log.append([taken(2)]).new == 1
    assert count(database) == 2


def test_what_stands_for_a_store_is_the_same_until_somebody_can_write_to_it(database: Database, log: EventLog) -> None:
    log.append([taken(1)])
    assert database.attachment is None
    with database.reading():
        database.linger()
        first = database.attachment
    with database.reading():
        again = database.attachment
    log.append([taken(2)])
    with database.reading():
        written_to = database.attachment
    assert first is again is not None
    assert written_to not in (None, first)


def test_nothing_stands_for_a_store_that_is_kept_open_for_writing(database: Database) -> None:
    with database.kept_open(), database.reading():
        assert database.attachment is None
