"""What one machine's work costs a shared log, transaction by transaction: what ``simulate_fleet`` draws from.

  python benchmarks/bench_fleet_load.py [FOLDER] [--sessions 12] [--turns 6] [--write benchmarks/fleet_load.json]

Session files of a folder are taken in one after another into a log in PostgreSQL 18, each in some steps as it grew,
and each step by a run of its own: a turn. For each time that a turn holds the log, for how long and what was written
is noted. After half of the sessions and after all of them a new machine takes over everything, and sizes are taken:
what an event costs is the difference of the two, for a store that is new costs something by itself, once. The first
of these machines then follows turn by turn. The times are those of one machine with nothing else to do, and of a
server that syncs what it commits.
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
from memory_assets.log.database import STORE_FILE_NAME
from memory_assets.maintenance.mirror import update_mirror
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.postgres.servers import Server, wheel_18


def main() -> None:
    """Measure, print, and write where told."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path, nargs="?", help="session files, as `memory import` takes them")
    arguments.add_argument("--sessions", type=int, default=12)
    arguments.add_argument("--turns", type=int, default=6, help="of each session")
    arguments.add_argument("--write", type=Path, help="where the figures go, as JSON")
    given = arguments.parse_args()
    if given.folder is None:
        print("not measured: name a folder with session files")
        return
    programs = wheel_18()
    if programs is None:
        sys.exit("PostgreSQL 18 is not installed")
    files = chosen(given.folder, given.sessions)
    server = Server(programs)
    try:
        server.stop()
        server.options["fsync"] = "on"  # which servers of tests leave out
        server.start()
        with tempfile.TemporaryDirectory() as folder:
            figures = measured(server, files, given.turns, Path(folder))
    finally:
        server.remove()
    print(said(figures))
    if given.write:
        given.write.write_text(json.dumps(figures, indent=1) + "\n")


def chosen(folder: Path, count: int) -> list[Path]:
    """So many session files, small and large ones, in an order in which both halves have as many of each size."""
    files = sorted(folder.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    files = files[:: max(1, len(files) // count)][:count]
    # The first half has every second file, but of each two pairs in turn the smaller and the larger one.
    first = [file for place, file in enumerate(files) if place % 4 in (0, 3)]
    return first + [file for file in files if file not in first]


def measured(server: Server, files: Sequence[Path], steps: int, folder: Path) -> dict[str, Any]:
    """The figures: what each turn held the log for, what it wrote, and what other machines paid for it."""
    url = server.address(server.new_database()).url
    writer, half, whole = (
        load_settings({"home": str(folder / name), "store": {"url": url}, "embedding": {"model": "hashing"}})
        for name in ("writer", "half", "whole")
    )
    turns: list[list[list[float]]] = []
    follows: list[list[float]] = []
    points: list[dict[str, float]] = []
    with noted() as holds:
        for place, file in enumerate(files):
            if place == (len(files) + 1) // 2:
                points.append(point_of(server, url, writer, half))
            for lines in grown(file, steps):
                told = folder / "told" / file.name
                told.parent.mkdir(exist_ok=True)
                told.write_text("".join(lines), encoding="utf-8")
                del holds[:]
                import_paths(writer, [told], project="measured", at_rest=False)
                turns.append([[round(seconds, 4), events] for seconds, events in holds])
                if points:
                    follows.append([sum(events for _, events in holds), followed(half)])
                print(f"\r{len(turns)} turns", end="", file=sys.stderr, flush=True)
        points.append(point_of(server, url, writer, whole))
    print(file=sys.stderr)
    return {"turns": turns, "follows": follows, "half": points[0], "all": points[1], "half_at_the_end": bytes_of(half)}


def point_of(server: Server, url: str, writer: Settings, new: Settings) -> dict[str, float]:
    """Let a new machine take over everything, and take all sizes."""
    events, size = server.execute(url_database(url), _SIZES)[0]
    return {
        "events": int(str(events)),
        "bytes_in_postgresql": int(str(size)),
        "cpu_seconds_to_take_over": followed(new),
        **{f"bytes_of_a_mirror_{name}": size for name, size in bytes_of(new).items()},
        **{f"bytes_of_the_writer_{name}": size for name, size in bytes_of(writer).items()},
    }


def followed(machine: Settings) -> float:
    """CPU-seconds for which a machine takes over what is new: tables and index of words."""
    begun = cpu_seconds()
    update_mirror(resources_of(machine))
    return round(cpu_seconds() - begun, 3)


def bytes_of(settings: Settings) -> dict[str, int]:
    """What a machine's store takes, the blocks of it that hold something, and what its search index takes."""
    with resources_of(settings).database.held() as connection:
        connection.execute("CHECKPOINT")
        used = connection.execute("SELECT used_blocks * block_size FROM pragma_database_size()").fetchall()[0][0]
    store = settings.store_folder / STORE_FILE_NAME
    index = [path.stat().st_size for path in settings.vectors_folder.rglob("*") if path.is_file()]
    return {"file": store.stat().st_size, "blocks": int(used), "index": sum(index)}


_SIZES = "SELECT count(*), pg_total_relation_size('memory_log.events') FROM memory_log.events"


def url_database(url: str) -> str:
    """The name of the database in an address."""
    return url.partition("?")[0].rpartition("/")[2]


def resources_of(settings: Settings) -> Any:
    """What the settings choose."""
    return Memory(settings).resources


def grown(file: Path, steps: int) -> Iterator[list[str]]:
    """The file as it was after each of so many turns."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    ends = sorted({max(1, round(len(lines) * part / steps)) for part in range(1, steps + 1)})
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
    first, last = figures["half"], figures["all"]
    events = last["events"] - first["events"]
    cpu = last["cpu_seconds_to_take_over"] - first["cpu_seconds_to_take_over"]
    follows = sorted(seconds for _, seconds in figures["follows"])
    grown_by = sum(figures["half_at_the_end"][name] for name in ("file", "index")) - sum(
        first[f"bytes_of_a_mirror_{name}"] for name in ("file", "index")
    )
    lines = [
        f"{len(turns)} turns, {last['events']:,} events, {last['events'] / len(turns):.0f} a turn",
        f"the log is held {len(held) / len(turns):.1f} times a turn: p50 {statistics.median(held) * 1000:.0f} ms, "
        f"p95 {held[int(len(held) * 0.95)] * 1000:.0f} ms; {sum(held) / len(turns):.2f} s a turn",
        f"a new machine takes over for {cpu / events * 1000:.2f} CPU-ms an event",
        f"one that follows turn by turn for {statistics.median(follows):.2f} CPU-s a turn (median of {len(follows)}), "
        f"{sum(follows) / events * 1000:.1f} CPU-ms an event",
        f"{'':30} {first['events']:>12,} {last['events']:>12,}   an event between",
    ]
    sizes = [name for name in first if name.startswith("bytes_")]
    rows = [
        f"{name:30} {first[name]:12,} {last[name]:12,} {(last[name] - first[name]) / events:18,.0f}"
        for name in sizes
    ]  # fmt: skip
    followed = f"that mirror grew by {grown_by / events:,.0f} bytes an event"
    return "\n".join([*lines, *rows, followed])


if __name__ == "__main__":
    main()
