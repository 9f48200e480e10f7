"""The lock: readers together, a writer alone, busy readers do not keep a writer out, and who holds it is named."""

import json
import os
import threading
import time
from pathlib import Path

import portalocker
import pytest

from memory_assets.log.database import Database
from memory_assets.log.errors import StoreError, StoreLockedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.lock import StoreLock
from memory_assets_tests.depth import depth
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.log.samples import taken

HOLDER = """
import sys
from pathlib import Path
from memory_assets.log.lock import StoreLock
with getattr(StoreLock(Path(sys.argv[1]), timeout=5), sys.argv[2])():
    print("held", flush=True)
    sys.stdin.readline()
"""
BUSY_READER = """
import sys, time
from pathlib import Path
from memory_assets.log.database import Database
database = Database(Path(sys.argv[1]))
with database.reading():
    print("ready", flush=True)
while True:
    with database.reading() as connection:
        connection.execute("SELECT count(*) FROM events").fetchall()
        time.sleep(0.05)
"""


def test_readers_hold_it_together(tmp_path: Path) -> None:
    with python(HOLDER, tmp_path, "shared") as other:
        assert first_line(other) == "held"
        with StoreLock(tmp_path, timeout=0.05).shared(), StoreLock(tmp_path, timeout=0.05).shared():
            pass


@pytest.mark.parametrize(("theirs", "ours"), [("exclusive", "exclusive"), ("exclusive", "shared"), ("shared", "exclusive")])
def test_a_writer_holds_it_alone(tmp_path: Path, theirs: str, ours: str) -> None:
    with python(HOLDER, tmp_path, theirs) as other:
        assert first_line(other) == "held"
        started = time.monotonic()
        with pytest.raises(StoreLockedError, match=r"waited 0\.2 s"), getattr(StoreLock(tmp_path, timeout=0.2), ours)():
            pass
        assert 0.2 <= time.monotonic() - started < 2
        other.communicate("\n")
        with getattr(StoreLock(tmp_path, timeout=2), ours)():
            pass


def test_it_holds_between_threads_of_one_process(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path, timeout=0.1)
    failed: list[StoreLockedError] = []

    def other() -> None:
        try:
            with lock.shared():
                pass
        except StoreLockedError as error:
            failed.append(error)

    with lock.exclusive():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(failed) == 1


def test_who_holds_it_is_named_with_the_command(tmp_path: Path) -> None:
    with python(HOLDER, tmp_path, "exclusive") as other:
        first_line(other)
        with pytest.raises(StoreLockedError) as raised, StoreLock(tmp_path, timeout=0.05).shared():
            pass
        assert f"process {other.pid} (-c {tmp_path} exclusive)" in str(raised.value)
        assert raised.value.code == "store_locked"
        assert "wait for it to finish" in raised.value.hint


def test_readers_that_hold_it_are_not_called_by_a_dead_writer_s_name(tmp_path: Path) -> None:
    with python(HOLDER, tmp_path, "exclusive") as killed:
        first_line(killed)
    assert json.loads((tmp_path / "store.holder").read_text())["pid"] == killed.pid
    ours = StoreLock(tmp_path, timeout=0.05)
    with ours.shared(), pytest.raises(StoreLockedError, match="locked by other readers"), ours.exclusive():
        pass


@pytest.mark.parametrize("written", ["", "{", "[]", "{}", '{"pid": "x", "command": 3}', "\x00\xff"])
def test_a_holder_file_that_cannot_be_read_spoils_nothing(tmp_path: Path, written: str) -> None:
    with StoreLock(tmp_path, timeout=0.02).shared():
        (tmp_path / "store.holder").write_text(written)
        with pytest.raises(StoreLockedError, match="locked by other readers"), StoreLock(tmp_path, timeout=0.02).exclusive():
            pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with python(HOLDER, tmp_path, "exclusive") as killed:
        first_line(killed)
    with StoreLock(tmp_path, timeout=1).exclusive():
        assert json.loads((tmp_path / "store.holder").read_text())["pid"] == os.getpid()
    assert not (tmp_path / "store.holder").exists()


def test_a_waiting_writer_lets_no_further_reader_in(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path, timeout=5)
    inside = threading.Event()

    def write() -> None:
        with lock.exclusive():
            inside.set()

    with lock.shared():
        writer = threading.Thread(target=write)
        writer.start()
        time.sleep(0.1)
        with pytest.raises(StoreLockedError), StoreLock(tmp_path, timeout=0.1).shared():
            pass
        assert not inside.is_set()
    writer.join()
    assert inside.is_set()


