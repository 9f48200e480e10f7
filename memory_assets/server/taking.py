"""Sessions come in by themselves: the server looks whether there is something to take, and a process of its own takes it.

Taking runs Dagster's assets, which would hold up every answer of the server's process; so another one does it. It is started
by a hook or when there is work, ends when there was none for a while, and with the server: it reads what to do from a pipe.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from memory_assets.server.activity import Activity

SECONDS_BETWEEN_LOOKS: Final = 15.0
SECONDS_BEHIND_A_HOOK: Final = 0.5
"""A hook tells of a file that is still being written: what follows at once is taken along."""
SECONDS_TO_SETTLE: Final = 5.0
"""A file that is still being written is looked at again so soon, and each further time after twice as long, up to a minute.
So soon behind the last turn its vectors are made, and what all sessions together have become."""
MOST_SECONDS_TO_SETTLE: Final = 60.0
SECONDS_OF_REST: Final = 120.0
"""What hooks told of and nobody took counts as at rest after a while, though no file says so: it is looked at so often."""
SECONDS_OF_LONG_REST: Final = 3_600.0
_SECONDS_LATELY: Final = 900.0
SECONDS_TO_LIVE: Final = 300.0
_SECONDS_BEHIND_A_FAILURE: Final = 60.0


class Taking:
    """Looks for what is new, and has it taken. One thread; it never raises."""

    def __init__(
        self,
        folders: Callable[[], Sequence[Path]],
        journal: Path,
        arguments: Sequence[str],
        environ: Mapping[str, str],
        activity: Activity,
    ) -> None:
        """Take what comes into a store.

        Args:
            folders: where something new may lie, by the settings of the moment.
            journal: the folder of what hooks told of and nobody took.
            arguments: the options in front of a command that make the server's settings.
            environ: of the process that takes.
        """
        self._folders = folders
        self._journal = journal
        self._arguments = tuple(arguments)
        self._environ = dict(environ)
        self._activity = activity
        self._wanted = threading.Event()
        self._ended = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()
        self._used = 0.0
        self._seen: object = None
        self._agains = 0
        self._told: dict[str, Any] = {"runs": 0, "sessions": 0, "last_at": None, "last_error": None}
        self._thread = threading.Thread(target=self._work, name="taking", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def look_soon(self) -> None:
        """A hook said that something is new."""
        self._wanted.set()

    def end(self) -> None:
        """Look no more; what is being taken is given a moment to end, and then ended."""
        self._ended.set()
        self._wanted.set()
        self._leave()

    def standing(self) -> dict[str, Any]:
        """How it stands, as plain values."""
        process = self._process
        return {**self._told, "process": process.pid if process is not None and process.poll() is None else None}

    def _work(self) -> None:
        try:
            while not self._ended.is_set():
                self._look()
        finally:
            self._leave()

    def _look(self) -> None:
        """Wait for the next look, and look."""
        if self._wanted.wait(self._seconds_to_next_look()):
            self._wanted.clear()
            if self._process is None:
                # It loads what it needs meanwhile; whoever asks it says what is in the way.
                with contextlib.suppress(OSError, ValueError):
                    self._running()
                self._used = time.monotonic()
            self._ended.wait(SECONDS_BEHIND_A_HOOK)
        if self._ended.is_set():
            return
        state = state_of(self._folders(), self._journal, time.time())
        if state != self._seen:
            self._take(state)
        elif self._process is not None and time.monotonic() - self._used > SECONDS_TO_LIVE:
            self._leave()

    def _seconds_to_next_look(self) -> float:
        if not self._agains:
            return SECONDS_BETWEEN_LOOKS
        return min(SECONDS_TO_SETTLE * 2.0 ** (self._agains - 1), MOST_SECONDS_TO_SETTLE)

    def _take(self, state: object) -> None:
        with self._activity.going_on(is_wanted=False):
            try:
                told = self._asked()
            except (OSError, ValueError) as error:
                self._leave()
                told = {"error": f"the process that takes sessions ended: {type(error).__name__}"}
        self._used = time.monotonic()
        self._told["runs"] += 1
        self._told["sessions"] += told.get("sessions", 0)
        self._told["last_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        self._told["last_error"] = told.get("error")
        if told.get("sessions"):
            self._activity.note()
        if told.get("error"):
            self._ended.wait(_SECONDS_BEHIND_A_FAILURE)
        # Where something was taken, the waiting begins anew: the next turn may be its last one.
        agains = 0 if told.get("sessions") else self._agains
        self._agains = agains + 1 if told.get("again") else 0
        if not self._agains and not told.get("error"):
            self._seen = state

    def _asked(self) -> dict[str, Any]:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("take\n")
        process.stdin.flush()
        told = json.loads(process.stdout.readline())
        return told if isinstance(told, dict) else {}

    def _running(self) -> subprocess.Popen[str]:
        """The process, started where none runs.

        Raises:
            OSError: it cannot be started, or is wanted no more.
        """
        with self._starting:
            if self._ended.is_set():
                raise OSError("nothing is taken any more")
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "memory_assets", *self._arguments, "serve", "take", "--on-request"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._environ,
                    text=True,
                    start_new_session=True,
                )
            return self._process

    def _leave(self) -> None:
        with self._starting:
            process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def state_of(folders: Sequence[Path], journal: Path, now: float) -> object:
    """What is equal to itself for as long as there is nothing to look at.

    Args:
        now: in seconds; of a journal that holds something it is looked at again from time to time.
    """
    files = tuple(_files_of(folders))
    lately = max((at for path, at, _ in files if Path(path).is_relative_to(journal)), default=None)
    if lately is None:
        return files
    return files, int(now // (SECONDS_OF_REST if now - lately / 1e9 < _SECONDS_LATELY else SECONDS_OF_LONG_REST))


def _files_of(folders: Sequence[Path]) -> Iterator[tuple[str, int, int]]:
    """Name, time and size of every file that may hold something new; a link that leads nowhere is none."""
    waiting = list(folders)
    while waiting:
        folder = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        status = entry.stat()
                        yield entry.path, status.st_mtime_ns, status.st_size
