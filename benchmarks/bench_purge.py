"""What a purge costs: one session forgotten of a store with so many events, its index with it.

  python benchmarks/bench_purge.py [--events 100000]

Bar: at most 60 s of CPU at 100,000 events. What is measured is all that the command does: the control, the store and the index
written anew and checked, and the search for what is left. The hashing embedder stands in for the model: no vector is made anew.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.maintenance.purge.purge import plan, purge
from memory_assets.projections.fold import catch_up
from memory_assets.results.purge import DagsterPurgedV1
from memory_assets.settings import load_settings
from memory_assets_tests.filled_store import STARTED, Said, session_events

MESSAGES = 46
"""A session of so many messages, each with an entry, is a hundred events."""

WORDS = [
    *("deploy", "server", "cache", "token", "review", "branch", "latency", "worker", "queue", "schema", "index", "retry"),
    *("timeout", "rollback", "customer", "invoice", "배포", "서버", "캐시", "결정", "로그", "원인", "테스트", "고객", "청구"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(load_settings({"home": Path(folder), "embedding": {"model": "hashing"}}))
        fill(resources, asked.events)
        forgotten = NewEvent(SessionForgotten(reason="asked"), session_id="session-3", inputs=("benchmark",))
        EventLog(resources.database).append([forgotten])
        catch_up(resources.database, resources.configured_versions, resolve=True)
        size = (resources.settings.home / "memory.duckdb").stat().st_size
        print(f"{EventLog(resources.database).last_seq():,} events, {size / 1e6:,.0f} MB")
        started, elapsed = time.process_time(), time.perf_counter()
        planned = plan(resources)
        print(f"planned:  {time.process_time() - started:6.1f} s of CPU")
        report = purge(resources, planned, lambda sessions: DagsterPurgedV1(runs=0, records=0, partitions=0, beyond=""))
        spent, elapsed = time.process_time() - started, time.perf_counter() - elapsed
        print(f"purged:   {spent:6.1f} s of CPU, {elapsed:.1f} s elapsed")
        print(f"{report.pieces} pieces found {report.found_before} times before, {report.found_after} times after")
        print(f"{report.events_kept:,} events stay, {sum(report.events_removed.values())} are gone")


def fill(resources: Resources, events: int) -> None:
    """A store of sessions that say different things."""
    log, versions = EventLog(resources.database), resources.configured_versions
    for number in range(events // (2 * MESSAGES + 8)):
        talk, said = talk_of(number)
        session = f"session-{number}"
        log.append(session_events(session, "shop", session, f"/srv/{session}", STARTED, talk, said, versions))
    catch_up(resources.database, versions, resolve=True)
    write_waiting(resources)


def talk_of(session: int) -> tuple[tuple[tuple[str, str], ...], tuple[Said, ...]]:
    """A session's messages, each with an entry."""
    chance = random.Random(session)
    talk = tuple(("user" if place % 2 else "assistant", _message(chance, session, place)) for place in range(MESSAGES))
    return talk, tuple(Said("decision", text[:80], ((place, text[:80]),)) for place, (_, text) in enumerate(talk))


def _message(chance: random.Random, session: int, place: int) -> str:
    words = min(150, max(12, int(chance.lognormvariate(3.3, 0.9))))
    return f"s{session}m{place} " + " ".join(chance.choices(WORDS, k=words))


if __name__ == "__main__":
    main()
