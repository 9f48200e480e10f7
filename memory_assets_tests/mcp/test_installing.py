"""The server in the settings of clients: put there, found there, taken away; nothing else is touched."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_assets.client_settings.errors import ClientConfigError
from memory_assets.errors import InvalidArgumentError
from memory_assets.mcp.client_files import settings_files
from memory_assets.mcp.installing import ServerCommand, install, is_ours, standing, uninstall
from memory_assets_tests.cli.conftest import Ended, Run, memory  # noqa: F401
from memory_assets_tests.mcp.raw import HELLO, INITIALIZED

COMMAND = ServerCommand("/opt/venv/bin/memory", ("mcp", "serve"), {"MEMORY_HOME": "/srv/store"})
ENTRY = {"command": "/opt/venv/bin/memory", "args": ["mcp", "serve"], "env": {"MEMORY_HOME": "/srv/store"}}
DESKTOP = """{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {"command": "npx", "args": ["-y", "server-filesystem", "/한글 폴더"]}
  },
  "scale": 1.50,
  "unknown": [null, {"deep": "\\u00e9"}]
}
"""
CODE = {"numStartups": 7, "projects": {"/srv/shop": {"mcpServers": {"x": {}}, "history": []}}, "mcpServers": {}, "userID": "u"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "claude_desktop_config.json"
    path.write_text(DESKTOP, encoding="utf-8")
    path.chmod(0o640)
    return path


def test_there_again_and_back(file: Path) -> None:
    before = os.umask(0o077)  # as the command has it
    try:
        change = install(file, "memory", COMMAND)
    finally:
        os.umask(before)
    assert (change.did, change.written) == ("installed", True)
    assert change.backup is not None and change.backup.read_text(encoding="utf-8") == DESKTOP
    assert stat.S_IMODE(change.backup.stat().st_mode) == stat.S_IMODE(file.stat().st_mode) == 0o640
    text = file.read_text(encoding="utf-8")
    assert json.loads(text)["mcpServers"]["memory"] == ENTRY
    # Every line of the file as it was is there, character for character; one has a comma behind it now.
    assert all(line in text for line in DESKTOP.splitlines())
    again = install(file, "memory", COMMAND)
    assert (again.did, again.written, again.backup) == ("unchanged", False, None) and file.read_text(encoding="utf-8") == text
    assert standing(file, "memory", COMMAND).same_command
    assert uninstall(file, "memory").did == "removed" and file.read_text(encoding="utf-8") == DESKTOP
    assert uninstall(file, "memory").did == "absent"
    assert not [path for path in file.parent.iterdir() if path.name.startswith(".")]


def test_another_command_is_brought_up_to_date_and_what_a_person_added_stays(file: Path) -> None:
    install(file, "memory", COMMAND)
    value = json.loads(file.read_text(encoding="utf-8"))
    value["mcpServers"]["memory"] |= {"alwaysAllow": ["stats"], "env": {"MEMORY_HOME": "/srv/store", "MEMORY_DEBUG": "1"}}
    file.write_text(json.dumps(value, indent=2), encoding="utf-8")
    new = ServerCommand("/new/bin/memory", ("mcp", "serve", "--allow-write"))
    assert not standing(file, "memory", new).same_command and standing(file, "memory", new).installed
    assert install(file, "memory", new).did == "updated"
    assert json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["memory"] == {
        "command": "/new/bin/memory",
        "args": ["mcp", "serve", "--allow-write"],
        "env": {"MEMORY_DEBUG": "1"},
        "alwaysAllow": ["stats"],
    }


def test_somebody_elses_server_of_that_name_stays(file: Path) -> None:
    theirs = json.dumps({"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}}})
    file.write_text(theirs)
    for change in (lambda: install(file, "memory", COMMAND), lambda: uninstall(file, "memory")):
        with pytest.raises(ClientConfigError, match="not this one"):
            change()
    assert file.read_text() == theirs and standing(file, "memory", COMMAND).foreign
    assert install(file, "recall", COMMAND).did == "installed"


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"mcpServers": []}',
        b'{"mcpServers": null}',
        b'{"mcpServers": {"memory": 7}}',
        b"\xff\xfe{}",
        b'{"a": 1} // x',
        b"[" * 100_000,
    ],
)
def test_what_cannot_be_understood_is_not_touched(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    for change in (lambda: install(file, "memory", COMMAND), lambda: uninstall(file, "memory")):
        with pytest.raises(ClientConfigError) as raised:
            change()
        assert raised.value.hint and str(file) in str(raised.value)
    assert file.read_bytes() == content and list(file.parent.iterdir()) == [file]
    assert standing(file, "memory", COMMAND).problem


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_file_that_is_missing_or_empty_is_made(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "deep" / "Claude" / "config.json"
    if content is not None:
        path.parent.mkdir(parents=True)
        path.write_text(content)
    assert install(path, "memory", COMMAND, dry_run=True).did == "installed"
    assert path.exists() == (content is not None)
    assert install(path, "memory", COMMAND).written
    assert json.loads(path.read_text()) == {"mcpServers": {"memory": ENTRY}}


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x1b[31m"])
def test_a_name_that_nobody_can_read_is_refused(file: Path, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="name"):
        install(file, name, COMMAND)
    assert file.read_text(encoding="utf-8") == DESKTOP


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "config.json"
    link.parent.mkdir()
    link.symlink_to(file)
    change = install(link, "memory", COMMAND)
    assert link.is_symlink() and json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["memory"] == ENTRY
    assert change.backup is not None and change.backup.parent == file.parent


def test_a_file_that_is_closed_to_its_owner_is_not_written_over(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(ClientConfigError, match="may not be written"):
        install(file, "memory", COMMAND)
    assert file.read_text(encoding="utf-8") == DESKTOP and list(file.parent.iterdir()) == [file]
    assert install(file, "memory", COMMAND, dry_run=True).did == "installed"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_cannot_be_written(file: Path) -> None:
    file.parent.chmod(0o500)
    try:
        with pytest.raises(ClientConfigError, match="cannot be written"):
            install(file, "memory", COMMAND)
    finally:
        file.parent.chmod(0o700)


def test_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ClientConfigError, match="cannot be read"):
        install(tmp_path, "memory", COMMAND)


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        (ENTRY, True),
        ({"command": "C:\\Python\\Scripts\\memory.exe", "args": ["mcp", "serve"]}, True),
        ({"command": "/usr/bin/python3", "args": ["-m", "memory_assets", "mcp", "serve"]}, True),
        ({"command": "npx", "args": ["mcp"]}, False),
        ({"command": "memory", "args": "mcp"}, False),
        ({"type": "http", "url": "https://example.org/mcp"}, False),
    ],
)
def test_ours_is_known_by_what_it_starts(entry: dict[str, Any], ours: bool) -> None:
    assert is_ours(entry) is ours


def test_where_clients_keep_it(tmp_path: Path) -> None:
    def files(client: Any, scope: Any, platform: str, **environ: str) -> list[str]:
        found = settings_files(client, scope, platform=platform, home=tmp_path, folder=tmp_path / "shop", environ=environ)
        return [path.relative_to(tmp_path).as_posix() for path in found]

    name = "claude_desktop_config.json"
    assert files("claude-desktop", "user", "darwin") == [f"Library/Application Support/Claude/{name}"]
    assert files("claude-desktop", "user", "win32", APPDATA=str(tmp_path / "Roaming")) == [f"Roaming/Claude/{name}"]
    assert files("claude-desktop", "user", "linux") == [f".config/Claude/{name}"]
    (tmp_path / ".config" / "claude").mkdir(parents=True)
    assert files("claude-desktop", "user", "linux") == [f".config/Claude/{name}", f".config/claude/{name}"]
    assert files("claude-code", "user", "linux") == [".claude.json"]
    assert files("claude-code", "user", "linux", CLAUDE_CONFIG_DIR=str(tmp_path / "other")) == ["other/.claude.json"]
    assert files("claude-code", "project", "linux") == ["shop/.mcp.json"]
    with pytest.raises(InvalidArgumentError):
        files("claude-desktop", "project", "linux")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home folder, and the store in a folder of its own."""
    for name in os.environ:
        if name.startswith(("MEMORY_", "XDG_", "CLAUDE_")):
            monkeypatch.delenv(name)
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.chdir(home)
    return home


