"""The search index as the settings want it: what waits is written, the model measured, other models' tables dropped."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets import configuration
from memory_assets.errors import InvalidArgumentError
from memory_assets.vectors.calibration import Calibration, ensure_calibrated, known_calibration
from memory_assets.vectors.errors import IndexOutdatedError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.outbox import Drained, drain_outbox, retry_failed
from memory_assets.vectors.reconcile import Reconciled, reconcile
from memory_assets.vectors.writer_lock import WAIT_SECONDS, only_writer

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.progress import Progress
    from memory_assets.settings import Settings
    from memory_assets.vectors.embedder import Embedder

_TABLE = "units_{}.lance"


@dataclass(frozen=True, slots=True)
class Written:
    """What a drain did, and what is known of the model; None before anything was written with it."""

    drained: Drained
    calibration: Calibration | None


@dataclass(frozen=True, slots=True)
class InLine:
    """What was found when index and store were compared, what was written then, and the versions whose tables went."""

    found: Reconciled
    drained: Drained
    dropped: tuple[str, ...] = ()


def write_waiting(
    settings: Settings,
    database: Database,
    *,
    embedder: Embedder | None = None,
    again_what_failed: bool = False,
    wait: bool = True,
    progress: Progress | None = None,
) -> Written:
    """Carry out what the outbox holds for the configured model; a model that was never measured is measured then.

    Args:
        embedder: the configured one, where the caller has it loaded.
        again_what_failed: also what was given up.
        wait: for another process that is writing.

    Raises:
        IndexBusyError, IndexWriteError, EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError
    """
    chosen = embedder or configuration.embedder(settings)
    index = configuration.vector_index(settings, chosen)
    wait_seconds = WAIT_SECONDS if wait else 0
    if not _is_there(index):
        reconcile(database, chosen, index, lock_folder=settings.store_folder, wait_seconds=wait_seconds, progress=progress)
    if again_what_failed:
        retry_failed(database, chosen.embedding_version)
    drained = drain_outbox(
        database,
        chosen,
        index,
        lock_folder=settings.store_folder,
        wait_seconds=wait_seconds,
        progress=progress,
    )
    known = known_calibration(settings)
    # What was written last may have ended before its self-test.
    if drained.done or (known is None and index.exists()):
        known = ensure_calibrated(settings, chosen)
    return Written(drained, known)


def _is_there(index: VectorIndex) -> bool:
    """Whether there is a table of today's form. What the outbox calls done was in another one where there is none.

    After an update nobody need know that the index is kept in another form now, nor that somebody removed it.
    """
    try:
        index.count()
    except IndexOutdatedError:
        return False
    return index.exists()


def bring_in_line(
    settings: Settings,
    database: Database,
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
    embedder = configuration.embedder(settings)
    index = configuration.vector_index(settings, embedder)
    found = reconcile(database, embedder, index, lock_folder=settings.store_folder, dry_run=dry_run, progress=progress)
    if dry_run:
        return InLine(found, Drained())
    drained = write_waiting(settings, database, embedder=embedder, progress=progress).drained
    return InLine(found, drained, drop_others(settings, database) if drop_old else ())


def other_versions(settings: Settings) -> dict[str, Path]:
    """The embedding versions that have a table and are not in force, with its folder."""
    current = configuration.embedder(settings).embedding_version
    before, behind = _TABLE.split("{}")
    found = {
        folder.name.removeprefix(before).removesuffix(behind): folder
        for folder in sorted(settings.vectors_folder.glob(_TABLE.format("*")))
    }
    return {version: folder for version, folder in found.items() if version != current}


def drop_others(settings: Settings, database: Database) -> tuple[str, ...]:
    """Drop the tables of all versions that are not in force, and their queues; their versions.

    Raises:
        IndexBusyError: one of them is being written.
    """
    current = configuration.embedder(settings).embedding_version
    dropped = other_versions(settings)
    for version, folder in dropped.items():
        with contextlib.suppress(InvalidArgumentError), only_writer(settings.store_folder, version, wait_seconds=0):
            VectorIndex(settings.vectors_folder, version, lambda: 0).drop()
        if folder.exists():  # no name of ours
            shutil.rmtree(folder)
    with database.writing() as connection:
        connection.execute("DELETE FROM vector_outbox WHERE embedding_version <> ?", [current])
    return tuple(dropped)
