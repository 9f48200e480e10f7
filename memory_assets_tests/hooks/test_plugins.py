"""The files of the plugins say what `memory hooks install` writes, with the plugin's own copy of the script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_assets import __version__
from memory_assets.cli.main import app
from memory_assets.hooks import script
from memory_assets.hooks.agents import HOOKS_OF
from memory_assets.hooks.entries import commands_in, is_our_command
from memory_assets.hooks.events import AGENTS, Agent

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ROOT / "plugins"
FILES: dict[Agent, str] = {
    "claude-code": "claude-code/hooks/hooks.json",
    "gemini": "gemini/hooks/hooks.json",
    "codex": "codex/hooks.json",
    "cursor": "cursor/hooks.json",
}
WITH_A_SCRIPT = {"claude-code": "CLAUDE_PLUGIN_ROOT", "gemini": "extensionPath"}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_plugin_has_the_events_and_the_shape_that_are_installed(agent: Agent) -> None:
    found, hooks = read(PLUGINS / FILES[agent]), HOOKS_OF[agent]
    said = {name: commands_in(entries[0])[0]["command"] for name, entries in found["hooks"].items()}
    assert found == {**(hooks.root or {}), "hooks": {name: [hooks.entry(command)] for name, command in said.items()}}
    assert {name: command.split(" --agent ")[0].split()[-1] for name, command in said.items()} == dict(hooks.events)
    assert all(is_our_command({"command": command}) and command.endswith(f" --agent {agent}") for command in said.values())


@pytest.mark.parametrize("agent", WITH_A_SCRIPT)
def test_the_command_of_a_plugin_runs_the_copy_of_the_script(agent: Agent, tmp_path: Path) -> None:
    folder = (PLUGINS / FILES[agent]).parents[1]
    assert (folder / "hooks" / "memory_hook.py").read_bytes() == Path(script.__file__).read_bytes()
    link = tmp_path / "a folder" / "python3"
    link.parent.mkdir()
    link.symlink_to(sys.executable)
    environment = {**os.environ, "MEMORY_HOME": str(tmp_path / "store"), "PATH": str(link.parent)}
    entries = read(PLUGINS / FILES[agent])["hooks"][next(iter(HOOKS_OF[agent].events))]
    command = commands_in(entries[0])[0]["command"].replace(f"${{{WITH_A_SCRIPT[agent]}}}", str(folder))
    done = subprocess.run(
        command, shell=True, input='{"session_id": "s"}', capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")
    assert (tmp_path / "store" / "hooks" / "spool" / "calls.jsonl").exists()


def test_the_marketplace_leads_to_the_plugin() -> None:
    market = read(ROOT / ".claude-plugin" / "marketplace.json")
    (listed,) = market["plugins"]
    plugin = read(ROOT / listed["source"] / ".claude-plugin" / "plugin.json")
    assert market["name"] and market["owner"]["name"]
    assert listed["name"] == plugin["name"] and listed["description"] == plugin["description"]
    assert plugin["version"] == read(PLUGINS / "gemini" / "gemini-extension.json")["version"] == __version__


@pytest.mark.parametrize("path", ["claude-code/.mcp.json", "gemini/gemini-extension.json"])
def test_a_plugin_brings_the_server_that_agents_ask(path: str) -> None:
    server = read(PLUGINS / path)["mcpServers"]["memory"]
    assert server["command"] == "memory"
    group, name = server["args"]
    (commands,) = [one.typer_instance for one in app.registered_groups if one.name == group]
    assert commands is not None and name in {command.name for command in commands.registered_commands}
