"""A store's file of which bytes were changed or lost: `memory fsck` names it, whatever else is asked leaves no traceback."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets_tests.depth import cases
from memory_assets_tests.projections.story import tables

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

REPOSITORY = Path(__file__).resolve().parents[2]


def asked(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own: a damaged file may take its process down."""
    return subprocess.run(
        [sys.executable, "-m", "memory_assets", *arguments],
        env={**os.environ, "MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "hashing"},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def whole(filled_home: Path, tmp_path: Path) -> Path:
    """A store whose log is in its file alone."""
    home = Path(shutil.copytree(filled_home, tmp_path / "whole"))
    with Database(home).held() as connection:
        connection.execute("CHECKPOINT")
    return home


def is_named(home: Path, whole: Path, what: str) -> bool:
    """Whether `fsck` says that something is wrong with a store.

    It may say nothing where nothing was hit that is read: a header's rest.
    """
    ended = asked(home, "fsck", "--json")
    assert "Traceback" not in ended.stderr and "INTERNAL" not in ended.stderr, (what, ended.stderr[-2000:])
    assert ended.returncode in (0, 2, 3), (what, ended.returncode, ended.stderr[-2000:])
    if ended.returncode == 0:
        assert tables(Database(home)) == tables(Database(whole)), what
        assert events(home) == events(whole), what
    searched = asked(home, "search", "Redis", "--mode", "lexical", "--json")
    assert "Traceback" not in searched.stderr and searched.returncode in (0, 1, 2, 3), (what, searched.stderr[-2000:])
    return ended.returncode != 0


def events(home: Path) -> list[tuple[object, ...]]:
    with Database(home).reading() as connection:
        return connection.execute("SELECT * FROM events ORDER BY seq").fetchall()


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.slow), pytest.param(50, marks=pytest.mark.slow)])
def test_three_flipped_bytes_are_named(whole: Path, tmp_path: Path, rounds: int) -> None:
    chance, named = random.Random(rounds), 0
    for number in range(rounds):
        home = Path(shutil.copytree(whole, tmp_path / "damaged"))
        places = []
        with (home / "memory.duckdb").open("r+b") as file:
            for _ in range(3):
                places.append(at := chance.randrange((home / "memory.duckdb").stat().st_size))
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 1 << chance.randrange(8)]))
        named += is_named(home, whole, f"round {number}, bytes {places}")
        shutil.rmtree(home)
    assert named >= rounds - rounds // 20


@pytest.mark.parametrize("rounds", cases([], [1, 2, 20]))
def test_a_file_that_was_cut_off_is_named(whole: Path, tmp_path: Path, rounds: int) -> None:
    chance = random.Random(rounds)
    for number in range(rounds):
        home = Path(shutil.copytree(whole, tmp_path / "damaged"))
        size = chance.randrange((home / "memory.duckdb").stat().st_size)
        os.truncate(home / "memory.duckdb", size)
        assert is_named(home, whole, f"round {number}, cut to {size} bytes")
        shutil.rmtree(home)
