"""A machine that is stopped while it holds the lock, wherever it is just then: it holds nobody up, and nothing is lost."""

from __future__ import annotations

import gc
import signal
import time
from pathlib import Path

import pytest

from memory_assets.log.event_log import EventLog
from memory_assets_tests.fleet.hosts import Fleet, database_of, is_sound
from memory_assets_tests.fleet.proxies import Stopping, proxied
from memory_assets_tests.fleet.test_failures import on_loopback
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.databases import There

SERVED_SECONDS = 2.0
"""Within which others are to be served, their own work with it: opening the store, taking over, appending."""

# Appends what takes many packets, under a name that is looked for as it passes.
PUSHING = """
import sys
from pathlib import Path
from memory_assets.log.errors import StoreError
from memory_assets.log.event_log import EventLog
from memory_assets_tests.fleet.hosts import database_of
from memory_assets_tests.log.samples import taken

folder, url, events, size = sys.argv[1:]
log = EventLog(database_of(Path(folder), url))
log.last_seq()
print("ready", flush=True)
sys.stdin.readline()
try:
    log.append([taken(number, file_hash="x" * int(size), actor=f"holder-{number}.") for number in range(int(events))])
    print("written", flush=True)
except StoreError as error:
    print(error.code, flush=True)
"""

# Holds the lock, and pulls what the shared log has.
PULLING = """
import sys
from memory_assets.fleet.opening import shared_log

store = shared_log(sys.argv[1], 10.0)
with store.exclusive() as held:
    print("ready", flush=True)
    sys.stdin.readline()
    held.pull(0, 2_000)
"""


def appended_beside(there: There, folder: Path, number: int) -> float:
    """How long another machine took to append."""
    log = EventLog(database_of(folder, there.address.url))
    started = time.monotonic()
    assert log.append([taken(number)]).new == 1
    return time.monotonic() - started


@pytest.mark.long
@pytest.mark.parametrize(
    ("events", "size", "word"),
    [
        pytest.param(40, 2_000, b"holder-20.", id="among small events"),
        pytest.param(3, 900_000, b"x" * 1_000, id="within a large event"),
        pytest.param(1, 10, b"COMMIT", id="before the commit"),
    ],
)
def test_within_a_push(
    there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, events: int, size: int, word: bytes
) -> None:
    fleet = Fleet(tmp_path, there.address.url)
    fleet.log("two").append([taken(1_000)])
    with proxied(there.server.port) as proxy:
        url = on_loopback(there, monkeypatch, proxy.port)
        with python(PUSHING, fleet.home("one"), url, events, size) as holder:
            assert first_line(holder) == "ready"
            proxy.stopping = stopping = Stopping(holder.pid, "client", word)
            assert holder.stdin is not None
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert stopping.happened.wait(20)
            waited = appended_beside(there, fleet.home("two"), 1_001)
            holder.send_signal(signal.SIGCONT)
            said, complaint = holder.communicate(timeout=60)
    assert waited < SERVED_SECONDS
    assert said.split() == ["shared_log_unavailable"], complaint
    with python(PUSHING, fleet.home("one"), there.address.url, events, size) as again:
        said, complaint = again.communicate("\n", timeout=60)
    assert said.split() == ["ready", "written"], complaint
    assert is_sound(fleet.database("one")) == is_sound(fleet.database("two")) == 2 + events


def test_no_collection_of_garbage_looks_at_all_there_is_while_the_lock_is_held(shared: Fleet) -> None:
    """It would stop the thread that speaks for longer than the lease."""
    database = shared.database("one")
    EventLog(database).append([taken(1)])
    before = len(gc.get_objects())
    with database.writing():
        held = len(gc.get_objects())
    assert held < before / 10
    assert len(gc.get_objects()) > before / 2, "and afterwards as before"


@pytest.mark.long
def test_within_a_pull(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server has more to say than anything between the two can hold, and is kept waiting with it."""
    fleet = Fleet(tmp_path, there.address.url)
    fleet.log("two").append([taken(number, file_hash="x" * 400_000) for number in range(40)])
    with proxied(there.server.port) as proxy:
        url = on_loopback(there, monkeypatch, proxy.port)
        with python(PULLING, url) as holder:
            assert first_line(holder) == "ready"
            proxy.stopping = stopping = Stopping(holder.pid, "server", b"x" * 1_000)
            assert holder.stdin is not None
            holder.stdin.write("\n")
            holder.stdin.flush()
            assert stopping.happened.wait(20)
            waited = appended_beside(there, fleet.home("two"), 1_001)
    assert waited < SERVED_SECONDS
    assert is_sound(fleet.database("two")) == 41
