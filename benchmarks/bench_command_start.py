"""CPU-seconds of whole commands, on a warm disk: each is run six times and the median of the last five is printed.

  python benchmarks/bench_command_start.py

Bars: `memory --help` <= 0.5, `memory search` (lexical) <= 2.5.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# What the console script does. The module alone runs nothing.
PROGRAM = "import sys; from memory_assets.cli.main import main; sys.exit(main())"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "sessions"


def cpu_seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """Of one command that ended well and said something: the time of one that did nothing would be no measurement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], env=environment, check=False, capture_output=True)
    if ran.returncode != 0 or not ran.stdout.strip():
        sys.exit(f"memory {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.decode()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {k: v for k, v in os.environ.items() if k != "DAGSTER_HOME"}
        environment |= {"MEMORY_HOME": home, "MEMORY_EMBEDDING_MODEL": "hashing", "HF_HUB_OFFLINE": "1"}
        cpu_seconds(["import", str(EXAMPLES)], environment)
        for label, arguments, bar in (
            ("memory --help", ["--help"], 0.5),
            ("memory search, lexical", ["search", "배포 목요일", "--mode", "lexical"], 2.5),
            ("memory search, lexical, --json", ["search", "timestamps in UTC", "--mode", "lexical", "--json"], 2.5),
            ("memory entries list", ["entries", "list"], 2.5),
        ):
            times = [cpu_seconds(arguments, environment) for _ in range(6)][1:]
            print(f"{label:34s} {statistics.median(times):.2f} CPU-seconds   bar {bar}")


if __name__ == "__main__":
    main()
