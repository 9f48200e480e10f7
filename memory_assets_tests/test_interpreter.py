"""What a process of ours asks of its interpreter: what is absent is said to be so at once, and nothing else changes."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from memory_assets import interpreter


@pytest.fixture
def finders() -> Iterator[list[object]]:
    """The finders of modules without ours, as they are found again behind a test."""
    kept = list(sys.meta_path)
    sys.meta_path[:] = [finder for finder in kept if not isinstance(finder, interpreter.NoPandas)]
    yield sys.meta_path
    sys.meta_path[:] = kept


def test_an_absent_package_is_said_to_be_absent_once(finders: list[object]) -> None:
    if importlib.util.find_spec("pandas") is not None:
        pytest.skip("pandas is installed")
    before = len(finders)
    interpreter.prepare()
    interpreter.prepare()
    assert len(finders) == before + 1 and isinstance(finders[0], interpreter.NoPandas)
    with pytest.raises(ModuleNotFoundError, match="No module named 'pandas'") as raised:
        importlib.import_module("pandas")
    assert raised.value.name == "pandas"
    assert importlib.util.find_spec("pandas") is None
    assert duckdb.connect().execute("SELECT ?, ?", ["배포", 3]).fetchall() == [("배포", 3)]


def test_a_package_that_is_there_is_found(finders: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has pandas gets it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "pandas.py").write_text("HERE = True\n", encoding="utf-8")
    importlib.invalidate_caches()
    before = len(finders)
    try:
        interpreter.prepare()
        assert len(finders) == before and importlib.import_module("pandas").HERE
    finally:
        sys.modules.pop("pandas", None)


def test_other_modules_are_found_as_before(finders: list[object]) -> None:
    interpreter.prepare()
    assert importlib.util.find_spec("json") is not None
    assert importlib.util.find_spec("no_such_package_anywhere") is None


def test_what_is_loaded_is_kept() -> None:
    """As it is kept for a whole run of tests."""
    gc.unfreeze()
    assert gc.get_freeze_count() == 0
    interpreter.keep_what_is_loaded()
    assert gc.get_freeze_count() > 10_000
