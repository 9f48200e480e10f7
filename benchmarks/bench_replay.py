"""A session of Claude Code, replayed with its hooks at every turn, against one import of the whole file.

    python benchmarks/bench_replay.py SESSION.jsonl [TURNS]

The file grows turn by turn as the agent writes it; around each turn the hooks that the agent would start are started, as
processes. Prints how long after a Stop the turn's words were searchable, what taking a turn cost the process that takes (CPU),
and in which tables the store differs from one that imported the whole file once.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_assets.defs.run import import_paths
from memory_assets.hooks import script
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.state import differing, rows, tables
from memory_assets_tests.server.running import Running, running

SECONDS_TO_WAIT = 120.0
SECONDS_AT_REST = 15.0
TICKS = os.sysconf("SC_CLK_TCK")
# What is remembered and shown; the tables between hold what earlier states of a growing session said as well.
REMEMBERED = ("memories", "memory_citations", "memory_units", "entities", "edges", "conflicts", "decisions", "unit_facets")


def turns(lines: list[bytes], count: int) -> Iterator[list[bytes]]:
    """The file in so many parts, each of whole lines."""
    for number in range(count):
        part = lines[number * len(lines) // count : (number + 1) * len(lines) // count]
        if part:
            yield part


def hook(home: Path, event: str, transcript: Path, session_id: str, **further: Any) -> float:
    """Call as the agent does; the seconds that it waits."""
    payload = {"session_id": session_id, "transcript_path": str(transcript), "cwd": "/srv/replayed", **further}
    begun = time.monotonic()
    command = [sys.executable, "-I", "-S", script.__file__, event, "--home", str(home)]
    subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True)
    return time.monotonic() - begun


def prompt_of(part: list[bytes]) -> str | None:
    """What the person typed in a turn."""
    for line in part:
        record = json.loads(line)
        content = record.get("message", {}).get("content") if record.get("type") == "user" else None
        if isinstance(content, str):
            return content
    return None


def taking(server: Running) -> dict[str, Any]:
    """How the taking of sessions stands."""
    told: dict[str, Any] = json.loads(server.client.get("/server")[1])["taking"]
    return told


def cpu_of(pid: int | None) -> float:
    """User and system seconds of a process and of what it waited for."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def until_at_rest(server: Running) -> None:
    """Wait until what is left behind the last turn is done as well."""
    until, runs = time.monotonic() + SECONDS_TO_WAIT, -1
    while taking(server)["runs"] != runs and time.monotonic() < until:
        runs = taking(server)["runs"]
        time.sleep(SECONDS_AT_REST)


def messages(settings: Settings) -> int:
    """How many messages the store holds of the newest revision."""
    return int(rows(settings, "SELECT count(*) FROM messages")[0][0])


def replay(server: Running, settings: Settings, source: Path, count: int) -> tuple[list[float], list[float]]:
    """Replay; seconds from each Stop until what it told of was taken in, and CPU seconds of each taking."""
    transcript = server.home.parent / source.name
    transcript.write_bytes(b"")
    session_id = source.stem
    behind: list[float] = []
    cost: list[float] = []
    hook(server.home, "session-start", transcript, session_id, source="startup")
    for part in turns(source.read_bytes().splitlines(keepends=True), count):
        if (prompt := prompt_of(part)) is not None:
            hook(server.home, "user-prompt-submit", transcript, session_id, prompt=prompt)
        with transcript.open("ab") as file:
            file.writelines(part)
        before = taking(server)
        cpu_before = cpu_of(before["process"])
        stopped = time.monotonic()
        hook(server.home, "stop", transcript, session_id)
        while (now := taking(server))["runs"] == before["runs"] and time.monotonic() - stopped < SECONDS_TO_WAIT:
            time.sleep(0.05)
        behind.append(time.monotonic() - stopped)
        cost.append(cpu_of(now["process"]) - cpu_before)
    hook(server.home, "session-end", transcript, session_id, reason="other")
    return behind, cost


def main() -> None:
    source, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 300
    with tempfile.TemporaryDirectory() as base:
        settings, whole = (load_settings({"home": Path(base) / name / "home"}) for name in ("replayed", "whole"))
        settings.home.mkdir(parents=True)
        with running(settings.home, MEMORY_EMBEDDING_MODEL="bundled") as server:
            behind, cost = replay(server, settings, source, count)
            until_at_rest(server)
        copy = Path(base) / "whole" / source.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(source.read_bytes())
        import_paths(whole, [copy], project=None)
        print(f"{len(behind)} turns, {messages(settings)} messages")
        print(f"behind a stop: median {statistics.median(behind):.1f} s, most {max(behind):.1f} s")
        print(f"taking a turn: median {statistics.median(cost):.2f} CPU-s, most {max(cost):.2f}")
        one, other = tables(settings), tables(whole)
        differ = differing(one, other)
        print(
            "what is remembered differs from one import:",
            {name: differ[name] for name in differ if name in REMEMBERED} or "nowhere",
        )
        print("other tables that differ:", ", ".join(name for name in differ if name not in REMEMBERED))


if __name__ == "__main__":
    main()
