"""One server for a store: found, asked, ended, killed and started again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.hooks import script
from memory_assets.server.files import folder_of, place_of, token_of
from memory_assets.server.only_server import is_served
from memory_assets_tests.defs.files import chat
from memory_assets_tests.filled_store import fill
from memory_assets_tests.server.running import Running, environment, running

QUIET = {"MEMORY_SERVER_TAKE_SESSIONS": "false"}


def command(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memory_assets", *arguments],
        env=environment(home, **QUIET, **more),
        capture_output=True,
        text=True,
        timeout=120,
    )


def wait_until(is_so: Callable[[], bool], seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.05)


@pytest.mark.long
def test_what_it_leaves_in_the_folder_is_its_owners_alone(server: Running) -> None:
    assert folder_of(server.home).stat().st_mode & 0o077 == 0
    assert {path.stat().st_mode & 0o077 for path in folder_of(server.home).iterdir()} == {0}


def test_a_second_one_says_who_serves(server: Running) -> None:
    second = command(server.home, "serve", "--port", "0")
    assert second.returncode == 2 and second.stdout == ""
    assert f"process {server.process.pid} " in second.stderr and "Traceback" not in second.stderr
    assert place_of(server.home) == server.place


def test_a_port_that_is_taken_is_named_where_it_was_asked_for(server: Running, tmp_path: Path) -> None:
    ended = command(tmp_path, "serve", "--port", str(server.place.port))
    assert ended.returncode == 2 and str(server.place.port) in ended.stderr
    assert not place_of(tmp_path)


@pytest.mark.long
def test_any_free_port_will_do_where_none_was_asked_for(server: Running, tmp_path: Path) -> None:
    with running(tmp_path, MEMORY_SERVER_PORT=str(server.place.port), **QUIET) as other:
        assert other.place.port != server.place.port


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_order(tmp_path: Path, how: signal.Signals) -> None:
    with running(tmp_path, **QUIET) as found:
        token = found.token
        os.kill(found.process.pid, how)
        assert found.process.wait(timeout=20) == 0
        assert place_of(tmp_path) is None and token_of(tmp_path) == token


@pytest.mark.long
def test_it_is_told_to_end_and_says_so(tmp_path: Path) -> None:
    with running(tmp_path, **QUIET) as found:
        told = command(tmp_path, "serve", "stop")
        assert (told.returncode, told.stdout) == (0, f"process {found.process.pid} ended\n")
        found.process.wait(timeout=20)
    assert command(tmp_path, "serve", "stop").returncode == 1
    assert command(tmp_path, "serve", "status").returncode == 1
    assert command(tmp_path, "serve", "link").returncode == 1


@pytest.mark.long
def test_a_killed_one_locks_nobody_out(tmp_path: Path) -> None:
    with running(tmp_path, **QUIET) as found:
        found.process.kill()
        found.process.wait(timeout=20)
        assert place_of(tmp_path) is not None
        assert command(tmp_path, "serve", "status").returncode == 1
        with running(tmp_path, **QUIET) as again:
            assert again.place.pid != found.place.pid


@pytest.mark.long
def test_where_a_killed_one_listened_nobody_is_asked(tmp_path: Path) -> None:
    """Another program may listen there by now: it is sent no question and no token, and the old token opens nothing."""
    with running(tmp_path, **QUIET) as found:
        token = found.token
        found.process.kill()
        found.process.wait(timeout=20)
    asked = []
    with socket.create_server(("127.0.0.1", found.place.port)) as other:
        other.settimeout(1)
        for words in (("search", "a secret plan"), ("serve", "status"), ("serve", "stop"), ("serve", "link")):
            command(tmp_path, *words)
        with contextlib.suppress(TimeoutError):
            asked.append(other.accept())
    assert asked == []
    with running(tmp_path, **QUIET) as again:
        assert again.token != token
        assert again.request("GET", "/server", headers={"Authorization": f"Bearer {token}"}).status == 401


@pytest.mark.long
def test_its_own_commands_find_it_on_another_address(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "127.0.0.2", **QUIET) as found:
        assert command(tmp_path, "serve", "status").stdout.startswith(f"http://127.0.0.2:{found.place.port} ")
        assert command(tmp_path, "serve", "link").stdout.startswith(f"http://127.0.0.2:{found.place.port}/login#key=")
        payload = '{"session_id": "s1", "prompt": "kept where?"}'
        hook = [sys.executable, "-I", "-S", script.__file__, "user-prompt-submit", "--home", str(tmp_path)]
        subprocess.run(hook, input=payload, text=True, check=True, timeout=60)
        assert not (tmp_path / "hooks" / "spool").exists() and list((tmp_path / "hooks" / "journal").rglob("*.jsonl"))
        assert command(tmp_path, "serve", "stop").returncode == 0


@pytest.mark.long
def test_what_is_said_to_have_ended_has(tmp_path: Path) -> None:
    """Whoever starts another one at once is not refused, though what took sessions in had to be ended first."""
    chat(tmp_path / "sessions", "one", ["We decided to keep the ledger in one region because backups are simple."])
    with running(tmp_path, MEMORY_SESSIONS_SETTLE_SECONDS="0") as found:
        wait_until(lambda: json.loads(found.client.get("/server")[1])["taking"]["sessions"] == 1, 120)
        assert command(tmp_path, "serve", "stop").returncode == 0
        assert not is_served(tmp_path)


@pytest.mark.long
def test_one_that_a_hook_started_ends_when_nobody_asks(tmp_path: Path) -> None:
    with running(tmp_path, "--on-demand", MEMORY_SERVER_IDLE_MINUTES="0.02", **QUIET) as found:
        assert found.process.wait(timeout=30) == 0
        assert place_of(tmp_path) is None


@pytest.mark.long
def test_a_connection_that_stays_open_keeps_no_server_from_ending(tmp_path: Path) -> None:
    with running(tmp_path, **QUIET) as found, socket.create_connection(("127.0.0.1", found.place.port)) as idle:
        idle.sendall(b"GET /server HTTP/1.1\r\n")
        found.process.terminate()
        assert found.process.wait(timeout=20) == 0


@pytest.mark.long
def test_sessions_are_taken_in_by_themselves_and_nothing_is_left_running(tmp_path: Path) -> None:
    fill(tmp_path)
    folder = tmp_path / "sessions"
    folder.mkdir(exist_ok=True)
    settle = {"MEMORY_SESSIONS_SETTLE_SECONDS": "0"}
    with running(tmp_path, **settle) as found:
        chat(folder, "brandnew", ["We decided to call the flamingo service Phoenix."])

        def taking() -> dict[str, object]:
            told: dict[str, object] = found.request("GET", "/server", headers={"Authorization": f"Bearer {found.token}"}).json[
                "taking"
            ]
            return told

        wait_until(lambda: taking()["sessions"] == 1, 120)
        assert taking()["last_error"] is None
        worker = taking()["process"]
        assert isinstance(worker, int)
        found_it = command(tmp_path, "search", "flamingo Phoenix", "--json")
        assert "flamingo" in found_it.stdout
        found.process.kill()
        found.process.wait(timeout=20)
        wait_until(lambda: not Path(f"/proc/{worker}").exists(), 20)
