"""What a shared log costs: batches of 200 events of 1 kB by one machine and by two, and how soon another machine has them.

  python benchmarks/bench_fleet.py [--batches 25]

Three logs in one run: the store's file, which each batch opens and closes; PostgreSQL alone, which is the lock and the rows;
and a mirror, which is the file and PostgreSQL together. CPU is that of the machines and of the server's processes, without what
it takes to start. The lag is the time between an append's end on one machine and the first reading that has it on another one,
which reads twenty times a second.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory_assets_tests.postgres.servers import Server, debian_15, wheel_18

ROOT = Path(__file__).resolve().parents[1]
BATCH = 200

# Says for each batch when it was done and how long it took.
WRITER = """
import json, sys, time
from datetime import UTC, datetime
from pathlib import Path
from memory_assets.log.batches import _columns, rows_of
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.links import LINKED_COLUMNS, link_of
from memory_assets.log.payloads.sessions import MessageContinued
from memory_assets.fleet.opening import shared_log
from memory_assets_tests.fleet.hosts import database_of
from benchmarks.bench_append_and_replay import TEXT

how, folder, url, name, batches = sys.argv[1:]

def batch(number):
    return [event(f"{name}-{number}-{place}") for place in range(200)]

def alone(store, events):
    columns = _columns(rows_of(events), None)
    with store.exclusive() as log:
        head = log.state().head
        rows, link = [], head.link_hash
        for place, values in enumerate(zip(*(columns[c] for c in LINKED_COLUMNS if c != "seq")), start=head.seq + 1):
            row = (place, *values)
            link = link_of(link, row)
            rows.append((*row, columns["payload_json"][place - head.seq - 1], link))
        log.push(rows, head)

def event(label):
    payload = MessageContinued(uid=label, part=1, text=TEXT)
    return NewEvent(payload=payload, session_id=f"session-{name}", inputs=(label,), stage_version="1",
                    occurred_at=datetime(2026, 1, 1, tzinfo=UTC))

if how == "alone":
    store = shared_log(url, 60.0)
    append = lambda events: alone(store, events)
    store.state()
else:
    log = EventLog(database_of(Path(folder), url, lock_timeout=60.0))
    append = log.append
    log.last_seq()
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(batches)):
    events = batch(number)
    started = time.time()
    append(events)
    print(json.dumps([time.time(), time.time() - started]), flush=True)
"""

READER = """
import json, sys, time
from pathlib import Path
from memory_assets.log.event_log import EventLog
from memory_assets_tests.fleet.hosts import database_of

folder, url, wanted = sys.argv[1:]
log = EventLog(database_of(Path(folder), url))
log.last_seq()
print("ready", flush=True)
sys.stdin.readline()
seen = 0
while seen < int(wanted):
    seen = log.last_seq()
    print(json.dumps([time.time(), seen]), flush=True)
    time.sleep(0.05)
"""


def started(program: str, *arguments: object) -> subprocess.Popen[str]:
    """A process that waits to be told to begin."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None and process.stdout.readline().strip() == "ready"
    return process


def finished(processes: list[subprocess.Popen[str]]) -> list[list[tuple[float, float]]]:
    """What each printed once all were told to begin."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [[tuple(json.loads(line)) for line in process.communicate()[0].splitlines()] for process in processes]


def cpu_of_children() -> float:
    """CPU of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(how: str, server: Server | None, batches: int, clients: int) -> None:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        url = server.address(server.new_database()).url if server else "-"
        homes = [Path(folder) / (str(number) if server else "alone") for number in range(clients)]
        # What it costs to start is told apart by a run that writes nothing.
        spent = []
        for count in (0, batches):
            before, of_server = cpu_of_children(), server.cpu_seconds() if server else 0.0
            told = finished([started(WRITER, how, home, url, f"{count}-{place}", count) for place, home in enumerate(homes)])
            spent.append((cpu_of_children() - before) + ((server.cpu_seconds() if server else 0.0) - of_server))
        took = [seconds for one in told for _, seconds in one]
        events = batches * BATCH * clients
        name = f"{how}{f', PostgreSQL {server.version}' if server else ''}, {clients} machine{'s' if clients > 1 else ''}"
        print(
            f"{name:40s} {events / (spent[1] - spent[0]):>8,.0f} events a CPU-s   p50 {statistics.median(took) * 1000:>6.0f} ms"
        )


def lag(server: Server, batches: int) -> None:
    """How long another machine has not what one has written."""
    with tempfile.TemporaryDirectory() as folder:
        url = server.address(server.new_database()).url
        writer = started(WRITER, "mirror", Path(folder) / "one", url, "w", batches)
        reader = started(READER, Path(folder) / "two", url, batches * BATCH)
        wrote, read = finished([writer, reader])
        found = [
            next(at for at, seq in read if seq >= (number + 1) * BATCH) - at_end for number, (at_end, _) in enumerate(wrote)
        ]
        found.sort()
        print(f"lag of a mirror, PostgreSQL {server.version}: p50 {statistics.median(found):.2f} s, "
              f"p95 {found[int(len(found) * 0.95)]:.2f} s over {len(found)} batches")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=25)
    batches = parser.parse_args().batches
    for clients in (1, 2):
        measure("file", None, batches, clients)
    for programs in (debian_15(), wheel_18()):
        if programs is None:
            continue
        server = Server(programs)
        try:
            for how in ("alone", "mirror"):
                for clients in (1, 2):
                    measure(how, server, batches, clients)
            lag(server, batches)
        finally:
            server.remove()


if __name__ == "__main__":
    main()
