"""Drains that are killed at any moment: no row is doubled, and in the end every unit is there."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.results.outbox import Reconciled
from memory_assets.settings import Settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets_tests.filled_store import fill_one
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.vectors.stores import drained, ids_of_index, ids_of_units, rows

pytestmark = pytest.mark.long

# Small batches make many moments of a drain: before the index, between index and mark, and within either.
DRAIN = """
import sys
from pathlib import Path
from memory_assets.configuration import Resources
from memory_assets.vectors import outbox
from memory_assets.progress import NoProgress
from memory_assets_tests.filled_store import test_settings
class Told(NoProgress):
    def advance(self, steps=1, label=None):
        print("batch", flush=True)
outbox.BATCH_SIZE = outbox.WORDS_AT_ONCE = 16
settings = test_settings(Path(sys.argv[1]))
database, lock_folder = Resources(settings).database, settings.store_folder
outbox.drain_words(database, Resources(settings).word_index, lock_folder=lock_folder, progress=Told())
outbox.drain_outbox(
    database, Resources(settings).embedder, Resources(settings).vector_index, lock_folder=lock_folder, progress=Told()
)
"""


def talked(home: Path, messages: int) -> Settings:
    return fill_one(home, "talk", tuple(("user", f"message {number} about 로그 {number}") for number in range(messages)), ())


def kill_a_drain(settings: Settings, batches: int, after: float) -> None:
    """Kill -9 a drain so many seconds after so many batches, wherever it is then."""
    with python(DRAIN, settings.home) as drain:
        for _ in range(batches):
            assert first_line(drain) == "batch"
        time.sleep(after)
        drain.kill()


def done(settings: Settings, queue: str) -> int:
    """Jobs of the words, or of the vectors, that are done."""
    return int(
        rows(settings, "SELECT count(*) FROM vector_outbox WHERE status = 'done' AND embedding_version = ?", queue)[0][0]
    )


def whole(settings: Settings) -> int:
    """How many jobs of both queues are done, where each table has what is marked, and nothing twice."""
    index = Resources(settings).vector_index
    together = 0
    for table, queue in ((Resources(settings).word_index, "words"), (index, index.embedding_version)):
        marked = done(settings, queue)
        stored = table.rows(["unit_id"])["unit_id"].to_pylist() if table.exists() else []
        assert len(stored) == len(set(stored)), "a unit has two rows"
        assert len(stored) >= marked, "what is marked done is not there"
        together += marked
    return together


def survives(settings: Settings, kills: int, seed: int) -> list[int]:
    """Kill so many drains; how many jobs were done after each."""
    chance, came_to = random.Random(seed), []
    for _ in range(kills):
        kill_a_drain(settings, chance.randint(1, 6), chance.uniform(0.0, 0.1))
        came_to.append(whole(settings))
    drained(settings)
    assert ids_of_index(settings) == ids_of_units(settings)
    found = reconcile(
        Resources(settings).database,
        Side.of_vectors(HashingEmbedder(), Resources(settings).vector_index),
        lock_folder=settings.store_folder,
    )
    assert found == Reconciled(same=len(ids_of_units(settings)))
    words = reconcile(
        Resources(settings).database, Side.of_words(Resources(settings).word_index), lock_folder=settings.store_folder
    )
    assert words == Reconciled(same=len(ids_of_units(settings)))
    return came_to


def test_two_killed_drains_leave_one_row_a_unit(tmp_path: Path) -> None:
    came_to = survives(talked(tmp_path, 600), kills=2, seed=1)
    assert came_to == sorted(came_to) and came_to[0] > 0 and came_to[-1] < 1200, came_to


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_killed_drains_leave_one_row_a_unit(tmp_path: Path) -> None:
    settings = talked(tmp_path, 5000)
    came_to = survives(settings, kills=20, seed=2)
    assert came_to == sorted(came_to) and len(set(came_to)) > 10, came_to
    assert came_to[-1] < 10_000, "nothing was left to be killed"
