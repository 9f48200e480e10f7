"""The log's own cost: appending batches of 200 events of 1 kB, and reading them back.

  python benchmarks/bench_append_and_replay.py [--events 20000]

Bars: append >= 6,000 events a CPU-second on one open connection and >= 1,200 with open and close each batch, model
and checksum included; replay >= 100,000 a CPU-second as stored rows and >= 40,000 as validated models.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, payload_text
from memory_assets.log.payloads.sessions import MessageContinued
from memory_assets.log.upcasting import read_payload

BATCH = 200
TEXT = "시험 문장 and some English words, 그리고 숫자 12345. " * 15


def event(number: int) -> NewEvent:
    """An event of about 1 kB of payload, made anew so that its model is part of what is measured."""
    return NewEvent(
        payload=MessageContinued(uid=f"message-{number}", part=number, text=TEXT),
        session_id=f"session-{number % 500}",
        inputs=(f"input-{number}",),
        stage_version="1",
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def per_second(label: str, count: int, bar: int, work: Callable[[], None]) -> None:
    started = time.process_time()
    work()
    spent = time.process_time() - started
    print(f"{label:48s} {count / spent:>12,.0f} a CPU-second   bar {bar:>8,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    events = parser.parse_args().events
    with tempfile.TemporaryDirectory() as folder:
        log = EventLog(Database(Path(folder)))
        log.append([event(-1)])
        print(f"{events} events of {len(payload_text(event(0).payload).encode())} bytes of payload, batches of {BATCH}")

        def held() -> None:
            with log.held() as open_log:
                for start in range(0, events, BATCH):
                    open_log.append([event(number) for number in range(start, start + BATCH)])

        def opened_each_time() -> None:
            for start in range(events, events + events // 4, BATCH):
                log.append([event(number) for number in range(start, start + BATCH)])

        def known_again() -> None:
            for start in range(0, events // 4, BATCH):
                log.append([event(number) for number in range(start, start + BATCH)])

        per_second("append, one open connection", events, 6_000, held)
        per_second("append, open and close each batch", events // 4, 1_200, opened_each_time)
        per_second("append of what is known, open and close", events // 4, 1_200, known_again)
        total = log.last_seq()

        def stored_rows() -> None:
            assert sum(1 for _ in log.replay()) == total

        def validated_models() -> None:
            assert sum(read_payload(stored) is not None for stored in log.replay()) == total

        per_second("replay, stored rows", total, 100_000, stored_rows)
        per_second("replay, validated models", total, 40_000, validated_models)


if __name__ == "__main__":
    main()
