"""How long the store's file was after its last checkpoint, kept beside it.

DuckDB does not look at blocks that hold nothing, and opens a file that was cut off among them. Only a checkpoint makes a file
shorter, and each has a number, so what is kept is compared where it speaks of the checkpoint that the file has now: a process
may be killed at any moment.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from memory_assets.log.blocks import checkpoint_number

FILE_NAME = "store.length"


def keep_length(store: Path) -> None:
    """Keep how long the file is, where it has had a checkpoint since. To be called under the exclusive lock.

    Where it cannot be written it is not, and nothing is compared.
    """
    kept = store.with_name(FILE_NAME)
    with contextlib.suppress(OSError):
        checkpoint = checkpoint_number(store)
        if (said := _said(kept)) is None or said[0] != checkpoint:
            unfinished = kept.with_name(f"{FILE_NAME}.new")
            unfinished.touch(mode=0o600)
            unfinished.write_text(f"{json.dumps([checkpoint, store.stat().st_size])}\n", encoding="utf-8")
            unfinished.replace(kept)


def missing_bytes(store: Path) -> int:
    """How many bytes were cut off the file since its last checkpoint; 0 where nobody can tell.

    Raises:
        OSError: the file cannot be read.
    """
    said = _said(store.with_name(FILE_NAME))
    if said is None or said[0] != checkpoint_number(store):
        return 0
    return max(said[1] - store.stat().st_size, 0)


def _said(kept: Path) -> tuple[int, int] | None:
    try:
        checkpoint, length = json.loads(kept.read_text(encoding="utf-8"))
        return int(checkpoint), int(length)
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None
