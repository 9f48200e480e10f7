"""A store of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Kept open between one use and the next, as a run keeps it: to open it anew each time is a quarter of a test's CPU."""
    database = Database(tmp_path / "store")
    with database.kept_open():
        yield database


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database)
