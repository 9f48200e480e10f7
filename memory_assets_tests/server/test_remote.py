"""A command that asks the server prints what it prints by itself, and works by itself where the server is none for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memory_assets.hooks.script import OWN_RUN
from memory_assets.server.files import Place, tell_place
from memory_assets.server.settings_print import settings_print
from memory_assets_tests.depth import cases
from memory_assets_tests.filled_store import fill
from memory_assets_tests.server.running import Running, environment, running

QUESTIONS = [
    ("search", "캐시를 왜 옮겼나", "--json", "--no-log"),
    ("search", "PostgreSQL 16", "--explain", "--kind", "entry", "-k", "2", "--since", "2024-01-01", "--no-log"),
    ("search", "redis", "--budget", "-3", "--json"),
    ("context", "retry budget", "--json", "--no-log"),
    ("ask", "Which database stays for orders?", "--explain"),
    ("ask", "Which database?", "--continue"),
]
MORE_QUESTIONS = [
    ("search", "redis cache"),
    ("search", "PostgreSQL 16", "--expand"),
    ("search", "zebra xylophone quartz"),
    ("search", ""),
    ("search", "redis", "--task", "tsk_0000000000000000"),
    ("context", "retry budget", "--no-log"),
    ("context", "  "),
    ("ask", "Which database stays for orders?"),
    ("ask", "Who painted the ceiling?", "--json"),
    ("ask", "   "),
]


def command(home: Path, *arguments: str, **more: str) -> tuple[int, str, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "memory_assets", *arguments],
        env=environment(home, MEMORY_SERVER_TAKE_SESSIONS="false", **more),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ended.returncode, _timeless(ended.stdout), ended.stderr


def _timeless(text: str) -> str:
    """Without what differs from one call to the next: how long it took, and when."""
    lines = []
    for line in text.splitlines():
        if line.startswith("{"):
            value = json.loads(line)
            if "usage" in value:
                value["usage"]["latency_ms"] = 0
            value.pop("created_at", None)
            line = json.dumps(value)
        lines.append("latency" if "latency" in line and not line.startswith("{") else line)
    return "\n".join(lines)


@pytest.mark.long
@pytest.mark.parametrize("question", cases(QUESTIONS, [(one,) for one in MORE_QUESTIONS]))
def test_the_output_is_the_same(server: Running, question: tuple[str, ...]) -> None:
    by_server = command(server.home, *question)
    # Another variable: the server has other settings than this command, and is no server for it.
    by_itself = command(server.home, *question, MEMORY_STORE_LOCK_TIMEOUT_SECONDS="9.5")
    assert by_server == by_itself
    assert "Traceback" not in by_server[2]


@pytest.mark.long
def test_the_server_is_really_asked(server: Running) -> None:
    """A process that asks it opens neither the log nor the index."""
    told = "import sys; from memory_assets.cli.main import main; main(['search', 'redis']); print('duckdb' in sys.modules)"
    for more, opened in (({}, "False"), ({"MEMORY_STORE_LOCK_TIMEOUT_SECONDS": "9.5"}, "True")):
        environ = environment(server.home, MEMORY_SERVER_TAKE_SESSIONS="false", **more)
        ended = subprocess.run([sys.executable, "-c", told], env=environ, capture_output=True, text=True, timeout=120)
        assert ended.stdout.splitlines()[-1] == opened, ended.stderr


def test_a_server_that_a_hook_started_is_one_for_commands(tmp_path: Path) -> None:
    """What marks our own processes is no setting."""
    plain = settings_print(tmp_path, {}, None, {"MEMORY_ASK_WORDS": "3"})
    assert settings_print(tmp_path, {}, None, {"MEMORY_ASK_WORDS": "3", OWN_RUN: "1", "MEMORY_DEBUG": "1"}) == plain
    assert settings_print(tmp_path, {}, None, {"MEMORY_ASK_WORDS": "4"}) != plain
    assert settings_print(tmp_path / "other", {}, None, {"MEMORY_ASK_WORDS": "3"}) != plain


@pytest.mark.long
def test_a_changed_settings_file_counts_at_once(tmp_path: Path) -> None:
    fill(tmp_path)
    with running(tmp_path, MEMORY_SERVER_TAKE_SESSIONS="false") as found:
        before = json.loads(found.client.get("/server")[1])["settings"]
        (tmp_path / "memory.toml").write_text("[tasks]\nquiet_after_sessions = 7\n")
        assert json.loads(found.client.get("/server")[1])["settings"] != before
        assert command(tmp_path, "search", "redis")[0] == 0
        (tmp_path / "memory.toml").write_text("this is no toml")
        code, out, err = command(tmp_path, "search", "redis")
        assert code == 2 and "memory.toml" in err and out == ""


class _Other(BaseHTTPRequestHandler):
    answer: tuple[int, bytes] = (200, b"")

    def do_POST(self) -> None:
        status, body = self.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + (10 if status == 200 else 0)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def other_program(home: Path, status: int, body: bytes) -> Iterator[None]:
    """Another program listens where a server said that it does."""
    handler = type("Handler", (_Other,), {"answer": (status, body)})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as program:
        threading.Thread(target=program.serve_forever, daemon=True).start()
        (home / "server").mkdir(exist_ok=True)
        (home / "server" / "token").write_text("t\n")
        tell_place(home, Place(os.getpid(), program.server_address[1], "0", "2026-01-01"))
        yield
        program.shutdown()


@pytest.mark.long
@pytest.mark.parametrize(("status", "body"), [(500, b"oops"), (404, b"{}"), (200, b"{"), (409, b"")])
@pytest.mark.parametrize("question", [("search", "redis cache"), ("ask", "Which database stays for orders?")], ids=" ".join)
def test_another_program_in_its_place_is_no_server(tmp_path: Path, question: tuple[str, ...], status: int, body: bytes) -> None:
    fill(tmp_path)
    alone = command(tmp_path, *question)
    with other_program(tmp_path, status, body):
        assert command(tmp_path, *question) == alone
