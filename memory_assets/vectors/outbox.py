"""The outbox's one writer: jobs that are due are read, carried out in the index, and marked.

Words and vectors have a queue, a table and a writer each: words wait for no model. DuckDB first, then LanceDB, then DuckDB's
mark: a crash between the two leaves a job pending, and doing it again changes nothing. No connection is held while texts are
embedded. What was said last comes first; of a session long texts come before short ones, so that a pass through the model
holds texts of one length, and little is padded.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.log.database import Database
from memory_assets.log.sql import WORDS
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.outbox import Drained
from memory_assets.vectors.drain import BATCH_SIZE, Pace, carry_over, drain, write_words
from memory_assets.vectors.errors import IndexBusyError, IndexCorruptError, IndexUnreachableError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.outbox_jobs import IS_DUE, Due, Queue, mark, now
from memory_assets.vectors.shared import SharedVectors
from memory_assets.vectors.units import DeleteJob
from memory_assets.vectors.words import WordIndex
from memory_assets.vectors.writer_lock import WAIT_SECONDS, only_writer

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vectors.embedder import Embedder

WORDS_AT_ONCE = 2_000
"""Units whose words are read and written at first; a tenth of a second of work."""

# After so long the next are chosen anew: what comes meanwhile and is newer need not wait for all that was due before.
_ROUND_SECONDS = 30.0


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
        queue = Queue(database, WORDS, told, show_life)
        for due in queue.rounds("making words searchable"):
            queue.carry_out(due, WORDS_AT_ONCE, lambda jobs, _: write_words(jobs, words))
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
    queue = Queue(database, embedder.embedding_version, progress, show_life, go_on)
    looked_at: set[Due] = set()
    pace = Pace(BATCH_SIZE)
    for due in queue.rounds("embedding"):
        # What needs no model is out of the way in a moment: until then rows say what their units said before. What is embedded
        # meanwhile is found by who embeds.
        plain = _without_model([job for job in due if job not in looked_at], index)
        looked_at.update(due)
        queue.carry_out([job for job in due if job.job_id in plain], WORDS_AT_ONCE, lambda jobs, _: carry_over(jobs, index))
        queue.carry_out(
            [job for job in due if job.job_id not in plain],
            BATCH_SIZE,
            lambda jobs, more: drain(jobs, embedder, index, shared=shared, pace=pace, go_on=more),
            seconds=_ROUND_SECONDS,
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
        queue = Queue(database, index.embedding_version, NoProgress(), show_life)
        due = queue.due()
        plain = _without_model(due, index)
        queue.carry_out([job for job in due if job.job_id in plain], WORDS_AT_ONCE, lambda jobs, _: carry_over(jobs, index))
    take_out_elsewhere(database, index, lock_folder)
    return queue.drained


def _without_model(due: Sequence[Due], index: VectorIndex) -> set[str]:
    """The jobs that need none: of units that are gone, and of texts that have a vector."""
    known = index.vectors_by_text(list({job.embed_hash for job in due if job.embed_hash is not None and job.op != "delete"}))
    return {job.job_id for job in due if job.op == "delete" or job.embed_hash is None or job.embed_hash in known}


def retry_failed(database: Database, embedding_version: str) -> int:
    """Make every failed job of a version due again, those that were given up too; how many there were."""
    with database.writing(log_stays=True) as connection:
        return len(
            connection.execute(
                """UPDATE vector_outbox SET status = 'pending', attempts = 0, next_attempt_at = NULL, updated_at = ?
                   WHERE status = 'failed' AND embedding_version = ? RETURNING job_id""",
                [now(), embedding_version],
            ).fetchall()
        )


def something_waits(connection: duckdb.DuckDBPyConnection, version: str) -> bool:
    """Whether a drain of these vectors has anything to do: a job whose time has come, or one of another version that takes
    something out."""
    found = connection.execute(
        f"""SELECT 1 FROM vector_outbox o WHERE {IS_DUE} OR (o.embedding_version NOT IN ($version, $words) AND o.op = 'delete')
            LIMIT 1""",
        {"version": version, "words": WORDS, "now": now()},
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
                mark(database, jobs, ())
        except IndexBusyError:
            continue  # whoever writes there takes it out
