"""The outbox's one writer: jobs that are due are read, carried out in the index, and marked (requirements G-110..G-114).

DuckDB first, then LanceDB, then DuckDB's mark: a crash between the two leaves a job pending, and doing it again changes
nothing. No connection is held while texts are embedded. Long texts come before short ones, so that a pass through the model
holds texts of one length, and little is padded.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.database import Database
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.progress import NoProgress, Progress
from memory_assets.vectors.drain import BATCH_SIZE, drain
from memory_assets.vectors.errors import IndexBusyError, IndexCorruptError, IndexUnreachableError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import DeleteJob, OutboxJob, Unit, UpsertJob
from memory_assets.vectors.writer_lock import WAIT_SECONDS, only_writer

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Embedder

MAX_ATTEMPTS = 5
"""After so many a job is tried again only when its unit changes, or when somebody asks for it."""

FIRST_PAUSE = timedelta(seconds=30)
"""Before a failed job is tried again; doubled with each attempt."""

EMBED_TEXT = "CASE WHEN coalesce(u.speaker, '') = '' THEN u.body ELSE u.speaker || ': ' || u.body END"
"""What is embedded of a unit ``u``: as it is spoken."""

_DUE = """
SELECT o.job_id, o.content_hash FROM vector_outbox o LEFT JOIN memory_units u ON u.unit_id = o.item_id
WHERE o.embedding_version = $version AND (o.op = 'delete' OR NOT $only_deletes)
  AND (o.status = 'pending' OR (o.status = 'failed' AND o.next_attempt_at <= $now))
ORDER BY o.op, length(u.body) DESC, o.job_id
"""

_JOBS = f"""
WITH jobs AS (SELECT job_id, item_id, op FROM vector_outbox WHERE job_id IN {IN_LIST}),
facets AS (
  SELECT unit_id, list(facet || ':' || value ORDER BY facet, value) AS facets FROM unit_facets
  WHERE unit_id IN (SELECT item_id FROM jobs) GROUP BY unit_id
)
SELECT j.job_id, j.op, j.item_id AS unit_id, u.unit_kind, u.project, u.worktree, u.session_id, u.message_index, u.place, u.role,
  u.speaker, u.stage, u.status, u.confidence, u.occurred_at, f.facets, u.own_text, u.around_text, {EMBED_TEXT} AS embed_text,
  u.embed_hash, u.content_hash
FROM jobs j LEFT JOIN memory_units u ON u.unit_id = j.item_id LEFT JOIN facets f ON f.unit_id = j.item_id
ORDER BY length(u.body) DESC, j.job_id
"""

# A unit that changed while it was embedded has another hash by now: its job stays pending.
_DONE = """
UPDATE vector_outbox SET status = 'done', error = NULL, next_attempt_at = NULL, updated_at = $now FROM done
WHERE done.job_id = vector_outbox.job_id AND vector_outbox.op = 'upsert' AND done.content_hash = vector_outbox.content_hash
"""

_GONE = """
DELETE FROM vector_outbox WHERE job_id IN (SELECT job_id FROM done WHERE content_hash IS NULL)
  AND (op = 'delete' OR item_id NOT IN (SELECT unit_id FROM memory_units))
"""

_FAILED = f"""
UPDATE vector_outbox SET status = 'failed', error = failed.reason, attempts = attempts + 1, updated_at = $now,
  next_attempt_at = CASE WHEN attempts + 1 < {MAX_ATTEMPTS}
    THEN CAST($now AS TIMESTAMP) + to_seconds({FIRST_PAUSE.total_seconds():.0f} * CAST(pow(2, attempts) AS BIGINT)) END
