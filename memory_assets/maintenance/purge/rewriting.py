"""The store and its index written anew and put in place together: all of it or nothing, whenever the process is killed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.locks.file_locks import EXCLUSIVE, holder_note, holder_of, lock_within, opened_lock_file
from memory_assets.log import swap
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import StoreLockedError, full_disk, of_system
from memory_assets.log.event_store import Epoch
from memory_assets.log.free_space import NEEDED_BYTES
from memory_assets.log.mirror import PULLED_ROWS, ROWS_BEHIND
from memory_assets.log.mirror_note import read_note, write_note
from memory_assets.log.opening import opened_to_write
from memory_assets.log.sql import WORDS
from memory_assets.log.swap import sync_folder
from memory_assets.log.tip import Tip, Tips, read_tips
from memory_assets.maintenance.purge.new_index import write_new_index
from memory_assets.maintenance.purge.new_store import MovedOnError, NewStore, write_new_store
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.vectors.writer_lock import only_writer

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.log.event_store import ExclusiveStore
    from memory_assets.settings import Settings

STAGED = "purge.staged"
ASIDE = "purge.old"
_LOCK = "purge.lock"
PENDING = "purge.pending"
"""Beside the new store from the moment on at which it is the store: what is left to be done elsewhere."""

_TRIES = 5


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What was put in place.

    Attributes:
        index: of each table of the index how many rows it had and has.
    """

    store: NewStore
    index: dict[str, tuple[int, int]]


def rewrite(resources: Resources, *, progress: Progress | None = None) -> Rewritten | None:
    """Put a store in place that never held what is to be purged; None where nothing is.

    Raises:
        IndexBusyError, StoreLockedError: somebody else writes or reads; nothing was changed.
        StoreFullError, StoreError, IndexWriteError, LogTamperedError: nothing was changed.
    """
    settings, database = resources.settings, resources.database
    with index_alone(settings, progress):
        for _ in range(_TRIES):
            # What rests on several sessions is said anew without the forgotten ones before they are gone.
            catch_up(database, resources.configured_versions, resolve=True)
            with contextlib.suppress(MovedOnError):
                return _rewritten(database, settings.vectors_folder, progress or NoProgress())
    raise StoreLockedError("others go on writing to the store", hint="wait for them to finish, then purge again")


@contextlib.contextmanager
def index_alone(settings: Settings, progress: Progress | None) -> Iterator[None]:
    """Be the only one who writes to the index. In the order of who drains: the index first, then the store.

    Raises:
        IndexBusyError: somebody else goes on writing.
    """
    waits = settings.store.lock_timeout_seconds
    with contextlib.ExitStack() as locks:
        for version in _versions(settings.vectors_folder):
            locks.enter_context(only_writer(settings.store_folder, version, wait_seconds=waits, progress=progress))
        yield


def _rewritten(database: Database, vectors: Path, told: Progress) -> Rewritten | None:
    with database.alone() as folder, staged_folder(folder) as staged:
        check_room(folder, vectors)
        # What a killed process spilled there; nobody else has the store open now.
        shutil.rmtree(folder / f"{STORE_FILE_NAME}.tmp", ignore_errors=True)
        try:
            told.start(3, "writing the store anew")
            with _shared(database, folder) as shared:
                store = write_new_store(folder, staged)
                if store is None:
                    return None
                told.advance(1, "writing the index anew")
                with opened_to_write(staged / STORE_FILE_NAME) as connection:
                    index = write_new_index(vectors, staged / vectors.name, connection)
                    connection.execute("CHECKPOINT")
                told.advance(1, "putting them in place")
                keep_left_to_do(folder, staged, store.sessions, store.living)
                if shared is not None:
                    _rewrite_shared(shared, folder, staged, store)
                bring_to_disk(staged)
            swap.begin(folder, staged, ASIDE, keep_old=False)
            swap.finish(folder)
            told.advance()
        except OSError as error:
            raise of_system(error, folder) from error
        finally:
            told.finish()
    return Rewritten(store, index)


@contextlib.contextmanager
def _shared(database: Database, folder: Path) -> Iterator[ExclusiveStore | None]:
    """The shared log under its lock, committed at the end; None where the file is the log.

    Raises:
        MovedOnError: another machine has written meanwhile.
    """
    if not database.mirror.store.is_shared:
        yield None
        return
    tips = read_tips(folder)
    with database.mirror.store.exclusive() as shared:
        if not isinstance(tips, Tips) or shared.state().head not in (tips.now, tips.coming):
            raise MovedOnError
        yield shared


