"""A store of its own for each test."""

from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "store")


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database)