FROM failed WHERE failed.job_id = vector_outbox.job_id AND failed.content_hash IS NOT DISTINCT FROM vector_outbox.content_hash
"""


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drain did; counts of jobs.

    Attributes:
        embedded: texts that went through the model; ``reused``: units whose vector was there already.
        embedding_seconds: how long the model took, ``seconds`` how long all of it.
    """

    done: int = 0
    failed: int = 0
    embedded: int = 0
    reused: int = 0
    embedding_seconds: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Drained) -> Drained:
        return Drained(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def texts_per_second(self) -> float | None:
        """How many texts the model embeds in a second; None where it had none to embed."""
        return self.embedded / self.embedding_seconds if self.embedded and self.embedding_seconds else None


def drain_outbox(
    database: Database,
    embedder: Embedder,
    index: VectorIndex,
    *,
    lock_folder: Path,
    only_deletes: bool = False,
    wait_seconds: float = WAIT_SECONDS,
    progress: Progress | None = None,
) -> Drained:
    """Carry out every job of this embedder's version that is due; the only writer of its table while it runs.

    What is to go is taken out of the tables of other versions too: they keep nothing that was forgotten.

    Args:
        only_deletes: take away what is to go and leave the rest pending: no model is needed for that.
        wait_seconds: how long another writer may show no sign of life; 0 waits for none.

    Raises:
        IndexBusyError: another process is writing to this table.
        IndexWriteError: the disk is full, or the folder cannot be written.
        EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError: see there; jobs stay pending.
    """
    told = progress or NoProgress()
    version = embedder.embedding_version
    whole, started = Drained(), time.perf_counter()
    with only_writer(lock_folder, version, wait_seconds=wait_seconds, progress=told) as show_life:
        tried: set[tuple[str, str]] = set()
        # What changes meanwhile is due again, with another hash.
        while due := [job for job in _due(database, version, only_deletes) if job not in tried]:
            tried.update(due)
            told.start(len(due), "writing to the index" if not only_deletes else "taking out of the index")
            try:
                for start in range(0, len(due), BATCH_SIZE):
                    some = due[start : start + BATCH_SIZE]
                    whole += _carry_out(database, [job_id for job_id, _ in some], embedder, index)
                    show_life()
                    told.advance(len(some))
            finally:
                told.finish()
        if tried:
            index.settle()
    _take_out_elsewhere(database, index, lock_folder)
    return replace(whole, seconds=time.perf_counter() - started)


def retry_failed(database: Database, embedding_version: str) -> int:
    """Make every failed job of a version due again, those that were given up too; how many there were."""
    with database.writing() as connection:
        return len(
            connection.execute(
                """UPDATE vector_outbox SET status = 'pending', attempts = 0, next_attempt_at = NULL, updated_at = ?
                   WHERE status = 'failed' AND embedding_version = ? RETURNING job_id""",
                [_now(), embedding_version],
            ).fetchall()
        )


def _due(database: Database, embedding_version: str, only_deletes: bool) -> list[tuple[str, str]]:
    with database.reading() as connection:
        return connection.execute(_DUE, {"version": embedding_version, "only_deletes": only_deletes, "now": _now()}).fetchall()


def _carry_out(database: Database, job_ids: Sequence[str], embedder: Embedder, index: VectorIndex) -> Drained:
    with database.reading() as connection:
        cursor = connection.execute(_JOBS, [json_list(job_ids)])
        names = [column[0] for column in cursor.description or ()]
        jobs = [_job(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]
    report = drain(jobs, embedder, index)
    _mark(database, report.done, report.failed)
    return Drained(len(report.done), len(report.failed), report.embedded, report.reused, report.embedding_seconds)


def _job(row: dict[str, Any]) -> OutboxJob:
    job_id, op, around_text = row.pop("job_id"), row.pop("op"), row.pop("around_text")
    if op == "delete" or row["unit_kind"] is None:
        return DeleteJob(job_id, row["unit_id"])
    own_text = row["own_text"]
    row["context_text"] = " ".join([own_text, own_text, own_text, around_text]).strip()
    row["facets"] = tuple(row["facets"] or ())
    row["occurred_at"] = row["occurred_at"].replace(tzinfo=UTC)
    return UpsertJob(job_id, Unit(**row))


def _mark(database: Database, done: Sequence[OutboxJob], failed: Sequence[tuple[OutboxJob, str]]) -> None:
    import pyarrow as pa

    def table(jobs: Sequence[OutboxJob], **more: list[str]) -> pa.Table:
        hashes = [job.unit.content_hash if isinstance(job, UpsertJob) else None for job in jobs]
        columns = {"job_id": [job.job_id for job in jobs], "content_hash": hashes, **more}
        return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})

    with database.writing() as connection:
        connection.register("done", table(done))
        connection.register("failed", table([job for job, _ in failed], reason=[reason for _, reason in failed]))
        connection.execute(_DONE, {"now": _now()})
        connection.execute(_GONE)
        connection.execute(_FAILED, {"now": _now()})
        for name in ("done", "failed"):
            connection.unregister(name)


def _take_out_elsewhere(database: Database, index: VectorIndex, lock_folder: Path) -> None:
    with database.reading() as connection:
        rows = connection.execute(
            "SELECT embedding_version, job_id, item_id FROM vector_outbox WHERE op = 'delete' AND embedding_version <> ?",
            [index.embedding_version],
        ).fetchall()
    for version in sorted({row[0] for row in rows}):
        jobs = [DeleteJob(job_id, unit_id) for of_version, job_id, unit_id in rows if of_version == version]
        # Taking out needs no length of vectors.
        other = VectorIndex(index.folder, version, lambda: 0)
        try:
            with only_writer(lock_folder, version, wait_seconds=0):
                try:
                    other.delete([job.unit_id for job in jobs])
                except IndexUnreachableError:
                    raise
                except IndexCorruptError:
                    # Nothing is served from it, and what is to go must go.
                    other.drop()
                _mark(database, jobs, ())
        except IndexBusyError:
            continue  # whoever writes there takes it out


def _now() -> datetime:
    """As the store keeps times: UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)
