"""Our hooks in the settings of agents: put there, taken away; nothing else is touched, to the last byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory_assets.client_settings.errors import ClientConfigError
from memory_assets.hooks import installing, script
from memory_assets.hooks.agents import HOOKS_OF, agents_of_this_machine, settings_path
from memory_assets.hooks.entries import SCRIPT, commands_in, entries_of, is_our_command
from memory_assets.hooks.events import AGENTS, Agent
from memory_assets.hooks.folders import HookFolders
from memory_assets.hooks.installing import (
    commands_of,
    install,
    refresh_script,
    standing,
    uninstall,
    write_script,
)
from memory_assets_tests.filled_store import test_settings as settings_of

OTHERS = {"hooks": [{"type": "command", "command": "/opt/other/memory_hook_of_others.sh", "timeout": 3}]}
TEXTS: dict[str, bytes | None] = {
    "no file": None,
    "empty": b"",
    "blank": b" \n\n",
    "an object": b"{}",
    "an object with space": b"{ }\n\n",
    "no end of line": b'{"a": 1}',
    "other keys": b'{\n  "model" : "opus",\n  "unknown": [ null, {"deep": "\\u00e9", "n": 1.50} ]\n}\n',
    "others' hooks": json.dumps({"hooks": {"Stop": [OTHERS], "PreToolUse": [OTHERS]}, "z": 1}, indent=2).encode(),
    "others' hooks on one line": b'{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}],"SessionStart":[]}}',
    "empty hooks": b'{\r\n\t"hooks": { },\r\n\t"x":   "y"  }\r\n',
    "a mark of byte order": b'\xef\xbb\xbf{"x": "\xed\x95\x9c\xea\xb8\x80"}\n',
    "a key twice": b'{"hooks": {"Stop": 3}, "hooks": {"Stop": [ ]}}',
    "cursor's own": b'{\n    "version": 1,\n    "hooks": {"stop": [{"command": "hooks/audit.sh"}]}\n}',
}


@pytest.fixture
def folders(tmp_path: Path) -> HookFolders:
    return HookFolders(tmp_path / "store" / "hooks")


def commands(agent: Agent, folders: HookFolders) -> dict[str, str]:
    return commands_of(agent, folders, folders.root.parent)


def file_with(tmp_path: Path, content: bytes | None) -> Path:
    path = tmp_path / "agent" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o640)
    return path


def content_of(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("name", TEXTS)
def test_there_and_back_leaves_every_byte(agent: Agent, name: str, folders: HookFolders, tmp_path: Path) -> None:
    path = file_with(tmp_path, TEXTS[name])
    ours = commands(agent, folders)
    assert install(path, agent, ours, folders).did == "installed"
    there = json.loads(path.read_text(encoding="utf-8-sig"))
    assert set(HOOKS_OF[agent].events) <= set(there["hooks"]) and standing(path, agent, ours).as_now
    before = json.loads((TEXTS[name] or b"").decode("utf-8-sig").strip() or "{}")
    for event, entries in before.get("hooks", {}).items():
        assert there["hooks"][event][: len(entries)] == entries, "others come first and stay"
    assert {**there, "hooks": 0} == {**(HOOKS_OF[agent].root or {}), **before, "hooks": 0}
    written = path.read_bytes()
    again = install(path, agent, ours, folders)
    assert (again.did, again.written) == ("unchanged", False) and path.read_bytes() == written
    assert uninstall(path, agent, folders).did == "removed"
    assert content_of(path) == TEXTS[name]
    assert TEXTS[name] is None or path.stat().st_mode & 0o777 == 0o640
    assert uninstall(path, agent, folders).did == "absent" and content_of(path) == TEXTS[name]
    assert [one for one in path.parent.iterdir() if one != path] == [], "nothing is left beside it"
    assert [*folders.root.glob("installed/*")] == []


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(
    said=st.dictionaries(st.text(max_size=5).filter(lambda key: key != "hooks"), JSON_VALUES, max_size=4),
    hooks=st.none()
    | st.dictionaries(st.sampled_from(["Stop", "SessionStart", "PreToolUse"]), st.lists(st.just(OTHERS)), max_size=3),
    indent=st.sampled_from([None, 0, 2, 4, "\t"]),
    later=st.booleans(),
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_any_settings_come_back(said: dict[str, Any], hooks: Any, indent: Any, later: bool, tmp_path: Path) -> None:
    value = said if hooks is None else {**said, "hooks": hooks}
    content = json.dumps(value, indent=indent).encode()
    path, folders = file_with(tmp_path, content), HookFolders(tmp_path / "store" / "hooks")
    install(path, "claude-code", commands("claude-code", folders), folders)
    if later:  # the agent writes its settings anew, with something of its own
        path.write_text(json.dumps({**json.loads(path.read_text()), "added": 1}))
        uninstall(path, "claude-code", folders)
        assert json.loads(path.read_text()) == {**value, "added": 1}
    else:
        uninstall(path, "claude-code", folders)
        assert path.read_bytes() == content


@pytest.mark.parametrize("killed_in", ["install", "uninstall"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_kill_in_between_costs_no_byte(
    name: str, killed_in: str, folders: HookFolders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    path, ours = file_with(tmp_path, TEXTS[name]), commands("claude-code", folders)
    if killed_in == "uninstall":
        install(path, "claude-code", ours, folders)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        if killed_in == "install":
            patch.setattr(installing, "_write", killed)
            install(path, "claude-code", ours, folders)
        else:
            patch.setattr(installing._Record, "forget", killed)
            uninstall(path, "claude-code", folders)
    assert content_of(path) == TEXTS[name]
    install(path, "claude-code", ours, folders)
    uninstall(path, "claude-code", folders)
    assert content_of(path) == TEXTS[name]


def test_another_command_is_brought_up_to_date_and_the_first_words_are_kept(folders: HookFolders, tmp_path: Path) -> None:
    path = file_with(tmp_path, TEXTS["others' hooks"])
    old = {event: command.replace("-I -S", "-I") for event, command in commands("claude-code", folders).items()}
    install(path, "claude-code", {**old, "PostToolUse": old["Stop"]}, folders)
    found = standing(path, "claude-code", commands("claude-code", folders))
    assert found.installed and not found.as_now
    assert install(path, "claude-code", commands("claude-code", folders), folders).did == "updated"
    entries = json.loads(path.read_text())["hooks"]
    assert len(entries["Stop"]) == 2 and entries["PostToolUse"] == [] and entries["PreToolUse"] == [OTHERS]
    uninstall(path, "claude-code", folders)
    assert content_of(path) == TEXTS["others' hooks"]


def test_without_a_record_and_in_a_group_with_others_only_ours_go(folders: HookFolders, tmp_path: Path) -> None:
    mine = {"type": "command", "command": "/usr/local/bin/memory hook stop --agent claude-code"}
    group = {"matcher": "*", "hooks": [mine, OTHERS["hooks"][0]]}
    path = file_with(
        tmp_path, json.dumps({"hooks": {"Stop": [group, {"hooks": [mine]}], "SessionEnd": [{"hooks": [mine]}]}}).encode()
    )
    assert uninstall(path, "claude-code", folders).did == "removed"
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"matcher": "*", "hooks": OTHERS["hooks"]}]}}


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b"// a comment\n{}", b'{"hooks": []}', b'{"hooks": {"Stop": {}}}', b"\xff\xfe", b'{"a": NaN}', b"[" * 90_000],
)
def test_settings_that_are_not_understood_stay_as_they_are(content: bytes, folders: HookFolders, tmp_path: Path) -> None:
    path = file_with(tmp_path, content)
    with pytest.raises(ClientConfigError):
        install(path, "claude-code", commands("claude-code", folders), folders)
    with pytest.raises(ClientConfigError):
        uninstall(path, "claude-code", folders)
    assert path.read_bytes() == content and standing(path, "claude-code", {}).problem is not None


def test_a_file_that_may_not_be_written_and_a_trial_change_nothing(folders: HookFolders, tmp_path: Path) -> None:
    path = file_with(tmp_path, b"{}")
    trial = install(path, "gemini", commands("gemini", folders), folders, dry_run=True)
    assert (trial.did, trial.written) == ("installed", False) and path.read_bytes() == b"{}" and not folders.root.exists()
    path.chmod(0o400)
    with pytest.raises(ClientConfigError):
        install(path, "gemini", commands("gemini", folders), folders)
    assert path.read_bytes() == b"{}"
    path.chmod(0o600)
    install(path, "gemini", commands("gemini", folders), folders)
    text = path.read_bytes()
    assert uninstall(path, "gemini", folders, dry_run=True).did == "removed" and path.read_bytes() == text


def test_a_link_stays_a_link(folders: HookFolders, tmp_path: Path) -> None:
    real = file_with(tmp_path, b'{"x": 1}')
    link = tmp_path / "link.json"
    link.symlink_to(real)
    install(link, "codex", commands("codex", folders), folders)
    assert link.is_symlink() and "hooks" in json.loads(real.read_text())
    uninstall(link, "codex", folders)
    assert link.is_symlink() and real.read_bytes() == b'{"x": 1}'


@pytest.mark.parametrize("agent", AGENTS)
def test_the_commands_that_are_written_run(agent: Agent, tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "a store’s folder")
    folders = HookFolders(settings.hooks_folder)
    write_script(folders, settings, ["/nowhere/memory", "serve"])
    path = file_with(tmp_path, None)
    install(path, agent, commands_of(agent, folders, settings.home), folders)
    for event, entries in entries_of(path.read_text()).items():
        (entry,) = entries
        (command,) = commands_in(entry)
        assert is_our_command(command)
        payload = json.dumps({"session_id": "s", "cwd": "/srv/shop", "prompt": event, "text": "x"})
        done = subprocess.run(
            command["command"], shell=True, input=payload, capture_output=True, text=True, check=False, timeout=30
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", "")
    spooled = [json.loads(line) for line in (folders.spool / "calls.jsonl").read_text().split("\n") if line]
    assert {call["event"] for call in spooled} == set(HOOKS_OF[agent].events.values()) and {
        call["agent"] for call in spooled
    } == {agent}


def test_the_script_is_brought_up_to_date_with_the_package(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "store")
    folders = HookFolders(settings.hooks_folder)
    refresh_script(folders, settings)
    assert not folders.root.exists(), "what nobody installed is not put there"
    write_script(folders, settings, ["memory", "serve"])
    (folders.root / SCRIPT).write_text("old")
    (folders.root / script.SETTINGS).write_text('{"start": ["memory", "serve"], "deadline_seconds": 9}')
    refresh_script(folders, settings)
    assert (folders.root / SCRIPT).read_bytes() == Path(script.__file__).read_bytes()
    known = json.loads((folders.root / script.SETTINGS).read_text())
    assert known == {"deadline_seconds": 2.0, "on_demand": True, "start": ["memory", "serve"]}


def test_where_each_agent_looks(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    places = {
        agent: settings_path(agent, "user", home=home, project=project, environ={"CODEX_HOME": "/srv/codex"})
        for agent in AGENTS
    }
    assert places == {
        "claude-code": home / ".claude" / "settings.json",
        "codex": Path("/srv/codex/hooks.json"),
        "cursor": home / ".cursor" / "hooks.json",
        "gemini": home / ".gemini" / "settings.json",
    }
    assert settings_path("gemini", "project", home=home, project=project, environ={}) == project / ".gemini" / "settings.json"
    (home / ".cursor").mkdir(parents=True)
    assert agents_of_this_machine(home=home, environ={}) == ("cursor",)


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        (f"{sys.executable} -I -S /store/hooks/memory_hook.py stop --agent codex", True),
        ("'/a b/memory_hook.py' stop", True),
        ("memory hook stop", True),
        ("/opt/venv/bin/memory --home /x hook stop --agent codex", True),
        ('"C:\\venv\\memory.exe" hook stop', True),
        ("/opt/other_memory_hook.py stop", False),
        ("memory_hook.pyc stop", False),
        ("my-memory hook stop", False),
        ("memory search hooks", False),
        ("echo memory; other hook stop", False),
        ("MEMORY_HOME=/x memory hook stop", True),
        ("memory --set=a.b=c --home /x hook session-end", True),
        ("python3 ~/.claude/hooks/memory_hook.py save", False),
        ("notify-send 'low memory for the hook run'", False),
        ("/usr/local/bin/memory --trace hook x", False),
        ("memory search hook stop", False),
        ("echo remember memory git hook ran", False),
        ("cat /store/hooks/memory_hook.py stop", False),
        ("memory hook stop 'not closed", False),
    ],
)
def test_whose_a_command_is(command: str, ours: bool) -> None:
    assert is_our_command({"command": command}) is ours
    assert not is_our_command({"command": None}) and not is_our_command("memory hook stop")
