"""`memory correct`: a person says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import one_line, print_json, styled
from memory_assets.cli.people import ByOption, person
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import fitting, print_text

if TYPE_CHECKING:
    from memory_assets.results.correction import CorrectionV1


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("correct")(correct)


def correct(
    context: typer.Context,
    given: Annotated[str, typer.Argument(metavar="ID", help="The memory: mem:a7Bc3x, or the id of one of its entries.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is so instead, in a sentence that stands by itself.")],
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say otherwise than a memory does: what you say is remembered in its place, cited to you and today."""
    from memory_assets.defs.correcting import correct as say_otherwise

    report = say_otherwise(
        invocation(context).settings(), given, text, by=person(by), progress=progress_for_people(as_json=as_json)
    )
    if as_json:
        print_json(report)
    else:
        print_correction(report)
    return OK


def print_correction(report: CorrectionV1) -> None:
    """What holds now, and what was set aside."""
    for what, style, memory in (("holds", "bold green", report.correction), ("set aside", "dim", report.corrected)):
        print_text(fitting(styled((f"{what:<10}", style), (memory.citation, "cyan"), f"  {one_line(memory.title)}")))
    print_text(styled((f"said by {one_line(report.said_by)}", "dim")))
