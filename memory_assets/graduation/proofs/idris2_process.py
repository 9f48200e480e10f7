"""One run of a compiler as a child process that can be trusted to end (part of the ``idris2`` runner, impure).

No shell, closed stdin, a process group of its own that is killed as a whole, a time limit, and a limit on what it may
say. What it says may quote the session: it is read here, judged by the caller, and kept nowhere.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final

OUTPUT_LIMIT: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Ran:
    """It ended by itself. ``output`` is stdout and stderr together, without colours; never store or log it."""

    exit_code: int
    output: str
    duration_ms: float


@dataclass(frozen=True, slots=True)
class DidNotRun:
    """It could not be started, or did not end in time, or would not stop talking. ``reason`` is one line."""

    reason: str
    timed_out: bool = False


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout_s: float,
    stop: Event | None = None,
) -> Ran | DidNotRun:
    """Run a command to its end, or to ours; ``stop`` ends it from another thread."""
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            [os.fspath(part) for part in command],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as problem:
        return DidNotRun(f"cannot be started ({type(problem).__name__})")
    try:
        output = _read(process, started + timeout_s, stop)
        if isinstance(output, DidNotRun):
            return output
        try:
            exit_code = process.wait(timeout=max(started + timeout_s - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            return DidNotRun("gave no answer in time", timed_out=True)
        return Ran(exit_code, _plain(output), (time.monotonic() - started) * 1000)
    finally:
        # Also after a good end: what it may have started must not outlive it.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        if process.stdout is not None:
            process.stdout.close()
        process.wait()


def _read(process: subprocess.Popen[bytes], deadline: float, stop: Event | None) -> bytes | DidNotRun:
    """All that the process says until it closes its output, or until it has ended and nothing more is there."""
    assert process.stdout is not None
    said = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return DidNotRun("gave no answer in time", timed_out=True)
            if stop is not None and stop.is_set():
                return DidNotRun("was stopped")
            if selector.select(min(left, 0.2)):
                chunk = os.read(process.stdout.fileno(), 65_536)
                if not chunk:
                    return bytes(said)
                said += chunk
                if len(said) > OUTPUT_LIMIT:
                    return DidNotRun("said more than any verdict needs")
            elif process.poll() is not None:
                return bytes(said)


def _plain(output: bytes) -> str:
    """The output as text, colour codes dropped."""
    text = output.decode("utf-8", "replace")
    if "\x1b[" not in text:
        return text
    pieces = text.split("\x1b[")
    return pieces[0] + "".join(piece.partition("m")[2] for piece in pieces[1:])
