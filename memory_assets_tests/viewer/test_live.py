"""The live stream: everything once, in order, whoever comes back; and nobody who watches keeps a writer waiting."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_assets.defs.forgetting import forget
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SourceTakenFor
from memory_assets.memory import Memory
from memory_assets.queries.event_stream import log_end
from memory_assets.queries.forgettable import ToForget
from memory_assets.viewer import live
from memory_assets.viewer.live import ROUTES
from memory_assets_tests.depth import depth
from memory_assets_tests.filled_store import fill
from memory_assets_tests.viewer.loopback import served

BURST = depth(4, 20)
"""Batches of 500 events."""


def some_events(count: int, of: str) -> list[NewEvent]:
    return [
        NewEvent(SourceTakenFor(registration_event_id="ev_x", uri="/srv/x", file_hash="x"), inputs=(f"{of}{number}",))
        for number in range(count)
    ]


class Watcher:
    """Reads the stream in a thread, as a browser would: it keeps the id of the last event."""

    def __init__(self, address: str, after: int | None = None) -> None:
        self.seqs: list[int] = []
        self.events: list[dict[str, Any]] = []
        self.came: list[float] = []
        self.comments = 0
        self.placed = threading.Event()
        self._address, self._after = address, after
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        headers = {} if self._after is None else {"Last-Event-ID": str(self._after)}
        timeout = httpx.Timeout(30, read=2)
        while not self._stop.is_set():
            time.sleep(0.05)
            with (
                contextlib.suppress(httpx.TransportError),
                httpx.stream("GET", f"{self._address}/live", headers=headers, timeout=timeout) as answer,
            ):
                assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
                for line in answer.iter_lines():
                    if self._stop.is_set():
                        return
                    if line.startswith("data: "):
                        self.events.append(json.loads(line[6:]))
                        self.came.append(time.monotonic())
                        self.seqs.append(int(headers["Last-Event-ID"]))
                        assert self.events[-1]["seq"] == self.seqs[-1]
                    elif line.startswith("id: "):
                        headers = {"Last-Event-ID": line[4:]}
                        self.placed.set()
                    elif line.startswith(":"):
                        self.comments += 1

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def wait_until_placed(self) -> None:
        assert self.placed.wait(30)

    def wait_for(self, count: int, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while len(self.seqs) < count and time.monotonic() < end:
            time.sleep(0.02)

    def wait_until_at(self, seq: int, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while self.seqs[-1:] != [seq] and time.monotonic() < end:
            time.sleep(0.02)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(fill(tmp_path))


@pytest.fixture
def address(memory: Memory) -> Iterator[str]:
    with served(memory, ROUTES) as found:
        yield found


@pytest.mark.long
def test_who_comes_back_is_sent_what_came_meanwhile(memory: Memory, address: str) -> None:
    end = memory.read(log_end)
    watcher = Watcher(address, after=3)
    watcher.wait_for(end - 3)
    watcher.stop()
    assert watcher.seqs == list(range(4, end + 1))
    assert watcher.events[0]["session_id"] == "shop-1" and watcher.events[0]["title"] == "결제 서버 장애"
    assert {event["stage"] for event in watcher.events} >= {"aligned", "vectorized", None}
    assert not any("text" in event or "payload" in event for event in watcher.events)


@pytest.mark.long
def test_a_commit_is_on_the_screen_within_two_seconds(memory: Memory, address: str) -> None:
    watcher = Watcher(address, after=memory.read(log_end))
    watcher.wait_until_placed()
    time.sleep(0.6)
    log, committed = EventLog(memory.database), []
    for number in range(4):
        log.append(some_events(1, f"one{number}"))
        committed.append(time.monotonic())
        time.sleep(0.2 * number)
    watcher.wait_for(4)
    watcher.stop()
    assert len(watcher.seqs) == 4
    assert max(came - said for came, said in zip(watcher.came, committed, strict=True)) <= 2


@pytest.mark.long
@pytest.mark.deep
def test_a_burst_comes_whole_and_once_to_all_also_to_those_who_come_back(memory: Memory, address: str) -> None:
    start, count = memory.read(log_end), 500 * BURST
    watchers = [Watcher(address, after=start) for _ in range(3)]
    log = EventLog(memory.database)
    for number in range(BURST):
        log.append(some_events(500, f"burst{number}-"))
    # One that was away all the time, and one that goes after a third and comes back.
    late = Watcher(address, after=start)
    leaving = Watcher(address, after=start)
    leaving.wait_for(count // 3)
    leaving.stop()
    seen = list(leaving.seqs)
    back = Watcher(address, after=seen[-1])
    for watcher in (*watchers, late):
        watcher.wait_for(count, 60)
    back.wait_for(count - len(seen), 60)
    for watcher in (*watchers, late, back):
        watcher.stop()
    wanted = list(range(start + 1, start + count + 1))
    assert [watcher.seqs == wanted for watcher in (*watchers, late)] == [True] * 4
    assert seen + back.seqs == wanted


@pytest.mark.long
def test_what_is_forgotten_is_shown_to_nobody_who_comes_later(memory: Memory, address: str) -> None:
    end = memory.read(log_end)
    watcher = Watcher(address, after=0)
    watcher.wait_for(end)
    forget(memory.settings, ToForget(sessions=("shop-1",)))
    watcher.wait_for(end + 1)
    later = Watcher(address, after=0)
    later.wait_until_at(memory.read(log_end))
    watcher.stop()
    later.stop()
    assert [event["event_type"] for event in later.events if event["session_id"] == "shop-1"] == ["session_forgotten"]
    assert "결제 서버 장애" not in {event["title"] for event in later.events}
    assert "session_forgotten" in {event["event_type"] for event in watcher.events}


def test_heartbeats_keep_the_connection(memory: Memory, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 0.2)
    watcher = Watcher(address)
    time.sleep(1)
    watcher.stop()
    assert watcher.comments >= 3 and watcher.seqs == []


@pytest.mark.long
@pytest.mark.deep
def test_who_takes_nothing_is_dropped_and_comes_back(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SEND_SECONDS", 0.5)
    start = memory.read(log_end)
    count = depth(1_500, 4_000)
    EventLog(memory.database).append(some_events(count, "much"))
    with served(memory, ROUTES, sent_ahead=20_000) as address:
        host, port = address.removeprefix("http://").split(":")
        read = bytearray()
        with socket.socket() as asleep:
            asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            asleep.connect((host, int(port)))
            asleep.sendall(f"GET /live?after={start} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            time.sleep(1.5)
            asleep.settimeout(10)
            with contextlib.suppress(ConnectionResetError):
                while chunk := asleep.recv(1 << 16):
                    read += chunk
        # Its last line may be cut: an id is taken with its event, as a browser does.
        whole = read.decode(errors="replace").rpartition("\r\n\r\n")[0]
        got = [json.loads(line[6:])["seq"] for line in whole.splitlines() if line.startswith("data: ")]
        assert 0 < len(got) < count and got == list(range(start + 1, start + 1 + len(got)))
        back = Watcher(address, after=got[-1])
        back.wait_for(count - len(got))
        back.stop()
    assert got + back.seqs == list(range(start + 1, start + count + 1))


@pytest.mark.long
def test_a_place_behind_the_end_is_the_end(memory: Memory, address: str) -> None:
    """The store was restored while somebody watched."""
    watcher = Watcher(address, after=10**9)
    watcher.wait_until_placed()
    EventLog(memory.database).append(some_events(2, "restored"))
    watcher.wait_for(2)
    watcher.stop()
    assert len(watcher.seqs) == 2


def test_a_place_that_is_no_number_is_named(address: str) -> None:
    answer = httpx.get(f"{address}/live", headers={"Last-Event-ID": "../x"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_argument")


@pytest.mark.long
def test_nobody_watches_nothing_is_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    known = live.tip_of
    monkeypatch.setattr(live, "tip_of", lambda folder: asked.append(time.monotonic()) or known(folder))
    with served(memory, ROUTES) as address:
        watchers = [Watcher(address) for _ in range(3)]
        for watcher in watchers:
            watcher.wait_until_placed()
        asked.clear()
        time.sleep(2)
        assert 2 <= len(asked) <= 9, "one poller, however many watch"
        for watcher in watchers:
            watcher.stop()
        time.sleep(0.4)
        before = len(asked)
        time.sleep(0.6)
        assert len(asked) == before


@pytest.mark.long
def test_what_fails_once_is_read_when_it_has_passed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is: those who watch would wait for ever, for their heartbeats go on."""
    known, failed = live.tip_of, threading.Event()

    def tip(folder: Path) -> object:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("something that nobody foresaw")
        return known(folder)

    with served(memory, ROUTES) as address:
        watcher = Watcher(address)
        watcher.wait_until_placed()
        monkeypatch.setattr(live, "tip_of", tip)
        # What is appended before it has failed may be read by a look that had begun.
        assert failed.wait(20)
        EventLog(memory.database).append(some_events(3, "behind"))
        watcher.wait_for(3, 20)
        watcher.stop()


@pytest.mark.long
def test_a_server_that_ends_lets_its_watchers_go(memory: Memory) -> None:
    with served(memory, ROUTES) as address:
        watcher = Watcher(address)
        time.sleep(0.5)
        began = time.monotonic()
        threading.Timer(3.0, watcher._stop.set).start()
    assert time.monotonic() - began < 10
    watcher._stop.set()