def done(ended: Ended) -> list[dict[str, Any]]:
    assert ended.code == 0, ended
    value: list[dict[str, Any]] = ended.json
    return value


def test_the_commands(memory: Run, user: Path) -> None:  # noqa: F811
    settings = user / ".claude.json"
    settings.write_text(json.dumps(CODE, indent=2))
    assert memory("mcp", "status").code == 1
    (trial,) = done(memory("mcp", "install", "--client", "claude-code", "--dry-run", "--json"))
    assert trial["did"] == "installed" and not trial["written"] and json.loads(settings.read_text()) == CODE
    (change,) = done(memory("mcp", "install", "--client", "claude-code", "--json"))
    entry = change["entry"]
    assert Path(entry["command"]).is_absolute() and entry["args"][-2:] == ["mcp", "serve"]
    assert entry["env"] == {"MEMORY_HOME": os.environ["MEMORY_HOME"]}
    assert json.loads(settings.read_text()) == CODE | {"mcpServers": {"memory": entry}}
    assert list(json.loads(settings.read_text())) == list(CODE)
    stands = done(memory("mcp", "status", "--json"))
    assert [(Path(one["path"]).name, one["installed"], one["same_command"]) for one in stands] == [
        ("claude_desktop_config.json", False, False),
        (".claude.json", True, True),
        (".mcp.json", False, False),
    ]
    assert "installed" in memory("mcp", "status").out
    assert "removed from" in memory("mcp", "uninstall", "--client", "claude-code").out
    assert json.loads(settings.read_text()) == CODE and memory("mcp", "status").code == 1
    ended = memory("mcp", "install", "--client", "claude-desktop", "--scope", "project")
    assert ended.code == 2 and ended.err.startswith("error: claude-desktop has no servers of a project")


