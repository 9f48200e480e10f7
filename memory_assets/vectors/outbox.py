"""The outbox's one writer: jobs that are due are read, carried out in the index, and marked.

Words and vectors have a queue, a table and a writer each: words wait for no model. DuckDB first, then LanceDB, then DuckDB's
mark: a crash between the two leaves a job pending, and doing it again changes nothing. No connection is held while texts are
embedded. What was said last comes first; of a session long texts come before short ones, so that a pass through the model
holds texts of one length, and little is padded.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.database import Database
from memory_assets.log.sql import IN_LIST, WORDS, json_list
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.outbox import Drained
from memory_assets.stopping import stop_if_asked
from memory_assets.vectors.drain import BATCH_SIZE, DrainReport, carry_over, drain, write_words
from memory_assets.vectors.errors import IndexBusyError, IndexCorruptError, IndexUnreachableError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.shared import SharedVectors
from memory_assets.vectors.table import slices
from memory_assets.vectors.units import DeleteJob, OutboxJob, Unit, UpsertJob
from memory_assets.vectors.words import WordIndex
from memory_assets.vectors.writer_lock import WAIT_SECONDS, only_writer

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vectors.embedder import Embedder

MAX_ATTEMPTS = 5
"""After so many a job is tried again only when its unit changes, or when somebody asks for it."""

FIRST_PAUSE = timedelta(seconds=30)
"""Before a failed job is tried again; doubled with each attempt."""

EMBED_TEXT = "CASE WHEN coalesce(u.speaker, '') = '' THEN u.body ELSE u.speaker || ': ' || u.body END"
"""What is embedded of a unit ``u``: as it is spoken."""

WORDS_AT_ONCE = 2_000
"""Units whose words are written in one commit: a tenth of a second of work."""

# Of so many the next are chosen anew: what comes meanwhile and is newer need not wait for all of them.
_ROUND = 4_096

_IS_DUE = "(o.embedding_version = $version AND (o.status = 'pending' OR (o.status = 'failed' AND o.next_attempt_at <= $now)))"

_DUE = f"""
SELECT o.job_id, o.content_hash, o.op, u.embed_hash
FROM vector_outbox o LEFT JOIN memory_units u ON u.unit_id = o.item_id
WHERE {_IS_DUE}
ORDER BY o.op, max(u.occurred_at) OVER (PARTITION BY u.session_id) DESC NULLS LAST, u.session_id, length(u.body) DESC, o.job_id
"""

_JOBS = f"""
WITH jobs AS (SELECT job_id, item_id, op FROM vector_outbox WHERE job_id IN {IN_LIST}),
facets AS (
  SELECT unit_id, list(facet || ':' || value ORDER BY facet, value) AS facets FROM unit_facets
  WHERE unit_id IN (SELECT item_id FROM jobs) GROUP BY unit_id
)
SELECT j.job_id, j.op, j.item_id AS unit_id, u.unit_kind, u.project, u.worktree, u.session_id, u.message_index, u.place, u.role,
  u.speaker, u.stage, u.status, u.confidence, u.occurred_at, f.facets, u.own_text, u.around_text, {EMBED_TEXT} AS embed_text,
  u.embed_hash, u.content_hash, u.origin, u.turn
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
class _Due:
    """A job whose time has come; ``embed_hash`` is None where its unit is gone."""

    job_id: str
    content_hash: str
    op: str
    embed_hash: str | None


_Act = Callable[[Sequence[OutboxJob]], DrainReport]


def drain_words(
    database: Database,
    words: WordIndex,
    *,
    lock_folder: Path,
    wait_seconds: float = WAIT_SECONDS,
    progress: Progress | None = None,
    more_to_come: bool = False,
) -> Drained:
    """Write the words of every unit that waits for it; the only writer of their table meanwhile. No model has a part in it.

    Args:
        wait_seconds: how long another writer may show no sign of life; 0 waits for none.
        more_to_come: the indexes are brought up to date only where the table grew by much; :func:`settle_words` does it later.
            Else they are at the end of this, also where nothing waited.

    Raises:
        IndexBusyError: another process is writing words.
        IndexWriteError, IndexCorruptError: see there; jobs stay pending.
    """
    told = progress or NoProgress()
    started = time.perf_counter()
    with only_writer(lock_folder, WORDS, wait_seconds=wait_seconds, progress=told) as show_life:
        queue = _Queue(database, WORDS, told, show_life)
        for due in queue.rounds("making words searchable"):
            queue.carry_out(due, WORDS_AT_ONCE, lambda jobs: write_words(jobs, words))
        if not more_to_come:
            words.settle()
        elif queue.tried:
            words.maintain()
    return queue.drained.model_copy(update={"seconds": time.perf_counter() - started})


