"""What a question costs that starts a process of its own: CPU-seconds and the most memory, by words and by meaning too.

  python benchmarks/bench_cold_search.py              a store of the sample sessions, made for it
  python benchmarks/bench_cold_search.py HOME [N]     a store that is there; N runs of each question, 5 where none is named

Each question is asked once before it is measured, so the disk is warm and the model's graph is made. The median is printed.
A hybrid search leaves the vectors out for a language that the model does not know by its self-test; one by meaning alone never
does.
Bars: hybrid and vector <= 2.2, lexical <= 1.6 CPU-seconds; 450 MB.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = "import sys; from memory_assets.cli.main import main; sys.exit(main())"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "sessions"
QUESTIONS = {"English": "when is the maintenance window open for the backfill", "Korean": "배포는 무슨 요일에 하기로 했지"}
BARS = {"hybrid": 2.2, "vector": 2.2, "lexical": 1.6}
# Nothing is told to the processes but this: which modules they hold at their end.
HEAVY = "import atexit, sys; atexit.register(lambda: sys.stderr.write('\\nPYTORCH' if 'torch' in sys.modules else ''));"


def asked(home: str, question: str, mode: str) -> tuple[float, float, bool]:
    """CPU-seconds, megabytes at most, and whether PyTorch was imported."""
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    environment |= {"MEMORY_HOME": home, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", HEAVY + PROGRAM, "search", question, "--mode", mode, "--no-log"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    # By meaning alone less is sure than by words: the nearest hits are shown all the same, with exit code 1.
    if process.returncode not in (0, 1) or (process.returncode and mode != "vector"):
        sys.exit(f"memory search ended with {process.returncode}: {said[-500:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3), "PYTORCH" in said


def measured(home: str, runs: int) -> None:
    """Print a line for each language and mode, and what the vectors add to the words."""
    for language, question in QUESTIONS.items():
        cpu: dict[str, float] = {}
        for mode, bar in BARS.items():
            asked(home, question, mode)
            found = [asked(home, question, mode) for _ in range(runs)]
            cpu[mode] = statistics.median(seconds for seconds, _, _ in found)
            peak = max(megabytes for _, megabytes, _ in found)
            torch = ", PyTorch imported" if any(torch for _, _, torch in found) else ""
            print(f"{language:8s} {mode:8s} {cpu[mode]:5.2f} CPU-seconds   bar {bar}   {peak:4.0f} MB at most   bar 450{torch}")
        print(f"{language:8s} hybrid costs {cpu['hybrid'] / cpu['lexical']:.2f} of lexical")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", nargs="?", help="a store that is there; one of the sample sessions is made where none is named")
    parser.add_argument("runs", nargs="?", type=int, default=5, help="of each question")
    given = parser.parse_args()
    runs: int = given.runs
    if given.home is not None:
        measured(given.home, runs)
        return
    with tempfile.TemporaryDirectory() as home:
        environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
        command = [sys.executable, "-c", PROGRAM, "import", str(EXAMPLES)]
        subprocess.run(command, env=environment | {"MEMORY_HOME": home}, check=True, stdout=subprocess.DEVNULL)
        measured(home, runs)


if __name__ == "__main__":
    main()
