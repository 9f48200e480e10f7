"""The page of events in a real browser: what is committed stands there within two seconds, a burst comes whole."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memory_assets.log.event_log import EventLog
from memory_assets.memory import Memory
from memory_assets.queries.event_stream import log_end
from memory_assets.viewer.store_pages import MOST_EVENTS
from memory_assets_tests.depth import depth
from memory_assets_tests.filled_store import fill
from memory_assets_tests.viewer.chromium import browsing
from memory_assets_tests.viewer.served import serving
from memory_assets_tests.viewer.test_live import some_events

BURST = depth(4, 20)
"""Batches of 500 events."""
_SEQS = "[...document.querySelectorAll('#live tr')].map((row) => Number(row.cells[0].textContent))"


@pytest.mark.deep
def test_the_log_on_the_screen(tmp_path: Path) -> None:
    memory = Memory(fill(tmp_path))
    log = EventLog(memory.database)
    with serving(memory) as served, browsing() as browser:
        browser.open(f"{served.url}/events")
        browser.wait_for("document.querySelector('.live-state.on') !== null")
        assert browser.evaluate(_SEQS) == list(range(memory.read(log_end), 0, -1))
        time.sleep(0.6)
        log.append(some_events(1, "one"))
        committed = time.monotonic()
        browser.wait_for(f"{_SEQS}[0] === {memory.read(log_end)}", 10)
        assert time.monotonic() - committed <= 2

        for number in range(BURST):
            log.append(some_events(500, f"burst{number}-"))
            if number == BURST // 2:
                browser.evaluate("document.getElementById('live-pause').click()")
        end = memory.read(log_end)
        browser.evaluate("document.getElementById('live-pause').click()")
        browser.wait_for(f"{_SEQS}[0] === {end}", 60)
        assert browser.evaluate(_SEQS) == list(range(end, end - MOST_EVENTS, -1)), "none lost, none twice"
        assert browser.said == [] and served.reports == []
