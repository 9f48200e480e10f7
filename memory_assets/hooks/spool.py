"""What calls left behind while no server answered, brought into the journal.

The file is renamed before it is read, so a call that comes meanwhile begins another; a renamed file that is still there was not
read to its end by somebody who was killed, and is read again: the journal knows a call that it has.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import portalocker

from memory_assets.hooks.events import HookCall, hook_call
from memory_assets.hooks.folders import HookFolders
from memory_assets.sessions.tolerant_json import read_document

SPOOL_FILE = "calls.jsonl"
_WAIT_SECONDS = 1.0


def drain(folders: HookFolders, keep: Callable[[HookCall], None]) -> int:
    """Give every call of the spool to ``keep``, and take the spool away; how many there were.

    Raises:
        OSError: of ``keep``; what was not kept stays in the spool.
    """
    current = folders.spool / SPOOL_FILE
    with contextlib.suppress(FileNotFoundError):
        current.rename(folders.spool / f"{time.time_ns()}-{os.getpid()}.draining")
    count = 0
    now = datetime.now(UTC)
    for path in sorted(folders.spool.glob("*.draining")):
        lines = _lines_of(path)
        if lines is None:
            continue
        for call in filter(None, (_call_of(line, now) for line in lines if line)):
            keep(call)
            count += 1
        path.unlink(missing_ok=True)
    return count


def spooled_bytes(folders: HookFolders) -> int:
    """How much waits in the spool."""
    return sum(path.stat().st_size for path in folders.spool.glob("*") if path.is_file())


def _lines_of(path: Path) -> list[bytes] | None:
    """The lines of a file; None while it is written: who opened it before it was renamed holds a lock on it."""
    try:
        with portalocker.Lock(path, "rb", timeout=_WAIT_SECONDS, check_interval=0.005) as file:
            return file.read().split(b"\n")
    except (portalocker.LockException, FileNotFoundError):
        return None


def _call_of(line: bytes, now: datetime) -> HookCall | None:
    try:
        value: Any = json.loads(line)
        payload, event, agent = value["payload"], value["event"], value["agent"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if isinstance(payload, str):  # what the agent sent was no JSON: what can be read of it is
        payload = read_document(payload).value
    return hook_call(str(event), str(agent), payload, now=now)
