"""Who speaks, where nobody says so."""

from __future__ import annotations

import getpass


def login_name() -> str:
    """The name of this login, or ``person`` where the system knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "person"
