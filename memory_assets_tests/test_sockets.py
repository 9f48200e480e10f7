"""No command opens a socket other than to the model that the user configured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.extraction.test_llm import Provider, body

# Every way out of a process, the look-up of names among them. Local sockets of the system are none of it, nor is urllib3's
# question whether this machine has IPv6, asked when Dagster imports it: it binds a port of its own and reaches nobody.
GUARD = """
import json, os, socket, sys
allowed = json.loads(os.environ['ALLOWED'])
told = []
def guarded(name):
    inner = getattr(socket.socket, name)
    def method(self, *arguments):
        address = arguments[-1] if name == 'sendto' else arguments[0]
        if self.family != socket.AF_UNIX and (name, address[:2]) != ('bind', ('::1', 0)):
            told.append([name, str(address)])
            if list(address[:2]) != allowed:
                raise OSError(f'no socket may be opened to {address}')
        return inner(self, *arguments)
    setattr(socket.socket, name, method)
for name in ('connect', 'connect_ex', 'bind', 'sendto'):
    guarded(name)
look_up = socket.getaddrinfo
def getaddrinfo(host, port, *rest, **further):
    told.append(['getaddrinfo', str(host)])
    if allowed is None or host != allowed[0]:
        raise OSError(f'no name may be looked up: {host}')
    return look_up(host, port, *rest, **further)
socket.getaddrinfo = getaddrinfo
from memory_assets.cli.main import main
from memory_assets.defs import batch
batch.OUTAGE_SECONDS = 0.1
for arguments in json.loads(os.environ['COMMANDS']):
    print(json.dumps(['CODE', main(arguments)]))
print(json.dumps(['TOLD', told]))
"""


def guarded(home: Path, commands: list[list[str]], allowed: tuple[str, int] | None = None) -> tuple[list[int], list[Any]]:
    """The exit codes of some commands in one process, and every address that they wanted to reach."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_") and name != "DAGSTER_HOME"}
    environment = kept | {
        "MEMORY_HOME": str(home),
        "MEMORY_EMBEDDING_MODEL": "hashing",
        "COMMANDS": json.dumps(commands),
        "ALLOWED": json.dumps(allowed),
        "OPENAI_API_KEY": "test-key",
    }
    done = subprocess.run([sys.executable, "-c", GUARD], env=environment, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(('["CODE"', '["TOLD"'))]
    assert lines and lines[-1][0] == "TOLD", done.stderr[-3000:]
    return [code for kind, code in lines[:-1] if kind == "CODE"], lines[-1][1]


def test_nothing_is_reached(tmp_path: Path) -> None:
    file = chat(tmp_path / "inbox", "offline", talk(1))
    commands = [
        ["init", "--json"],
        ["import", str(file), "--json"],
        ["sessions", "add", str(chat(tmp_path / "inbox", "added", talk(2))), "--json"],
        ["run", "--all", "--json"],
        ["search", "PostgreSQL", "--mode", "hybrid", "--json"],
        ["search", "캐시", "--mode", "lexical", "--json"],
        ["entries", "list", "--json"],
        ["rebuild", "--verify", "--json"],
        ["stats", "--json"],
    ]
    codes, told = guarded(tmp_path / "home", commands)
    assert told == []
    assert codes == [0] * len(commands)


def test_the_guard_sees_what_is_reached(tmp_path: Path) -> None:
    # A model at an address that is not allowed: the session is put aside, and the guard was asked.
    file = chat(tmp_path / "inbox", "asking", talk(1))
    model = ["--set", "extraction.model=openai/tiny", "--set", "extraction.api_base=http://127.0.0.1:9/v1"]
    codes, told = guarded(tmp_path / "home", [[*model, "--set", "extraction.max_retries=0", "import", str(file), "--json"]])
    assert codes == [1]
    assert told and {address for _, address in told} <= {"('127.0.0.1', 9)", "127.0.0.1"}


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.server.shutdown()
    provider.server.server_close()


def test_the_model_alone_is_reached_and_paid_once(tmp_path: Path, provider: Provider) -> None:
    turns = talk(1)
    quote = {"message_index": 0, "quote": turns[0]}
    entry = {"type": "decision", "title": "Keep PostgreSQL", "evidence": [quote], "reason": None, "status": None,
             "priority": None, "blocked_by": []}  # fmt: skip
    provider.plan = [body(entry)]
    file = chat(tmp_path / "inbox", "modelled", turns)
    model = ["--set", "extraction.model=openai/tiny", "--set", f"extraction.api_base={provider.base}"]
    commands = [
        [*model, "import", str(file), "--json"],
        [*model, "run", "--all", "--json"],
        [*model, "rebuild", "--verify", "--json"],
    ]
    host, port = provider.server.server_address[:2]
    codes, told = guarded(tmp_path / "home", commands, allowed=(str(host), int(port)))
    assert codes == [0, 0, 0]
    assert {address for _, address in told} <= {f"('{host}', {port})", str(host)}
    assert len(provider.requests) == 1
