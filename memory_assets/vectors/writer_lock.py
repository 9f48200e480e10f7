"""One writer a table: a lock that a dying process loses, and that says who holds it.

Each embedding version has a lock of its own, so that the table of another model can be made while this one is written.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import portalocker

from memory_assets.locks.file_locks import EXCLUSIVE, SHARED, holder_note, holder_of, lock_at_once, opened_lock_file
from memory_assets.progress import NoProgress, Progress
from memory_assets.vectors.errors import IndexBusyError, IndexWriteError

WAIT_SECONDS = 600.0
_POLL_SECONDS = 0.05


@contextlib.contextmanager
def only_writer(
    folder: Path, embedding_version: str, *, wait_seconds: float = WAIT_SECONDS, progress: Progress | None = None
) -> Iterator[Callable[[], None]]:
    """Be the only one who writes the table of a version.

    Args:
        folder: where the lock's file lies; made when missing.
        wait_seconds: how long another writer may show no sign of life. One that goes on working is waited for.
        progress: hears whom one waits for.

    Yields:
        To be called now and then by a writer that works for long: the sign of life.

    Raises:
        IndexBusyError: names the process that holds the lock.
        IndexWriteError: the folder or its file system has no locks for us.
    """
    with _opened(folder, embedding_version) as file:
        _acquire(file, wait_seconds, progress or NoProgress())
        file.seek(0)
        file.truncate()
        file.write(holder_note())
        file.flush()
        try:
            yield lambda: os.utime(file.fileno())
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(file.fileno(), 0)
            portalocker.unlock(file)


def current_writer(folder: Path, embedding_version: str) -> str | None:
    """The process that is writing this version's table; None where nobody is."""
    if not _lock_file(folder, embedding_version).exists():
        return None
    try:
        file = _lock_file(folder, embedding_version).open(encoding="utf-8")  # a lock needs no right to write
    except OSError:
        return None
    with file:
        if not lock_at_once(file, SHARED):
            return _holder(file)
        portalocker.unlock(file)
    return None


def _acquire(file: IO[str], wait_seconds: float, progress: Progress) -> None:
    began = time.time()
    said = False
    while True:
        try:
            portalocker.lock(file, EXCLUSIVE)
            return
        except portalocker.AlreadyLocked:
            holder = _holder(file)
            if time.time() - max(began, os.fstat(file.fileno()).st_mtime) >= wait_seconds:
                waited = f" and shows no sign of life for {wait_seconds:g} s" if wait_seconds else ""
                raise IndexBusyError(
                    f"{holder} is writing to the index{waited}",
                    hint="wait for it to finish, or end that process; what waits to be written stays queued",
                ) from None
            if not said:
                progress.say(f"waiting for {holder}, which is writing to the index")
                said = True
            time.sleep(_POLL_SECONDS)
        except portalocker.LockException as error:
            raise IndexWriteError(
                f"{file.name} cannot be locked: {error}", hint="keep the store on a file system that has locks"
            ) from error


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        note = file.read()
    except (OSError, UnicodeDecodeError):
        note = ""
    return holder_of(note) or "another process"


def _lock_file(folder: Path, embedding_version: str) -> Path:
    return folder / f"vectors.{embedding_version}.lock"


@contextlib.contextmanager
def _opened(folder: Path, embedding_version: str) -> Iterator[IO[str]]:
    path = _lock_file(folder, embedding_version)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = opened_lock_file(path)
    except OSError as error:
        raise IndexWriteError(f"{path} cannot be used: {error.strerror}", hint="check the rights of its folder") from error
    with file:
        yield file
