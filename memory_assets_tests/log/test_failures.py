"""A full disk, a broken file, a file of another program: an error that names it, nothing partial, and a clean further run."""

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from memory_assets.errors import MemoryAssetsError
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreError, StoreFullError
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets_tests.disks import fill, mounted
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.log.samples import taken
from memory_assets_tests.projections.story import VERSIONS, Story

pytestmark = pytest.mark.usefixtures("made_anew")

LIMITED = """
import resource, signal, sys
from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreError
from memory_assets.log.event_log import EventLog
from memory_assets_tests.projections.story import Story
import random
log = EventLog(Database(Path(sys.argv[1])))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
chance = random.Random(5)
for batch in range(1000):
    try:
        log.append(event for n in range(5) for event in Story(f"s{batch}-{n}").tell([chance.randbytes(120_000).hex()]))
    except StoreError as error:
        print("refused", batch, error, flush=True)
        break
"""

REPEATING = """
import sys
from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreFullError
try:
    with Database(Path(sys.argv[1])).writing() as connection:
        connection.execute("DELETE FROM configured_versions")
        connection.executemany("INSERT INTO configured_versions VALUES (?, 'v')", [[f"type {number}"] for number in range(140)])
    print("written", flush=True)
except StoreFullError:
    print("refused", flush=True)
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MB."""
    with mounted(tmp_path / "disk", 16) as folder:
        yield folder


def test_a_full_disk_is_named_and_nothing_of_the_batch_is_there(small_disk: Path) -> None:
    log = EventLog(Database(small_disk))
    acknowledged = 0
    with pytest.raises(StoreFullError, match="is full; nothing of this batch was written") as raised:
        for batch in range(1000):
            log.append(event for n in range(5) for event in Story(f"s{batch}-{n}").tell([os.urandom(30_000).hex()]))
            acknowledged += 1
    assert "free some space" in raised.value.hint
    _is_whole(small_disk, acknowledged, 5)


def test_a_disk_without_a_byte_left_is_named_and_a_further_run_is_clean(small_disk: Path) -> None:
    log = EventLog(Database(small_disk))
    log.append(Story("before").tell(["x"]))
    ballast = fill(small_disk)
    for attempt in (
        lambda: log.append(event for n in range(40) for event in Story(f"s{n}").tell([os.urandom(30_000).hex()])),
        lambda: EventLog(Database(small_disk / "another")).last_seq(),
    ):
        with pytest.raises(StoreFullError):
            attempt()
    assert log.last_seq() == 7
    ballast.unlink()
    assert log.append(Story("after").tell(["x"])).last_seq == 14
    catch_up(EventLog(Database(small_disk))._database, VERSIONS)
    assert EventLog(Database(small_disk / "another")).last_seq() == 0


@pytest.mark.long
def test_a_full_disk_does_not_end_the_process_that_writes_a_key_again(small_disk: Path) -> None:
    for full in (False, True):
        if full:
            fill(small_disk)
        with python(REPEATING, small_disk) as repeating:
            assert repeating.communicate(timeout=60)[0] == ("refused\n" if full else "written\n")
        assert repeating.returncode == 0


@pytest.mark.long
def test_a_file_that_may_not_grow_is_an_error_of_the_store(tmp_path: Path) -> None:
    with python(LIMITED, tmp_path, 12_000_000) as limited:
        refused, batch, *message = first_line(limited).split(" ", 2)
    assert refused == "refused" and int(batch) > 0
    assert str(tmp_path) in message[0]
    _is_whole(tmp_path, int(batch), 5)


def _is_whole(folder: Path, batches: int, sessions: int) -> None:
    log = EventLog(Database(folder))
    told = list(log.replay())
    assert [event.seq for event in told] == list(range(1, len(told) + 1))
    assert {event.session_id for event in told} == {f"s{batch}-{n}" for batch in range(batches) for n in range(sessions)}
    assert len(told) == 7 * batches * sessions


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.duckdb").write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(StoreError, match=r"memory\.duckdb cannot be used") as raised:
        EventLog(Database(tmp_path)).append([taken(1)])
    assert "memory doctor" in raised.value.hint
    assert (tmp_path / "memory.duckdb").read_bytes().startswith(b"Dear diary")


@pytest.mark.parametrize("damage", ["flipped", "cut"])
def test_a_damaged_file_is_named_by_every_use(tmp_path: Path, damage: str) -> None:
    EventLog(Database(tmp_path)).append(event for n in range(60) for event in Story(f"s{n}").tell([os.urandom(2000).hex()]))
    path = tmp_path / "memory.duckdb"
    content = bytearray(path.read_bytes())
    if damage == "cut":
        del content[len(content) // 3 :]
    else:
        for position in range(16_384, len(content)):
            content[position] ^= 0x5A
    path.write_bytes(content)
    for use in (
        lambda: list(EventLog(Database(tmp_path)).replay()),
        lambda: EventLog(Database(tmp_path)).append([taken(1)]),
        lambda: catch_up(Database(tmp_path), VERSIONS),
    ):
        with pytest.raises(StoreError, match=r"memory\.duckdb"):
            use()


def test_a_store_that_died_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    # What a process leaves that is killed before the first table is there.
    for leftover in ("memory.duckdb.new", "memory.duckdb.new.wal"):
        (tmp_path / leftover).write_bytes(b"half a head")
    assert EventLog(Database(tmp_path)).append([taken(1)]).last_seq == 1
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {
        "memory.duckdb",
        "memory.duckdb.wal",
        "store.lock",
        "store.queue",
        "store.length",
        "store.next",
        "store.tip",
        "store.turnstile",
        "store.waiting",
    }


def test_a_store_is_never_seen_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_assets.log import opening as module

    def broken(*_: object) -> None:
        assert not (tmp_path / "memory.duckdb").exists()
        raise duckdb.IOException("No space left on device")

    with monkeypatch.context() as patched, pytest.raises(StoreFullError):
        patched.setattr(module, "migrate", broken)
        EventLog(Database(tmp_path)).last_seq()
    assert not (tmp_path / "memory.duckdb").exists()
    assert EventLog(Database(tmp_path)).last_seq() == 0


def test_a_file_that_another_program_has_open_is_named(tmp_path: Path) -> None:
    EventLog(Database(tmp_path)).append([taken(1)])
    program = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.readline()"
    with python(program, tmp_path / "memory.duckdb") as shell:
        assert first_line(shell) == "open"
        with pytest.raises(StoreError, match="another program has") as raised:
            EventLog(Database(tmp_path)).append([taken(2)])
        assert "close it" in raised.value.hint
    assert EventLog(Database(tmp_path)).append([taken(2)]).new == 1


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be made") as raised:
        Database(tmp_path / "file" / "store")
    assert "MEMORY_HOME" in raised.value.hint


def test_a_wrong_statement_is_no_traceback_of_the_driver(database: Database) -> None:
    with pytest.raises(MemoryAssetsError, match="a statement of the store failed"), database.reading() as connection:
        connection.execute("SELECT nothing FROM nowhere")


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StoreError, match="read-only"), database.reading() as connection:
        connection.execute("DELETE FROM events")
