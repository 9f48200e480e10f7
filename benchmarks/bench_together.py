"""Many processes on one store: four imports, a search loop, an MCP client and `memory dev`, and nobody gets an error.

  python benchmarks/bench_together.py FOLDER_OF_SESSIONS [--seconds 60] [--model hashing]

Bars: 0 errors; a reader that asks for the store waits 1 s at the 95th percentile.

Each import loop takes a part of the folder's files, three at a time. What a reader waits is measured in this process, from
asking for the store to having it.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memory_assets.configuration import Resources
from memory_assets.settings import load_settings
from memory_assets_tests.mcp.client import connected, text_of

IMPORTS = 4
QUESTION = "error handling"


class Said:
    """What went wrong, and how long what took."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.waits: list[float] = []
        self.counted: dict[str, int] = {}

    def count(self, what: str) -> None:
        self.counted[what] = self.counted.get(what, 0) + 1


def imports(said: Said, files: Sequence[Path], goes_on: Callable[[], bool], environment: dict[str, str]) -> None:
    """One import after another, each of some files."""
    for start in range(0, len(files), 3):
        if not goes_on():
            return
        done = run(["import", *map(str, files[start : start + 3]), "--json"], environment)
        said.count("imports")
        if done.returncode:
            said.errors.append(f"import ended with {done.returncode}: {done.stdout[-800:]} {done.stderr[-800:]}")


def searches(said: Said, goes_on: Callable[[], bool], environment: dict[str, str]) -> None:
    while goes_on():
        done = run(["search", QUESTION, "--mode", "lexical"], environment)
        said.count("searches")
        if done.returncode not in (0, 1):
            said.errors.append(f"search ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")


def calls(said: Said, goes_on: Callable[[], bool], home: Path) -> None:
    with connected(home, MEMORY_EMBEDDING_MODEL=os.environ["MEMORY_EMBEDDING_MODEL"]) as client:
        while goes_on():
            for tool, arguments in (("search_memory", {"query": QUESTION}), ("stats", {})):
                result = client.call(tool, **arguments)
                said.count("calls")
                if result.is_error:
                    said.errors.append(f"{tool}: {text_of(result)[:500]}")
            time.sleep(0.1)


def reads(said: Said, goes_on: Callable[[], bool], home: Path) -> None:
    database = Resources(load_settings({"home": home})).database
    while goes_on():
        started = time.monotonic()
        try:
            with database.reading() as connection:
                said.waits.append(time.monotonic() - started)
                connection.execute("SELECT count(*) FROM memory_units").fetchall()
        except Exception as error:
            said.errors.append(f"reader: {error}")
        time.sleep(0.05)


def run(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_assets", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@contextmanager
def development(home: Path, environment: dict[str, str]) -> Iterator[Path]:
    """`memory dev`; the file with what it says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = home / "dev.log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "memory_assets", "dev", "--port", str(port)]
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield log
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--model", default="hashing")
    chosen = parser.parse_args()
    os.environ["MEMORY_EMBEDDING_MODEL"] = chosen.model
    files = sorted(path for path in chosen.folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    said = Said()
    with tempfile.TemporaryDirectory(prefix="together") as folder, ExitStack() as stack:
        home = Path(folder)
        environment = os.environ | {"MEMORY_HOME": str(home)}
        run(["init"], environment)
        log = stack.enter_context(development(home, environment))
        until = time.monotonic() + chosen.seconds

        def goes_on() -> bool:
            return time.monotonic() < until

        works: list[Callable[[], None]] = [
            *(
                lambda part=number: imports(said, files[part::IMPORTS], goes_on, environment)  # type: ignore[misc]
                for number in range(IMPORTS)
            ),
            lambda: searches(said, goes_on, environment),
            lambda: calls(said, goes_on, home),
            lambda: reads(said, goes_on, home),
        ]
        threads = [threading.Thread(target=work) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        troubled = [line for line in log.read_text().splitlines() if "locked" in line or "Error" in line]
        said.errors += [f"dev: {line[:300]}" for line in troubled]
    ordered = sorted(said.waits)
    print(", ".join(f"{count:,} {what}" for what, count in said.counted.items()))
    p50, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    print(f"{len(ordered):,} readers waited: p50 {p50:.3f} s, p95 {p95:.3f} s, longest {ordered[-1]:.2f} s")
    print(f"{len(said.errors)} errors")
    for error in said.errors[:20]:
        print(" ", error)


if __name__ == "__main__":
    main()
