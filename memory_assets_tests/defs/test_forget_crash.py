"""Forgetting that is killed, and taking it back: the store is as before or as behind it, and the next run ends it."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import forgetting, run
from memory_assets.log.event_log import EventLog
from memory_assets.maintenance.fsck import fsck
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.killed import killed
from memory_assets_tests.defs.state import Rows, assert_rebuilds_equal, differing, events, index_rows, tables
from memory_assets_tests.defs.test_forgotten_parts import OF_TELLING, left_of
from memory_assets_tests.depth import cases

pytestmark = pytest.mark.long

SECRET = "qzxfountain"
NAME = "Wilhelmina"
WORDS = ("session_forgotten", "text_forgotten")
TAKEN_BACK = ("session_unforgotten", "text_unforgotten")
# A session as a whole, and a message of another one.
FORGET = ("forget", "--session", "gone", "session:named#m=2", "--yes")
UNFORGET = ("unforget", "gone", "named")
MOMENTS = 40
TAKING_BACK_MOMENTS = 12


@dataclass(frozen=True, slots=True)
class Made:
    """A store before a command and what it is behind it; each is only copied."""

    before: Path
    behind: Path
    inbox: Path
    moments: int


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store of three sessions and its files."""
    base = tmp_path_factory.mktemp("told")
    inbox = base / "inbox"
    chat(inbox, "gone", [f"We decided to call the release {SECRET}.", f"TODO: {SECRET} needs a test before Friday."])
    turns = ["We decided to keep the ledger in one region because backups are simple.", *talk(3, 3)]
    turns[2] = f"The root cause of the outage was {NAME} and a pool of five connections."
    claude(inbox, "named.jsonl", records("named", turns))
    chat(inbox, "staying", talk(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        run.import_paths(load_settings({"home": base / "home"}), [inbox], project=None)
        yield base


def _made(before: Path, behind: Path, inbox: Path, *command: str) -> Made:
    shutil.copytree(before, behind)
    ended = killed(behind, 0, *command)
    assert ended.code == 0, ended.complaints
    return Made(before, behind, inbox, int(ended.last))


@pytest.fixture(scope="module")
def forgetting_made(told: Path) -> Made:
    return _made(told / "home", told / "forgotten", told / "inbox", *FORGET)


@pytest.fixture(scope="module")
def unforgetting_made(forgetting_made: Made, told: Path) -> Made:
    return _made(forgetting_made.behind, told / "unforgotten", told / "inbox", *UNFORGET)


def _state(settings: Settings) -> dict[str, Rows]:
    # What the test itself asks for in between is counted as a use.
    found = tables(settings, without=OF_TELLING)
    return {name: rows for name, rows in found.items() if not name.startswith("unit_usage")}


def _units(settings: Settings) -> set[str]:
    return {str(row["own_text"]) for row in index_rows(settings)}


def _killed(made: Made, home: Path, part: float, command: tuple[str, ...], *said: str) -> bool:
    """Kill a command after this part of its moments and look at what it left; whether its words were said by then."""
    shutil.copytree(made.before, home)
    settings = load_settings({"home": home})
    ended = killed(home, 1 + int(part * made.moments), *command)
    assert ended.code == -signal.SIGKILL, ended
    where = f"killed before: {ended.last}"
    print(where)
    assert Memory(settings).database  # whoever opens the store next makes the tables forget
    was_said = len(events(settings, *said))
    assert was_said in (0, 2), where
    assert fsck(Resources(settings)).finding_count == 0, where
    assert_rebuilds_equal(settings)
    return bool(was_said)


@pytest.mark.parametrize("moment", cases([20], [n for n in range(MOMENTS) if n != 20]))
def test_forgetting_that_is_killed(forgetting_made: Made, tmp_path: Path, unrecorded: dg.DagsterInstance, moment: int) -> None:
    settings = load_settings({"home": tmp_path / "copy"})
    if _killed(forgetting_made, settings.home, moment / (MOMENTS + 1), FORGET, *WORDS):
        # Nothing shows it, though no stage has run since: a row of the index that belongs to no unit is passed over.
        assert {place for place in left_of(settings, SECRET, NAME) if not place.startswith("index.")} == set()
    else:
        assert differing(_state(settings), _state(load_settings({"home": forgetting_made.before}))) == {}
        assert killed(settings.home, 0, *FORGET).code == 0
    _ended_by_the_next_run(settings, forgetting_made)
    assert left_of(settings, SECRET, NAME) == set()


@pytest.mark.parametrize("moment", cases([5], [n for n in range(TAKING_BACK_MOMENTS) if n != 5]))
def test_taking_it_back_that_is_killed(
    unforgetting_made: Made, tmp_path: Path, unrecorded: dg.DagsterInstance, moment: int
) -> None:
    settings = load_settings({"home": tmp_path / "copy"})
    if not _killed(unforgetting_made, settings.home, moment / (TAKING_BACK_MOMENTS + 1), UNFORGET, *TAKEN_BACK):
        assert left_of(settings, SECRET, NAME) == set()
        assert killed(settings.home, 0, *UNFORGET).code == 0
    _ended_by_the_next_run(settings, unforgetting_made)
    for word in (SECRET, NAME):
        assert left_of(settings, word) >= {"messages.text", "visible_events"}


def test_what_is_taken_back_is_said_at_once(
    forgetting_made: Made, tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions and parts in one breath: nobody sees one without the other."""
    settings = load_settings({"home": tmp_path / "copy"})
    shutil.copytree(forgetting_made.behind, settings.home)
    append = EventLog.append

    def dying(log: EventLog, *given: Any, **others: Any) -> None:
        append(log, *given, **others)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(EventLog, "append", dying)
        with pytest.raises(KeyboardInterrupt):
            forgetting.unforget(settings, UNFORGET[1:])
    assert len(events(settings, *TAKEN_BACK)) == 2


def _ended_by_the_next_run(settings: Settings, made: Made) -> None:
    report = run.import_paths(settings, [made.inbox], project=None)
    assert (report.quarantined, report.errors) == (0, [])
    expected = load_settings({"home": made.behind})
    assert differing(_state(settings), _state(expected)) == {}
    assert _units(settings) == _units(expected)
    assert_rebuilds_equal(settings)
    assert fsck(Resources(settings)).finding_count == 0
    assert run.import_paths(settings, [made.inbox], project=None).events_appended == 0
