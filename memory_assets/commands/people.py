"""Who speaks, where nobody says so."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Iterator
from contextvars import ContextVar

_SPEAKING: ContextVar[str | None] = ContextVar("speaking", default=None)


@contextlib.contextmanager
def speaking(name: str | None) -> Iterator[None]:
    """Let somebody speak in this context; None for whoever is logged in."""
    before = _SPEAKING.set(name)
    try:
        yield
    finally:
        _SPEAKING.reset(before)


def speaker() -> str:
    """The name of who is let speak, or of this login."""
    return _SPEAKING.get() or login_name()


def login_name() -> str:
    """The name of this login, or ``person`` where the system knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "person"
