"""What holds for all tests."""

from __future__ import annotations

import os
import zlib

import pytest

from memory_assets.log import readers

# Two workers share two cores: threads of DuckDB would wait for each other, at a fifth more CPU for small stores.
readers.CONFIG["threads"] = 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``TEST_SHARD=1/2`` the files of the first of two shards: each file is in one of them, whatever else there is."""
    shard, _, count = os.environ.get("TEST_SHARD", "1/1").partition("/")
    own: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        (own if zlib.crc32(item.location[0].encode()) % int(count) == int(shard) - 1 else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = own
