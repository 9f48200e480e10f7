"""What a machine pays that comes new to a shared log: the whole log, or another machine's copy and what came behind it.

  python benchmarks/bench_new_machine.py [--events 100000] [--behind 1000]

A store of so many events moves into PostgreSQL, a copy of it is made (`memory backup`), and so many events more are written.
Then one new machine restores the copy and takes over the rest (`memory restore`, `memory mirror update`), and another one
everything (`memory mirror update`). CPU is that of this process, without the server's. The hashing embedder stands in for the
model: its vectors cost next to nothing.

Bar: with the copy at most 60 s of CPU at 100,000 events.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_purge import fill, talk_of

from memory_assets.backup.archive import back_up
from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.maintenance.copies import restore_store
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.maintenance.mirror import update_mirror, verify_mirror
from memory_assets.maintenance.moving import move_to_shared
from memory_assets.projections.fold import catch_up
from memory_assets.settings import load_settings
from memory_assets_tests.filled_store import STARTED, session_events
from memory_assets_tests.postgres.servers import Server, debian_15, wheel_18


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--behind", type=int, default=1_000)
    asked = parser.parse_args()
    programs = wheel_18() or debian_15()
    if programs is None:
        sys.exit("PostgreSQL is not installed")
    server = Server(programs)
    try:
        with tempfile.TemporaryDirectory() as folder:
            measure(server, Path(folder), asked.events, asked.behind)
    finally:
        server.remove()


def measure(server: Server, folder: Path, events: int, behind: int) -> None:
    url = server.address(server.new_database()).url
    fill(machine(folder / "first"), events)
    said("moved into PostgreSQL", lambda: move_to_shared(machine(folder / "first"), url))
    first = machine(folder / "first", url)
    copy = folder / "copy.backup"
    said("copied", lambda: back_up(first.database, copy))
    log = EventLog(first.database)
    for number in range(1_000_000, 1_000_000 + behind // 100):
        session = f"session-{number}"
        talk, entries = talk_of(number)
        log.append(
            session_events(session, "shop", session, f"/srv/{session}", STARTED, talk, entries, first.configured_versions)
        )
    catch_up(first.database, first.configured_versions, resolve=True)
    write_waiting(first)
    print(f"{log.last_seq():,} events, the copy has {copy.stat().st_size / 1e6:,.0f} MB")
    second, third = machine(folder / "second", url), machine(folder / "third", url)
    restored = said("restored by a new machine", lambda: restore_store(second, copy))
    followed = said("  and the rest taken over, with its index", lambda: update_mirror(second))
    print(f"{'together':44} {restored + followed:6.1f} s of CPU   bar 60 s at 100,000 events")
    said("the whole log taken over by another one", lambda: update_mirror(third))
    for one in (second, third):
        print(f"equal: {verify_mirror(one).equal}")


def machine(home: Path, url: str | None = None) -> Resources:
    """A machine of its own; without an address its log is its own too."""
    store = {"store": {"url": url}} if url else {}
    return Resources(load_settings({"home": home, "embedding": {"model": "hashing"}, **store}))


def said(what: str, work: Callable[[], object]) -> float:
    """Do it, and say what it costs."""
    started, elapsed = time.process_time(), time.perf_counter()
    work()
    spent, elapsed = time.process_time() - started, time.perf_counter() - elapsed
    print(f"{what:44} {spent:6.1f} s of CPU, {elapsed:6.1f} s elapsed", flush=True)
    return spent


if __name__ == "__main__":
    main()
