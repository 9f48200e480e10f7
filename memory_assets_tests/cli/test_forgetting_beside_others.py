"""Forgetting while other processes forget, import, correct and purge: what was forgotten is gone, whoever was first."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from memory_assets.defs import forgetting
from memory_assets.memory import Memory
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.cli.test_purge_beside_others import begun, ended, sound
from memory_assets_tests.cli.test_refused_forgetting import refused
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import events, files_holding
from memory_assets_tests.defs.test_forgotten_parts import left_of
from memory_assets_tests.depth import cases
from memory_assets_tests.filled_store import test_settings as settings_of

pytestmark = pytest.mark.long

MORE = "가족 이모지 👨‍👩‍👧로 표시하기로 했다. We decided to keep it."
GROWN = [*talk(2, 6), MORE, "We decided to archive the logs of service 2 every night.", "TODO: name an owner of service 2."]
OUTAGE = ("outage 1 was", "outage 2 was")
"""Words of the fourth message of the sessions one and two."""
EVERY_HEAD_START = cases([], [0.0, 1.5, 3.0])
"""Seconds that one command works before the other begins: one of them takes some four, most of them to load its modules.

With every change a purge beside who forgets a message stands for all pairs.
"""


def together(one: tuple[str, ...], other: tuple[str, ...], head_start: float) -> list[subprocess.CompletedProcess[str]]:
    """How two commands ended, of which the second began so many seconds after the first."""
    first = begun(*one)
    time.sleep(head_start)
    return ended([first, begun(*other)])


def sessions_of(memory: Run) -> set[str]:
    return {one["session_id"] for one in memory("sessions", "list", "--json").json}


@pytest.mark.parametrize("head_start", EVERY_HEAD_START)
def test_two_messages_of_one_session_at_once(memory: Run, store: Path, head_start: float) -> None:
    for done in together(("forget", "session:two#m=0"), ("forget", "session:two#m=3"), head_start):
        assert done.returncode == 0, done
    assert left_of(settings_of(store), "service 2 on PostgreSQL", OUTAGE[1]) == set()
    assert left_of(settings_of(store), "2번 마이그레이션") >= {"messages.text", "visible_events"}
    assert len(events(settings_of(store), "text_forgotten")) == 2
    sound(memory)


@pytest.mark.parametrize("head_start", EVERY_HEAD_START)
def test_a_session_and_a_message_of_it_at_once(memory: Run, store: Path, head_start: float) -> None:
    whole, part = together(("forget", "--session", "two"), ("forget", "session:two#m=3"), head_start)
    assert whole.returncode == 0, whole
    if part.returncode:
        refused(part, "not_found")  # the session is gone already
    assert left_of(settings_of(store), OUTAGE[1], "service 2 on") == set() and sessions_of(memory) == {"one"}
    sound(memory)


@pytest.mark.slow
def test_the_same_session_twice_at_once(memory: Run, store: Path) -> None:
    done = together(("forget", "--session", "two"), ("forget", "--session", "two"), 0)
    for one in done:
        if one.returncode:
            refused(one, "not_found")
    assert min(one.returncode for one in done) == 0
    assert left_of(settings_of(store), OUTAGE[1]) == set() and sessions_of(memory) == {"one"}
    assert memory("unforget", "two").code == 0
    assert left_of(settings_of(store), OUTAGE[1]) >= {"messages.text", "visible_events"}
    sound(memory)


@pytest.mark.parametrize("head_start", EVERY_HEAD_START)
def test_a_message_during_an_import_of_its_session(memory: Run, store: Path, tmp_path: Path, head_start: float) -> None:
    files = tmp_path / "more"
    chat(files, "two", GROWN)
    chat(files, "three", talk(3, 6))
    imported, forgotten = together(("import", str(files)), ("forget", "session:two#m=3"), head_start)
    assert (imported.returncode, forgotten.returncode) == (0, 0), (imported, forgotten)
    assert left_of(settings_of(store), OUTAGE[1]) == set() and sessions_of(memory) == {"one", "two", "three"}
    assert left_of(settings_of(store), "archive the logs") >= {"messages.text", "visible_events"}
    again = memory("import", str(files), "--json").json
    assert (again["new"], again["updated"], again["errors"]) == (0, 0, [])
    assert left_of(settings_of(store), OUTAGE[1]) == set()
    sound(memory)


@pytest.mark.parametrize("head_start", EVERY_HEAD_START)
def test_a_session_during_an_import_of_it(memory: Run, store: Path, tmp_path: Path, head_start: float) -> None:
    files = tmp_path / "more"
    chat(files, "two", GROWN)
    chat(files, "three", talk(3, 6))
    imported, forgotten = together(("import", str(files)), ("forget", "--session", "two"), head_start)
    assert forgotten.returncode == 0 and imported.returncode == 0, (imported, forgotten)
    assert left_of(settings_of(store), OUTAGE[1], "archive the logs") == set()
    assert sessions_of(memory) == {"one", "three"}
    assert memory("import", str(files)).code == 0 and sessions_of(memory) == {"one", "three"}
    sound(memory)


@pytest.mark.parametrize("head_start", cases([1.5], [tenths / 10 for tenths in range(40) if tenths != 15]))
def test_a_session_during_a_purge_of_another(memory: Run, store: Path, head_start: float) -> None:
    assert memory("forget", "--session", "one").code == 0
    purged, forgotten = together(("purge", "--yes"), ("forget", "session:two#m=3"), head_start)
    # What is forgotten while it counts may still stand somewhere: then it says so.
    assert purged.returncode == (1 if json.loads(purged.stdout)["found_after"] else 0), purged
    if forgotten.returncode:
        refused(forgotten, "store_locked")
        assert memory("forget", "session:two#m=3").code == 0
    assert left_of(settings_of(store), *OUTAGE) == set() and sessions_of(memory) == {"two"}
    sound(memory)
    # Whichever came first, the next purge leaves nothing of either.
    assert memory("purge", "--yes", "--json").json["found_after"] == 0
    assert [files_holding(store, words.encode()) for words in OUTAGE] == [[], []]
    sound(memory)


@pytest.mark.slow
def test_a_purge_before_the_stages_told_again_what_was_forgotten_of_a_session(
    memory: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where who forgets is still at work, or was killed: what Dagster was told of the history before goes all the same."""
    with monkeypatch.context() as patch:
        patch.setattr(forgetting, "_run_on", lambda *given: None)
        assert memory("forget", "session:two#m=3").code == 0
    purged = memory("purge", "--yes", "--json")
    assert (purged.code, purged.json["found_after"]) == (0, 0), [one for one in purged.json["traces"] if one["after"]]
    assert purged.json["found_before"] > 0
    assert memory("run", "two").code == 0
    sound(memory)


