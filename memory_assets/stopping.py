"""Ending work that takes long: who wants it to end says so here, and the work looks where it loses nothing by ending.

Signals belong to the process, and so does this wish. Work that never looks is cut off by whoever asked; what the log has
acknowledged is kept either way, for a kill at any moment is safe.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from threading import Event

_WANTED = Event()
_DONE_SO_FAR = [""]


def ask_to_stop() -> None:
    """Work under way is to end as soon as it can. To be called from any thread."""
    _WANTED.set()


def is_asked_to_stop() -> bool:
    """Whether somebody waits for the work to end."""
    return _WANTED.is_set()


def stop_if_asked() -> None:
    """End here where somebody asked for it.

    Raises:
        KeyboardInterrupt: as if it had been asked for at this very line.
    """
    if _WANTED.is_set():
        raise KeyboardInterrupt


def note_done(line: str) -> None:
    """What is done so far, in words for whoever interrupts the work; never session text."""
    _DONE_SO_FAR[0] = line


def done_so_far() -> str:
    """What :func:`note_done` was told last; empty where nobody said anything."""
    return _DONE_SO_FAR[0]


@contextlib.contextmanager
def stoppable_work() -> Iterator[None]:
    """A piece of work: what was asked and noted of an earlier one in this process is forgotten."""
    _WANTED.clear()
    note_done("")
    try:
        yield
    finally:
        _WANTED.clear()
