"""One store for all tests of the pages, and the pages of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.memory import Memory
from memory_assets_tests import filled_store
from memory_assets_tests.viewer.served import Served, serving


@pytest.fixture(scope="package")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    home: Path = tmp_path_factory.mktemp("pages")
    return Memory(filled_store.fill(home))


@pytest.fixture(scope="package")
def pages(memory: Memory) -> Iterator[Served]:
    with serving(memory) as served:
        yield served