def settle_words(words: WordIndex, *, lock_folder: Path) -> bool:
    """Bring the indexes of words up to date, as :func:`drain_words` does where nothing more is coming; whether it was due.

    Who is writing words does it at the end, or comes to rest as well.

    Raises:
        IndexWriteError, IndexCorruptError: see there.
    """
    with contextlib.suppress(IndexBusyError), only_writer(lock_folder, WORDS, wait_seconds=0):
        return words.settle()
    return False


def drain_outbox(
    database: Database,
    embedder: Embedder,
    index: VectorIndex,
    *,
    lock_folder: Path,
    shared: SharedVectors | None = None,
    wait_seconds: float = WAIT_SECONDS,
    progress: Progress | None = None,
) -> Drained:
    """Write the vector of every unit that waits for it; the only writer of their table meanwhile.

    What is to go is taken out of the tables of other versions too: they keep nothing that was forgotten.

    Args:
        shared: see :func:`memory_assets.vectors.drain.drain`.
        wait_seconds: how long another writer may show no sign of life; 0 waits for none.

    Raises:
        IndexBusyError: another process is writing to this table.
        IndexWriteError: the disk is full, or the folder cannot be written.
        EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError: see there; jobs stay pending.
    """
    told = progress or NoProgress()
    with only_writer(lock_folder, embedder.embedding_version, wait_seconds=wait_seconds, progress=told) as show_life:
        drained = embed_waiting(database, embedder, index, show_life=show_life, progress=told, shared=shared)
    take_out_elsewhere(database, index, lock_folder)
    return drained


