"""`memory prompts`: whatever changes a prompt needs a terminal, a real one here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memory_assets.results.schema_files import FOLDER
from memory_assets_tests.cli.conftest import Ended, Run
from memory_assets_tests.cli.test_printed import closed
from memory_assets_tests.depth import cases

FIRST, SECOND = "You write code.\n", "You write code.\nYou test \x07it."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "first.md").write_text(FIRST)
    (folder / "second.md").write_text("You write code.\nYou test it.")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def on_a_terminal(memory: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, with a terminal to read from."""

    def run(*arguments: str) -> Ended:
        outer, inner = os.openpty()
        try:
            with open(inner, closefd=False) as terminal, monkeypatch.context() as patch:
                patch.setattr(sys, "stdin", terminal)
                return memory(*arguments)
        finally:
            os.close(inner)
            os.close(outer)

    return run


def as_a_person_starts_it(*arguments: str, folder: Path) -> Ended:
    """The command in a process of its own, with a terminal to read from."""
    outer, inner = os.openpty()
    tree = Path(__file__).resolve().parents[2]
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "memory_assets", *arguments],
            stdin=inner,
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(tree)},
            timeout=120,
        )
    finally:
        os.close(inner)
        os.close(outer)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def valid(value: Any, name: str) -> Any:
    jsonschema.validate(value, closed(json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))))
    return value


@pytest.mark.long
def test_the_road_of_a_prompt(memory: Run, on_a_terminal: Run, project: Path) -> None:
    assert "memory prompts register" in memory("prompts").out
    register = ("prompts", "register", "coder", "--file", "first.md", "--by", "kim", "--json")
    first = valid(on_a_terminal(*register).json, "role_prompt")
    assert (first["version"], first["prompt"], first["versions"][0]["cause"]) == (1, "You write code.", "seed")
    propose = ("prompts", "propose", "coder", "--file", "second.md", "--reason", "it guessed", "--by", "lee")
    # Whoever has no terminal is held to what programs are held to: lessons that are enough.
    refused = memory(*propose, "--json")
    assert refused.code == 2 and "rests on lessons of 2 cases" in json.loads(refused.err)["message"]
    made = valid(on_a_terminal(*propose, "--json").json, "prompt_update")
    assert made["proposed_by"] == "lee"
    update, begin = made["update_id"], made["update_id"][:12]
    assert (made["status"], made["lessons"]) == ("proposed", [])
    shown = memory("prompts", "diff", begin)
    assert shown.code == 0 and "\n+You test it.\n" in shown.out
    assert [one["update_id"] for one in valid(memory("prompts", "proposals", "--json").json, "prompt_update_list")] == [update]
    assert "it guessed" in memory("prompts", "proposals", "--role", "coder").out

    approved = as_a_person_starts_it("prompts", "approve", begin, "--by", "민아", "--note", "good", "--json", folder=project)
    assert approved.code == 0 and valid(approved.json, "prompt_update")["reviewed_by"] == "민아", approved
    again = on_a_terminal("prompts", "approve", begin, "--by", "민아", "--json")
    error = valid(json.loads(again.err), "error")
    assert again.code == 2 and error["code"] == "not_possible" and update in error["message"] and error["hint"]
    applied = on_a_terminal("prompts", "apply", begin, "--write", "CLAUDE.md", "--json")
    assert applied.code == 0 and applied.json["applied_version"] == 2, applied
    assert applied.json["written_to"] == str((project / "CLAUDE.md").resolve())
    assert "\nYou test it.\n<!-- /memory_assets:prompt -->" in (project / "CLAUDE.md").read_text()
    (listed,) = valid(memory("prompts", "list", "--json").json, "role_prompt_list")
    assert (listed["version"], listed["open_updates"]) == (2, 0)
    assert "version 2" in memory("prompts").out

    (project / "CLAUDE.md").write_text((project / "CLAUDE.md").read_text().replace("You test it.", "You test all of it."))
    back = on_a_terminal("prompts", "rollback", "coder", "--to", "1", "--write", "CLAUDE.md")
    assert back.code == 2 and "changed by hand" in back.err and "hint:" in back.err
    back = on_a_terminal("prompts", "rollback", "coder", "--to", "1", "--json")
    assert back.code == 0 and valid(back.json, "role_prompt")["version"] == 3
    written = on_a_terminal("prompts", "write", "coder", "AGENTS.md")
    assert written.code == 0 and "version=3" in (project / "AGENTS.md").read_text()
    shown = memory("prompts", "show", "coder", "--version", "2")
    assert "You test it." in shown.out and "version 1 again" in shown.out


