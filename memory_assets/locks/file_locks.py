"""A lock on a file, tried without waiting, and the note that says who holds it.

How long one waits, and for whom, is for those who use it: the store's lock (``log.lock``), the lock of a table of the index
(``vectors.writer_lock``), and a process's sign of life (``locks.process_liveness``).
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import IO, Final

import portalocker

SHARED: Final = portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING
EXCLUSIVE: Final = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING


def opened_lock_file(path: Path) -> IO[str]:
    """The file of a lock, for its owner alone; made where it is missing.

    Raises:
        OSError: it cannot be made or opened.
    """
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")


def lock_at_once(file: IO[str], flags: portalocker.LockFlags) -> bool:
    """Take a lock if nobody stands in the way; whether it is held. False also where the file system has no locks."""
    try:
        portalocker.lock(file, flags)
    except portalocker.LockException:
        return False
    return True


def lock_within(file: IO[str], flags: portalocker.LockFlags, seconds: float, *, poll_seconds: float = 0.05) -> bool:
    """Take a lock, and wait for whoever stands in the way; whether it is held then. False also where nothing can be locked."""
    until = time.monotonic() + seconds
    while not lock_at_once(file, flags):
        if time.monotonic() >= until:
            return False
        time.sleep(poll_seconds)
    return True


def holder_note() -> str:
    """Who this process is, for those who wait for it."""
    return json.dumps({"pid": os.getpid(), "command": this_command()})


def holder_of(note: str) -> str | None:
    """The process that a note names; None where it says nothing."""
    try:
        holder = json.loads(note)
        return f"process {int(holder['pid'])} ({str(holder['command'])[:200]})"
    except (ValueError, KeyError, TypeError):
        return None


def this_command() -> str:
    """How this process was called."""
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200] if sys.argv else "python"
