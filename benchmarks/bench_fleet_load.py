"""What one machine's work costs a shared log, transaction by transaction: what ``simulate_fleet`` draws from.

  python benchmarks/bench_fleet_load.py FOLDER [--sessions 12] [--write benchmarks/fleet_load.json]

Session files of a folder are taken in one after another into a log in PostgreSQL 18, each in six steps as it grew,
and each step by a run of its own: a turn. For each time that a turn holds the log, for how long and what was written
is noted; a second machine then takes all of it over. The times are those of one machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory_assets.defs.run import import_paths
from memory_assets.fleet.postgres_store import HeldStore, PostgresStore
from memory_assets.maintenance.mirror import update_mirror
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.postgres.servers import Server, wheel_18

PIECES = 6


def main() -> None:
    """Measure, print, and write where told."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--sessions", type=int, default=12)
    arguments.add_argument("--write", type=Path, help="where the figures go, as JSON")
    given = arguments.parse_args()
    files = sorted(given.folder.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    files = files[:: max(1, len(files) // given.sessions)][: given.sessions]
    programs = wheel_18()
    if programs is None:
        sys.exit("PostgreSQL 18 is not installed")
    server = Server(programs)
    try:
        with tempfile.TemporaryDirectory() as folder:
            figures = measured(server, files, Path(folder))
    finally:
        server.remove()
    print(said(figures))
    if given.write:
        given.write.write_text(json.dumps(figures, indent=1) + "\n")


def measured(server: Server, files: Sequence[Path], folder: Path) -> dict[str, Any]:
    """The figures: what each turn held the log for, what it wrote, and what another machine paid for it."""
    url = server.address(server.new_database()).url
    one, two = (load_settings({"home": str(folder / name), "store": {"url": url}, "embedding": {"model": "hashing"}})
                for name in ("one", "two"))  # fmt: skip
    turns = []
    with noted() as holds:
        for file in files:
            for lines in grown(file):
                told = folder / "told" / file.name
                told.parent.mkdir(exist_ok=True)
                told.write_text("".join(lines), encoding="utf-8")
                del holds[:]
                import_paths(one, [told], project="measured", at_rest=False)
                turns.append([[round(seconds, 4), events] for seconds, events in holds])
                print(f"\r{len(turns)} turns", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    events, size = server.execute(url_database(url), _SIZES)[0]
    begun = cpu_seconds()
    update_mirror(resources_of(two))
    return {
        "turns": turns,
        "events": int(str(events)),
        "bytes_in_postgresql": int(str(size)),
        "cpu_seconds_to_follow": round(cpu_seconds() - begun, 3),
        "bytes_of_a_mirror": sum(path.stat().st_size for path in (folder / "two").rglob("*") if path.is_file()),
    }


_SIZES = "SELECT count(*), pg_total_relation_size('memory_log.events') FROM memory_log.events"


def url_database(url: str) -> str:
    """The name of the database in an address."""
    return url.partition("?")[0].rpartition("/")[2]


def resources_of(settings: Settings) -> Any:
    """What the settings choose."""
    return Memory(settings).resources


def grown(file: Path) -> Iterator[list[str]]:
    """The file as it was after each of some turns."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    ends = sorted({max(1, round(len(lines) * part / PIECES)) for part in range(1, PIECES + 1)})
    yield from (lines[:end] for end in ends)


@contextmanager
def noted() -> Iterator[list[tuple[float, int]]]:
    """Each time that the log is held meanwhile: seconds, and events written."""
    holds: list[tuple[float, int]] = []
    exclusive, push = PostgresStore.exclusive, HeldStore.push
    pushed = [0]

    @contextmanager
    def timed(self: PostgresStore, *given: Any, **named: Any) -> Iterator[HeldStore]:
        pushed[0] = 0
        begun = time.monotonic()
        with exclusive(self, *given, **named) as held:
            begun = time.monotonic()
            yield held
        holds.append((time.monotonic() - begun, pushed[0]))

    def counted(self: HeldStore, rows: Any, head: Any) -> Any:
        pushed[0] += len(rows)
        return push(self, rows, head)

    PostgresStore.exclusive, HeldStore.push = timed, counted  # type: ignore[method-assign, assignment]
    try:
        yield holds
    finally:
        PostgresStore.exclusive, HeldStore.push = exclusive, push  # type: ignore[method-assign]


def cpu_seconds() -> float:
    """Of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def said(figures: dict[str, Any]) -> str:
    """The figures for people."""
    turns = [turn for turn in figures["turns"] if turn]
    held = sorted(seconds for turn in turns for seconds, _ in turn)
    events = figures["events"]
    return "\n".join(
        [
            f"{len(turns)} turns, {events:,} events, {events / len(turns):.0f} a turn",
            f"the log is held {len(held) / len(turns):.1f} times a turn: p50 {statistics.median(held) * 1000:.0f} ms, "
            f"p95 {held[int(len(held) * 0.95)] * 1000:.0f} ms; {sum(held) / len(turns):.2f} s a turn",
            f"another machine follows for {figures['cpu_seconds_to_follow'] / events * 1000:.2f} CPU-ms an event",
            f"{figures['bytes_in_postgresql'] / events:,.0f} bytes an event in PostgreSQL, "
            f"{figures['bytes_of_a_mirror'] / events:,.0f} in a mirror with its index of words",
        ]
    )


if __name__ == "__main__":
    main()
