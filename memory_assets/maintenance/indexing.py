"""The search index as the settings want it: words are written at once, vectors behind them, other models' tables dropped.

Words need no model, so nothing that loads one stands before them. What needs one comes behind everything else, in one go:
titles of tasks are compared by their meaning, what waits for its vector is embedded, and a model that is new is measured.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.batches import insert, rows_of
from memory_assets.log.sql import WORDS
from memory_assets.progress import NoProgress
from memory_assets.results.outbox import Calibration, Drained, InLine, OutboxDrained
from memory_assets.vectors.calibration import ensure_calibrated, known_calibration
from memory_assets.vectors.errors import EmbedderUnavailableError, IndexBusyError, IndexCorruptError, IndexOutdatedError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.legacy_tables import bring_over, former_tables
from memory_assets.vectors.outbox import (
    carry_over_waiting,
    drain_words,
    embed_waiting,
    retry_failed,
    something_waits,
    take_out_elsewhere,
)
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets.vectors.task_titles import has_new_names, keep_vectors, new_likenesses
from memory_assets.vectors.writer_lock import WAIT_SECONDS, only_writer

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.progress import Progress
    from memory_assets.vectors.embedder import Embedder
    from memory_assets.vectors.shared import SharedVectors
    from memory_assets.vectors.table import UnitTable

_TABLE = "vectors_{}.lance"
_NOTHING = Drained()


@dataclass(frozen=True, slots=True)
class Written:
    """What a drain did, of vectors and of words, and what is known of the model; None before anything was written with it."""

    drained: Drained
    calibration: Calibration | None
    words: Drained = _NOTHING

    def printed(self) -> OutboxDrained:
        """The same as one object, the vectors' part first."""
        return OutboxDrained(
            schema_version="outbox_drained.v1", **dict(self.drained), words=self.words, calibration=self.calibration
        )


@dataclass(frozen=True, slots=True)
class Behind:
    """What became of the vectors behind an import or a run.

    Attributes:
        waiting: units that have no vector yet, and are found by their words alone.
        why: they have none, where something was in the way.
    """

    drained: Drained
    waiting: int
    why: str | None = None


def write_words(
    resources: Resources,
    *,
    again_what_failed: bool = False,
    wait: bool = True,
    progress: Progress | None = None,
    more_to_come: bool = False,
) -> Drained:
    """Make every unit that waits for it searchable by its words, and do of the vectors what needs no model. Loads none.

    Args:
        again_what_failed: also what was given up.
        wait: for another process that is writing.
        more_to_come: see :func:`memory_assets.vectors.outbox.drain_words`.

    Raises:
        IndexBusyError, IndexWriteError, IndexCorruptError
    """
    settings, database, words = resources.settings, resources.database, resources.word_index
    lock_folder, wait_seconds = settings.store_folder, WAIT_SECONDS if wait else 0
    bring_over(settings.vectors_folder, lock_folder=lock_folder, wait_seconds=wait_seconds)
    if not _is_there(words):
        reconcile(database, Side.of_words(words), lock_folder=lock_folder, wait_seconds=wait_seconds, progress=progress)
    if again_what_failed:
        retry_failed(database, WORDS)
    drained = drain_words(
        database, words, lock_folder=lock_folder, wait_seconds=wait_seconds, progress=progress, more_to_come=more_to_come
    )
    # Who is writing vectors does this along with them; a table of vectors that is damaged is no matter of the words.
    with contextlib.suppress(IndexBusyError, IndexCorruptError):
        carry_over_waiting(database, resources.vector_index, lock_folder=lock_folder, wait_seconds=0)
    return drained


