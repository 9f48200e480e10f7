"""Who speaks, in every command that writes a person's word."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

ByOption = Annotated[
    str | None, typer.Option("--by", help="Who says so; otherwise the name of this login.", show_default=False)
]
NoteOption = Annotated[str, typer.Option("--note", help="Why, in a sentence; kept with it.", show_default=False)]


def person() -> str:
    """The name of this login, or ``person`` where the system knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "person"
