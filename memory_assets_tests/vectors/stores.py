"""Stores whose outbox is drained: what they hold, and a process that holds the writer's lock."""

from __future__ import annotations

from typing import Any

from memory_assets.configuration import Resources
from memory_assets.log.database import Database
from memory_assets.results.outbox import Drained
from memory_assets.settings import Settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.outbox import drain_outbox, drain_words

TALK = tuple(("user", f"message {number} says that 로그 {number} is kept") for number in range(12))
HOLD = """
import sys, time
from pathlib import Path
from memory_assets.vectors.writer_lock import only_writer
with only_writer(Path(sys.argv[1]), "hashing-256-1") as show_life:
    print("holds", flush=True)
    while True:
        time.sleep(0.05)
        if len(sys.argv) > 2:
            show_life()
"""


def parts(settings: Settings) -> tuple[Database, VectorIndex]:
    return Resources(settings).database, Resources(settings).vector_index


def drained(settings: Settings, embedder: HashingEmbedder | None = None, **more: Any) -> Drained:
    """Both queues, words first; what was done of the vectors."""
    database, index = parts(settings)
    drain_words(database, Resources(settings).word_index, lock_folder=settings.store_folder)
    return drain_outbox(database, embedder or HashingEmbedder(), index, lock_folder=settings.store_folder, **more)


def rows(settings: Settings, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    with Resources(settings).database.reading() as connection:
        return connection.execute(query, list(parameters)).fetchall()


def statuses(settings: Settings, *, words: bool = False) -> dict[str, int]:
    """Jobs of the vectors by status, or those of the words."""
    queue = "=" if words else "<>"
    return dict(
        rows(settings, f"SELECT status, count(*) FROM vector_outbox WHERE embedding_version {queue} 'words' GROUP BY status")
    )


def ids_of_index(settings: Settings) -> list[str]:
    """Of the units that have words and a vector."""
    words, vectors = (
        sorted(table.rows(["unit_id"])["unit_id"].to_pylist())
        for table in (Resources(settings).word_index, Resources(settings).vector_index)
    )
    assert words == vectors
    return words


def ids_of_units(settings: Settings) -> list[str]:
    return [row[0] for row in rows(settings, "SELECT unit_id FROM memory_units ORDER BY unit_id")]
