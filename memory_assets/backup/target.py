"""A file that appears whole, under its name, or not at all: made in a private folder beside it, then moved into its place."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import portalocker

from memory_assets.backup.errors import FileExistsAlreadyError
from memory_assets.log.errors import StoreLockedError


def refuse_what_is_there(target: Path, *, force: bool) -> None:
    """Keep what stands where a file is to go.

    Raises:
        FileExistsAlreadyError: a folder, or without ``force`` anything at all.
    """
    if target.is_dir() or (target.exists() and not force):
        raise FileExistsAlreadyError(f"{target} is there already", hint="name another file, or replace it with --force")


@contextlib.contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """A private folder beside the target; the next one of the same name clears what a killed one left there.

    Raises:
        StoreLockedError: another process is making the same file.
    """
    work = target.parent / f".{target.name}.unfinished"
    lock_path = target.parent / f".{target.name}.lock"
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock_path.open("w") as lock:
        try:
            portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.exceptions.LockException as error:
            raise StoreLockedError(f"another command is writing {target}", hint="wait for it") from error
        try:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(mode=0o700)
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
            lock_path.unlink(missing_ok=True)
