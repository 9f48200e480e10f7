"""The outbox as it stands: what waits for its words or its vector, what failed and why, and whose rows the index holds."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import WORDS
from memory_assets.maintenance.indexing import other_versions
from memory_assets.results.outbox import FailedUnit, OutboxStatus, VersionQueue
from memory_assets.vectors.calibration import known_calibration
from memory_assets.vectors.errors import IndexCorruptError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.writer_lock import current_writer

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources

SHOWN_FAILURES = 20
ALARM_AT_FAILED = 10
"""So many failed units are no single poisoned text any more."""

_QUEUES = """
SELECT embedding_version, count(*) FILTER (status = 'pending'), count(*) FILTER (status = 'done'),
  count(*) FILTER (status = 'failed' AND next_attempt_at IS NOT NULL),
  count(*) FILTER (status = 'failed' AND next_attempt_at IS NULL),
  min(updated_at) FILTER (status = 'pending'), min(next_attempt_at), max(updated_at) FILTER (status = 'done')
FROM vector_outbox GROUP BY embedding_version
"""

_FAILURES = f"""
SELECT o.item_id, u.unit_kind, u.session_id, u.message_index, o.embedding_version, o.error, o.attempts, o.next_attempt_at
FROM vector_outbox o LEFT JOIN memory_units u ON u.unit_id = o.item_id
WHERE o.status = 'failed' ORDER BY o.embedding_version = ? DESC, o.attempts DESC, o.item_id LIMIT {SHOWN_FAILURES}
"""


def outbox_status(resources: Resources) -> OutboxStatus:
    """How the outbox stands. Loads no model."""
    current = resources.embedder.embedding_version
    with resources.database.reading() as connection:
        units = int(connection.execute("SELECT count(*) FROM memory_units").fetchall()[0][0])
        queues = {row[0]: row[1:] for row in fetch(connection, _QUEUES)}
        failures = _failures(connection, current)
    others = sorted({*queues, *other_versions(resources)} - {current, WORDS})
    versions = tuple(_version(resources, version, queues.get(version), version == current) for version in [current, *others])
    return OutboxStatus(
        schema_version="outbox.v1",
        model=resources.settings.embedding.model,
        embedding_version=current,
        units=units,
        words=_version(resources, WORDS, queues.get(WORDS), True),
        versions=versions,
        failures=failures,
        calibration=known_calibration(resources.settings),
        alarm=sum(queues[name][2] + queues[name][3] for name in (WORDS, current) if name in queues) >= ALARM_AT_FAILED,
    )


def _failures(connection: duckdb.DuckDBPyConnection, current: str) -> tuple[FailedUnit, ...]:
    return tuple(FailedUnit.of_row(row) for row in fetch(connection, _FAILURES, [current]))


def _version(resources: Resources, version: str, queue: tuple[Any, ...] | None, in_force: bool) -> VersionQueue:
    pending, done, retrying, given_up, oldest, following, last = queue or (0, 0, 0, 0, None, None, None)
    settings = resources.settings
    rows, fingerprints, problem = _table(resources, version)
    return VersionQueue(
        embedding_version=version,
        in_force=in_force,
        pending=pending,
        done=done,
        retrying=retrying,
        given_up=given_up,
        oldest_pending_at=oldest,
        next_attempt_at=following,
        last_written_at=last,
        rows=rows,
        bytes=_bytes(
            resources.settings.vectors_folder / (f"{WORDS}.lance" if version == WORDS else f"vectors_{version}.lance")
        ),
        fingerprints=fingerprints,
        writer=current_writer(settings.store_folder, version),
        problem=problem,
    )


def _table(resources: Resources, version: str) -> tuple[int | None, tuple[str, ...], str | None]:
    """Rows and fingerprints of a version's table, or what is wrong with it."""
    try:
        if version == WORDS:
            words = resources.word_index
            return (words.count() if words.exists() else None), (), None
        # Of what is there already nobody asks how long the vectors are.
        index = VectorIndex(resources.settings.vectors_folder, version, lambda: 0)
        if not index.exists():
            return None, (), None
        fingerprints = index.rows(["fingerprint"])["fingerprint"]
    except (IndexCorruptError, InvalidArgumentError) as error:
        return None, (), f"{error}. {error.hint}"
    return len(fingerprints), tuple(sorted(fingerprints.unique().to_pylist())), None


def _bytes(folder: Path) -> int:
    size = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # whoever writes takes files away meanwhile
                size += Path(base, name).stat().st_size
    return size
