"""Who speaks, in every command that writes a person's word."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.errors import InvalidArgumentError

ByOption = Annotated[
    str | None, typer.Option("--by", help="Who says so; otherwise the name of this login.", show_default=False)
]
NoteOption = Annotated[str, typer.Option("--note", help="Why, in a sentence; kept with it.", show_default=False)]


def person(by: str | None) -> str:
    """Who was named, else the name of this login, or ``person`` where the system knows none.

    Raises:
        InvalidArgumentError: the name is empty.
    """
    if by is not None:
        if not by.strip():
            raise InvalidArgumentError("the name of who says so is empty", hint="leave --by out for the name of this login")
        return by
    from memory_assets.commands.people import login_name

    return login_name()
