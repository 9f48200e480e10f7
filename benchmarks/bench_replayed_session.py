"""A Claude Code session replayed turn by turn, a hook at every prompt and every Stop, against one import of the whole file.

    python benchmarks/bench_replayed_session.py RECORD [--turns 300]

Bars: the store that heard every turn is equal to the one that imported the whole file once; what a turn said is found by its
words <= 5 s after Stop; a turn costs <= 0.5 CPU-seconds in the server and the process that takes sessions for it.

Of every other turn is asked when it can be found, twice a second, which the server has to answer; of those between is measured
what they cost, with nobody asking.

The record is cut into as many pieces as there are turns; a line that a person types is put in front of each, with a word that
stands nowhere else, by which the turn is then searched for. Both stores get the same lines.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory_assets.configuration import Resources
from memory_assets.defs.run import import_paths
from memory_assets.hooks import script
from memory_assets.settings import Settings
from memory_assets_tests.defs.state import differing, tables
from memory_assets_tests.filled_store import test_settings
from memory_assets_tests.server.running import Running, running

SESSION = "5f0c6a52-9d3e-4b77-8a51-c0ffee000300"
MOST_SECONDS = 60.0
SECONDS_BETWEEN_QUESTIONS = 0.5
# What a turn leaves begins five seconds behind it.
SECONDS_OF_STILLNESS = 1.5
_CLOCK_TICKS = 100
# What tells how a session came in and not what it says: how often, by which events, and of what use it was meanwhile.
TOLD_TABLES = frozenset({"source_files", "promotions", "idris_checks", "unit_usage", "unit_usage_days"})
TOLD_COLUMNS = frozenset({"revision", "ingest_event_id", "event_id", "source_event_id", "chain_id", "basis"})


def remembered(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """What a store remembers; entries of older revisions, which stay only so that their addresses lead somewhere, are none."""
    found = tables(settings)
    replaced = {row["entry_id"] for row in found["entries"] if row["status"] == "superseded"}
    return {
        name: sorted(
            (
                {column: value for column, value in row.items() if column not in TOLD_COLUMNS}
                for row in rows
                if row.get("entry_id") not in replaced
            ),
            key=repr,
        )
        for name, rows in found.items()
        if name not in TOLD_TABLES
    }


def pieces_of(record: Path, turns: int) -> list[list[str]]:
    """The lines of each turn, all of one session, behind a prompt that has the turn's own word."""
    lines = [as_of_session(line) for line in record.read_text().splitlines() if line.strip()]
    stamps = [json.loads(line).get("timestamp") for line in lines]
    begun = datetime.fromisoformat(next(stamp for stamp in stamps if stamp))
    ends = [round(len(lines) * turn / turns) for turn in range(turns + 1)]
    pieces = []
    for turn, (start, end) in enumerate(pairwise(ends)):
        last = next((stamp for stamp in reversed(stamps[:start]) if stamp), None)
        at = datetime.fromisoformat(last) if last else begun - timedelta(seconds=1)
        pieces.append([prompt_line(turn, at), *lines[start:end]])
    return pieces


def as_of_session(line: str) -> str:
    said = json.loads(line)
    if "sessionId" in said:
        said["sessionId"] = SESSION
    return json.dumps(said, ensure_ascii=False)


def prompt_of(turn: int) -> str:
    return f"Turn {word_of(turn)}: we decided to keep report {turn} for {turn + 3} days because the auditors read it late."


def word_of(turn: int) -> str:
    return f"replay{turn:04d}turn"


def prompt_line(turn: int, at: datetime) -> str:
    said = {
        "type": "user",
        "sessionId": SESSION,
        "uuid": f"00000000-0000-4000-8000-{turn:012d}",
        "timestamp": at.isoformat().replace("+00:00", "Z"),
        "message": {"role": "user", "content": prompt_of(turn)},
    }
    return json.dumps(said, ensure_ascii=False)


def call(home: Path, event: str, record: Path, **more: Any) -> None:
    """A hook as its agent calls it: a process that gets JSON."""
    payload = {"session_id": SESSION, "transcript_path": str(record), "cwd": "/srv/shop", "hook_event_name": event, **more}
    command = [sys.executable, "-I", "-S", script.__file__, event, "--home", str(home)]
    subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True)


