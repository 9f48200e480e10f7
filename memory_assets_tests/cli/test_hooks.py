"""`memory hook` and `memory hooks`: what a person and an agent see of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.hooks.events import AGENTS
from memory_assets.log.database import Database
from memory_assets.sessions.recalled import CLOSING, OPENING
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.sessions.texts import claude, jsonl


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with Claude Code and Gemini in it, and a project to stand in."""
    home = tmp_path / "home"
    for folder in (".claude", ".gemini"):
        (home / folder).mkdir(parents=True)
    (home / "shop").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.chdir(home / "shop")
    return home


def test_install_status_and_uninstall(memory: Run, person: Path, tmp_path: Path) -> None:
    store = ("--home", str(tmp_path / "store"))
    assert memory(*store, "hooks", "status").code == 1
    trial = memory(*store, "hooks", "install", "--dry-run")
    assert trial.code == 0 and "a trial" in trial.out and not (person / ".claude" / "settings.json").exists()
    assert not (tmp_path / "store").exists()
    done = json.loads(memory(*store, "hooks", "install", "--json").out)
    assert [(one["agent"], one["did"], one["written"]) for one in done] == [
        ("claude-code", "installed", True),
        ("gemini", "installed", True),
    ]
    found = json.loads(memory(*store, "hooks", "status", "--json").out)
    assert all(one["installed"] and one["as_now"] for one in found["agents"]) and found["spooled_bytes"] == 0
    start = json.loads((tmp_path / "store" / "hooks" / "script.json").read_text())["start"]
    assert start[-3:] == ["serve", "run", "--on-demand"] and Path(start[0]).is_absolute()
    assert "codex asks once" in memory(*store, "hooks", "install", "codex", "--config-path", str(person / "c.json")).out
    assert memory(*store, "hooks", "uninstall").code == 0
    assert [path.name for path in (person / ".claude").iterdir()] == []
    assert memory(*store, "hooks", "status", "claude-code", "gemini").code == 2, "one agent at a time"


def test_settings_that_are_no_json_are_an_error_and_stay(memory: Run, person: Path, tmp_path: Path) -> None:
    file = person / ".claude" / "settings.json"
    file.write_text("{ // mine\n}")
    for command in ("install", "uninstall"):
        ended = memory("--home", str(tmp_path / "store"), "hooks", command, "claude-code", "--json")
        error = json.loads(ended.err.strip().splitlines()[-1])
        assert ended.code == 2 and error["code"] == "config_invalid" and error["schema_version"] == "error.v1"
    assert file.read_text() == "{ // mine\n}"


def test_nobody_is_chosen_where_there_is_nobody(
    memory: Run,
    person: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    for words in (["hooks", "install"], ["hooks", "install", "--config-path", "x.json"], ["hooks", "off", "no-such-folder"]):
        assert memory("--home", str(tmp_path / "store"), *words).code == 2


@pytest.mark.long
def test_a_project_is_left_out_and_taken_in_again(memory: Run, person: Path, tmp_path: Path) -> None:
    store = ("--home", str(tmp_path / "store"))
    assert "left out" in memory(*store, "hooks", "off").out and "already" in memory(*store, "hooks", "off").out
    assert json.loads(memory(*store, "hooks", "status", "claude-code", "--json").out)["left_out"] == [str(person / "shop")]
    assert memory(*store, "hooks", "off", "--file", "--json").code == 0 and (person / "shop" / ".memoryignore").exists()
    assert "taken in again" in memory(*store, "hooks", "on").out and not (person / "shop" / ".memoryignore").exists()
    assert "was not left out" in memory(*store, "hooks", "on").out
    memory(*store, "hooks", "off", "--file", str(person))
    assert "a folder above it still is" in memory(*store, "hooks", "on").out


def test_the_command_that_agents_call_imports_nothing_of_the_command_line(tmp_path: Path) -> None:
    call = "import sys; from memory_assets.__main__ import main; sys.argv = ['memory', 'hook', 'stop']; main()"
    look = f"{call}; print(sorted(sys.modules))"
    environment = {**os.environ, "MEMORY_HOME": str(tmp_path / "store")}
    done = subprocess.run([sys.executable, "-c", look], input="{}", capture_output=True, text=True, check=True, env=environment)
    printed, modules = done.stdout.split("\n", 1)
    assert printed == "{}"
    assert not [name for name in ("typer", "pydantic", "rich", "duckdb", "memory_assets.settings") if f"'{name}'" in modules]


@pytest.mark.parametrize("agent", AGENTS)
def test_with_options_in_front_it_is_the_same(memory: Run, agent: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memory_assets", "--home", str(tmp_path / "store"), "hook", "stop", "--agent", agent]
    done = subprocess.run(command, input='{"session_id": "s"}', capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")
    (line,) = [line for line in (tmp_path / "store/hooks/spool/calls.jsonl").read_text().split("\n") if line]
    assert json.loads(line)["agent"] == agent


@pytest.mark.long
def test_what_the_memory_told_is_in_nothing_that_is_taken_in(memory: Run, tmp_path: Path) -> None:
    told = f"{OPENING}\nWhat holds:\n- mem:a7Bc3x decision, held: “We decided to paint the reactor turquoise.”\n{CLOSING}"
    output = json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": told}})
    call = {"type": "tool_use", "id": "t1", "name": "mcp__memory__search_memory", "input": {"query": "the reactor"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "│ We decided to paint the reactor turquoise."}
    file = tmp_path / "session.jsonl"
    file.write_bytes(
        jsonl(
            claude("attachment", "a0", None, attachment={"type": "hook_success", "content": told, "stdout": output}),
            claude("user", "u1", f"{told}\n\nWe decided to keep PostgreSQL 16 for orders."),
            claude("user", "u2", f"<system-reminder>\n{told}\n</system-reminder>", isMeta=True),
            claude("assistant", "a1", [call]),
            claude("user", "u3", [answer]),
            claude("assistant", "a2", [{"type": "text", "text": "Understood: PostgreSQL 16 stays."}]),
        )
    )
    assert memory("import", str(file)).code == 0
    store = tmp_path / "home" / "memory.duckdb"
    with Database(store.parent).reading() as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        rows = [str(row) for table in tables for row in connection.execute(f'SELECT * FROM "{table}"').fetchall()]
    assert any("PostgreSQL 16" in row for row in rows)
    assert [row for row in rows if "turquoise" in row or "memory-assets-context" in row] == []
    assert not memory("search", "paint the reactor turquoise", "--json").json["retrieval"]["known"]
