"""A purge that is killed, at moments all along its way: the store is the old one or the new one, and the next purge ends it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import purging, run
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.fsck import fsck
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, files_holding, texts_of_dagster, texts_of_store
from memory_assets_tests.depth import cases

pytestmark = pytest.mark.long

SECRET = "qzxfountain"
MOMENTS = 40
# Kills itself at the so-manieth time that it touches a file of the store.
PURGE = """
import os, signal, sys
from memory_assets.defs import purging
from memory_assets.settings import load_settings
import memory_assets.maintenance.purge.purge, memory_assets.vectors.library
settings = load_settings({"home": sys.argv[1]})
touching = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "sqlite3.connect"}
last, count = int(sys.argv[2]), 0
def watch(event, arguments):
    global count
    if event in touching and arguments and sys.argv[1] in str(arguments[0]):
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
purging.purge_all(settings, purging.planned_purge(settings))
print(count)
"""


def purged(home: Path, upto: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PURGE, str(home), str(upto)], capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture(scope="module")
def forgotten(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A store with a forgotten session, to be copied, and how often a purge of it touches a file."""
    base = tmp_path_factory.mktemp("forgotten")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        settings = load_settings({"home": base / "home"})
        told = [f"We decided to call the release {SECRET}.", f"TODO: {SECRET} needs a test before Friday."]
        chat(base / "inbox", "gone", told)
        chat(base / "inbox", "staying", talk(1))
        run.import_paths(settings, [base / "inbox"], project=None)
        word = NewEvent(SessionForgotten(reason="asked"), session_id="gone", inputs=("by hand",))
        EventLog(Resources(settings).database).append([word])
        shutil.copytree(base / "home", base / "counted")
        ended = purged(base / "counted", 0)
    assert ended.returncode == 0, ended.stderr
    return base / "home", int(ended.stdout.split()[-1])


@pytest.mark.parametrize("moment", cases([33], [n for n in range(MOMENTS) if n != 33]))
def test_the_store_is_the_old_one_or_the_new_one(forgotten: tuple[Path, int], tmp_path: Path, moment: int) -> None:
    made, touches = forgotten
    home = tmp_path / "copy"
    shutil.copytree(made, home)
    settings = load_settings({"home": home})
    before = len(events(settings))
    ended = purged(home, 1 + moment * touches // MOMENTS)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    has_secret = any(SECRET in text for _, text in texts_of_store(settings))
    marks = events(settings, "purged")
    # Outcomes that follow from the forgetting may be in the log by then.
    assert (len(events(settings)) >= before) == has_secret == (not marks)
    assert fsck(Resources(settings)).finding_count == 0
    _ended_by_the_next(settings)


def _ended_by_the_next(settings: Settings) -> None:
    report = purging.purge_all(settings, purging.planned_purge(settings))
    assert report.found_after == 0 and len(events(settings, "purged")) == 1
    assert not any(SECRET in text for _, text in [*texts_of_store(settings), *texts_of_dagster(settings)])
    assert files_holding(settings.home, SECRET.encode()) == []
    kept = {path.name for path in settings.home.iterdir()}
    assert not kept & {"purge.staged", "purge.old", "purge.pending", "store.swap"}
    assert_rebuilds_equal(settings)
    assert fsck(Resources(settings)).finding_count == 0
