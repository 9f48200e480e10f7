"""Rebuilds that are killed at any moment: the log stays as it is, and the next rebuild gives the undisturbed tables."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.log.database import Database
from memory_assets.log.links import Sound
from memory_assets.maintenance.rebuild import rebuild_all, verify_all
from memory_assets_tests import filled_store
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.projections.story import APPEND_TIMES, tables
from memory_assets_tests.vectors.stores import ids_of_index, ids_of_units

pytestmark = pytest.mark.long

REBUILD = """
import sys
from pathlib import Path
from memory_assets.configuration import Resources
from memory_assets.maintenance.rebuild import rebuild_all
from memory_assets_tests.filled_store import test_settings
settings = test_settings(Path(sys.argv[1]))
print("ready", flush=True)
rebuild_all(Resources(settings), with_vectors=True)
print("done", flush=True)
"""


def events(database: Database) -> list[tuple[Any, ...]]:
    with database.reading() as connection:
        assert isinstance(database.verify_links(connection), Sound)
        return connection.execute("SELECT * FROM events ORDER BY seq").fetchall()


def survives(home: Path, kills: int, seed: int) -> int:
    """Kill so many rebuilds at random moments; how many were killed before they were done."""
    filled_store.fill(home)
    settings = filled_store.test_settings(home)
    database = Resources(settings).database
    rebuild_all(Resources(settings, database))
    told, expected = events(database), tables(database, without=APPEND_TIMES)
    with python(REBUILD, home) as process:
        first_line(process)
        began = time.monotonic()
        assert first_line(process) == "done"
        whole = time.monotonic() - began
    chance, cut = random.Random(seed), 0
    for kill in range(kills):
        with python(REBUILD, home) as process:
            first_line(process)
            time.sleep(chance.uniform(0.0, whole))
            cut += process.poll() is None
            process.kill()
        # Nobody who reads now sees half of it.
        assert tables(database, without=APPEND_TIMES) == expected, f"kill {kill}"
        assert events(database) == told, f"kill {kill}"
    rebuild_all(Resources(settings, database))
    assert tables(database, without=APPEND_TIMES) == expected and ids_of_index(settings) == ids_of_units(settings)
    assert verify_all(Resources(settings, database), with_vectors=True).equal
    return cut


@pytest.mark.timeout(600)
def test_a_rebuild_that_is_killed(tmp_path: Path) -> None:
    assert survives(tmp_path / "home", kills=1, seed=1) > 0


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_rebuilds_are_killed(tmp_path: Path) -> None:
    assert survives(tmp_path / "home", kills=20, seed=2) >= 10
