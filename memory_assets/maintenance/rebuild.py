"""Rebuild as a whole: the tables by ``projections.rebuild``, and the vectors that belong to them.

The index is a projection of the units. It agrees when each of its two tables has one row a unit with the unit's content hash;
what the outbox still holds open is not compared, it is known to differ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_assets.log.sql import WANTED, WORDS
from memory_assets.maintenance.indexing import bring_in_line, shared_vectors
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import Difference, RebuildReport, rebuild, verify
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.legacy_tables import bring_over
from memory_assets.vectors.outbox import drain_outbox, drain_words, retry_failed
from memory_assets.vectors.outbox_jobs import EMBED_TEXT
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets.vectors.writer_lock import WAIT_SECONDS

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.vectors.embedder import Embedder
    from memory_assets.vectors.table import UnitTable

VECTOR_TOLERANCE = 1e-3
"""How far a vector may lie from what embedding its text again gives, beside what its embedder allows."""
SHOWN_DIFFERENCES = 20
_EMBEDDED_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did: sessions folded anew, units whose vectors were written, and those that could not be."""

    sessions: int
    upto_seq: int
    units_written: int
    units_failed: int


def heal_index(resources: Resources, *, progress: Progress | None = None) -> None:
    """Fold what the tables do not have yet, and make the index agree with them: for a store that was put in place.

    Raises:
        IndexBusyError, IndexWriteError, EmbedderUnavailableError: the store is in place; the next drain goes on.
    """
    catch_up(resources.database, resources.configured_versions, resolve=True)
    bring_in_line(resources, progress=progress)


def rebuild_all(resources: Resources, *, with_vectors: bool = False, progress: Progress | None = None) -> Rebuilt:
    """Fold every derived table anew, and mend the index: rows that are missing, stale or of nothing; an unreadable one whole.

    Args:
        with_vectors: make every vector again, also those that agree.

    Raises:
        EmbedderUnavailableError, IndexWriteError: the tables are done by then, the vectors are not.
    """
    told = progress or NoProgress()
    told.start(None, "folding the log")
    try:
        folded = rebuild(resources.database, resources.configured_versions)
    finally:
        told.finish()
    embedder = resources.embedder
    index = resources.vector_index
    lock_folder = resources.settings.store_folder
    words = resources.word_index
    bring_over(resources.settings.vectors_folder, lock_folder=lock_folder, wait_seconds=WAIT_SECONDS)
    reconcile(resources.database, Side.of_words(words), lock_folder=lock_folder, from_scratch=with_vectors, progress=told)
    retry_failed(resources.database, WORDS)
    drain_words(resources.database, words, lock_folder=lock_folder, progress=told)
    reconcile(
        resources.database, Side.of_vectors(embedder, index), lock_folder=lock_folder, from_scratch=with_vectors, progress=told
    )
    retry_failed(resources.database, embedder.embedding_version)
    shared = None if with_vectors else shared_vectors(resources)
    written = drain_outbox(resources.database, embedder, index, lock_folder=lock_folder, shared=shared, progress=told)
    return Rebuilt(folded.sessions, folded.upto_seq, written.done, written.failed)


def verify_all(resources: Resources, *, with_vectors: bool = False) -> RebuildReport:
    """Compare every derived table with a replay, and the index with the units; with ``with_vectors`` each vector's values too.

    Raises:
        IndexCorruptError: the index cannot be read.
    """
    report = verify(resources.database, resources.configured_versions)
    words, index = resources.word_index, resources.vector_index
    of_words, differing_words = _compare_index(resources.database, words, WORDS, None)
    embedder = resources.embedder if with_vectors else None
    of_vectors, differing_vectors = _compare_index(resources.database, index, index.embedding_version, embedder)
    differences = [*differing_words, *differing_vectors]
    return replace(
        report,
        tables={**report.tables, words.table_name: of_words, index.table_name: of_vectors},
        differences=(*report.differences, *differences[:SHOWN_DIFFERENCES]),
        difference_count=report.difference_count + len(differences),
    )


def _compare_index(database: Database, table: UnitTable, queue: str, embedder: Embedder | None) -> tuple[int, list[Difference]]:
    """How many units were compared, and where a table of the index has something else than they would give."""
    with database.reading() as connection:
        waiting = {
            row[0]
            for row in connection.execute(
                "SELECT item_id FROM vector_outbox WHERE status <> 'done' AND embedding_version = ?", [queue]
            ).fetchall()
        }
        units = {
            unit_id: (content_hash, embed_text)
            for unit_id, content_hash, embed_text in connection.execute(
                f"SELECT u.unit_id, u.content_hash, {EMBED_TEXT} FROM memory_units u WHERE {WANTED}", {"version": queue}
            ).fetchall()
            if unit_id not in waiting
        }
    # Without a table nothing need be known of the vectors, for which a model may have to be loaded.
    stored = table.rows(("unit_id", "content_hash")).to_pylist() if table.exists() else []
    rows = {row["unit_id"]: row["content_hash"] for row in stored if row["unit_id"] not in waiting}
    copies = Counter(row["unit_id"] for row in stored)
    name = table.table_name
    differences = [Difference(name, unit_id, "(rows)", str(count), "1") for unit_id, count in copies.items() if count > 1]
    differences += [
        Difference(name, unit_id, "(row)", "present" if unit_id in rows else None, "present" if unit_id in units else None)
        for unit_id in sorted(units.keys() ^ rows.keys())
    ]
    both = sorted(units.keys() & rows.keys())
    differences += [
        Difference(name, unit_id, "content_hash", rows[unit_id], units[unit_id][0])
        for unit_id in both
        if rows[unit_id] != units[unit_id][0]
    ]
    if embedder is not None and isinstance(table, VectorIndex):
        differences += _other_values(table, embedder, {unit_id: units[unit_id][1] for unit_id in both})
    return len(units), differences


def _other_values(index: VectorIndex, embedder: Embedder, texts: dict[str, str]) -> Iterator[Difference]:
    """Vectors that are not those of their texts: stored ones need not be exact."""
    import numpy as np

    most = VECTOR_TOLERANCE + math.sqrt(2 - 2 * embedder.least_cosine)

    stored = {row["unit_id"]: np.asarray(row["vector"]) for row in index.rows(("unit_id", "vector")).to_pylist()}
    unit_ids = list(texts)
    for start in range(0, len(unit_ids), _EMBEDDED_AT_ONCE):
        some = unit_ids[start : start + _EMBEDDED_AT_ONCE]
        for unit_id, vector in zip(some, embedder.embed_documents([texts[unit_id] for unit_id in some]), strict=True):
            distance = float(np.linalg.norm(stored[unit_id] - vector))
            if not distance <= most:
                shown = np.array2string(stored[unit_id][:3], precision=6), np.array2string(vector[:3], precision=6)
                yield Difference(index.table_name, unit_id, f"vector (off by {distance:.2g})", *shown)
