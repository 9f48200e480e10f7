"""What holds of the log wherever it lies: in the store's file, in PostgreSQL 15, in PostgreSQL 18."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from memory_assets.log.errors import HeadMovedError
from memory_assets.log.event_log import EventLog
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.fleet.hosts import Fleet, is_sound, rows_of_log
from memory_assets_tests.log.processes import python
from memory_assets_tests.log.samples import build, taken

# A machine of its own process: it says what it was told of once it was told.
HOST = """
import sys
from pathlib import Path
from memory_assets.log.event_log import EventLog
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.fleet.hosts import database_of
from memory_assets_tests.log.samples import taken

folder, url, name, batches, size, same = sys.argv[1:]
log = EventLog(database_of(Path(folder), url, lock_timeout=60.0))
for batch in range(int(batches)):
    session = "same" if same == "same" else f"{name}-{batch}"
    first = batch * int(size)
    numbers = range(first, first + int(size))
    log.append([taken(number, session_id=session, file_hash="x" * 200) for number in numbers])
    print(session, batch, flush=True)
"""


@pytest.mark.long
def test_what_is_appended_is_read_by_every_machine(fleet: Fleet) -> None:
    appended = fleet.log("one").append([taken(1), taken(2)], build=build("b"))
    assert (appended.new, appended.known, appended.last_seq) == (3, 0, 3)
    fleet.log("two").append([taken(3)])
    for host in ("one", "two", "three"):
        assert [event.seq for event in fleet.log(host).replay()] == [1, 2, 3, 4]
    assert rows_of_log(fleet.database("one")) == rows_of_log(fleet.database("two")) == rows_of_log(fleet.database("three"))


def test_the_same_event_is_written_once_whoever_writes_it(fleet: Fleet) -> None:
    assert fleet.log("one").append([taken(1), taken(2)]).new == 2
    again = fleet.log("two").append([taken(2), taken(3)])
    assert (again.new, again.known) == (1, 1)
    other = fleet.log("one").append([taken(3, file_hash="another")])
    assert other.new == 0 and [conflict.event_id for conflict in other.conflicts] == [taken(3).event_id]
    assert is_sound(fleet.database("two")) == 3


def test_every_value_of_a_row_is_kept_to_the_letter(fleet: Fleet) -> None:
    text = "ends \u0000 with 한국어 \t\"'\\ {} \u2028"
    event = taken(1, file_hash=text, project="ü", telemetry={"b": 1, "a": [0.1, None]}, basis_chains=("one", "tw,o"))
    fleet.log("one").append([event])
    (row,), (kept,) = rows_of_log(fleet.database("one")), rows_of_log(fleet.database("two"))
    assert row == kept
    stored = next(iter(fleet.log("two").replay()))
    assert stored.payload_json == next(iter(fleet.log("one").replay())).payload_json and "\\u0000" in stored.payload_json


@pytest.mark.long
def test_what_fails_leaves_nothing_and_the_next_one_goes_on(fleet: Fleet) -> None:
    fleet.log("one").append([taken(1)])
    with pytest.raises(HeadMovedError):
        fleet.log("one").append([taken(2)], heads={"talk-1": "ev_of_nobody"})

    def fail() -> None:
        database = fleet.database("two")
        log = EventLog(database)
        with database.writing() as connection:
            connection.execute("INSERT INTO configured_versions VALUES ('session_ingested', '1')")
            assert log is not None
            raise ValueError("midway")

    with pytest.raises(ValueError, match="midway"):
        fail()
    assert fleet.log("two").append([taken(3)]).last_seq == 2
    assert is_sound(fleet.database("one")) == 2


def test_a_head_that_another_machine_moved_is_seen(fleet: Fleet) -> None:
    """What a batch was made from is compared under the lock, with what others wrote up to it."""
    one, two = fleet.log("one"), fleet.log("two")
    one.append([taken(1)])
    two.append([taken(2)])
    database = fleet.database("one")
    with database.writing() as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchall() == [(2,)]


@pytest.mark.long
@pytest.mark.deep
def test_threads_of_one_machine_write_one_after_another(fleet: Fleet) -> None:
    log, each = fleet.log("one"), depth(3, 5)
    threads = [threading.Thread(target=lambda n=n: [log.append([taken(100 * n + i)]) for i in range(each)]) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert is_sound(fleet.database("two")) == 3 * each


@pytest.mark.long
@pytest.mark.deep
@pytest.mark.parametrize("fleet", cases(["embedded", "postgres18"], ["postgres15"]), indirect=True)
@pytest.mark.parametrize("same", ["own", "same"])
def test_two_machines_at_once_write_everything_once_in_one_order(fleet: Fleet, same: str) -> None:
    batches, size = depth(4, 12), 20
    with (
        python(HOST, fleet.home("one"), fleet.url, "one", batches, size, same) as one,
        python(HOST, fleet.home("two"), fleet.url, "two", batches, size, same) as two,
    ):
        outs = [process.communicate(timeout=120) for process in (one, two)]
    assert [out.count("\n") for out, _ in outs] == [batches, batches], [complaint for _, complaint in outs]
    wanted = batches * size * (1 if same == "same" else 2)
    events = list(fleet.log("three").replay())
    assert [event.seq for event in events] == list(range(1, wanted + 1))
    assert len({event.event_id for event in events}) == wanted
    assert rows_of_log(fleet.database("one")) == rows_of_log(fleet.database("two")) == rows_of_log(fleet.database("three"))
    assert is_sound(fleet.database("one")) == wanted


def test_a_store_is_opened_where_nothing_was(fleet: Fleet) -> None:
    assert fleet.log("one").last_seq() == 0
    assert list(fleet.log("two").replay()) == [] and isinstance(fleet.home("one"), Path)
