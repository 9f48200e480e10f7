"""Another store in the place of this one: all of its files and folders, or none, whenever the process is killed.

A store is more than one file, and no system renames several at once. So the names are written down first, in a file that is put
in place whole. From then on the new store is the store: whoever opens it next, under the lock, carries the renaming through.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from memory_assets.log.errors import of_system
from memory_assets.log.file_length import FILE_NAME
from memory_assets.log.tip import TIP_FILE_NAME

SWAP_FILE_NAME = "store.swap"
# The WAL first: it belongs to the old file, and must never stand beside the new one.
_TAKEN_AWAY = ("memory.duckdb.wal", "memory.duckdb", TIP_FILE_NAME, FILE_NAME)


def is_waiting(folder: Path) -> bool:
    """Whether a swap was begun and is not done."""
    return (folder / SWAP_FILE_NAME).exists()


def begin(folder: Path, staged: Path, aside: str, *, keep_old: bool = True) -> None:
    """Write down what is to be done, under the exclusive lock. After this the staged store is the one that counts.

    Args:
        staged: a folder in ``folder`` with the new files and folders.
        aside: the name of the folder in ``folder`` that the old ones are kept in.
        keep_old: else the old ones are deleted once the new ones are in place.
    """
    names = sorted(path.name for path in staged.iterdir())
    text = json.dumps({"staged": staged.name, "aside": aside, "names": names, "keep_old": keep_old})
    unfinished = folder / f"{SWAP_FILE_NAME}.new"
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(staged)
        unfinished.replace(folder / SWAP_FILE_NAME)
        sync_folder(folder)
    except OSError as error:
        raise of_system(error, unfinished) from error


def finish(folder: Path) -> None:
    """Carry a swap through that was begun, if one was; to be called under the exclusive lock. Doing it twice does no harm."""
    try:
        said = json.loads((folder / SWAP_FILE_NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise of_system(error, folder / SWAP_FILE_NAME) from error
    staged, aside, names = folder / said["staged"], folder / said["aside"], said["names"]
    try:
        # What is staged still has its old counterpart here; what is not was put in place before.
        waiting = [name for name in names if (staged / name).exists()]
        gone = [name for name in _TAKEN_AWAY if name not in names] if "memory.duckdb" in waiting else []
        for name in (*gone, *sorted(waiting, key=lambda name: name == "memory.duckdb")):
            if (folder / name).exists():
                aside.mkdir(mode=0o700, exist_ok=True)
                (folder / name).replace(aside / name)
            if name in waiting:
                (staged / name).replace(folder / name)
        sync_folder(folder)
        if not said.get("keep_old", True):
            _delete(aside)
        (folder / SWAP_FILE_NAME).unlink()
        sync_folder(folder)
    except OSError as error:
        raise of_system(error, folder / SWAP_FILE_NAME) from error
    shutil.rmtree(staged, ignore_errors=True)


def _delete(folder: Path) -> None:
    # What another process still writes there is gone with the next look: until then the swap is not done.
    if folder.exists():
        shutil.rmtree(folder)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
