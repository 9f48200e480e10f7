"""A small file beside the store, put in its place whole: whoever reads it finds the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path


def put_in_place(path: Path, text: str, *, unfinished: Path | None = None) -> None:
    """Write a file on the disk, private to its owner, and give it its name then.

    Args:
        unfinished: where it is written; in the same folder, and nobody else's meanwhile. A name of this thread's where none
            is given.

    Raises:
        OSError: it cannot be written; the file that was there stays.
    """
    unfinished = unfinished or path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        unfinished.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