def write_vectors(
    resources: Resources,
    *,
    again_what_failed: bool = False,
    wait: bool = True,
    progress: Progress | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Written:
    """Do everything that needs the model: compare titles of tasks, embed what waits, measure a model that is new.

    Each batch is committed before the next, what was said last first: whatever ends it, the next drain goes on from there.

    Args:
        again_what_failed: also what was given up.
        wait: for another process that is writing.
        go_on: asked between two batches; what is left waits for the next drain.

    Raises:
        IndexBusyError, IndexWriteError, EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError
    """
    database, chosen, index = resources.database, resources.embedder, resources.vector_index
    lock_folder, wait_seconds = resources.settings.store_folder, WAIT_SECONDS if wait else 0
    told = progress or NoProgress()
    if not _is_there(index):
        reconcile(
            database, Side.of_vectors(chosen, index), lock_folder=lock_folder, wait_seconds=wait_seconds, progress=progress
        )
    if again_what_failed:
        retry_failed(database, chosen.embedding_version)
    whole, words = Drained(), Drained()
    while True:
        with only_writer(lock_folder, chosen.embedding_version, wait_seconds=wait_seconds, progress=told) as show_life:
            if _titles_compared(resources, chosen):
                words += drain_words(database, resources.word_index, lock_folder=lock_folder, progress=progress)
            shared = shared_vectors(resources)
            drained = embed_waiting(database, chosen, index, show_life=show_life, progress=told, shared=shared, go_on=go_on)
        whole += drained
        # Whoever found this process writing, and left, has left its units to it.
        if not (drained.done and go_on() and _waiting(database, chosen.embedding_version)):
            break
    take_out_elsewhere(database, index, lock_folder)
    known = known_calibration(resources.settings)
    # What was written last may have ended before its self-test.
    if whole.done or (known is None and index.exists()):
        known = ensure_calibrated(resources.settings, chosen)
    return Written(whole, known, words)


def write_waiting(
    resources: Resources,
    *,
    again_what_failed: bool = False,
    wait: bool = True,
    progress: Progress | None = None,
) -> Written:
    """:func:`write_words`, then :func:`write_vectors`: carry out all that the outbox holds for the configured model.

    Raises:
        IndexBusyError, IndexWriteError, EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError
    """
    words = write_words(resources, again_what_failed=again_what_failed, wait=wait, progress=progress)
    written = write_vectors(resources, again_what_failed=again_what_failed, wait=wait, progress=progress)
    return Written(written.drained, written.calibration, words + written.words)


def write_behind(
    resources: Resources,
    *,
    progress: Progress | None = None,
) -> Behind:
    """:func:`write_vectors` behind work that is done without them: what is in the way is said, and no error.

    Where nothing waits LanceDB is not loaded, which is a quarter of what an import of nothing new costs; a table that is
    damaged, or of an older form, is then met by a search or by the next one that writes.

    Raises:
        IndexWriteError, IndexCorruptError, FingerprintMismatchError
    """
    if not _needs_model(resources):
        return Behind(_NOTHING, 0)
    drained, why = Drained(), None
    try:
        drained = write_vectors(resources, wait=False, progress=progress).drained
    except IndexBusyError as error:
        why = f"{error}: it writes these too"
    except EmbedderUnavailableError as error:
        why = f"{error}. {error.hint}" if error.hint else str(error)
    return Behind(drained, _waiting(resources.database, resources.embedder.embedding_version), why)


def _needs_model(resources: Resources) -> bool:
    """Whether anything of :func:`write_vectors` is to be done, by what the store and the folder of the index say."""
    version = resources.embedder.embedding_version
    if not resources.vector_index.exists() or known_calibration(resources.settings) is None:
        return True
    with resources.database.reading() as connection:
        return something_waits(connection, version) or has_new_names(connection, version)


def shared_vectors(resources: Resources) -> SharedVectors | None:
    """Vectors that the machines of a log have together, for one drain; None of a store that shares none."""
    from memory_assets.fleet import opening

    settings = resources.settings
    url, patience = settings.store.url, settings.store.lock_timeout_seconds
    return opening.shared_vectors(settings.store_folder, url, patience) if url and settings.sharing.vectors else None


def compare_titles(database: Database, embedder: Embedder) -> bool:
    """Have the embedder compare the titles that are new, and log which are alike; whether there were any.

    Without a model tasks are found by their words, and the titles wait.
    """
    found = new_likenesses(database, embedder)
    if found.name_hashes:
        rows = rows_of(found.events)
        with database.writing() as connection:
            insert(connection, rows)
            keep_vectors(connection, found)
    return bool(found.events)


def _titles_compared(resources: Resources, embedder: Embedder) -> bool:
    """:func:`compare_titles`, and what follows from it across sessions; whether anything did."""
    if not compare_titles(resources.database, embedder):
        return False
    from memory_assets.projections.fold import catch_up

    catch_up(resources.database, resources.configured_versions, resolve=True)
    return True


def _waiting(database: Database, version: str) -> int:
    with database.reading() as connection:
        counted = connection.execute(
            "SELECT count(*) FROM vector_outbox WHERE status = 'pending' AND op = 'upsert' AND embedding_version = ?", [version]
        ).fetchall()
    return int(counted[0][0])


def _is_there(table: UnitTable) -> bool:
    """Whether there is a table of today's form. What the outbox calls done was in another one where there is none.

    After an update nobody need know that the index is kept in another form now, nor that somebody removed it.
    """
    try:
        table.count()
    except IndexOutdatedError:
        return False
    return table.exists()


def bring_in_line(
    resources: Resources,
    *,
    dry_run: bool = False,
    drop_old: bool = False,
    progress: Progress | None = None,
) -> InLine:
    """Compare the index with the units, mend what differs, and write what waits then.

    Args:
        dry_run: compare alone.
        drop_old: drop the tables of all other versions with their queues.

    Raises:
        IndexBusyError, IndexWriteError, EmbedderUnavailableError
    """
    settings, database, embedder = resources.settings, resources.database, resources.embedder
    index, words, lock_folder = resources.vector_index, resources.word_index, settings.store_folder
    if not dry_run:
        bring_over(settings.vectors_folder, lock_folder=lock_folder, wait_seconds=WAIT_SECONDS)
    of_words = reconcile(database, Side.of_words(words), lock_folder=lock_folder, dry_run=dry_run, progress=progress)
    found = reconcile(database, Side.of_vectors(embedder, index), lock_folder=lock_folder, dry_run=dry_run, progress=progress)
    written = Written(_NOTHING, None)
    dropped: tuple[str, ...] = ()
    if not dry_run:
        written = write_waiting(resources, progress=progress)
        dropped = drop_others(resources) if drop_old else ()
    return InLine(
        schema_version="outbox_reconciled.v1",
        dry_run=dry_run,
        found=found,
        drained=written.drained,
        dropped=dropped,
        words=of_words,
        words_drained=written.words,
    )


def other_versions(resources: Resources) -> dict[str, Path]:
    """The embedding versions that have a table and are not in force, with its folder."""
    current = resources.embedder.embedding_version
    before, behind = _TABLE.split("{}")
    found = {
        folder.name.removeprefix(before).removesuffix(behind): folder
        for folder in sorted(resources.settings.vectors_folder.glob(_TABLE.format("*")))
    }
    # Of an older version of this program, until somebody writes.
    found = former_tables(resources.settings.vectors_folder) | found
    return {version: folder for version, folder in found.items() if version != current}


def drop_others(resources: Resources) -> tuple[str, ...]:
    """Drop the tables of all versions that are not in force, and their queues; their versions.

    Raises:
        IndexBusyError: one of them is being written.
    """
    current = resources.embedder.embedding_version
    dropped = other_versions(resources)
    for version, folder in dropped.items():
        with contextlib.suppress(InvalidArgumentError), only_writer(resources.settings.store_folder, version, wait_seconds=0):
            VectorIndex(resources.settings.vectors_folder, version, lambda: 0).drop()
        if folder.exists():  # no name of ours
            shutil.rmtree(folder)
    with resources.database.writing(log_stays=True) as connection:
        connection.execute("DELETE FROM vector_outbox WHERE embedding_version NOT IN (?, ?)", [current, WORDS])
    return tuple(dropped)
