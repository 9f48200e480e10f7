"""`memory ask` with a model: a draft on a terminal, the verified answer in its place, and nothing of a draft in a pipe."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.cli.main import main
from memory_assets_tests.ask.test_asking import store
from memory_assets_tests.extraction.provider import Provider, Reply, serving

pytestmark = pytest.mark.long

QUESTION = "What is the greyhound of Jonas called?"
SAID = ("The greyhound of Jonas ", "is called Biscuit [", "1", "]. It cost 40 dollars [1", "].")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("on a terminal")).settings.home


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving() as served:
        yield served


def command(home: Path, provider: Provider, *arguments: str) -> list[str]:
    chosen = {"embedding.model": "hashing", "ask.model": "openai/tiny", "ask.api_base": provider.base}
    settings = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
    asked = ["ask", QUESTION, "--project", "home", "--mode", "lexical", *arguments]
    return [sys.executable, "-m", "memory_assets", "--home", str(home), *settings, *asked]


ENVIRONMENT = {"OPENAI_API_KEY": "test-key", "TERM": "xterm", "COLUMNS": "90", "LINES": "30"}


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, arguments: list[str]) -> None:
        self.output = ""
        self._handle, inner = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")} | ENVIRONMENT
        self.process = subprocess.Popen(
            arguments, stdin=inner, stdout=inner, stderr=inner, env=environment, start_new_session=True, close_fds=True
        )
        os.close(inner)

    def read_until(self, words: str, seconds: float = 60) -> str:
        """What was written up to some words, or to the end where there are none."""
        deadline = time.monotonic() + seconds
        while words not in plain(self.output) and time.monotonic() < deadline:
            if not select.select([self._handle], [], [], 0.1)[0]:
                continue
            try:
                self.output += os.read(self._handle, 65536).decode(errors="replace")
            except OSError:  # the command has ended
                break
        return plain(self.output)

    def end(self) -> tuple[int, str]:
        told = self.read_until("\x00 never written")
        os.close(self._handle)
        return self.process.wait(30), told


def plain(text: str) -> str:
    """What a terminal was sent, without its orders."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "")


def test_a_draft_is_shown_and_the_verified_answer_takes_its_place(home: Path, provider: Provider) -> None:
    provider.plan = [Reply(chunks=SAID, pause=0.3)]
    terminal = Terminal(command(home, provider))
    drafted = terminal.read_until("Biscuit")
    assert "draft, not verified yet:" in drafted and "grounded" not in drafted and "Biscuit [" not in drafted
    code, told = terminal.end()
    final = told.rpartition("draft, not verified yet:")[2]
    assert code == 0 and "grounded ✓  openai/tiny  memory-ask-v1  1 chunk" in final
    assert "is called Biscuit. [1]" in final and "struck" in final and "✗ It cost 40 dollars.  number: 40" in final


@pytest.mark.slow
def test_who_interrupts_keeps_what_was_said(home: Path, provider: Provider) -> None:
    provider.plan = [Reply(chunks=SAID, pause=0.3, goes_on="silent")]
    terminal = Terminal(command(home, provider))
    terminal.read_until("It cost 40")
    terminal.process.send_signal(2)
    code, told = terminal.end()
    final = told.rpartition("draft, not verified yet:")[2]
    assert code == 1 and "stopped, and not verified to its end:" in final and "Biscuit [1]" in final
    assert "grounded ✗" in final and "grounded ✓" not in final and "Traceback" not in told


def test_a_pipe_is_given_the_verified_answer_alone(
    home: Path, provider: Provider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    provider.plan = [Reply(chunks=SAID)]
    capsys.readouterr()
    assert main(command(home, provider)[3:]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("The greyhound of Jonas is called Biscuit. [1]\n")
    assert "draft" not in printed.out + printed.err


def test_a_failing_model_is_told_on_the_screen(
    home: Path, provider: Provider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    provider.plan = [429]
    capsys.readouterr()
    assert main(command(home, provider)[3:]) == 0
    printed = capsys.readouterr()
    assert "Biscuit" in printed.out and "extractive" in printed.out
    assert "the model openai/tiny did not answer: it is asked too often" in printed.err


@pytest.mark.parametrize(
    ("planned", "arguments", "code", "told"),
    [
        ("The evidence is not sufficient to answer.", [], 1, "The model says"),
        ("The evidence is not sufficient to answer.", ["--json"], 1, "llm_self_judge"),
        ("The greyhound of Jonas is called Biscuit [1].", ["--explain"], 0, "1 kept, 0 struck of 1"),
        ("The greyhound of Jonas is called Rex [1].", ["--explain"], 0, "struck, for the evidence does not say it (1)"),
    ],
)
def test_the_screens_of_a_model(
    home: Path,
    provider: Provider,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    planned: str,
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    provider.plan = [planned]
    capsys.readouterr()
    assert main([*command(home, provider)[3:], *arguments]) == code
    assert told in capsys.readouterr().out


def test_a_budget_that_is_too_small_is_one_line(
    home: Path, provider: Provider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    arguments = command(home, provider)[3:]
    assert main([*arguments[:2], "--set", "ask.prompt_tokens=50", *arguments[2:]]) == 2
    assert "error: ask.prompt_tokens is 50" in capsys.readouterr().err
