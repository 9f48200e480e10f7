"""A whole import that is killed, and imports beside one another: in the end the tables are those of an undisturbed import."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs.reports import ImportReport
from memory_assets.defs.run import import_paths
from memory_assets.log.database import Database
from memory_assets.projections.rebuild import verify
from memory_assets.settings import load_settings
from memory_assets_tests.projections.story import APPEND_TIMES, rows, tables

pytestmark = pytest.mark.long

IMPORT = """
import json, sys
from pathlib import Path
from memory_assets.defs.run import import_paths
from memory_assets.projections.rebuild import verify
from memory_assets.settings import load_settings
print("ready", flush=True)
report = import_paths(load_settings(), [Path(path) for path in sys.argv[1:]], project=None)
print(json.dumps(report.as_json()))
"""
SEARCHES = """
import sys
from pathlib import Path
from memory_assets.memory import Memory
from memory_assets.projections.rebuild import verify
from memory_assets.settings import load_settings
memory = Memory(load_settings())
print("ready", flush=True)
searched = 0
while not Path(sys.argv[1]).exists():
    memory.search("login 배포", mode="lexical")
    searched += 1
print(searched)
"""
REPOSITORY = Path(__file__).resolve().parents[2]
# What depends on when and in which run something was written, and not on what was said.
OF_THE_RUN = dict(APPEND_TIMES) | {
    "entries": APPEND_TIMES["entries"] | {"build_id"},
    "promotions": APPEND_TIMES["promotions"] | {"build_id"},
}


def talks(folder: Path, count: int) -> Path:
    """Sessions that share decisions and tasks with one another."""
    folder.mkdir()
    for number in range(count):
        told = {
            "schema_version": "chat.v1",
            "session_id": f"talk-{number:02}",
            "project": "hourglass",
            "started_at": f"2026-03-{1 + number % 27:02}T09:00:00Z",
            "messages": [
                {"id": f"m{index}", "role": "user", "content": text}
                for index, text in enumerate(
                    (
                        f"We still need to fix the login {number % 4}.",
                        f"We decided to keep PostgreSQL {number % 5} for the orders.",
                        f"배포는 금요일에 하지 않기로 결정했다. 블로커 {number % 3}이 남아 있다.",
                        "I prefer tabs over spaces in this project.",
                    )
                )
            ],
        }
        (folder / f"talk-{number:02}.json").write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    return folder


def start(program: str, home: Path, *arguments: object) -> subprocess.Popen[str]:
    """A program that works on the store in ``home``, its own leader so that all of it can be killed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DAGSTER_"))}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env=environment | {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "hashing", "MEMORY_DAGSTER_BATCH_SIZE": "5"},
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    """The last line of a program that ends well."""
    out, complaints = process.communicate(timeout=600)
    assert process.returncode == 0, complaints[-3000:]
    return out.splitlines()[-1]


def state(home: Path) -> dict[str, list[dict[str, Any]]]:
    """Every derived table but the ledger of builds, without what belongs to the runs that wrote it."""
    found = tables(Database(home), without=OF_THE_RUN)
    del found["build_runs"]
    return found


def is_whole(home: Path) -> None:
    """Seq without a gap, each build opened, nothing offered twice with another payload, nothing left to embed."""
    database = Database(home)
    assert rows(database, "SELECT count(*) = max(seq), count(*) = count(DISTINCT event_id) FROM events") == [(True, True)]
    assert rows(database, "SELECT DISTINCT build_id FROM events WHERE build_id NOT IN (SELECT build_id FROM build_runs)") == []
    assert rows(database, "SELECT count(*) FROM vector_outbox WHERE status <> 'done'") == [(0,)]


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
    # Several runs an import, so that a kill may come between two of them, or in one that is not the first.
    monkeypatch.setenv("MEMORY_DAGSTER_BATCH_SIZE", "5")


def imported(home: Path, folder: Path) -> ImportReport:
    """An undisturbed import, in this process."""
    return import_paths(load_settings({"home": home}), [folder], project=None)


def kill_and_import_again(tmp_path: Path, kills: int, seed: int, sessions: int) -> None:
    folder = talks(tmp_path / "talks", sessions)
    began = time.monotonic()
    assert imported(tmp_path / "undisturbed", folder).new == sessions
    took = time.monotonic() - began
    expected = state(tmp_path / "undisturbed")
    assert expected["memories"] and expected["entities"]
    chance = random.Random(seed)
    for attempt in range(kills):
        home = tmp_path / f"killed-{attempt}"
        process = start(IMPORT, home, folder)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0.1, took))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if (home / "memory.duckdb").exists():
            assert verify(Database(home), Resources(load_settings({"home": home})).configured_versions).equal, f"kill {attempt}"
        report = imported(home, folder)
        assert (report.sessions, report.quarantined, report.errors) == (sessions, 0, [])
        assert state(home) == expected, f"kill {attempt}"
        is_whole(home)
        assert imported(home, folder).events_appended == 0


@pytest.mark.timeout(1200)
def test_an_import_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    kill_and_import_again(tmp_path, kills=1, seed=4, sessions=4)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_imports_killed_sixty_times_go_on_where_they_were(tmp_path: Path) -> None:
    kill_and_import_again(tmp_path, kills=60, seed=5, sessions=12)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("shared", [False, True], ids=["other files", "the same files"])
def test_two_imports_at_once_while_a_third_process_searches(tmp_path: Path, shared: bool) -> None:
    folder = talks(tmp_path / "talks", 24)
    imported(tmp_path / "serial", folder)
    files = sorted(folder.iterdir())
    halves = (files, files) if shared else (files[::2], files[1::2])
    home = tmp_path / "together"
    importers = [start(IMPORT, home, *half) for half in halves]
    searcher = start(SEARCHES, home, tmp_path / "enough")
    reports = [json.loads(finished(importer)) for importer in importers]
    (tmp_path / "enough").touch()
    assert int(finished(searcher)) > 0
    assert [report["quarantined"] for report in reports] == [0, 0]
    assert state(home) == state(tmp_path / "serial")
    is_whole(home)
