"""What lies beside a mirror for a short while once the server of its log was silent: the next commands read at once."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

from memory_assets.log.errors import SharedLogUnavailableError
from memory_assets.log.private_file import put_in_place

SILENCE_FILE_NAME = "store.silent"
REMEMBERED_SECONDS = 30.0
"""So long whoever reads does not ask a server that kept another one waiting. Who writes does, and an answer ends it."""


def note_silence(folder: Path, log: str, error: SharedLogUnavailableError) -> None:
    """Remember that a log kept somebody waiting; where that cannot be written, the next one waits too."""
    told = {"log": log, "at": time.time(), "why": str(error), "hint": error.hint}
    with contextlib.suppress(OSError):
        put_in_place(folder / SILENCE_FILE_NAME, json.dumps(told))


def silence_of(folder: Path, log: str) -> SharedLogUnavailableError | None:
    """Why a log is not asked just now; None where it is."""
    try:
        told = json.loads((folder / SILENCE_FILE_NAME).read_text(encoding="utf-8"))
        is_fresh = told["log"] == log and 0 <= time.time() - float(told["at"]) < REMEMBERED_SECONDS
        return SharedLogUnavailableError(str(told["why"]), hint=str(told["hint"])) if is_fresh else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget_silence(folder: Path) -> None:
    """It has answered."""
    with contextlib.suppress(OSError):
        (folder / SILENCE_FILE_NAME).unlink(missing_ok=True)
