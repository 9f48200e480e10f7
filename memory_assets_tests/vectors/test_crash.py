"""A writer that dies at any moment leaves whole batches, and running it again completes them."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_assets.vectors.drain import drain
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import UpsertJob
from memory_assets_tests.vectors.units import unit

BATCH = 20
UNITS = 2000

WRITER = """
import sys
from pathlib import Path
from memory_assets_tests.vectors.test_crash import BATCH, jobs
from memory_assets.vectors.drain import Pace, drain
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
index = VectorIndex(Path(sys.argv[1]), "hashing-32-1", 32)
print("ready", flush=True)
while True:
    drain(jobs(), HashingEmbedder(32), index, pace=Pace(BATCH, BATCH))
    index.optimize()
"""


def jobs() -> list[UpsertJob]:
    return [UpsertJob(f"job-{n}", unit(f"u{n:04}", f"text {n} 로그", message_index=n)) for n in range(UNITS)]


def kill_a_writer(folder: Path, after: float) -> None:
    repository = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True, cwd=repository
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(after)
        writer.kill()


@pytest.mark.slow
@pytest.mark.parametrize("round_", range(20))
def test_killed_writers_leave_whole_batches(tmp_path: Path, round_: int) -> None:
    chance = random.Random(round_)
    folder = tmp_path / "vectors"
    for _ in range(2):
        kill_a_writer(folder, chance.uniform(0.05, 2.5))
        index = VectorIndex(folder, "hashing-32-1", 32)
        places = index.rows(["unit_id"])["unit_id"].to_pylist()
        assert len(places) == len(set(places))
        assert len(places) % BATCH == 0
    report = drain(jobs(), HashingEmbedder(32), index)
    assert report.failed == ()
    assert index.count() == UNITS
