"""News of the shared log: heard at once by who listens, and looked for by who does not hear them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from memory_assets.fleet import postgres_store
from memory_assets.fleet.opening import shared_log
from memory_assets.server.following import Following
from memory_assets_tests.fleet.hosts import Fleet
from memory_assets_tests.fleet.machines import ROOT, Machine
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.databases import There
from memory_assets_tests.server.running import Running, answering

# `memory serve` that looks for news by itself once an hour, so that it has to hear them.
SERVING = """
from memory_assets.fleet import postgres_store
postgres_store.POLL_SECONDS = 3_600
from memory_assets.cli.main import main
main(["serve", "--port", "0"])
"""
HEARD_SECONDS = 10.0
"""On a busy machine; who looks by itself looks far less often here."""


def woken_behind_an_append(shared: Fleet) -> float:
    """How long after an append one who waits knows of it."""
    log = shared.log("one")
    assert not shared_log(shared.url, 10.0).wait(log.last_seq(), 0.05)
    woken: list[float] = []

    def wait() -> None:
        if shared_log(shared.url, 10.0).wait(0, 60):
            woken.append(time.monotonic())

    waiter = threading.Thread(target=wait)
    waiter.start()
    time.sleep(1)
    log.append([taken(1)])
    appended = time.monotonic()
    waiter.join(60)
    return woken[0] - appended


@pytest.mark.long
def test_who_listens_hears_of_it(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_store, "POLL_SECONDS", 40.0)
    assert woken_behind_an_append(shared) < HEARD_SECONDS


@pytest.mark.long
def test_what_is_not_heard_is_looked_for(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_store, "POLL_SECONDS", 1.0)
    monkeypatch.setattr(postgres_store, "_hear", lambda _, until, __: time.sleep(max(0.0, until - time.monotonic())))
    assert woken_behind_an_append(shared) < HEARD_SECONDS


def test_a_mirror_follows_by_itself(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_store, "POLL_SECONDS", 3_600)
    shared.log("one").append([taken(1)])
    following = Following(lambda: shared.database("two"))
    following.start()
    try:
        for number in (1, 2, 3):
            until = time.monotonic() + HEARD_SECONDS
            while tip(shared.home("two")) < number and time.monotonic() < until:
                time.sleep(0.05)
            assert tip(shared.home("two")) == number
            shared.log("one").append([taken(number + 1)])
    finally:
        began = time.monotonic()
        following.end()
    assert time.monotonic() - began < 1.5, "it ends while it listens"


def tip(folder: Path) -> int:
    """Where a mirror ends, by the file beside it: nothing is opened, and so nothing brought up."""
    try:
        return int(json.loads((folder / "store.tip").read_text())["now"]["seq"])
    except (OSError, KeyError, TypeError):
        return 0


@pytest.mark.long
def test_a_page_that_is_open_shows_what_another_machine_wrote(there: There, tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, there.address.url)
    one = fleet.log("one")
    one.append([taken(1)])
    machine = Machine(fleet.home("two"), there.address.url)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVING],
        env=machine.environment(),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            server = Running(machine.home, process, answering(machine.home, process))
            headers = {**server.browser(), "Host": server.host}
            with httpx.stream("GET", f"http://{server.host}/live", headers=headers, timeout=30) as stream:
                lines = stream.iter_lines()
                assert next(line for line in lines if line.startswith("id:")) == "id: 1"
                one.append([taken(2)])
                appended = time.monotonic()
                event = json.loads(next(line for line in lines if line.startswith("data:")).removeprefix("data:"))
                assert event["seq"] == 2 and time.monotonic() - appended < HEARD_SECONDS
        finally:
            process.terminate()
            process.wait(20)
