import threading
import time
from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.keep_alive import LINGER_SECONDS
from memory_assets_tests.depth import cases
from memory_assets_tests.log.processes import python


def opening(database: Database) -> float:
    started = time.perf_counter()
    with database.reading() as connection:
        connection.execute("SELECT count(*) FROM events").fetchall()
    return time.perf_counter() - started


def lingers(database: Database) -> bool:
    return database._lingering._holds


def until_it_is_closed(database: Database) -> None:
    deadline = time.monotonic() + 5
    while lingers(database):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def linger(database: Database) -> None:
    with database.reading() as connection:
        connection.execute("SELECT 1").fetchall()
        database.linger()


def test_the_next_question_finds_the_store_open(tmp_path: Path) -> None:
    database = Database(tmp_path)
    opening(database)
    plain = sorted(opening(database) for _ in range(9))[4]
    linger(database)
    assert lingers(database)
    assert sorted(opening(database) for _ in range(9))[4] < plain / 2
    until_it_is_closed(database)


def test_it_closes_after_a_moment(tmp_path: Path) -> None:
    database = Database(tmp_path)
    started = time.monotonic()
    linger(database)
    until_it_is_closed(database)
    assert LINGER_SECONDS * 0.9 < time.monotonic() - started < 10 * LINGER_SECONDS


def test_a_writer_does_not_wait_for_it(tmp_path: Path) -> None:
    database = Database(tmp_path)
    waited = []
    # One that waits does so each time; a busy machine is slow now and then.
    while not waited or (len(waited) < 10 and waited[-1] >= LINGER_SECONDS * 0.8):
        linger(database)
        started = time.monotonic()
        with database.writing() as connection:
            connection.execute("SELECT 1").fetchall()
        waited.append(time.monotonic() - started)
        until_it_is_closed(database)
    assert waited[-1] < LINGER_SECONDS * 0.8, waited


def test_questions_one_after_another_do_not_keep_a_writer_out(tmp_path: Path) -> None:
    database, stop = Database(tmp_path), threading.Event()

    def ask() -> None:
        while not stop.is_set():
            linger(database)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    try:
        for _ in range(5):
            started = time.monotonic()
            with database.writing() as connection:
                connection.execute("SELECT 1").fetchall()
            assert time.monotonic() - started < 5
    finally:
        stop.set()
        for thread in asking:
            thread.join()
    until_it_is_closed(database)


def test_what_was_written_meanwhile_is_read(tmp_path: Path) -> None:
    database = Database(tmp_path)
    for n in range(5):
        linger(database)
        with database.writing() as connection:
            connection.execute("INSERT INTO configured_versions VALUES (?, '')", [str(n)])
        with database.reading() as connection:
            assert connection.execute("SELECT count(*) FROM configured_versions").fetchall() == [(n + 1,)]
            database.linger()
    until_it_is_closed(database)


ENDS = """
import sys, threading, time
from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.log.keep_alive import LINGER_SECONDS
database = Database(Path(sys.argv[1]))
with database.reading() as connection:
    connection.execute("SELECT 1").fetchall()
    database.linger()
time.sleep(LINGER_SECONDS * float(sys.argv[2]))
"""


@pytest.mark.long
@pytest.mark.parametrize("share", cases([0.0, 0.98], [0.5, 1.02]))
def test_a_process_may_end_while_it_lingers(tmp_path: Path, share: float) -> None:
    Database(tmp_path).linger()
    for _ in range(3):
        with python(ENDS, tmp_path, share) as process:
            _, complaint = process.communicate(timeout=60)
            assert process.returncode == 0 and complaint == ""


def test_ending_waits_for_the_store_to_be_let_go(tmp_path: Path) -> None:
    database = Database(tmp_path)
    database._lingering.end()
    linger(database)
    assert lingers(database)
    started = time.monotonic()
    database._lingering.end()
    assert not lingers(database) and time.monotonic() - started < LINGER_SECONDS * 0.8
