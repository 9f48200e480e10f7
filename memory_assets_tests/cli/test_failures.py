"""How commands end when something is wrong: a code and at most two lines, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_assets.cli import maintenance
from memory_assets.cli.failures import guarded
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreLockedError
from memory_assets.memory import Memory
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.filled_store import fill

MAIN = "from memory_assets.cli.main import main; import sys; sys.exit(main())"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "mem:zzzzzz"), "error: there is no memory mem:zzzzzz"),
        (("show", "nonsense"), "is no citation"),
        (("entries", "show", "ent_none"), "there is no entry"),
        (("events", "show", "ev_none"), "there is no visible event"),
        (("sessions", "show", "nobody"), "there is no session"),
        (("search", "x", "--kind", "nothing"), "no kind 'nothing'"),
        (("entries", "list", "--type", "nonsense"), "no entry type 'nonsense'"),
        (("entries", "list", "--stage", "nonsense"), "no stage 'nonsense'"),
        (("sessions", "list", "--status", "nonsense"), "no status 'nonsense'"),
        (("events", "tail", "--type", "nonsense"), "no event type 'nonsense'"),
        (("search", "x", "--mode", "psychic"), "psychic"),
        (("search", "x", "-k", "0"), "'-k'"),
        (("search", "x", "-k", "9" * 20), "'-k'"),
        (("audit", "-n", "9" * 20), "'--examples' / '-n'"),
        (("entries", "list", "-n", "9" * 20), "'--limit' / '-n'"),
        (("events", "tail", "-n", "9" * 20), "'--limit' / '-n'"),
        (("events", "tail", "--after", "9" * 20), "'--after'"),
        (("prune", "--older-than-days", "9" * 20), "'--older-than-days'"),
        (("audit", "-n", "9" * 5000), "'--examples' / '-n'"),
        (("show", f"session:shop-1#m={'9' * 20}"), "message"),
        (("show", f"session:shop-1#m={'9' * 5000}"), "message"),
        (("show", f"session:shop-1#m=1&c=1-{'9' * 20}"), "is no citation"),
        (("search",), "query"),
        (("frobnicate",), "frobnicate"),
        (("sessions", "frobnicate"), "frobnicate"),
        (("run",), "name sessions, or --all"),
        (("run", "--all", "x"), "name sessions, or --all"),
        (("retry",), "say what to try again"),
        (("--set", "x", "stats"), "--set 'x' is no setting"),
        (("--set", "extraction.modle=x", "stats"), "extraction.modle"),
        (("--config", "/nowhere/memory.toml", "stats"), "/nowhere/memory.toml cannot be read"),
    ],
)
def test_an_error_is_two_lines_and_code_2(memory: Run, filled: Path, arguments: tuple[str, ...], told: str) -> None:
    ended = memory(*arguments)
    assert ended.code == 2 and ended.out == ""
    error, hint = ended.err.splitlines()
    assert error.startswith("error: ") and told in error and hint.startswith("hint: ")
    if arguments[0].startswith("--"):
        return
    ended = memory(*arguments, "--json")
    value = json.loads(ended.err)
    assert ended.code == 2 and ended.out == "" and value["schema_version"] == "error.v1"
    assert value["code"] in ("not_found", "invalid_argument") and value["hint"]
    assert told.removeprefix("error: ") in value["message"]


@pytest.mark.parametrize("arguments", [(), ("evidence",)])
def test_nothing_asked_is_help(memory: Run, arguments: tuple[str, ...]) -> None:
    ended = memory(*arguments)
    assert ended.code == 0 and "Usage: memory" in ended.out and ended.err == ""


def test_a_store_that_cannot_be_made(memory: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = memory("--home", str(tmp_path / "file" / "home"), "stats")
    assert ended.code == 2 and "Traceback" not in ended.err and ended.err.startswith("error: the folder")


def test_a_store_that_is_no_database(memory: Run, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "memory.duckdb").write_bytes(b"x" * 5000)
    ended = memory("stats", "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == "io_error"


def test_the_unexpected_is_one_line_and_its_traceback_on_request(
    memory: Run, monkeypatch: pytest.MonkeyPatch, filled: Path
) -> None:
    def broken(found: object) -> None:
        raise ZeroDivisionError("not\nforeseen \x1b[31m")

    monkeypatch.setattr(maintenance, "print_stats", broken)
    ended = memory("stats")
    assert ended.code == 2
    assert ended.err == "error: ZeroDivisionError: not foreseen ␛[31m\nhint: set MEMORY_DEBUG=1 for the traceback\n"
    monkeypatch.setenv("MEMORY_DEBUG", "1")
    assert "Traceback" in memory("stats").err


def test_a_full_disk_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def full() -> int:
        raise OSError(28, "No space left on device", "/store/vectors")

    assert guarded(full, as_json=False) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: the disk is full; ") and "/store/vectors" in said


def test_an_interrupt_is_130(capsys: pytest.CaptureFixture[str]) -> None:
    def stopped() -> int:
        raise KeyboardInterrupt

    assert guarded(stopped, as_json=False) == 130
    assert capsys.readouterr().err.startswith("interrupted; what was done is kept")


@pytest.mark.long
def test_an_interrupted_process_leaves_no_traceback(tmp_path: Path) -> None:
    """The store is locked by us, so that the command waits and can be interrupted."""
    home = tmp_path / "home"
    with Database(home).held():
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "stats"],
            env={**os.environ, "MEMORY_HOME": str(home)},
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs the tests in a shell's background has it ignored, and so would this process.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in err and "interrupted" in err


def test_a_locked_store_is_named_with_its_holder(memory: Run, tmp_path: Path) -> None:
    with Database(tmp_path / "home").held():
        ended = memory("--set", "store.lock_timeout_seconds=0.2", "stats", "--json")
    value = json.loads(ended.err)
    assert ended.code == 2 and value["code"] == "store_locked" and str(os.getpid()) in value["message"]


def test_a_locked_store_is_waited_for_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings = load_settings({"home": home, "store": {"lock_timeout_seconds": 1.0}, "embedding": {"model": "hashing"}})
    with Database(home).held():
        started = time.monotonic()
        with pytest.raises(StoreLockedError):
            Memory(settings).search("anything", mode="lexical")
        assert time.monotonic() - started < 1.8


def test_nobody_waits_for_what_was_shown_to_be_counted(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    memory = Memory(settings)
    assert memory.search("PostgreSQL").hits
    with Database(settings.store_folder).reading():  # a reader that keeps writers out
        started = time.monotonic()
        assert memory.stats().units_by_kind
        assert time.monotonic() - started < 3.0


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_error(filled: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "entries", "--all", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait(timeout=30) == 0


@pytest.mark.long
def test_korean_under_an_ascii_locale_is_escaped_and_still_json(filled: Path) -> None:
    for arguments in (["sessions", "--json"], ["sessions"]):
        ended = subprocess.run(
            [sys.executable, "-c", MAIN, *arguments],
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            check=True,
        )
        assert ended.stdout.isascii() and b"\\uacb0" in ended.stdout and not ended.stderr
        if "--json" in arguments:
            assert json.loads(ended.stdout)[1]["title"] == "결제 서버 장애"
