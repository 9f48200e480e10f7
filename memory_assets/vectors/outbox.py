"""The outbox's one writer: pending jobs are read, carried out in the index, and marked (requirements G-110..G-114).

DuckDB first, then LanceDB, then DuckDB's mark: a crash between the two leaves a job pending, and doing it again changes
nothing. No connection is held while texts are embedded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.database import Database
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.vectors.drain import drain
from memory_assets.vectors.errors import IndexWriteError
from memory_assets.vectors.units import DeleteJob, OutboxJob, Unit, UpsertJob

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Embedder
    from memory_assets.vectors.index import VectorIndex

READ_AT_ONCE = 2_048
MAX_ATTEMPTS = 3
WRITER_TIMEOUT_SECONDS = 600.0

_PENDING = f"""
SELECT o.job_id, o.item_id, o.op, u.unit_kind, u.project, u.session_id, u.message_index, u.occurred_at, u.search_text,
  CASE WHEN u.speaker IS NULL THEN u.body ELSE u.speaker || ': ' || u.body END, u.content_hash
FROM vector_outbox o LEFT JOIN memory_units u ON u.unit_id = o.item_id
WHERE o.embedding_version = ? AND (o.op = 'delete' OR NOT ?)
  AND (o.status = 'pending' OR (o.status = 'failed' AND o.attempts < {MAX_ATTEMPTS}))
ORDER BY o.attempts, o.job_id LIMIT {READ_AT_ONCE}
"""


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drain did; counts of jobs."""

    done: int
    failed: int
    embedded: int
    reused: int


def drain_outbox(
    database: Database, embedder: Embedder, index: VectorIndex, *, lock_folder: Path, only_deletes: bool = False
) -> Drained:
    """Carry out every pending job of this embedder's version; the only writer of the index while it runs.

    Args:
        only_deletes: take away what is to go and leave the rest pending: no model is needed for that.

    Raises:
        IndexWriteError: another process has been writing for too long, or the disk is full.
        EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError: see there; jobs stay pending.
    """
    done = failed = embedded = reused = 0
    tried: set[str] = set()
    with _only_writer(lock_folder):
        while rows := [row for row in _pending(database, embedder.embedding_version, only_deletes) if row[0] not in tried]:
            jobs = [_job(row) for row in rows]
            tried.update(job.job_id for job in jobs)
            report = drain(jobs, embedder, index)
            hashes = {row[0]: row[10] for row in rows}
            _mark(database, [(job.job_id, hashes[job.job_id]) for job in report.done], report.failed)
            done += len(report.done)
            failed += len(report.failed)
            embedded += report.embedded
            reused += report.reused
    return Drained(done, failed, embedded, reused)


def _pending(database: Database, embedding_version: str, only_deletes: bool) -> list[tuple[Any, ...]]:
    with database.reading() as connection:
        return connection.execute(_PENDING, [embedding_version, only_deletes]).fetchall()


def _job(row: tuple[Any, ...]) -> OutboxJob:
    job_id, unit_id, op, kind, project, session_id, message_index, occurred_at, search_text, body, content_hash = row
    if op == "delete" or kind is None:
        return DeleteJob(job_id, unit_id)
    return UpsertJob(
        job_id,
        Unit(
            unit_id=unit_id,
            unit_kind=kind,
            project=project,
            session_id=session_id,
            message_index=message_index,
            occurred_at=occurred_at.replace(tzinfo=UTC),
            search_text=search_text,
            embed_text=body,
            content_hash=content_hash,
        ),
    )


def _mark(database: Database, done: list[tuple[str, str | None]], failed: tuple[tuple[OutboxJob, str], ...]) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    with database.writing() as connection:
        # A unit that changed while it was embedded has another hash by now: its job stays pending.
        import pyarrow as pa

        marks = pa.table(
            {
                "job_id": pa.array([job_id for job_id, _ in done], pa.string()),
                "content_hash": pa.array([content_hash for _, content_hash in done], pa.string()),
            }
        )
        connection.register("marks", marks)
        connection.execute(
            """UPDATE vector_outbox SET status = 'done', error = NULL, updated_at = ? FROM marks
               WHERE marks.job_id = vector_outbox.job_id
                 AND (vector_outbox.op = 'delete' OR marks.content_hash = vector_outbox.content_hash)""",
            [now],
        )
        connection.unregister("marks")
        for job, reason in failed:
            connection.execute(
                """UPDATE vector_outbox SET status = 'failed', error = ?, attempts = attempts + 1, updated_at = ?
                   WHERE job_id = ?""",
                [reason, now, job.job_id],
            )
        connection.execute(
            f"DELETE FROM vector_outbox WHERE op = 'delete' AND status = 'done' AND job_id IN {IN_LIST}",
            [json_list(job_id for job_id, _ in done)],
        )


@contextlib.contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    import portalocker

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with portalocker.Lock(
            folder / "vectors.lock",
            mode="a",
            timeout=WRITER_TIMEOUT_SECONDS,
            check_interval=0.05,
            flags=portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING,
        ):
            yield
    except portalocker.LockException as error:
        raise IndexWriteError(
            "another process has been writing vectors for ten minutes",
            hint="wait for it, or end it, and run `memory run` again",
        ) from error
