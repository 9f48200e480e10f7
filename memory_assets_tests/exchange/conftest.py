from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import run
from memory_assets.defs.reports import ImportReport
from memory_assets.exchange.exporting import export_to_file
from memory_assets.projections.rebuild import derived_tables
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "sessions"


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("MEMORY_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
    instance = in_memory()
    monkeypatch.setattr(run, "dagster_instance", lambda settings: instance)
    mask = os.umask(0o022)
    yield
    os.umask(mask)


@dataclass(frozen=True)
class Store:
    """A store of its own, and what tests do with it."""

    settings: Settings

    def take(self, *paths: Path) -> ImportReport:
        return run.import_paths(self.settings, paths, project=None)

    def export(self, file: Path, kind: str = "jsonl", **further: Any) -> Path:
        resources = Resources(self.settings)
        export_to_file(resources.database, file, kind, versions=resources.configured_versions, **further)
        return file

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with Resources(self.settings).database.reading() as connection:
            return connection.execute(query, list(parameters)).fetchall()

    def tables(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every derived table in all columns, when something was written and by which run among them."""
        return {table: sorted(self.rows(f"SELECT * FROM {table}"), key=repr) for table in derived_tables()}

    def log(self) -> list[tuple[Any, ...]]:
        """The log, but for what is each log's own."""
        return self.rows("SELECT * EXCLUDE (link_hash, created_at) FROM events ORDER BY seq")


def store_at(home: Path) -> Store:
    return Store(load_settings({"home": home, "embedding": {"model": "hashing"}}))


def same(one: Store, other: Store) -> list[str]:
    """The tables in which two stores differ."""
    ours, theirs = one.tables(), other.tables()
    return [table for table in ours if ours[table] != theirs[table]]


@pytest.fixture(scope="session")
def examples_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sessions of ``examples/``, imported; to be read only."""
    home = tmp_path_factory.mktemp("examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        assert store_at(home).take(EXAMPLES).errors == []
    return home


@pytest.fixture
def examples(examples_home: Path) -> Store:
    return store_at(examples_home)


@pytest.fixture
def changed(examples_home: Path, tmp_path: Path) -> Store:
    """A copy of the examples' store that a test may change."""
    shutil.copytree(examples_home, tmp_path / "changed")
    return store_at(tmp_path / "changed")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Store:
    """A store in which nothing is."""
    return store_at(tmp_path / "elsewhere")
