"""A log that moves into PostgreSQL and back: the same events with the same links, whoever is killed or writes meanwhile."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs.dead_runs import RUNNER_TAG
from memory_assets.defs.instance import dagster_instance
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.fleet.opening import shared_log
from memory_assets.log.database import Database
from memory_assets.log.errors import (
    SharedLogDiffersError,
    SharedLogRefusedError,
    SharedLogUnavailableError,
    StoreError,
    StoreFullError,
    StoreLockedError,
)
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Epoch
from memory_assets.log.mirror_note import MirrorNote, has_note, write_note
from memory_assets.maintenance import moving
from memory_assets.maintenance.moving import move_to_own, move_to_shared
from memory_assets.results.moved import MovedV1
from memory_assets.settings import load_settings
from memory_assets.settings_sections import shared_address
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.fleet.hosts import Fleet, database_of, is_sound, rows_of_log
from memory_assets_tests.fleet.killing import stepped, steps_of, was_killed
from memory_assets_tests.fleet.machines import ROOT, Machine, NearMachine
from memory_assets_tests.fleet.proxies import proxied
from memory_assets_tests.fleet.test_machines import derived_rows
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.databases import There

MOMENTS = 30
PART = 4
EVENTS = 18

MOVE = """
from pathlib import Path
from memory_assets.configuration import Resources
from memory_assets.maintenance import moving
from memory_assets.settings import load_settings
moving.PULLED_ROWS, moving._CUT = 4, moving.ROWS_BEHIND + " LIMIT 4"
url, way = sys.argv[3:]
if way == "in":
    moving.move_to_shared(Resources(load_settings({"home": home})), url)
else:
    folder = Path(way) if way != "out" else None
    moving.move_to_own(Resources(load_settings({"home": home, "store": {"url": url}})), folder)
