"""Who speaks, in every command that writes a person's word."""

from __future__ import annotations

import sys
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


def sits_before_it() -> bool:
    """Whether a person may sit before it: the shell of an agent has no terminal."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def agrees(what: str, question: str, *, hint: str, as_json: bool) -> bool:
    """Whether whoever sits before it wants what a command is about to do.

    Args:
        what: it does, for those who cannot be asked.

    Raises:
        InvalidArgumentError: nobody is there to be asked, or the answer is read by a program.
    """
    if as_json or not sits_before_it():
        raise InvalidArgumentError(what, hint=hint)
    return typer.confirm(question, default=False, err=True)


def on_a_terminal(what: str, *, page: str | None = None) -> None:
    """Refuse where nobody sits before it: an agent's shell has no terminal, and no option stands for one.

    Args:
        page: where a person may say the same in a browser.

    Raises:
        TerminalNeededError
    """
    from memory_assets.commands.errors import TerminalNeededError

    if not sits_before_it():
        raise TerminalNeededError(
            f"only a person {what}: on a terminal" + (f", or on the page {page}" if page else ""),
            hint="run it yourself in a terminal"
            + (f", or open {page} (`memory serve link`)" if page else "")
            + "; there is no option for it",
        )
