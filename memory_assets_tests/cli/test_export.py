"""`memory export`: into a private file that appears whole, to stdout, from a store that is read-only."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.exchange.format import is_export
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionHeading, SessionIngested
from memory_assets.sessions.model import Message
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.filled_store import STARTED

FORMATS = ("markdown", "jsonl", "chat.v1")


@pytest.mark.parametrize("kind", FORMATS)
def test_the_file_is_private_and_all_that_is_left(memory: Run, filled: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "out" / "e"
    ended = memory("export", "--format", kind, str(file))
    assert ended.code == 0, ended
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["e"]
    assert ended.out.startswith(f"{file}: ") and kind in ended.out


@pytest.mark.parametrize("kind", FORMATS)
def test_stdout_holds_what_the_file_holds(memory: Run, filled: Path, tmp_path: Path, kind: str) -> None:
    said = memory("export", "--format", kind, str(tmp_path / "e"), "--json").json
    assert (
        said["schema_version"] == "exported.v1" and said["format"] == kind and said["sessions"] == (3 if kind == "jsonl" else 2)
    )
    assert said["bytes"] == (tmp_path / "e").stat().st_size
    printed = memory("export", "--format", kind)
    assert (printed.code, printed.err) == (0, "")
    # The times of the two differ, and with them a checksum.
    lines, others = printed.out.splitlines(), (tmp_path / "e").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(others) and sum(a != b for a, b in zip(lines, others, strict=True)) <= 2
    assert is_export(tmp_path / "e") == (kind == "jsonl")


def test_json_without_a_file_is_refused(memory: Run, filled: Path) -> None:
    ended = memory("export", "--json")
    assert (ended.code, ended.out) == (2, "") and json.loads(ended.err)["code"] == "invalid_argument"


def test_a_file_that_is_there_stays_unless_forced(memory: Run, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "e"
    file.write_text("mine")
    ended = memory("export", str(file))
    assert ended.code == 2 and "--force" in ended.err and file.read_text() == "mine"
    assert memory("export", str(file), "--force").code == 0
    assert file.read_text(encoding="utf-8").startswith("# ") and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert memory("export", str(tmp_path), "--force").code == 2


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--format", "xml"], "invalid_argument"), (["--project", "none"], "not_found")]
)
def test_what_cannot_be_exported_leaves_nothing(
    memory: Run, filled: Path, tmp_path: Path, arguments: list[str], code: str
) -> None:
    ended = memory("export", *arguments, str(tmp_path / "e"), "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == code
    assert not (tmp_path / "e").exists()


def test_a_full_disk_is_said_and_leaves_nothing(
    memory: Run, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "e").write_text("mine")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("memory_assets.exchange.exporting.os.fsync", full)
    ended = memory("export", "--format", "jsonl", str(tmp_path / "e"), "--force", "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == "disk_full"
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith((".unfinished", ".lock"))] == []
    assert (tmp_path / "e").read_text() == "mine"


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A folder that every user can read. Pytest's own is shut to others again by whoever begins to run tests beside these."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="nobody may not write anywhere")
def test_a_folder_that_cannot_be_written_is_said(filled: Path, anybodys: Path) -> None:
    (anybodys / "shut").mkdir()
    (anybodys / "shut").chmod(0o555)
    file = anybodys / "shut" / "e"
    ended = _as_nobody(filled, anybodys, "export", str(file), "--json")
    assert ended.returncode == 2 and json.loads(ended.stderr)["code"] == "io_error", ended
    assert str(file) in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="nobody may not write anywhere")
def test_a_store_that_is_read_only_is_exported(filled: Path, anybodys: Path) -> None:
    for kind in FORMATS:
        ended = _as_nobody(filled, anybodys, "export", "--format", kind)
        assert ended.returncode == 0 and ended.stdout and ended.stderr == "", ended


def _as_nobody(home: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command that can read a copy of a store and write nothing but to the system's folder for such."""
    copy = folder / "copy"
    if not copy.exists():  # what nobody can write, another command finds as it was
        shutil.copytree(home, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all"] if os.geteuid() == 0 else []
    return subprocess.run(
        [*before, sys.executable, "-m", "memory_assets", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "MEMORY_HOME": str(copy), "HOME": "/nonexistent"},
    )


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_error(filled: Path) -> None:
    code = f"{sys.executable} -m memory_assets export --format jsonl | head -c 10"
    ended = subprocess.run(["bash", "-c", f"set -o pipefail; {code}"], capture_output=True, text=True, check=False)
    assert ended.stdout == '{"format":' and ended.stderr == ""


def test_import_ends_with_1_and_names_a_damaged_file(memory: Run, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "e"
    memory("export", "--format", "jsonl", str(file))
    file.write_bytes(file.read_bytes()[:-400])
    ended = memory("--home", str(tmp_path / "elsewhere"), "import", str(file), "--json")
    assert (ended.code, ended.err) == (1, "")
    assert [(error["path"], error["reason"]) for error in ended.json["errors"]] == [(str(file), "export_invalid")]
    assert ended.json["events_appended"] == 0
    told = memory("--home", str(tmp_path / "elsewhere"), "import", str(file))
    assert told.code == 1 and "export_invalid" in told.out


def _grown(home: Path, sessions: int) -> None:
    """A store of long sessions, twenty events each."""
    log = EventLog(Resources(load_settings({"home": home})).database)
    events = []
    for number in range(sessions):
        last: NewEvent | None = None
        for revision in range(1, 21):
            words = f"session {number} revision {revision} " * 40
            last = NewEvent(
                SessionIngested(
                    revision=revision,
                    heading=None
                    if last
                    else SessionHeading(
                        source_format="claude_code",
                        source_id=f"s{number}",
                        project="shop",
                        started_at=STARTED,
                        parser_version="1",
                        redaction_policy="none",
                    ),
                    content_hash=f"{number}.{revision}",
                    common_prefix=revision - 1,
                    messages=[Message(f"u{revision}", "user", "said", words, STARTED)],
                ),
                session_id=f"s{number}",
                inputs=(str(revision),),
                chain_id=(last.chain_id or last.event_id) if last else None,
                project="shop",
            )
            events.append(last)
    log.append(events)


# The peak since the program began; `getrusage` would count what its parent had when it started it.
_MEASURED = """
import re, sys
from pathlib import Path
from memory_assets.cli.main import main
code = main(sys.argv[1:])
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.slow
def test_what_it_takes_does_not_grow_with_the_log(tmp_path: Path) -> None:
    """30,000 events of 1.2 kB against 1,000: in megabytes of resident memory."""
    taken: dict[str, list[int]] = {kind: [] for kind in ("jsonl", "chat.v1")}
    for sessions in (50, 1_500):
        home = tmp_path / str(sessions)
        _grown(home, sessions)
        for kind, found in taken.items():
            ended = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    _MEASURED,
                    "--home",
                    str(home),
                    "export",
                    "--format",
                    kind,
                    str(tmp_path / f"{kind}{sessions}"),
                ],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "COLUMNS": "80"},
            )
            found.append(int(ended.stderr.split()[-1]))
        print(sessions, taken, (tmp_path / f"jsonl{sessions}").stat().st_size)
    for small, large in taken.values():
        assert large - small < 80, taken
