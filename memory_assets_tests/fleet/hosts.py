"""Machines that share a log: each a folder of its own; of the embedded log all are one folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_assets.fleet.opening import folding, shared_log
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.links import Sound

ALONE = "-"


def database_of(folder: Path, url: str, *, lock_timeout: float = 10.0, versions: dict[str, str] | None = None) -> Database:
    """The store of a folder, as a mirror where an address is given."""
    if url == ALONE:
        return Database(folder, lock_timeout=lock_timeout)
    store = shared_log(url, lock_timeout)
    return Database(folder, lock_timeout=lock_timeout, store=store, folding=folding(lambda: versions) if versions else None)


@dataclass(frozen=True)
class Fleet:
    """Where the log lies, and where the machines' folders are."""

    folder: Path
    url: str

    @property
    def is_shared(self) -> bool:
        return self.url != ALONE

    def home(self, host: str) -> Path:
        """The folder of a machine."""
        return self.folder / host if self.is_shared else self.folder / "alone"

    def database(self, host: str, *, lock_timeout: float = 10.0) -> Database:
        """The store of a machine, opened anew as by another process of it."""
        return database_of(self.home(host), self.url, lock_timeout=lock_timeout)

    def log(self, host: str) -> EventLog:
        """The log as a machine has it."""
        return EventLog(self.database(host))


def is_sound(database: Database) -> int:
    """Check every link of a store's log; how many events there are."""
    with database.reading() as connection:
        found = database.verify_links(connection)
    assert isinstance(found, Sound), found
    return found.last.seq


def rows_of_log(database: Database) -> list[tuple[object, ...]]:
    """Every column of every event, the link too."""
    with database.reading() as connection:
        return connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