@pytest.mark.parametrize("head_start", EVERY_HEAD_START)
def test_a_session_while_a_memory_of_it_is_corrected(memory: Run, store: Path, head_start: float) -> None:
    entry = next(one for one in memory("entries", "list", "--type", "decision", "--json").json if one["session_id"] == "two")
    instead = "Service 2 is kept on SQLite, since one machine is enough."
    corrected, forgotten = together(("correct", entry["entry_id"], instead), ("forget", "--session", "two"), head_start)
    assert forgotten.returncode == 0, forgotten
    if corrected.returncode:
        refused(corrected, "not_found")
    else:
        assert left_of(settings_of(store), "kept on SQLite") >= {"messages.text", "visible_events"}
    assert left_of(settings_of(store), OUTAGE[1], "service 2 on PostgreSQL") == set()
    sound(memory)


@pytest.mark.slow
def test_two_corrections_of_one_memory_at_once(memory: Run, store: Path) -> None:
    entry = next(one for one in memory("entries", "list", "--type", "decision", "--json").json if one["session_id"] == "two")
    said = ("Service 2 is kept on SQLite.", "Service 2 is kept on MariaDB.")
    done = together(*(("correct", entry["entry_id"], text) for text in said), 0)
    assert [one.returncode for one in done] == [0, 0], done
    stands = {one.title: one for one in Memory(settings_of(store)).memories().memories}
    assert sorted(stands[text].status for text in said) == ["active", "deprecated"]
    # What was said later holds, and both of the others say so.
    (holds,) = (stands[text] for text in said if stands[text].status == "active")
    (replaced,) = (stands[text] for text in said if stands[text].status == "deprecated")
    assert (replaced.superseded_by, stands[entry["title"]].superseded_by) == (holds.citation, holds.citation)
    assert replaced.first_said_at < holds.first_said_at
    sound(memory)
