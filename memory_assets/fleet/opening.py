"""The store of a folder as the settings have it: alone, or as the mirror of a log that several machines share."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.log.database import Database

if TYPE_CHECKING:
    from memory_assets.fleet.postgres_store import PostgresStore
    from memory_assets.fleet.shared_vectors import VectorsInPostgres
    from memory_assets.log.event_store import Versions
    from memory_assets.log.mirror import Folding


def opened(folder: Path, url: str | None, lock_timeout: float, versions: Callable[[], Versions]) -> Database:
    """The store; nothing is opened yet.

    Args:
        url: of the shared log, where there is one.
        lock_timeout: seconds to wait for other processes, and for other machines.
        versions: the configured version of each stage by event type.
    """
    if url is None:
        return Database(folder, lock_timeout=lock_timeout)
    return Database(folder, lock_timeout=lock_timeout, store=shared_log(url, lock_timeout), folding=folding(versions))


@lru_cache(maxsize=8)
def shared_log(url: str, lock_timeout: float) -> PostgresStore:
    """A shared log; one for all that this process opens of it, so that its connections are kept."""
    from memory_assets.fleet.postgres_store import PostgresStore
    from memory_assets.postgres.address import PostgresAddress

    return PostgresStore(PostgresAddress(url), lock_timeout=lock_timeout)


def shared_vectors(folder: Path, url: str, lock_timeout: float) -> VectorsInPostgres:
    """Vectors beside a shared log, for one run of whoever embeds for the store of a folder."""
    from memory_assets.fleet.shared_vectors import VectorsInPostgres

    return VectorsInPostgres(shared_log(url, lock_timeout), folder)


def folding(versions: Callable[[], Versions]) -> Folding:
    """How the tables of a mirror are brought up to its log."""
    from memory_assets.log.mirror import Folding
    from memory_assets.projections.fold import fold

    return Folding(versions, lambda connection: fold(connection, versions()))
