"""Forgetting and purging while other processes work on the store: each waits, or is refused with words, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.cli.test_refused_forgetting import refused
from memory_assets_tests.defs.state import events
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.mcp.client import connected
from memory_assets_tests.server.running import running

READS = """
import sys
from pathlib import Path
from memory_assets.log.database import Database
with Database(Path(sys.argv[1])).reading() as connection:
    print(connection.execute("SELECT count(*) FROM events").fetchall()[0][0], flush=True)
    sys.stdin.readline()
    print(connection.execute("SELECT count(*) FROM events").fetchall()[0][0], flush=True)
"""


def begun(*command: str) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "memory_assets", *command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(processes: Sequence[subprocess.Popen[str]]) -> list[subprocess.CompletedProcess[str]]:
    """How commands ended that worked at the same time."""
    found = []
    for process in processes:
        out, complaints = process.communicate(timeout=280)
        found.append(subprocess.CompletedProcess(process.args, process.returncode, out, complaints))
    return found


def sound(memory: Run) -> None:
    assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0


@pytest.mark.slow
def test_two_purges_at_once(memory: Run, store: Path) -> None:
    assert memory("forget", "--session", "one").code == 0
    done = ended([begun("purge", "--yes"), begun("purge", "--yes")])
    for one in done:
        if one.returncode:
            refused(one, "store_locked")
    purged = [json.loads(one.stdout) for one in done if one.returncode == 0]
    assert sum(report["purged"] for report in purged) == 1 and all(report["found_after"] == 0 for report in purged)
    assert len(events(settings_of(store), "purged")) == 1
    sound(memory)


@pytest.mark.slow
def test_a_store_that_another_process_reads(memory: Run, store: Path) -> None:
    assert memory("forget", "--session", "one").code == 0
    count = len(events(settings_of(store)))
    arguments = [sys.executable, "-c", READS, str(store)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        first = int(reader.stdout.readline())
        told = refused(memory("--set", "store.lock_timeout_seconds=1", "purge", "--yes", "--json"), "store_locked")
        assert "wait" in told["hint"]
        out, _ = reader.communicate("go on\n")
    assert (first, int(out)) == (count, count) and len(events(settings_of(store))) == count
    assert memory("purge", "--yes", "--json").json["found_after"] == 0
    sound(memory)


@pytest.mark.slow
def test_a_server_that_answers_meanwhile_sees_the_new_store(memory: Run, store: Path) -> None:
    with connected(store) as client:
        told = client.call("search_memory", query="connection pool outage 1").structured_content
        assert "session:one" in str(told["hits"])
        for command in (("forget", "--session", "one"), ("purge", "--yes")):
            (done,) = ended([begun(*command)])
            assert done.returncode == 0, done
            told = client.call("search_memory", query="connection pool outage").structured_content
            assert "session:one" not in str(told) and "session:two" in str(told["hits"])
        counted = client.call("stats").structured_content
        assert counted["sessions"] == 1 and counted["events"] == len(events(settings_of(store)))
    sound(memory)


@pytest.mark.slow
def test_a_running_server_answers_before_during_and_behind_a_purge(memory: Run, store: Path) -> None:
    """`memory serve`, asked all the while: each answer is whole, and what was forgotten is in none of them."""
    assert memory("forget", "--session", "one").code == 0
    with running(store, MEMORY_SERVER_TAKE_SESSIONS="false") as server:
        cookie = server.browser()
        purge = begun("purge", "--yes")
        told = []
        while purge.poll() is None:
            told.append(server.request("GET", "/search?q=connection+pool+outage", headers=cookie))
            time.sleep(0.2)
        (done,) = ended([purge])
        assert done.returncode == 0 and json.loads(done.stdout)["found_after"] == 0, done
        told.append(server.request("GET", "/search?q=connection+pool+outage", headers=cookie))
        assert len(told) > 2 and {answer.status for answer in told} == {200}
        assert not any(b"/sessions/one" in answer.body for answer in told) and b"/sessions/two" in told[-1].body
    assert len(events(settings_of(store), "purged")) == 1
    sound(memory)