"""


def resources(home: Path, url: str | None = None, **store: float) -> Resources:
    """A machine as its settings have it."""
    return Resources(load_settings({"home": home, "store": {"url": url, **store}, "embedding": {"model": "hashing"}}))


def alone(home: Path, count: int = EVENTS) -> EventLog:
    """A store of its own."""
    log = EventLog(Database(home))
    log.append([taken(number) for number in range(count)])
    return log


def ids(database: Database) -> list[object]:
    return [row[1] for row in rows_of_log(database)]


@pytest.mark.long
def test_a_log_goes_into_postgresql_and_every_event_stays_what_it_was(there: There, tmp_path: Path) -> None:
    log = alone(tmp_path / "one")
    before = rows_of_log(log._database)
    dry = move_to_shared(resources(tmp_path / "one"), there.address.url, dry_run=True)
    assert (dry.events, dry.sent) == (EVENTS, EVENTS) and not has_note(tmp_path / "one")
    moved = move_to_shared(resources(tmp_path / "one"), there.address.url)
    assert (
        (moved.events, moved.sent) == (EVENTS, EVENTS)
        and "://" not in moved.target
        and there.address.url in moved.next_steps[0]
    )
    fleet = Fleet(tmp_path, there.address.url)
    assert rows_of_log(fleet.database("one")) == rows_of_log(fleet.database("two")) == before
    assert fleet.log("two").append([taken(99)]).last_seq == EVENTS + 1
    assert is_sound(fleet.database("one")) == EVENTS + 1
    with pytest.raises(SharedLogRefusedError, match=r"store\.url names none"):
        log.append([taken(98)])
    again = move_to_shared(resources(tmp_path / "one", there.address.url), there.address.url)
    assert again.sent == 0 and again.next_steps == ()


@pytest.mark.long
def test_and_back_again_and_in_once_more(there: There, tmp_path: Path) -> None:
    url = there.address.url
    alone(tmp_path / "one")
    move_to_shared(resources(tmp_path / "one"), url)
    fleet = Fleet(tmp_path, url)
    fleet.log("two").append([taken(50)])
    assert move_to_own(resources(tmp_path / "one", url), dry_run=True).sent == 1
    moved = move_to_own(resources(tmp_path / "one", url))
    assert (moved.events, moved.sent) == (EVENTS + 1, 1)
    own = EventLog(Database(tmp_path / "one"))
    assert own.append([taken(51)]).last_seq == is_sound(own._database) == EVENTS + 2
    # Who mirrored it reads what it has; nobody writes, and nobody comes to it.
    assert fleet.log("two").last_seq() == EVENTS + 1
    for act in (lambda: fleet.log("two").append([taken(52)]), lambda: fleet.log("three").last_seq()):
        with pytest.raises(SharedLogRefusedError, match="moved into the file"):
            act()
    with pytest.raises(SharedLogRefusedError, match="moved into the file"):
        move_to_own(resources(tmp_path / "two", url))
    with pytest.raises(SharedLogRefusedError, match="moved into the file"):
        fleet.log("one").last_seq()
    assert not has_note(tmp_path / "one") and own.append([taken(53)]).last_seq == EVENTS + 3
    assert move_to_shared(resources(tmp_path / "one"), url).sent == 2
    assert fleet.log("two").append([taken(52)]).last_seq == EVENTS + 4
    assert rows_of_log(fleet.database("one")) == rows_of_log(fleet.database("two"))


def test_a_shared_log_goes_into_another_folder(there: There, tmp_path: Path) -> None:
    url = there.address.url
    fleet = Fleet(tmp_path, url)
    fleet.log("one").append([taken(number) for number in range(5)])
    moved = move_to_own(resources(tmp_path / "one", url), tmp_path / "new")
    assert moved.events == moved.sent == 5 and str(tmp_path / "new") in moved.next_steps[1]
    assert EventLog(Database(tmp_path / "new")).append([taken(9)]).last_seq == 6
    assert move_to_own(resources(tmp_path / "one", url), tmp_path / "new").sent == 0


@pytest.mark.long
@pytest.mark.parametrize("what", ["other", "in use", "half of another"])
def test_logs_are_never_mixed(there: There, tmp_path: Path, what: str) -> None:
    url = there.address.url
    alone(tmp_path / "one")
    fleet = Fleet(tmp_path, url)
    if what == "in use":
        # Another machine has an older copy of the same log, and moved it.
        EventLog(Database(tmp_path / "copy")).append([taken(number) for number in range(3)])
        shutil.rmtree(tmp_path / "one")
        shutil.copytree(tmp_path / "copy", tmp_path / "one")
        EventLog(Database(tmp_path / "one")).append([taken(9)])
        move_to_shared(resources(tmp_path / "copy"), url)
    elif what == "other":
        fleet.log("three").append([taken(77)])
    else:
        shared_log(url, 10.0).state()
        alone(tmp_path / "other", 30)
        assert was_killed(stepped(MOVE, tmp_path / "other", 60, url, "in"))
    before = shared_log(url, 10.0).state()
    with pytest.raises(SharedLogDiffersError) as caught:
        move_to_shared(resources(tmp_path / "one"), url)
    assert caught.value.hint and shared_log(url, 10.0).state() == before and not has_note(tmp_path / "one")
    assert EventLog(Database(tmp_path / "one")).append([taken(100)]).new == 1


def test_a_mirror_of_another_log_is_not_moved(there: There, tmp_path: Path) -> None:
    other = there.server.address(there.server.new_database()).url
    Fleet(tmp_path, other).log("one").append([taken(1)])
    with pytest.raises(SharedLogDiffersError, match="mirrors another"):
        move_to_shared(resources(tmp_path / "one"), there.address.url)
    with pytest.raises(InvalidArgumentError, match="another shared log"):
        move_to_shared(resources(tmp_path / "one", other), there.address.url)
    with pytest.raises(InvalidArgumentError, match="holds no store"):
        move_to_shared(resources(tmp_path / "nothing"), there.address.url)
    with pytest.raises(InvalidArgumentError, match="names no shared log"):
        move_to_own(resources(tmp_path / "one"))
    # What has a log of its own is no place for another one.
    alone(tmp_path / "own")
    with pytest.raises(SharedLogDiffersError):
        move_to_own(resources(tmp_path / "one", other), tmp_path / "own")
    assert Fleet(tmp_path, other).log("one").append([taken(2)]).last_seq == 2


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("postgresql://owner@127.0.0.1:1/log", SharedLogUnavailableError),
        ("nothing", SharedLogUnavailableError),
        ("guest", SharedLogRefusedError),
    ],
)
def test_a_server_that_cannot_be_used_is_named(there: There, tmp_path: Path, url: str, error: type[StoreError]) -> None:
    alone(tmp_path / "one")
    if url == "nothing":
        url = there.server.address("no_such_database").url
    elif url == "guest":
        there.rows("DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
        url = there.server.address(there.database, user="guest").url
    with pytest.raises(error) as caught:
        move_to_shared(resources(tmp_path / "one"), url)
    assert caught.value.hint and not has_note(tmp_path / "one")
    assert EventLog(Database(tmp_path / "one")).append([taken(100)]).new == 1


@pytest.mark.parametrize("url", ["postgresql://me:hunter2@host/db", "http://host/db", "postgresql://[/db"])
def test_an_address_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        shared_address(url)
    assert "hunter2" not in str(caught.value) and caught.value.hint


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs of a few events go in several parts."""
    monkeypatch.setattr(moving, "PULLED_ROWS", PART)
    monkeypatch.setattr(moving, "_CUT", f"{moving.ROWS_BEHIND} LIMIT {PART}")


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_what_is_written_meanwhile_goes_along(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = alone(tmp_path / "one")
    read = moving._read_here
    wrote: list[int] = []

    def written_between(own: Database, *given: object) -> object:
        if len(wrote) < 5:
            wrote.append(log.append([taken(100 + len(wrote))]).new)
        return read(own, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(moving, "_read_here", written_between)
        moved = move_to_shared(resources(tmp_path / "one"), there.address.url)
    assert moved.events == EVENTS + 5 == Fleet(tmp_path, there.address.url).log("two").last_seq()


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_a_store_that_others_hold_is_waited_for_and_the_move_goes_on(there: There, tmp_path: Path) -> None:
    log = alone(tmp_path / "one")
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with log._database.writing():
            entered.set()
            leave.wait(30)

    # The first part goes while somebody reads; the last needs the store alone.
    moving_on = moving._arrive

    def held_up(*given: object) -> object:
        thread.start()
        entered.wait(30)
        return moving_on(*given)  # type: ignore[arg-type]

    thread = threading.Thread(target=hold)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moving, "_arrive", held_up)
        with pytest.raises(StoreLockedError):
            move_to_shared(resources(tmp_path / "one", lock_timeout_seconds=0.3), there.address.url)
    leave.set()
    thread.join(30)
    with pytest.raises(SharedLogRefusedError, match="not whole yet"):
        Fleet(tmp_path, there.address.url).log("two").last_seq()
    assert log.append([taken(100)]).new == 1
    assert move_to_shared(resources(tmp_path / "one"), there.address.url).sent == 1
    assert Fleet(tmp_path, there.address.url).log("two").last_seq() == EVENTS + 1


WAITS_TO_WRITE = """
import sys
from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.log.event_log import EventLog
from memory_assets_tests.log.samples import taken
print("ready", flush=True)
try:
    EventLog(Database(Path(sys.argv[1]), lock_timeout=30.0)).append([taken(1_000)])
    print("written")
except SharedLogRefusedError as error:
    print("refused")
"""


@pytest.mark.long
def test_who_waits_to_write_while_the_file_becomes_a_mirror_writes_nothing(tmp_path: Path) -> None:
    """A command that began without `store.url` has looked for the note before it waits for the store."""
    alone(tmp_path)
    with Database(tmp_path).held():
        waiting = subprocess.Popen(
            [sys.executable, "-c", WAITS_TO_WRITE, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert waiting.stdout is not None and waiting.stdout.readline() == "ready\n"
        time.sleep(2.0)
        write_note(tmp_path, MirrorNote.new(Epoch("a", 1)))
    said, _ = waiting.communicate(timeout=60)
    assert said == "refused\n" and len(rows_of_log(Database(tmp_path))) == EVENTS


def test_a_log_that_moved_to_another_machine_has_not_arrived_here(there18: There, tmp_path: Path) -> None:
    url = there18.address.url
    alone(tmp_path / "one")
    move_to_shared(resources(tmp_path / "one"), url)
    assert EventLog(database_of(tmp_path / "two", url)).last_seq() == EVENTS
    move_to_own(resources(tmp_path / "two", url))
    with pytest.raises(SharedLogRefusedError, match="has moved into the file of machine"):
        move_to_shared(resources(tmp_path / "one", url), url)


@pytest.mark.long
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("word", [b"INSERT INTO memory_log.events", b"COMMIT\0", b"count(*)", b"SET moving"])
def test_a_server_that_vanishes_in_the_middle(
    there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: bytes
) -> None:
    monkeypatch.setenv("PGPASSWORD", there.server.password)
    log = alone(tmp_path / "one")
    with proxied(there.server.port) as proxy:
        url = f"postgresql://owner@127.0.0.1:{proxy.port}/{there.database}"
        shared_log(url, 10.0).state()
        proxy.word, proxy.stays_open = word, False
        with pytest.raises(SharedLogUnavailableError):
            move_to_shared(resources(tmp_path / "one"), url)
        with contextlib.suppress(SharedLogRefusedError):
            log.append([taken(100)])
        proxy.is_open, proxy.word = True, None
        move_to_shared(resources(tmp_path / "one"), url)
        fleet = Fleet(tmp_path, url)
        assert rows_of_log(fleet.database("two")) == rows_of_log(Database(tmp_path / "one"))
        assert is_sound(fleet.database("two")) in (EVENTS, EVENTS + 1)


@pytest.mark.long
def test_a_disk_without_room_leaves_the_shared_log_open(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = Fleet(tmp_path, there.address.url)
    fleet.log("one").append([taken(1), taken(2)])
    with monkeypatch.context() as patch, pytest.raises((StoreFullError, SharedLogUnavailableError)):
        patch.setattr("memory_assets.log.free_space.NEEDED_BYTES", 10**18)
        move_to_own(resources(tmp_path / "two", there.address.url))
    assert fleet.log("one").append([taken(3)]).last_seq == 3
    assert move_to_own(resources(tmp_path / "two", there.address.url)).events == 3


def _steps(there: There, way: str, folder: Path) -> int:
    """How many steps a whole move takes."""
    url = there.server.address(there.server.new_database()).url
    _begin(folder, url, way)
    return steps_of(stepped(MOVE, folder / "one", 0, url, _way(folder, way)))


def _way(folder: Path, way: str) -> str:
    return str(folder / "new") if way == "folder" else way


def _begin(folder: Path, url: str, way: str) -> None:
    if way == "in":
        alone(folder / "one")
    else:
        fleet = Fleet(folder, url)
        fleet.log("one").append([taken(number) for number in range(EVENTS - 5)])
        fleet.log("two").append([taken(number) for number in range(EVENTS - 5, EVENTS)])


@pytest.fixture(scope="module")
def counted() -> dict[str, int]:
    """Steps of a whole move, counted once each way."""
    return {}


@pytest.mark.long
@pytest.mark.parametrize("way", ["in", "out", "folder"])
@pytest.mark.parametrize("moment", cases([24], [n for n in range(MOMENTS) if n != 24]))
def test_a_move_that_is_killed_goes_on(there18: There, tmp_path: Path, counted: dict[str, int], way: str, moment: int) -> None:
    if way not in counted:
        counted[way] = _steps(there18, way, tmp_path / "counted")
    url, folder = there18.address.url, tmp_path / "killed"
    _begin(folder, url, way)
    assert was_killed(stepped(MOVE, folder / "one", 1 + moment * counted[way] // MOMENTS, url, _way(folder, way)))
    goal = folder / ("new" if way == "folder" else "one")
    fleet = Fleet(folder, url)
    written = EVENTS
    # Another machine has all of it or is refused, and whoever can write now has written.
    for database in (database_of(folder / "two", url), Database(goal)):
        with contextlib.suppress(MemoryAssetsError):
            with database.reading():
                assert is_sound(database) in (0, written) or way != "in" or database.path.parent == goal
            if database.path.exists() and EventLog(database).last_seq():
                written += EventLog(database).append([taken(200 + written)]).new
    moved = _again(folder, url, way)
    log = fleet.log("two") if way == "in" else EventLog(Database(goal))
    assert log.last_seq() == is_sound(log._database) == written == moved.events
    assert len(set(ids(log._database))) == written
    if way == "in":
        assert rows_of_log(fleet.database("one")) == rows_of_log(log._database)
        assert log.append([taken(999)]).new == 1
    else:
        assert log.append([taken(999)]).new == 1 and not has_note(goal)
        with pytest.raises(SharedLogRefusedError):
            fleet.log("two").append([taken(998)])


def _again(folder: Path, url: str, way: str) -> MovedV1:
    if way == "in":
        return move_to_shared(resources(folder / "one"), url)
    return move_to_own(resources(folder / "one", url), None if way == "out" else folder / "new")


@dg.job
def nothing_to_do() -> None:
    """Of which a run may be left."""


@pytest.mark.long
@pytest.mark.deep
def test_people_move_a_store_with_its_tables_and_its_index(
    there18: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    kind = depth(NearMachine, Machine)
    one = kind(tmp_path / "one", "")
    one.run("import", str(chat(tmp_path / "a", "first", talk(1))))
    tables = derived_rows(one.home)
    assert one.error("move", "--to", "http://nowhere")["code"] == "invalid_argument"
    assert one.error("move", "--to", "embedded", "--yes")["code"] == "invalid_argument"
    told = one.run("move", "--to", there18.address.url).stdout
    assert "were taken over and read back" in told and "MEMORY_STORE_URL" in told
    moved = kind(one.home, there18.address.url)
    assert moved.json("mirror", "verify")["equal"] and "PostgreSQL 16" in moved.run("search", "service 1").stdout
    two = kind(tmp_path / "two", there18.address.url)
    assert two.json("mirror", "update")["taken"] > 0
    assert derived_rows(two.home) == derived_rows(one.home) == tables
    assert moved.error("move", "--to", "embedded")["code"] == "invalid_argument"
    instance = dagster_instance(resources(one.home, there18.address.url).settings)
    name = f"{moved.json('mirror')['host_id']}/gone"
    died = instance.create_run_for_job(nothing_to_do, tags={RUNNER_TAG: name}, status=dg.DagsterRunStatus.STARTED)
    assert (
        moved.json("move", "--to", "embedded", "--yes")["events"]
        == moved.json("move", "--to", "embedded", "--dry-run")["events"]
    )
    # Behind the move nobody could tell whose it was, and the next import would wait for its places.
    ended = instance.get_run_by_id(died.run_id)
    assert ended is not None and ended.status == dg.DagsterRunStatus.FAILURE
    one.run("import", str(chat(tmp_path / "b", "second", talk(2))))
    assert len(one.json("sessions")) == 2 and one.json("rebuild", "--verify")["equal"]
    assert two.error("forget", "--session", "first", "--yes")["code"] == "shared_log_refused"