NEEDS_A_PERSON = (
    ("approve", "pup_1", "--by", "kim"),
    ("reject", "pup_1", "--by", "kim"),
    ("apply", "pup_1"),
    ("rollback", "coder", "--to", "1"),
    ("write", "coder", "CLAUDE.md"),
    ("register", "planner", "--file", "first.md"),
)


@pytest.mark.parametrize("arguments", NEEDS_A_PERSON)
def test_without_a_terminal_nothing_is_approved(
    memory: Run, project: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str]
) -> None:
    """Neither a pipe nor nothing at all is one, and there is no option that stands for one."""
    reading, writing = os.pipe()
    os.write(writing, b"yes\n")
    os.close(writing)
    with os.fdopen(reading) as pipe:
        for given in (pipe, None):
            monkeypatch.setattr(sys, "stdin", given)
            ended = memory("prompts", *arguments, "--json")
            error = valid(json.loads(ended.err), "error")
            assert (ended.code, ended.out, error["code"]) == (2, "", "terminal_needed")
            assert "there is no option" in error["hint"]
        for option in ("--yes", "--force"):
            assert memory("prompts", *arguments, option, "--json").code == 2


@pytest.mark.parametrize("arguments", cases([], [(arguments,) for arguments in NEEDS_A_PERSON]))
def test_a_process_without_a_terminal_approves_nothing(project: Path, arguments: Sequence[str]) -> None:
    command = [sys.executable, "-m", "memory_assets", "prompts", *arguments, "--json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    piped = subprocess.run(command, input="yes\n", capture_output=True, text=True, env=environment, timeout=120)
    closed_stdin = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command], capture_output=True, text=True, env=environment, timeout=120
    )
    for ended in (piped, closed_stdin):
        error = valid(json.loads(ended.stderr), "error")
        assert (ended.returncode, ended.stdout, error["code"]) == (2, "", "terminal_needed")
        assert "there is no option" in error["hint"]


def test_what_is_wrong_is_named(memory: Run, on_a_terminal: Run, project: Path) -> None:
    assert on_a_terminal("prompts", "register", "coder", "--file", "first.md").code == 0
    (project / "bell.md").write_text(SECOND)
    (project / "empty.md").write_text("\n")
    (project / "bad.md").write_bytes(b"\xff")
    reason = ("--reason", "r")
    for arguments, code, says in (
        (("show", "nobody"), "not_found", "memory prompts register"),
        (("show", "coder", "--version", "4"), "not_found", "no version 4"),
        (("diff", "pup_nothing"), "not_found", "pup_nothing"),
        (("proposals", "--status", "lost"), "invalid_argument", "lost"),
        (("propose", "nobody", "--file", "first.md", *reason), "not_found", "nobody"),
        (("propose", "coder", "--file", "second.md", "--lesson", "les_1", *reason), "not_found", "les_1"),
        (("propose", "coder", "--file", "bell.md", *reason), "invalid_argument", "U+0007 in line 2"),
        (("propose", "coder", "--file", "empty.md", *reason), "invalid_argument", "empty"),
        (("propose", "coder", "--file", "bad.md", *reason), "invalid_argument", "UTF-8"),
        (("propose", "coder", "--file", "none.md", *reason), "invalid_argument", "none.md"),
    ):
        ended = memory("prompts", *arguments, "--json")
        error = json.loads(ended.err)
        assert (ended.code, error["code"]) == (2, code), ended
        assert says in error["message"] + error["hint"] and error["hint"], error
    for arguments, says in (
        (("propose", "coder", "--file", "first.md", *reason), "as it is"),
        (("register", "coder", "--file", "first.md"), "has a prompt"),
    ):
        ended = on_a_terminal("prompts", *arguments, "--json")
        error = json.loads(ended.err)
        assert (ended.code, error["code"]) == (2, "not_possible") and says in error["message"], ended