def embed_waiting(
    database: Database,
    embedder: Embedder,
    index: VectorIndex,
    *,
    show_life: Callable[[], None],
    progress: Progress,
    shared: SharedVectors | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Drained:
    """:func:`drain_outbox` for who is the only writer already.

    Args:
        go_on: asked between two batches; what is left waits for the next drain.

    Raises:
        IndexWriteError, EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError: see there; jobs stay pending.
    """
    started = time.perf_counter()
    queue = _Queue(database, embedder.embedding_version, progress, show_life, go_on)
    for due in queue.rounds("embedding"):
        # What needs no model is out of the way in a moment: until then rows say what their units said before.
        plain = _without_model(due, index)
        queue.carry_out([job for job in due if job.job_id in plain], WORDS_AT_ONCE, lambda jobs: carry_over(jobs, index))
        queue.carry_out(
            [job for job in due if job.job_id not in plain][:_ROUND],
            BATCH_SIZE,
            lambda jobs: drain(jobs, embedder, index, shared=shared, batch_size=BATCH_SIZE),
        )
    if queue.tried:
        index.settle()
    return queue.drained.model_copy(update={"seconds": time.perf_counter() - started})


def carry_over_waiting(
    database: Database, index: VectorIndex, *, lock_folder: Path, wait_seconds: float = WAIT_SECONDS
) -> Drained:
    """Of the vectors do what needs no model: take out what is to go, from the tables of all versions, and bring rows up to
    date whose text has its vector already. The rest stays pending.

    Raises:
        IndexBusyError, IndexWriteError, IndexCorruptError: see there; jobs stay pending.
    """
    with only_writer(lock_folder, index.embedding_version, wait_seconds=wait_seconds) as show_life:
        queue = _Queue(database, index.embedding_version, NoProgress(), show_life)
        due = queue.due()
        plain = _without_model(due, index)
        queue.carry_out([job for job in due if job.job_id in plain], WORDS_AT_ONCE, lambda jobs: carry_over(jobs, index))
    take_out_elsewhere(database, index, lock_folder)
    return queue.drained


def _without_model(due: Sequence[_Due], index: VectorIndex) -> set[str]:
    """The jobs that need none: of units that are gone, and of texts that have a vector."""
    known = index.vectors_by_text(list({job.embed_hash for job in due if job.embed_hash is not None and job.op != "delete"}))
    return {job.job_id for job in due if job.op == "delete" or job.embed_hash is None or job.embed_hash in known}


class _Queue:
    """The jobs of one version while they are carried out.

    Attributes:
        tried: what was carried out; what changed since is due again, with another hash.
        drained: what came of it so far.
    """

    def __init__(
        self,
        database: Database,
        version: str,
        progress: Progress,
        show_life: Callable[[], None],
        go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self._database = database
        self._version = version
        self._progress = progress
        self._show_life = show_life
        self._go_on = go_on
        self.tried: set[tuple[str, str]] = set()
        self.drained = Drained()

    def rounds(self, label: str) -> Iterator[list[_Due]]:
        """What is due, as long as there is something; each time what was said last comes first."""
        left = None
        try:
            while self._go_on() and (due := self.due()):
                if len(due) != left:
                    if left is not None:
                        self._progress.finish()
                    self._progress.start(len(due), label)
                before = len(self.tried)
                yield due
                left = len(due) - (len(self.tried) - before)
        finally:
            if left is not None:
                self._progress.finish()

    def due(self) -> list[_Due]:
        """Jobs whose time has come, without those that were tried."""
        with self._database.reading() as connection:
            rows = connection.execute(_DUE, {"version": self._version, "now": _now()}).fetchall()
        return [job for row in rows if ((job := _Due(*row)).job_id, job.content_hash) not in self.tried]

    def carry_out(self, due: Sequence[_Due], size: int, act: _Act) -> None:
        """So many at a time, each batch written and marked before the next."""
        for some in slices(due, size):
            if not self._go_on():
                return
            stop_if_asked()
            self.tried.update((job.job_id, job.content_hash) for job in some)
            report = act(_jobs(self._database, [job.job_id for job in some]))
            _mark(self._database, report.done, report.failed)
            self.drained += Drained(
                done=len(report.done),
                failed=len(report.failed),
                embedded=report.embedded,
                reused=report.reused,
                embedding_seconds=report.embedding_seconds,
            )
            self._show_life()
            self._progress.advance(len(some))


def _jobs(database: Database, job_ids: Sequence[str]) -> list[OutboxJob]:
    with database.reading() as connection:
        cursor = connection.execute(_JOBS, [json_list(job_ids)])
        names = [column[0] for column in cursor.description or ()]
        return [_job(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def retry_failed(database: Database, embedding_version: str) -> int:
    """Make every failed job of a version due again, those that were given up too; how many there were."""
    with database.writing(log_stays=True) as connection:
        return len(
            connection.execute(
                """UPDATE vector_outbox SET status = 'pending', attempts = 0, next_attempt_at = NULL, updated_at = ?
                   WHERE status = 'failed' AND embedding_version = ? RETURNING job_id""",
                [_now(), embedding_version],
            ).fetchall()
        )


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

    with database.writing(log_stays=True) as connection:
        connection.register("done", table(done))
        connection.register("failed", table([job for job, _ in failed], reason=[reason for _, reason in failed]))
        connection.execute(_DONE, {"now": _now()})
        connection.execute(_GONE)
        connection.execute(_FAILED, {"now": _now()})
        for name in ("done", "failed"):
            connection.unregister(name)


def something_waits(connection: duckdb.DuckDBPyConnection, version: str) -> bool:
    """Whether a drain of these vectors has anything to do: a job whose time has come, or one of another version that takes
    something out."""
    found = connection.execute(
        f"""SELECT 1 FROM vector_outbox o WHERE {_IS_DUE} OR (o.embedding_version NOT IN ($version, $words) AND o.op = 'delete')
            LIMIT 1""",
        {"version": version, "words": WORDS, "now": _now()},
    )
    return bool(found.fetchall())


def take_out_elsewhere(database: Database, index: VectorIndex, lock_folder: Path) -> None:
    """Take what is to go out of the tables of the versions that are not in force."""
    with database.reading() as connection:
        rows = connection.execute(
            """SELECT embedding_version, job_id, item_id FROM vector_outbox
               WHERE op = 'delete' AND embedding_version NOT IN (?, ?)""",
            [index.embedding_version, WORDS],
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
