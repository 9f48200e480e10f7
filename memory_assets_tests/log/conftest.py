"""A store of its own for each test."""

from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets_tests.conftest import MIGRATED


@pytest.fixture
def made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every store is made by the migrations, none is a copy: for tests of how a store comes to be."""
    monkeypatch.setattr(Database, "_create", MIGRATED)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "store")


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database)
