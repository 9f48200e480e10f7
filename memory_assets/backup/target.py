"""A file that appears whole, under its name, or not at all: made in a private folder beside it, then moved into its place."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import portalocker

from memory_assets.backup.errors import FileExistsAlreadyError
from memory_assets.errors import InvalidArgumentError, is_full_disk
from memory_assets.log.errors import StoreError, StoreLockedError, full_disk

_OF_THE_STORE = (
    "memory.duckdb",
    "memory.toml",
    "golden.yaml",
    "store.",
    "restore.lock",
    "vectors",
    "dagster",
    "runners",
    "purge.",
)
"""How the names in a store's folder begin that mean something there."""


def refuse_what_is_there(target: Path, *, force: bool) -> None:
    """Keep what stands where a file is to go.

    Raises:
        FileExistsAlreadyError: a folder, a pipe or a device, or without ``force`` anything at all, a link to nothing too.
    """
    if target.exists() and not target.is_file():
        raise FileExistsAlreadyError(f"{target} is there already, and is no file", hint="name another file")
    if os.path.lexists(target) and not force:
        raise FileExistsAlreadyError(f"{target} is there already", hint="name another file, or replace it with --force")


def refuse_the_store(target: Path, folder: Path) -> None:
    """Keep a store's own files, also those that are not there now: what takes the place of one ends the store.

    Raises:
        InvalidArgumentError
    """
    place = target.parent.resolve() / target.name
    with contextlib.suppress(ValueError):
        if place.relative_to(folder.resolve()).parts[0].startswith(_OF_THE_STORE):
            raise InvalidArgumentError(f"{target} is the store's own", hint="name a file outside the store's folder")


def of_target(error: OSError, target: Path) -> StoreError:
    """What the operating system refused of a file that is made. To be raised with nothing behind it: a folder that cannot be
    written would be taken for the store's."""
    if is_full_disk(error):
        return full_disk(target)
    return StoreError(
        f"{target} cannot be written: {error.strerror or error}", hint="check its folder's rights, or name a file elsewhere"
    )


@contextlib.contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """A private folder beside the target; the next one of the same name clears what a killed one left there.

    Raises:
        StoreLockedError: another process is making the same file.
    """
    work = target.parent / f".{target.name}.unfinished"
    lock_path = target.parent / f".{target.name}.lock"
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The folder may be everybody's: a link under the lock's name is not followed, and a pipe not waited for.
    descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    with os.fdopen(descriptor, "wb", buffering=0) as lock:
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
