"""Which processes are still at work: each holds a lock of its own for as long as it lives.

What a process was doing when it was killed can say nothing of its end. Its lock can: it is free.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from functools import lru_cache
from pathlib import Path
from typing import IO

import portalocker

from memory_assets.locks.file_locks import EXCLUSIVE

_FOLDER = "runners"
# Held until the process ends; a file that is collected would be closed, and its lock lost.
_HELD: list[IO[str]] = []


def runner_name(home: Path) -> str:
    """The name of this process's lock below a folder; taken at the first call, when the locks of the dead are cleared away."""
    return _taken(home / _FOLDER, os.getpid())


def is_alive(home: Path, name: str) -> bool:
    """Whether the process with this name is still there."""
    try:
        file = (home / _FOLDER / f"{name}.lock").open("r+")
    except FileNotFoundError:
        return False
    except OSError:
        return True  # nothing says that it is gone
    with file:
        try:
            portalocker.lock(file, EXCLUSIVE)
        except portalocker.AlreadyLocked:
            return True
    return False


@lru_cache(maxsize=8)
def _taken(folder: Path, _process: int) -> str:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in folder.glob("*.lock"):
        if not is_alive(folder.parent, path.stem):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
    name = uuid.uuid4().hex
    # It is locked before it has its name: nobody ever finds it free while this process lives.
    unnamed = folder / f"{name}.new"
    file = unnamed.open("w")
    portalocker.lock(file, EXCLUSIVE)
    unnamed.rename(folder / f"{name}.lock")
    _HELD.append(file)
    return name
