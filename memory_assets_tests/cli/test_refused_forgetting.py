"""Forgetting, correcting and purging that cannot be done: what is said, and that everything is as it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.maintenance.purge import rewriting
from memory_assets_tests.cli.conftest import Ended, Run
from memory_assets_tests.cli.test_machine import each_on_a_read_only_medium
from memory_assets_tests.defs.state import events, tables
from memory_assets_tests.depth import IS_DEEP, cases
from memory_assets_tests.disks import fill, mounted
from memory_assets_tests.filled_store import test_settings as settings_of

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from memory_assets.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


def everything(home: Path) -> dict[str, str]:
    """Every file of a store by its bytes; locks say who held them last."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.suffix != ".lock" and path.name not in ("store.turnstile", "store.queue", "store.next")
    }


def refused(ended: Ended | subprocess.CompletedProcess[str], code: str) -> dict[str, str]:
    """The error of a command that was refused."""
    status, said = (ended.code, ended.err) if isinstance(ended, Ended) else (ended.returncode, ended.stderr)
    assert status == 2, ended
    told: dict[str, str] = json.loads(said.splitlines()[-1])
    assert (told["schema_version"], told["code"]) == ("error.v1", code), told
    assert told["message"] and told["hint"], told
    return told


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("forget", "mem:zzzzzz"), "not_found"),
        (("forget", "session:nosuch#m=1"), "not_found"),
        (("forget", "session:one#m=99"), "not_found"),
        (("forget", "session:one#m=0&c=5-9999"), "invalid_argument"),
        (("forget", "--session", "nosuch"), "not_found"),
        (("forget", "--session", "one", "mem:zzzzzz", "--yes"), "not_found"),
        (("forget", "--project", "nosuch", "--yes"), "not_found"),
        (("forget", "--source", "/no/such/file.jsonl", "--yes"), "not_found"),
        (("forget", "--query", " ", "--yes"), "invalid_argument"),
        (("forget", "--words", "e", "--yes"), "invalid_argument"),
        (("forget",), "invalid_argument"),
        (("unforget", "ev_nosuch"), "not_found"),
        (("unforget", "one"), "not_found"),
        (("correct", "mem:zzzzzz", "We keep it in Redis."), "not_found"),
        # Everything: nobody is there to be asked.
        (("forget", "--query", "e"), "invalid_argument"),
        (("forget", "--before", "2030-01-01"), "invalid_argument"),
    ],
)
def test_what_is_refused_changes_not_a_byte(memory: Run, store: Path, command: tuple[str, ...], code: str) -> None:
    before = everything(store)
    refused(memory(*command, "--json"), code)
    assert everything(store) == before


class Typed(io.StringIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.long
@pytest.mark.deep
def test_who_wants_everything_forgotten_is_asked_with_the_count(
    memory: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everywhere = ("forget", "--before", "2030-01-01")
    before = everything(store)
    assert "2 sessions as a whole" in refused(memory(*everywhere, "--json"), "invalid_argument")["message"]
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    ended = memory(*everywhere)
    assert ended.code == 1 and "would go: 2 sessions as a whole, 16 messages" in ended.out and "Forget this?" in ended.err
    assert everything(store) == before
    monkeypatch.setattr(sys, "stdin", Typed("y\n"))
    assert memory(*everywhere).code == 0
    assert memory("sessions", "list", "--json").json == []
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    asked = memory("purge")
    assert asked.code != 0 and "of 2 sessions will be gone for good" in asked.err
    if IS_DEEP:
        assert memory("unforget", "one", "two").code == 0
        assert len(memory("sessions", "list", "--json").json) == 2
        assert memory(*everywhere, "--yes").code == 0
    purged = memory("purge", "--yes", "--json")
    assert purged.code == 0, [trace for trace in purged.json["traces"] if trace["after"]]
    assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0
    assert memory("search", "PostgreSQL").code == 1


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="only root can mount a medium read-only")
def test_on_a_medium_that_cannot_be_written(memory: Run, store: Path) -> None:
    assert memory("forget", "--session", "one").code == 0
    entry = memory("entries", "list", "--type", "decision", "--json").json[0]
    before = everything(store)
    *writing, dry = each_on_a_read_only_medium(
        store,
        ("forget", "--session", "two", "--json"),
        ("unforget", "one", "--json"),
        ("correct", entry["entry_id"], "It is otherwise.", "--json"),
        ("purge", "--yes", "--json"),
        ("forget", "--session", "two", "--dry-run", "--json"),
    )
    for ended in writing:
        refused(ended, "store_read_only")
    assert dry.code == 0 and len(dry.json["sessions"]) == 1
    assert everything(store) == before


def _run(*command: str, limit: int) -> subprocess.CompletedProcess[str]:
    """A command in a process whose files may grow no longer than so many bytes."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *command, "--json"], capture_output=True, text=True, timeout=250
    )


@pytest.mark.parametrize("share", cases([], [0.1, 0.5, 0.9]))
def test_a_purge_whose_files_may_not_grow(memory: Run, store: Path, share: float) -> None:
    """A real failure in the middle: a file of the new store ends before its time. What was shown waits to be counted."""
    assert memory("forget", "--session", "one").code == 0
    assert memory("search", "decided").code == 0
    settings = settings_of(store)
    before, logged = tables(settings), len(events(settings))
    ended = _run("purge", "--yes", limit=int(share * (store / "memory.duckdb").stat().st_size))
    assert ended.returncode == 2, ended
    assert json.loads(ended.stderr.splitlines()[-1])["schema_version"] == "error.v1"
    assert (tables(settings), len(events(settings))) == (before, logged)
    assert not (store / rewriting.STAGED).exists() and memory("fsck").code == 0
    assert memory("purge", "--yes", "--json").json["found_after"] == 0


@pytest.mark.long
@pytest.mark.parametrize("left", cases([1_000_000], [0, 8_000_000]))
def test_a_disk_that_others_fill_during_a_purge(
    memory: Run, imported_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    with mounted(tmp_path / "disk", 150) as disk:
        home = disk / "home"
        shutil.copytree(imported_home, home)
        monkeypatch.setenv("MEMORY_HOME", str(home))
        assert memory("forget", "--session", "one").code == 0
        settings = settings_of(home)
        before, logged = tables(settings), len(events(settings))

        def filled(*given: object) -> None:
            ballast = fill(disk)
            os.truncate(ballast, ballast.stat().st_size - left)

        with monkeypatch.context() as patch:
            patch.setattr(rewriting, "check_room", filled)
            refused(memory("purge", "--yes", "--json"), "disk_full")
        assert (tables(settings), len(events(settings))) == (before, logged)
        assert not (home / rewriting.STAGED).exists()
        # A disk that is full from the start is known before anything is written.
        refused(memory("purge", "--yes", "--json"), "disk_full")
        (disk / "ballast").unlink()
        assert memory("fsck").code == 0
        assert memory("purge", "--yes", "--json").json["found_after"] == 0


def test_forgetting_on_a_full_disk(memory: Run, imported_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with mounted(tmp_path / "disk", 100) as disk:
        home = disk / "home"
        shutil.copytree(imported_home, home)
        monkeypatch.setenv("MEMORY_HOME", str(home))
        settings = settings_of(home)
        before, logged = tables(settings), len(events(settings))
        ballast = fill(disk)
        refused(memory("forget", "--session", "one", "--json"), "disk_full")
        refused(memory("forget", "session:two#m=1", "--json"), "disk_full")
        assert (tables(settings), len(events(settings))) == (before, logged)
        ballast.unlink()
        assert memory("forget", "--session", "two").code == 0 and memory("fsck").code == 0
