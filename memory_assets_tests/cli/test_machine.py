"""What the machine refuses, in one line: a full disk, a medium that is read-only, a folder that holds nothing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.cli.main import main
from memory_assets.errors import is_full_disk
from memory_assets_tests.cli.conftest import Ended
from memory_assets_tests.cli.test_failures import guarded
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.disks import fill, mounted


def full_sqlite() -> None:
    """A database that may grow no further says what a full disk says."""
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA max_page_count = 2")
    connection.execute("CREATE TABLE secret_table (x)")
    connection.execute("INSERT INTO secret_table VALUES (zeroblob(100000))")


def test_a_full_disk_under_a_library_is_named_without_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    def act() -> int:
        try:
            full_sqlite()
        except sqlite3.OperationalError as error:
            raise RuntimeError("[SQL: INSERT INTO secret_table]") from error
        return 0

    assert guarded(act, as_json=True) == 2
    said = capsys.readouterr().err
    assert json.loads(said)["code"] == "disk_full"
    assert "disk is full" in said
    assert "SQL" not in said


def test_words_that_somebody_chose_are_no_full_disk() -> None:
    from memory_assets.errors import NotFoundError

    assert not is_full_disk(NotFoundError("no memory No space left"))


@pytest.mark.parametrize("name", [None, "notes.md", "picture.png"])
def test_a_folder_without_sessions_says_what_was_looked_for(
    name: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "none"
    folder.mkdir()
    if name:
        (folder / name).write_text("Shopping: milk.\n")
    home = ["--home", str(tmp_path / "home")]
    assert main([*home, "import", str(folder), "--json"]) == 1
    looked = json.loads(capsys.readouterr().out)["looked_for"]
    assert looked["files"] == (1 if name == "notes.md" else 0)
    assert {"claude_code", "codex", "chat.v1"} <= set(looked["formats"])
    assert main([*home, "import", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "formats looked for: aider, chat.v1, chatgpt, claude_code" in said


def on_a_read_only_medium(home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return _where_home_cannot_be_written(home, "-m", "memory_assets", "--home", str(home), *command)


ONE_AFTER_ANOTHER = """
import contextlib, io, json, sys
from memory_assets.cli.main import main
for command in json.loads(sys.argv[1]):
    out, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaints):
        code = main(command)
    print(json.dumps([code, out.getvalue(), complaints.getvalue()]))
"""


def each_on_a_read_only_medium(home: Path, *commands: tuple[str, ...]) -> list[Ended]:
    """How some commands end there, all of them in one process: most of what each costs is to load its modules."""
    whole = [["--home", str(home), *command] for command in commands]
    done = _where_home_cannot_be_written(home, "-c", ONE_AFTER_ANOTHER, json.dumps(whole))
    assert done.returncode == 0, done
    return [Ended(*json.loads(line)) for line in done.stdout.splitlines()]


def _where_home_cannot_be_written(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", program, "sh", str(home), sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
    )


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="only root can mount a medium read-only")
@pytest.mark.deep
@pytest.mark.parametrize("with_locks", cases([False], [True]))
def test_a_storeon_a_read_only_medium_is_read_and_not_written(tmp_path: Path, *, with_locks: bool) -> None:
    home = tmp_path / "home"
    assert main(["--home", str(home), "init", "--json"]) == 0
    if not with_locks:
        for lock in ("store.lock", "store.turnstile", "store.queue", "store.next", "store.waiting"):
            (home / lock).unlink(missing_ok=True)
    some = [("stats",), ("fsck",)]
    asked = depth(some, [*some, ("sessions", "list"), ("tasks",), ("events", "tail"), ("doctor",)])
    *read, rebuilt = each_on_a_read_only_medium(home, *asked, ("rebuild", "--json"))
    for command, ended in zip(asked, read, strict=True):
        assert ended.code == 0, (command, ended)
    assert rebuilt.code == 2, rebuilt
    assert json.loads(rebuilt.err)["code"] == "store_read_only"
    assert "cannot be written" in rebuilt.err


@pytest.mark.long
def test_a_full_disk_makes_doctor_fail_and_is_read_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with mounted(tmp_path / "disk", 40) as disk:
        home = ["--home", str(disk / "home")]
        assert main([*home, "init", "--json"]) == 0
        capsys.readouterr()
        ballast = fill(disk)
        assert main([*home, "doctor", "--json"]) == 3
        (told,) = [check for check in json.loads(capsys.readouterr().out)["checks"] if check["name"] == "folders"]
        assert not told["ok"] and "0 MB free" in told["detail"] and "free some space" in told["hint"]
        for command in ("stats", "tasks", "sessions"):
            assert main([*home, command, "--json"]) == 0
        capsys.readouterr()
        assert main([*home, "task", "new", "Write the runbook", "--json"]) == 2
        assert json.loads(capsys.readouterr().err)["code"] == "disk_full"
        ballast.unlink()
        assert main([*home, "task", "new", "Write the runbook", "--json"]) == 0