@pytest.mark.long
def test_what_is_installed_starts_and_serves_the_store_it_was_installed_for(memory: Run, user: Path, tmp_path: Path) -> None:  # noqa: F811
    home = tmp_path / "한글 store"
    path = tmp_path / "config.json"
    flags = ("--home", str(home), "--set", "embedding.model=hashing")
    memory(*flags, "mcp", "install", "--config-path", str(path), "--server-name", "기억", "--allow-write")
    entry = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["기억"]
    asked = [
        HELLO,
        INITIALIZED,
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "stats"}},
    ]
    # A client's environment: what the entry says, and little else.
    environment = {"PATH": os.environ["PATH"], "HOME": str(user), **entry["env"]}
    process = subprocess.Popen(
        [entry["command"], *entry["args"]], env=environment, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin and process.stdout
    process.stdin.write("".join(json.dumps(message) + "\n" for message in asked))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(3)]
    process.communicate(timeout=20)
    assert answers[0]["result"]["protocolVersion"] == HELLO["params"]["protocolVersion"]
    assert "feedback" in [tool["name"] for tool in answers[1]["result"]["tools"]]
    assert "error" not in answers[2] and (home / "memory.duckdb").exists()


@pytest.mark.long
def test_alone_it_serves_a_client_and_helps_a_person(user: Path) -> None:
    ended = subprocess.run([sys.executable, "-m", "memory_assets", "mcp"], input="", capture_output=True, text=True, timeout=30)
    assert (ended.returncode, ended.stdout) == (0, "")
    leader, follower = os.openpty()
    ended = subprocess.run(
        [sys.executable, "-m", "memory_assets", "mcp"], stdin=follower, capture_output=True, text=True, timeout=30
    )
    os.close(leader)
    os.close(follower)
    assert "Usage: memory mcp" in ended.stdout and "install" in ended.stdout