def _rewrite_shared(shared: ExclusiveStore, folder: Path, staged: Path, store: NewStore) -> None:
    """The rows of the new store in the place of those that the shared log has, which is one of another epoch then.

    Who is killed between its commit and the swap of the files has a mirror of the epoch before, as any other machine.
    """
    state, note, tips = shared.state(), read_note(folder), read_tips(staged)
    if state.head != Tip(store.told.old_seq, bytes.fromhex(store.told.old_link)) or note is None or note.epoch != state.epoch:
        raise MovedOnError
    assert isinstance(tips, Tips)  # it was written just now
    with opened_to_write(staged / STORE_FILE_NAME) as connection:
        cursor = connection.execute(ROWS_BEHIND, [0])
        shared.rewrite(iter(lambda: cursor.fetchmany(PULLED_ROWS), []), tips.now)
    write_note(staged, replace(note, epoch=Epoch(note.epoch.store_id, note.epoch.number + 1), honoured=0))


def keep_left_to_do(folder: Path, staged: Path, sessions: Mapping[str, bool], living: Collection[str]) -> None:
    """Write down what is left to do elsewhere, and what a killed purge left of it; what was taken in anew since then lives."""
    earlier = left_to_do(folder) or {}
    left = earlier | dict(sessions)
    told = {session_id: wholly and session_id not in living for session_id, wholly in left.items()}
    (staged / PENDING).write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    (staged / PENDING).chmod(0o600)


def left_to_do(folder: Path) -> dict[str, bool] | None:
    """The sessions that a purge took out of the store and not yet of everything else; None where there is none."""
    try:
        told: dict[str, bool] = json.loads((folder / PENDING).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return told


def all_done(folder: Path) -> None:
    """Nothing is left to do of a purge."""
    (folder / PENDING).unlink(missing_ok=True)
    sync_folder(folder)


@contextlib.contextmanager
def only_purge(folder: Path, *, wait_seconds: float) -> Iterator[None]:
    """Be the only purge of a store, to its end: what is left to do behind the store's own lock is done once.

    Raises:
        StoreLockedError: another one is at work.
    """
    path = folder / _LOCK
    try:
        file = opened_lock_file(path)
    except OSError as error:
        raise of_system(error, path) from error
    with file:
        if not lock_within(file, EXCLUSIVE, wait_seconds):
            who = holder_of(path.read_text(encoding="utf-8")) or "another process"
            raise StoreLockedError(f"{who} is purging this store", hint="wait for it to finish, then purge again")
        file.truncate()
        file.write(holder_note())
        file.flush()
        try:
            yield
        finally:
            # Closing it lets go of it.
            os.ftruncate(file.fileno(), 0)


def _versions(vectors: Path) -> list[str]:
    tables = sorted(path.name for path in vectors.glob("*.lance")) if vectors.is_dir() else []
    return [WORDS, *(name.removeprefix("vectors_").removesuffix(".lance") for name in tables if name != f"{WORDS}.lance")]


@contextlib.contextmanager
def staged_folder(folder: Path) -> Iterator[Path]:
    """An empty folder for the new files; what a killed purge left there is cleared, and what this one leaves."""
    staged = folder / STAGED
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(mode=0o700)
    try:
        yield staged
    finally:
        # Where the new files are to be put in place, whoever carries that through clears it.
        if not swap.is_waiting(folder):
            shutil.rmtree(staged, ignore_errors=True)


def check_room(folder: Path, vectors: Path) -> None:
    """Refuse to write new files where there is no room for as much as the old ones take.

    Raises:
        StoreFullError
    """
    # The new files are no larger than the old ones, and a file that DuckDB cannot end may end the process.
    files = [folder / STORE_FILE_NAME, folder / f"{STORE_FILE_NAME}.wal", *vectors.rglob("*")]
    if shutil.disk_usage(folder).free < sum(path.stat().st_size for path in files if path.is_file()) + NEEDED_BYTES:
        raise full_disk(folder)


def bring_to_disk(folder: Path) -> None:
    """Have every file and name below a folder on the disk."""
    for path in folder.rglob("*"):
        if path.is_dir():
            sync_folder(path)
            continue
        with path.open("rb") as file:
            os.fsync(file.fileno())