def cpu_of(server: Running) -> float:
    """CPU seconds of the server and of every process that it started and that still runs or was waited for."""
    ids = [server.process.pid, *children_of(server.process.pid)]
    ticks = 0
    for one in ids:
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / _CLOCK_TICKS


def children_of(parent: int) -> list[int]:
    """The processes that a process started, whichever of its threads did."""
    found = []
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            found += [int(one) for one in children.read_text().split()]
        except OSError:  # the thread has ended
            continue
    return found


def seconds_until_found(server: Running, turn: int) -> float:
    """From now until a search names what the turn said."""
    begun = time.monotonic()
    while time.monotonic() - begun < MOST_SECONDS:
        status, body = server.client.post("/api/search", {"query": word_of(turn), "mode": "lexical", "k": 3})
        if status != 200:
            raise RuntimeError(body.decode())
        if f"report {turn} for" in body.decode():
            return time.monotonic() - begun
        time.sleep(SECONDS_BETWEEN_QUESTIONS)
    return float("inf")


def cpu_once_still(server: Running, turn: int) -> float:
    """CPU seconds of the server and what it started, once they do nothing any more."""
    begun, last, still_since = time.monotonic(), cpu_of(server), time.monotonic()
    while time.monotonic() - begun < MOST_SECONDS:
        time.sleep(0.1)
        # The clock ticks a hundred times a second, and who waits for work takes a tick now and then.
        if (now := cpu_of(server)) - last > 2 / _CLOCK_TICKS:
            last, still_since = now, time.monotonic()
        if time.monotonic() - still_since > SECONDS_OF_STILLNESS and time.monotonic() - begun > 2 * SECONDS_OF_STILLNESS:
            break
    else:
        raise RuntimeError(f"turn {turn} is worked at for longer than {MOST_SECONDS:g} s")
    if seconds_until_found(server, turn) > 10 * SECONDS_BETWEEN_QUESTIONS:
        raise RuntimeError(f"turn {turn} was not taken in though nothing is done any more")
    return now


def replayed(home: Path, record: Path, pieces: list[list[str]]) -> tuple[list[float], list[float]]:
    """Seconds until turns were found, and CPU seconds of those between."""
    found, spent = [], []
    with running(home, "run", "--on-demand", MEMORY_SERVER_IDLE_MINUTES="60") as server:
        for turn, lines in enumerate(pieces):
            before = cpu_of(server)
            call(home, "user-prompt-submit", record, prompt=prompt_of(turn))
            with record.open("a") as file:
                file.write("\n".join(lines) + "\n")
            call(home, "stop", record)
            if turn % 2:
                spent.append(cpu_once_still(server, turn) - before)
            else:
                found.append(seconds_until_found(server, turn))
                cpu_once_still(server, turn)
            if turn % 10 == 9:
                print(f"… {turn + 1} of {len(pieces)} turns, {found[-1]:.1f} s, {spent[-1]:.1f} CPU-s", file=sys.stderr)
        call(home, "session-end", record, reason="exit")
        time.sleep(30)
    return found, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path)
    parser.add_argument("--turns", type=int, default=300)
    asked = parser.parse_args()
    pieces = pieces_of(asked.record, asked.turns)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "records" / f"{SESSION}.jsonl"
        record.parent.mkdir()
        record.touch()
        replay, once = test_settings(Path(folder) / "replay"), test_settings(Path(folder) / "once")
        (replay.home / "hooks").mkdir(parents=True)
        found, spent = replayed(replay.home, record, pieces)
        import_paths(replay, [record], project=None)
        import_paths(once, [record], project=None)
        differences = differing(remembered(replay), remembered(once))
        with Resources(replay).database.reading() as connection:
            ((messages, events),) = connection.execute(
                "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM events)"
            ).fetchall()
    print(f"{len(pieces)} turns, {messages} messages, {events} events")
    print(
        f"found behind Stop: median {statistics.median(found):.1f} s, 95 % {ranked(found, 0.95):.1f} s, most {max(found):.1f} s"
        "   bar 5"
    )
    print(f"CPU-seconds of a turn: median {statistics.median(spent):.2f}, 95 % {ranked(spent, 0.95):.2f}   bar 0.5")
    print(f"tables that differ from one import: {differences or 'none'}")


def ranked(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


if __name__ == "__main__":
    main()
