"""The file that keeps how long the store's was: whatever stands in it, nobody is told more than it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.file_length import FILE_NAME, missing_bytes

pytestmark = pytest.mark.usefixtures("made_anew")


@pytest.mark.parametrize(
    "said", ["", "[]", "[1]", "{}", "null", "[1, 2, 3]", '["a", "b"]', "[Infinity, 1]", "[NaN, 1]", "[" * 100_000, "\udcff"]
)
def test_what_was_damaged_says_nothing(said: str, tmp_path: Path) -> None:
    with Database(tmp_path).reading():
        pass
    (tmp_path / FILE_NAME).write_bytes(said.encode("utf-8", "surrogateescape"))
    assert missing_bytes(tmp_path / "memory.duckdb") == 0
