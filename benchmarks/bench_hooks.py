"""What a hook costs its agent: calls as processes, with a server that answers, with none, with one that is stuck or was killed.

    python benchmarks/bench_hooks.py [CALLS] [AT_ONCE] [STATE …]

Prints, for each state of the server, the time of a call as its agent sees it, how many ended otherwise than with 0 and one JSON
object, how many prompts were lost or stand twice in what is taken afterwards, and how many processes are left.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_assets.hooks import script
from memory_assets.hooks.folders import HookFolders
from memory_assets.hooks.journal import journal_sessions
from memory_assets.hooks.taking import sources_to_take
from memory_assets_tests.filled_store import fill, test_settings

STATES = ("up", "stopped", "stuck", "killed", "killed on the way")
_STUCK_SECONDS = 10.0
_SESSIONS = 20


@dataclass(frozen=True)
class Call:
    """How one call ended."""

    seconds: float
    code: int
    printed: str


def hook(home: Path, number: int) -> Call:
    """One prompt of one of some sessions."""
    payload = {
        "session_id": f"session-{number % _SESSIONS}",
        "transcript_path": str(home / "none.jsonl"),
        "cwd": "/srv/shop",
        "hook_event_name": "UserPromptSubmit",
        "prompt": f"Which PostgreSQL do orders use? ({number})",
    }
    command = [sys.executable, "-I", "-S", script.__file__, "user-prompt-submit", "--home", str(home)]
    begun = time.monotonic()
    done = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=False)
    return Call(time.monotonic() - begun, done.returncode, done.stdout)


@contextmanager
def server(home: Path, wait: float) -> Iterator[subprocess.Popen[bytes]]:
    """The server, which takes no sessions here; or, for one that is stuck, a process that answers after ``wait`` seconds."""
    said = home / "server" / "server.json"
    said.unlink(missing_ok=True)
    options = ["--home", str(home), "--set", "embedding.model=hashing", "--set", "server.take_sessions=false"]
    real = [sys.executable, "-m", "memory_assets", *options, "serve", "run", "--on-demand", "--port", "0"]
    stuck = [sys.executable, "-m", "memory_assets_tests.hooks.stand_in", str(home), str(wait)]
    process = subprocess.Popen(stuck if wait else real)
    try:
        while not said.exists():
            if process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def cpu_of_children() -> float:
    """CPU seconds of the processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(state: str, calls: int, at_once: int) -> tuple[list[Call], Path, float]:
    """Calls while the server is in a state, the store's folder, and the CPU seconds of the calls without the server's."""
    home = Path(tempfile.mkdtemp(prefix="bench-hooks-"))
    fill(home)
    (home / "hooks").mkdir()
    (home / "hooks" / script.SETTINGS).write_text(json.dumps({"on_demand": False}))
    with ThreadPoolExecutor(at_once) as pool:
        if state == "stopped":
            spent = cpu_of_children()
            return list(pool.map(lambda number: hook(home, number), range(calls))), home, cpu_of_children() - spent
        with server(home, _STUCK_SECONDS if state == "stuck" else 0.0) as process:
            if state == "killed":
                process.send_signal(signal.SIGKILL)
                process.wait()
            futures, spent = [], cpu_of_children()
            for number in range(calls):
                futures.append(pool.submit(hook, home, number))
                if state == "killed on the way" and number == calls // 2:
                    futures[number // 2].result()
                    process.send_signal(signal.SIGKILL)
            done = [future.result() for future in futures]
            spent = cpu_of_children() - spent
            if state == "stuck":
                time.sleep(_STUCK_SECONDS + 1)  # it keeps late what was put into the spool long ago
            return done, home, spent


def lost_and_doubled(home: Path, calls: int) -> tuple[int, int]:
    """Of the prompts that were typed, those that nothing holds and those that are held twice."""
    sources_to_take(test_settings(home))
    held = Counter(line.prompt for one in journal_sessions(HookFolders(home / "hooks")) for line in one.prompts)
    wanted = [f"Which PostgreSQL do orders use? ({number})" for number in range(calls)]
    return sum(held[one] == 0 for one in wanted), sum(held[one] > 1 for one in wanted)


def processes_of(home: Path) -> int:
    """Processes that have the store's folder in their command."""
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return sum(str(home) in line for line in found.stdout.splitlines())


def main() -> None:
    """Measure every state."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    at_once = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for state in sys.argv[3:] or STATES:
        # A call to a server that is stuck takes its whole deadline: several of them are made at once.
        done, home, spent = measured(state, calls, max(at_once, 5) if state == "stuck" else at_once)
        times = sorted(call.seconds for call in done)
        bad = sum(call.code != 0 or not isinstance(json.loads(call.printed), dict) for call in done)
        told = sum("PostgreSQL 16" in call.printed for call in done)
        lost, doubled = lost_and_doubled(home, calls)
        print(
            f"{state:18} {calls} calls: p50 {times[calls // 2] * 1000:.0f} ms, p95 {times[int(calls * 0.95)] * 1000:.0f} ms, "
            f"longest {times[-1] * 1000:.0f} ms, {spent / calls * 1000:.0f} ms of CPU each; {told} told, {bad} bad ends, "
            f"{lost} lost, {doubled} twice, {processes_of(home)} processes left",
            flush=True,
        )


if __name__ == "__main__":
    main()
