"""Ctrl-C and SIGTERM in commands that work for long: they end within two seconds, wherever they are.

The work goes on in a thread of its own, so that no signal breaks into it between two lines, and a library that takes signals
for itself in the main thread (Dagster does) takes none. The main thread waits for the work or for a signal. Asked to stop,
the work ends at the next place where it looks; work that is inside a model, a statement or an import by then is cut off with
the process. That loses nothing: what the log acknowledged is on disk, and the next run does the rest.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, ParamSpec

from memory_assets import stopping

INTERRUPTED = 130
GRACE_SECONDS = 1.0
"""How long work may take to look whether it shall stop. With what follows a command ends within two seconds."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SHOW_CURSOR = "\x1b[?25h"

_Given = ParamSpec("_Given")
_Command = Callable[_Given, int]


def stoppable(command: _Command[_Given]) -> _Command[_Given]:
    """A command whose work can be stopped at any moment.

    A second signal ends it at once.

    Raises:
        KeyboardInterrupt: it was stopped in order; ``memory_assets.stopping`` knows what was done.
    """

    @functools.wraps(command)
    def watched(*given: _Given.args, **named: _Given.kwargs) -> int:
        with stopping.stoppable_work():
            if threading.current_thread() is not threading.main_thread():
                return command(*given, **named)  # signals come to the main thread alone
            return _Watched(lambda: command(*given, **named)).run()

    return watched


class _Watched:
    """A piece of work in a thread, and the signals that come meanwhile."""

    def __init__(self, work: Callable[[], int]) -> None:
        self._work = work
        # Put to by a signal's handler, which may come while the main thread takes from it: this queue allows that.
        self._happened: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._code = 0
        self._error: BaseException | None = None

    def run(self) -> int:
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        try:
            for number, handler in before.items():
                if handler is not signal.SIG_IGN:  # a background job of a shell ignores what its terminal is told
                    signal.signal(number, lambda *_: self._happened.put(False))
            threading.Thread(target=self._do, name="command", daemon=True).start()
            if not self._happened.get():
                self._stop()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._error is not None:
            raise self._error
        return self._code

    def _do(self) -> None:
        try:
            self._code = self._work()
        except BaseException as error:
            self._error = error
        self._happened.put(True)

    def _stop(self) -> None:
        """Return when the work has ended within its time; else end the process."""
        stopping.ask_to_stop()
        try:
            ended = self._happened.get(timeout=GRACE_SECONDS)
        except queue.Empty:
            ended = False
        if not ended:
            leave_interrupted()


def leave_interrupted() -> NoReturn:
    """End the process here, with its children; what still runs in it may hold locks, and is not waited for."""
    from memory_assets.cli.failures import report_interrupted

    for child in _children(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(child, signal.SIGKILL)
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr.isatty():
            os.write(sys.stderr.fileno(), f"\r{_SHOW_CURSOR}\x1b[K".encode())
    with contextlib.suppress(OSError, ValueError):
        report_interrupted(as_json="--json" in sys.argv)
        sys.stderr.flush()
    os._exit(INTERRUPTED)


def _children(process: int) -> list[int]:
    """The processes that one started, and those that these started. One that we are to end must not live on without us."""
    found: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in thread.read_text().split()]
    return [one for child in found for one in (*_children(child), child)]