@pytest.mark.long
def test_four_busy_readers_hold_a_writer_up_for_a_second_at_most(database: Database, log: EventLog) -> None:
    log.append([taken(0)])
    folder = database.path.parent
    with (
        python(BUSY_READER, folder) as one,
        python(BUSY_READER, folder) as two,
        python(BUSY_READER, folder) as three,
        python(BUSY_READER, folder) as four,
    ):
        for reader in (one, two, three, four):
            assert first_line(reader) == "ready"
        waits = []
        for number in range(1, 6):
            started = time.monotonic()
            log.append([taken(number)])
            waits.append(time.monotonic() - started)
        print(f"\na writer beside four busy readers: at most {max(waits):.2f} s an append")
    # The bar is one second on a quiet machine; a test machine may be busy with others.
    assert max(waits) < 3
    assert log.last_seq() == 6


def test_a_folder_that_cannot_be_written_is_an_error_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"store\.lock") as raised, StoreLock(tmp_path / "gone").exclusive():
        pass
    assert raised.value.hint


def test_everything_in_the_store_s_folder_is_the_user_s_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        database = Database(tmp_path / "store")
        with database.writing() as connection:
            connection.execute("INSERT INTO configured_versions VALUES ('x', '1')")
            while_writing = _modes(tmp_path / "store")
        afterwards = _modes(tmp_path / "store")
        assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
    assert "store.holder" in while_writing and "memory.duckdb.wal" in afterwards
    for modes in (while_writing, afterwards):
        assert {name: oct(mode) for name, mode in modes.items() if mode != 0o600} == {}


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


BUSY_WRITER = """
import sys, time
from pathlib import Path
from memory_assets.log.lock import StoreLock
lock = StoreLock(Path(sys.argv[1]), timeout=60)
print("ready", flush=True)
while True:
    with lock.exclusive():
        time.sleep(0.3)
"""


@pytest.mark.long
def test_four_busy_writers_let_a_reader_in_behind_the_one_that_writes(tmp_path: Path) -> None:
    waits = []
    with (
        python(BUSY_WRITER, tmp_path) as one,
        python(BUSY_WRITER, tmp_path) as two,
        python(BUSY_WRITER, tmp_path) as three,
        python(BUSY_WRITER, tmp_path) as four,
    ):
        for writer in (one, two, three, four):
            assert first_line(writer) == "ready"
        lock = StoreLock(tmp_path, timeout=5)
        for _ in range(20):
            started = time.monotonic()
            with lock.shared():
                waits.append(time.monotonic() - started)
            time.sleep(0.05)
    print(f"\na reader beside four busy writers of 0.3 s each: at most {max(waits):.2f} s")
    # One is inside, and the next may have looked into the waiting room a moment before: two sections, and no third.
    assert max(waits) < 1.0 and sorted(waits)[9] < 0.5


def test_two_busy_writers_let_a_third_one_in_by_turns(tmp_path: Path) -> None:
    waits = []
    with python(BUSY_WRITER, tmp_path) as one, python(BUSY_WRITER, tmp_path) as two:
        assert first_line(one) == first_line(two) == "ready"
        for _ in range(depth(5, 15)):
            started = time.monotonic()
            with StoreLock(tmp_path, timeout=0.4).exclusive():
                waits.append(time.monotonic() - started)
    print(f"\na writer beside two busy writers of 0.3 s each: at most {max(waits):.2f} s")
    # Who becomes the next is drawn among two who wait, so thirty sections in a row do not happen.
    assert max(waits) < 30 * 0.3


def test_a_writer_that_stays_is_not_waited_for(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path, timeout=0.4)
    with python(HOLDER, tmp_path, "exclusive") as other:
        assert first_line(other) == "held"
        with pytest.raises(StoreLockedError), lock.exclusive():
            pass


def test_a_reader_that_is_stopped_in_the_waiting_room_holds_nobody_up_for_long(tmp_path: Path) -> None:
    with (tmp_path / "store.waiting").open("w") as room:
        portalocker.lock(room, portalocker.LockFlags.SHARED)
        started = time.monotonic()
        with StoreLock(tmp_path, timeout=5).exclusive():
            assert time.monotonic() - started < 2
