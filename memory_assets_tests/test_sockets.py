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
from memory_assets_tests.depth import depth
from memory_assets_tests.extraction.test_llm import Provider, body

pytestmark = pytest.mark.long

# Every way out of a process, the look-up of names among them. Local sockets of the system are none of it, nor is urllib3's
# question whether this machine has IPv6, asked when Dagster imports it: it binds a port of its own and reaches nobody.
GUARD = """
import json, os, socket, sys
allowed, told = None, []
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
for home, allowed, commands in json.loads(os.environ['GROUPS']):
    os.environ |= {'MEMORY_HOME': home, 'DAGSTER_HOME': ''}
    told.clear()
    codes = [main(arguments) for arguments in commands]
    print(json.dumps(['TOLD', codes, told]))
"""


Group = tuple[Path, list[list[str]], tuple[str, int] | None]
"""Commands on one store, and the address that they may reach."""
Told = tuple[list[int], list[Any]]
"""The exit codes of some commands, and every address that they wanted to reach."""


def guarded(*groups: Group) -> list[Told]:
    """What came of some groups of commands, all of them in one process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_") and name != "DAGSTER_HOME"}
    environment = kept | {
        "MEMORY_EMBEDDING_MODEL": "hashing",
        "GROUPS": json.dumps([(str(home), allowed, commands) for home, commands, allowed in groups]),
        "OPENAI_API_KEY": "test-key",
    }
    done = subprocess.run([sys.executable, "-c", GUARD], env=environment, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["TOLD"')]
    assert len(lines) == len(groups), done.stderr[-3000:]
    return [(codes, told) for _, codes, told in lines]


def without_a_model(folder: Path) -> Group:
    """Every command that needs no model."""
    file = chat(folder / "inbox", "offline", talk(1))
    commands = [
        ["init", "--json"],
        ["import", str(file), "--json"],
        *depth([], [["sessions", "add", str(chat(folder / "inbox", "added", talk(2))), "--json"], ["run", "--all", "--json"]]),
        ["search", "PostgreSQL", "--mode", "hybrid", "--json"],
        ["search", "캐시", "--mode", "lexical", "--json"],
        ["entries", "list", "--json"],
        ["rebuild", "--verify", "--json"],
        ["stats", "--json"],
    ]
    return folder / "home", commands, None


def with_a_model_elsewhere(folder: Path) -> Group:
    """A model at an address that is not allowed."""
    file = chat(folder / "inbox", "asking", talk(1))
    model = ["--set", "extraction.model=openai/tiny", "--set", "extraction.api_base=http://127.0.0.1:9/v1"]
    return folder / "home", [[*model, "--set", "extraction.max_retries=0", "import", str(file), "--json"]], None


def with_a_model(folder: Path, provider: Provider) -> Group:
    """A model that is configured and allowed."""
    turns = talk(1)
    quote = {"message_index": 0, "quote": turns[0]}
    entry = {"type": "decision", "title": "Keep PostgreSQL", "evidence": [quote], "reason": None, "status": None,
             "priority": None, "blocked_by": []}  # fmt: skip
    provider.plan = [body(entry)]
    file = chat(folder / "inbox", "modelled", turns)
    model = ["--set", "extraction.model=openai/tiny", "--set", f"extraction.api_base={provider.base}"]
    asked = ["--set", "ask.model=openai/tiny", "--set", f"ask.api_base={provider.base}"]
    commands = [
        [*model, "import", str(file), "--json"],
        *depth([], [[*model, "run", "--all", "--json"]]),
        [*model, "rebuild", "--verify", "--json"],
        [*asked, "ask", turns[0], "--mode", "lexical", "--json"],
    ]
    return folder / "home", commands, address_of(provider)


def address_of(provider: Provider) -> tuple[str, int]:
    host, port = provider.server.server_address[:2]
    return str(host), int(port)


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.server.shutdown()
    provider.server.server_close()


@pytest.fixture(scope="module")
def told_of(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> list[Told]:
    """What came of each group: a process of its own for each would be half of what the tests cost."""
    folders = [tmp_path_factory.mktemp(name) for name in ("without", "elsewhere", "with")]
    return guarded(without_a_model(folders[0]), with_a_model_elsewhere(folders[1]), with_a_model(folders[2], provider))


@pytest.mark.deep
def test_nothing_is_reached(told_of: list[Told]) -> None:
    codes, told = told_of[0]
    assert told == []
    assert len(codes) == depth(7, 9) and set(codes) == {0}


@pytest.mark.deep
def test_the_guard_sees_what_is_reached(told_of: list[Told]) -> None:
    # The session is put aside, and the guard was asked.
    codes, told = told_of[1]
    assert codes == [1]
    assert told and {address for _, address in told} <= {"('127.0.0.1', 9)", "127.0.0.1"}


@pytest.mark.deep
def test_the_model_alone_is_reached_and_paid_once(told_of: list[Told], provider: Provider) -> None:
    codes, told = told_of[2]
    host, port = address_of(provider)
    assert codes == [0] * depth(3, 4)
    assert {address for _, address in told} <= {f"('{host}', {port})", host}
    assert len(provider.requests) == 2 and provider.requests[1]["stream"]  # a window, and a question
