from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from memory_assets_tests.mcp.client import Connected, connected
from memory_assets_tests.mcp.stores import fill_all


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with everything in it, to be read only."""
    home = tmp_path_factory.mktemp("mcp")
    fill_all(home)
    return home


@pytest.fixture(scope="session")
def client(home: Path) -> Iterator[Connected]:
    """One server over that store, and its client."""
    with connected(home) as client:
        yield client


@pytest.fixture
def own_home(home: Path, tmp_path: Path) -> Path:
    """A copy of that store, to be written to."""
    return Path(copytree(home, tmp_path / "own"))
