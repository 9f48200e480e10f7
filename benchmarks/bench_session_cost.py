"""What a session costs from file to search, by stage, and whether it costs more when the store is large.

  python benchmarks/bench_session_cost.py FOLDER [--times 10]

FOLDER holds chat.v1 files; the bars are for the 155 sessions that the LoCoMo program prepares. The hashing embedder stands in
for the model, so that the model's own time is left out and nothing else is.

Bars: <= 0.5 CPU-seconds a session; at ten times the sessions (the same with other ids) <= 1.2 times that each.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path


def copies(folder: Path, target: Path, times: int) -> Path:
    """The sessions of a folder, `times` over, each copy under ids and a project of its own."""
    target.mkdir()
    for path in sorted(folder.glob("*.json")):
        session = json.loads(path.read_text())
        if not isinstance(session, dict) or "session_id" not in session:
            continue  # an export of another program: copies of it would be the same sessions
        name, project = session["session_id"], session.get("project") or "bench"
        for number in range(times):
            session["session_id"], session["project"] = f"{name}-copy{number}", f"{project}-copy{number}"
            (target / f"{name}-copy{number}.chat.json").write_text(json.dumps(session, ensure_ascii=False))
    return target


def measure(home: Path, folder: Path) -> tuple[int, float, dict[str, float]]:
    from memory_assets.configuration import Resources
    from memory_assets.defs.run import import_paths
    from memory_assets.settings import load_settings

    settings = load_settings({"home": str(home)})
    started = time.process_time()
    report = import_paths(settings, [folder], project=None)
    spent = time.process_time() - started
    with Resources(settings).database.reading() as connection:
        stages = dict(
            connection.execute("SELECT stage, sum(latency_ms) / 1000 FROM pipeline_metrics GROUP BY stage").fetchall()
        )
    return report.new, spent, stages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="chat.v1 files; the examples' own when left out")
    parser.add_argument("--times", type=int, default=10)
    arguments = parser.parse_args()
    os.environ["MEMORY_EMBEDDING_MODEL"] = "hashing"
    os.environ.pop("DAGSTER_HOME", None)
    folder = arguments.folder or Path(__file__).resolve().parents[1] / "examples" / "sessions"
    with tempfile.TemporaryDirectory() as scratch:
        small = measure(Path(scratch) / "small", copies(folder, Path(scratch) / "once", 1))
        large = measure(Path(scratch) / "large", copies(folder, Path(scratch) / "many", arguments.times))
    for count, spent, stages in (small, large):
        split = ", ".join(f"{stage} {seconds / count * 1000:.1f}" for stage, seconds in sorted(stages.items()))
        print(f"{count:5d} sessions: {spent / count:.3f} CPU-seconds each; in the stages' own work, ms each: {split}")
    print(f"at {large[0]} sessions {large[1] / large[0] / (small[1] / small[0]):.2f} times the cost each   bar 1.20")


if __name__ == "__main__":
    main()
