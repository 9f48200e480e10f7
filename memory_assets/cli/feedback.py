"""`memory feedback`: of what use a hit was, or that it is wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import one_line, print_json, styled
from memory_assets.cli.people import ByOption, NoteOption, person
from memory_assets.cli.tables import fitting, print_text

if TYPE_CHECKING:
    from memory_assets.results.feedback import AckV1


class SignalWord(StrEnum):
    """What is said of a hit."""

    used = "used"
    helpful = "helpful"
    wrong = "wrong"


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("feedback")(feedback)


def feedback(
    context: typer.Context,
    given: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="What it is said of: mem:a7Bc3x, session:ID#m=12, or the id of a unit, memory, entry or task."
        ),
    ],
    signal: Annotated[
        SignalWord,
        typer.Argument(help="used: it went into the work; helpful: it answered; wrong: it is not so, or not any more."),
    ],
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say of what use a hit was. Search puts what helped a little higher, and what is wrong lower."""
    ack = invocation(context).memory().feedback(given, signal.value, by=person(by), note=note)
    if as_json:
        print_json(ack)
    else:
        print_ack(ack, signal.value)
    return OK


def print_ack(ack: AckV1, signal: str) -> None:
    """What was said of what, and how it stands now."""
    print_text(
        styled(
            (signal, "red" if signal == "wrong" else "green"), "  ", (one_line(ack.id), "cyan"), f"  {one_line(ack.said_by)}"
        )
    )
    if ack.unit is None:
        return
    unit = ack.unit
    print_text(
        fitting(styled("  ", (one_line(unit.title), "bold"))),
        styled(
            (
                f"  {unit.unit_kind}: shown {unit.shown:,}, used {unit.used:,}, helpful {unit.helpful:,}, "
                f"wrong {unit.wrong:,}; moves it by {unit.uplift:+.2f} of 1",
                "dim",
            )
        ),
    )
