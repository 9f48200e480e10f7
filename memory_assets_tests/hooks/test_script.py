"""The installed script: whatever is sent to it and whatever the server does, it ends soon, with 0 and one JSON object."""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from memory_assets.hooks import script
from memory_assets.hooks.folders import HookFolders
from memory_assets.hooks.journal import journal_sessions
from memory_assets.hooks.taking import sources_to_take
from memory_assets_tests.filled_store import fill
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.hooks.stand_in import TOKEN

PROMPT = {"session_id": "s-1", "transcript_path": "/srv/none.jsonl", "cwd": "/srv/shop"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "store"
    (home / "hooks").mkdir(parents=True)
    settings_file(home, on_demand=False, deadline_seconds=1.0)
    return home


def settings_file(home: Path, **settings: Any) -> None:
    (home / "hooks" / script.SETTINGS).write_text(json.dumps(settings))


def run(home: Path, event: str, given: object, *, agent: str = "claude-code", **environment: str) -> dict[str, Any]:
    """What a call prints; it must end with 0, and say nothing on stderr."""
    done = started(home, event, agent, given if isinstance(given, bytes) else json.dumps(given).encode(), environment)
    assert done.returncode == 0 and done.stderr == b"", done
    printed = json.loads(done.stdout)
    assert isinstance(printed, dict) and done.stdout.count(b"\n") == 1
    return printed


def started(
    home: Path, event: str, agent: str, given: bytes, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", "-S", script.__file__, event, "--agent", agent, "--home", str(home)]
    return subprocess.run(
        command, input=given, capture_output=True, check=False, timeout=30, env={**os.environ, **(environment or {})}
    )


def spooled(home: Path) -> list[dict[str, Any]]:
    spool = home / "hooks" / "spool" / "calls.jsonl"
    return [json.loads(line) for line in spool.read_bytes().split(b"\n") if line] if spool.exists() else []


def prompts(home: Path) -> list[str]:
    sources_to_take(settings_of(home))
    return sorted(line.prompt for one in journal_sessions(HookFolders(home / "hooks")) for line in one.prompts)


@contextmanager
def server_that(home: Path, behave: Callable[[socket.socket], None]) -> Iterator[None]:
    """A server on loopback that does so with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        (home / "server").mkdir()
        (home / "server" / "token").write_text(TOKEN)
        place = {"pid": os.getpid(), "port": listening.getsockname()[1]}
        (home / "server" / "server.json").write_text(json.dumps(place))

        def accept() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=behave, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield


def test_it_stands_on_the_standard_library_alone() -> None:
    tree = ast.parse(Path(script.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported and imported <= {*sys.stdlib_module_names}
    assert not {"urllib", "http", "asyncio", "threading", "typing"} & imported, "they cost more than the call"


def test_it_finds_the_folder_that_the_package_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in ("", "/srv/data"):
        monkeypatch.setenv("XDG_DATA_HOME", data)
        assert script._default_home() == platformdirs.user_data_dir("memory_assets", appauthor=False)


def test_without_a_server_what_is_typed_goes_into_the_spool(home: Path) -> None:
    assert run(home, "user-prompt-submit", {**PROMPT, "prompt": "고쳐줘 🙂"}) == {}
    assert run(home, "stop", PROMPT, agent="codex") == {}
    assert run(home, "post-tool-use", {**PROMPT, "tool_response": "long"}) == {}
    assert [(call["event"], call["agent"]) for call in spooled(home)] == [
        ("user-prompt-submit", "claude-code"),
        ("stop", "codex"),
    ]
    spool = home / "hooks" / "spool"
    assert (spool / "calls.jsonl").stat().st_mode & 0o777 == 0o600 and spool.stat().st_mode & 0o777 == 0o700
    assert prompts(home) == ["고쳐줘 🙂"] and spooled(home) == []


@pytest.mark.long
def test_a_server_answers_and_what_was_typed_is_in_its_journal(home: Path) -> None:
    fill(home)
    process = subprocess.Popen([sys.executable, "-m", "memory_assets_tests.hooks.stand_in", str(home), "0"])
    try:
        begun = time.monotonic()
        while not (home / "server" / "server.json").exists() and time.monotonic() - begun < 60:
            time.sleep(0.05)
        settings_file(home, on_demand=False, deadline_seconds=20.0)
        answer = run(home, "user-prompt-submit", {**PROMPT, "prompt": "Which PostgreSQL do orders use?"}, agent="codex")
        assert "PostgreSQL 16" in answer["hookSpecificOutput"]["additionalContext"]
        assert spooled(home) == []
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert run(home, "user-prompt-submit", {**PROMPT, "prompt": "And now?"}) == {}
        assert prompts(home) == ["And now?", "Which PostgreSQL do orders use?"]
    finally:
        process.kill()
        process.wait()


def read_request(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += connection.recv(1 << 16)
    return head + b"\r\n\r\n" + body


def answering(answer: bytes) -> Callable[[socket.socket], None]:
    def behave(connection: socket.socket) -> None:
        with connection:
            read_request(connection)
            connection.sendall(answer)

    return behave


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(lambda connection: time.sleep(20), id="stuck"),
        pytest.param(lambda connection: connection.close(), id="gone"),
        pytest.param(answering(b""), id="silent"),
        pytest.param(answering(b"HTTP/1.1 500 Oh\r\n\r\n{}"), id="failed"),
        pytest.param(answering(b"HTTP/1.1 401 No\r\n\r\n{}"), id="refused"),
        pytest.param(answering(b"HTTP/1.1 200 OK\r\n\r\n<html>"), id="no JSON"),
        pytest.param(answering(b"HTTP/1.1 200 OK\r\n\r\n[1]"), id="no object"),
        pytest.param(answering(b"\xff\xfe"), id="no HTTP"),
    ],
)
def test_what_no_server_took_is_in_the_spool_in_time(home: Path, behave: Callable[[socket.socket], None]) -> None:
    with server_that(home, behave):
        begun = time.monotonic()
        assert run(home, "user-prompt-submit", {**PROMPT, "prompt": "kept"}) == {}
        assert time.monotonic() - begun < 5
    assert [call["payload"]["prompt"] for call in spooled(home)] == ["kept"]


def test_the_token_and_the_call_reach_the_server_alone(home: Path) -> None:
    seen: list[bytes] = []

    def behave(connection: socket.socket) -> None:
        with connection:
            seen.append(read_request(connection))
            connection.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a": "b"}')

    with server_that(home, behave):
        assert run(home, "session-start", PROMPT, agent="gemini\r\nX-Evil: 1") == {"a": "b"}
        assert spooled(home) == []
        head, _, body = seen[0].partition(b"\r\n\r\n")
        assert head.startswith(b"POST /hooks/session-start?agent=geminiX-Evil1 HTTP/1.1\r\nHost: 127.0.0.1:")
        assert f"Authorization: Bearer {TOKEN}".encode() in head and len(json.loads(body)["memory_assets"]["id"]) == 32
        # Another process may listen where a server that is gone did: it hears nothing.
        state = home / "server" / "server.json"
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        state.write_text(json.dumps({**json.loads(state.read_text()), "pid": gone.pid}))
        assert run(home, "session-start", PROMPT) == {}
        assert len(seen) == 1


@pytest.mark.parametrize(
    "given", [b"", b"  \n", b"\xff\xfe\x00", b"not json", b'{"prompt": "half', b"[1, 2]", b"null", b"[" * 90_000]
)
def test_whatever_is_sent_it_ends_well(home: Path, given: bytes) -> None:
    assert run(home, "user-prompt-submit", given) == {}


@pytest.mark.parametrize("arguments", [[], ["--agent"], ["no-such-event"], ["stop", "--home"], ["a", "b", "c"]])
def test_whatever_it_is_called_with_it_ends_well(tmp_path: Path, arguments: list[str]) -> None:
    environment = {**os.environ, "MEMORY_HOME": str(tmp_path / "store"), "PATH": ""}
    command = [sys.executable, "-I", "-S", script.__file__, *arguments]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=False, env=environment, timeout=30)
    assert (done.returncode, done.stdout) == (0, b"{}\n")


def test_who_sends_no_end_is_not_waited_for_and_who_listens_no_more_costs_nothing(home: Path) -> None:
    command = [sys.executable, "-I", "-S", script.__file__, "stop", "--home", str(home)]
    begun = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b'{"session_id": "s-1"}')
    process.stdin.flush()
    assert process.wait(10) == 0 and time.monotonic() - begun < 5
    assert process.stdout.read() == b"{}\n" and len(spooled(home)) == 1
    process.stdin.close()
    process.stdout.close()
    deaf = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert deaf.stdin is not None and deaf.stdout is not None
    deaf.stdout.close()
    deaf.stdin.write(b"{}")
    deaf.stdin.close()
    assert deaf.wait(10) == 0


def test_an_agent_that_ends_it_early_loses_nothing(home: Path) -> None:
    settings_file(home, on_demand=False, deadline_seconds=20.0)
    arrived = threading.Event()

    def behave(connection: socket.socket) -> None:
        read_request(connection)
        arrived.set()
        time.sleep(20)

    with server_that(home, behave):
        command = [sys.executable, "-I", "-S", script.__file__, "user-prompt-submit", "--home", str(home)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(json.dumps({**PROMPT, "prompt": "kept"}).encode())
        process.stdin.close()
        assert arrived.wait(10)
        process.terminate()
        assert process.wait(5) == 0
    assert [call["payload"]["prompt"] for call in spooled(home)] == ["kept"]


def test_a_full_spool_is_said_and_left_as_it_is(home: Path) -> None:
    spool = home / "hooks" / "spool"
    spool.mkdir()
    with (spool / "calls.jsonl").open("wb") as file:
        file.truncate(script.MOST_SPOOLED_BYTES)
    done = started(home, "user-prompt-submit", "claude-code", json.dumps({**PROMPT, "prompt": "x"}).encode())
    assert done.returncode == 0 and "is full" in json.loads(done.stdout)["systemMessage"] and b"is full" in done.stderr
    assert started(home, "user-prompt-submit", "cursor", b'{"prompt": "x"}').stdout == b"{}\n"
    assert (spool / "calls.jsonl").stat().st_size == script.MOST_SPOOLED_BYTES


def test_a_folder_that_cannot_be_written_ends_well(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = started(tmp_path / "file", "user-prompt-submit", "codex", json.dumps({**PROMPT, "prompt": "x"}).encode())
    assert done.returncode == 0 and "systemMessage" in json.loads(done.stdout)


def test_our_own_runs_and_projects_that_are_left_out_write_nothing(home: Path, tmp_path: Path) -> None:
    run(home, "user-prompt-submit", {**PROMPT, "prompt": "x"}, **{script.OWN_RUN: "1"})
    project = tmp_path / "shop" / "src"
    project.mkdir(parents=True)
    (project.parent / ".memoryignore").touch()
    run(home, "user-prompt-submit", {**PROMPT, "cwd": str(project), "prompt": "x"})
    run(home, "user-prompt-submit", {"conversation_id": "c", "workspace_roots": [str(project)], "prompt": "x"}, agent="cursor")
    (home / "hooks" / "off.json").write_text('["/srv/shop"]')
    run(home, "user-prompt-submit", {**PROMPT, "cwd": "/srv/shop/src", "prompt": "x"})
    assert spooled(home) == []
    run(home, "user-prompt-submit", {**PROMPT, "cwd": "/srv/shop2", "prompt": "x"})
    assert len(spooled(home)) == 1


def test_a_server_is_started_once_and_not_waited_for(home: Path, tmp_path: Path) -> None:
    log = tmp_path / "started"
    program = tmp_path / "serve.py"
    program.write_text(
        "import os, time\n"
        f"open({str(log)!r}, 'a').write(os.environ['MEMORY_HOME'] + os.environ[{script.OWN_RUN!r}] + chr(10))\n"
        "time.sleep(3)\n"
    )
    settings_file(home, on_demand=True, start=[sys.executable, str(program)])
    begun = time.monotonic()
    for _ in range(3):
        run(home, "user-prompt-submit", {**PROMPT, "prompt": "x"})
    assert time.monotonic() - begun < 3, "nobody waits for it, nor for its streams"
    while not log.exists() or not log.read_text().endswith("\n"):
        assert time.monotonic() - begun < 20
        time.sleep(0.02)
    assert log.read_text() == f"{home}1\n" and len(spooled(home)) == 3
    settings_file(home, on_demand=False, start=[sys.executable, str(program)])
    os.utime(home / "hooks" / "started", (1, 1))
    run(home, "stop", PROMPT)
    time.sleep(0.3)
    assert log.read_text().count("\n") == 1


def test_many_at_once_lose_nothing_while_the_spool_is_emptied(home: Path) -> None:
    def call(number: int) -> None:
        run(home, "user-prompt-submit", {**PROMPT, "prompt": f"prompt {number:02}"})

    threads = [threading.Thread(target=call, args=(number,)) for number in range(24)]
    for number, thread in enumerate(threads):
        thread.start()
        if number % 6 == 5:
            sources_to_take(settings_of(home))
    for thread in threads:
        thread.join()
    assert prompts(home) == [f"prompt {number:02}" for number in range(24)]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell when a process began")
def test_what_the_interpreter_took_to_begin_counts() -> None:
    ask = "import time; time.sleep(0.5); from memory_assets.hooks import script; print(time.monotonic() - script._BEGUN)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert 0.45 < float(done.stdout) < 30


def test_an_interpreter_that_begins_too_late_keeps_what_was_typed_all_the_same(home: Path) -> None:
    settings_file(home, on_demand=False, deadline_seconds=0.001)
    with server_that(home, lambda connection: time.sleep(20)):
        assert run(home, "user-prompt-submit", {**PROMPT, "prompt": "kept"}) == {}
    assert [call["payload"]["prompt"] for call in spooled(home)] == ["kept"]
