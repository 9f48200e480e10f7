"""`memory search`: what was said and remembered about something."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, KindOption, ProjectOption, invocation
from memory_assets.cli.memories import stage_cell
from memory_assets.cli.output import cut, day, one_line, plural, print_json, styled
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from memory_assets.memory import FoundV1, MemoryHitV1


class Mode(StrEnum):
    """How to search."""

    auto = "auto"
    lexical = "lexical"
    vector = "vector"
    hybrid = "hybrid"


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("search")(search)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for, in any words; no character of it is an operator.")],
    mode: Annotated[
        Mode, typer.Option("--mode", help="lexical (words), vector (meaning), hybrid (both), auto (what suits the question).")
    ] = Mode.auto,
    project: ProjectOption = None,
    kind: KindOption = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many hits.")] = 10,
    as_json: JsonOption = False,
) -> int:
    """Search memories, tasks and passages, each hit with its address. Exits 1 where nothing is found."""
    response = invocation(context).memory().search(query, mode=mode.value, k=k, project=project, kinds=kind or ())
    if as_json:
        print_json(response.model_dump(mode="json"))
    else:
        print_response(response)
    return OK if response.hits else NOTHING_FOUND


def print_response(response: FoundV1) -> None:
    """Four lines a hit: what it is, where it was said, its title, its text."""
    for hit in response.hits:
        print_hit(hit)
    if not response.hits:
        print_text(styled("nothing found"))
    legs = " and ".join(response.channels) or "no leg"
    print_text(styled((f"{plural(len(response.hits), 'hit')} by {legs} search ({response.score_kind})", "dim")))
    for note in response.notes:
        sys.stderr.write(f"note: {one_line(note)}\n")


def print_hit(hit: MemoryHitV1) -> None:
    """One hit, dense."""
    width = min(terminal_width(), 160)
    print_text(
        styled(
            (f"{hit.rank:>2}  {hit.score:.3f}  ", "bold"),
            (hit.id or hit.unit_kind, "cyan"),
            *(("  ", stage_cell(hit.stage or "-", hit.checker, hit.status)) if hit.id else ()),
            f"  {one_line(hit.project or '-')}  {day(hit.ts)}",
        )
    )
    if hit.citations:
        more = f"  and {len(hit.citations) - 1} more" if len(hit.citations) > 1 else ""
        print_text(styled("    ", (hit.citations[0].uri, "cyan"), (f"  {one_line(hit.citations[0].label)}{more}", "dim")))
    else:
        print_text(styled("    ", ("[HYPOTHESIS] nothing is cited for it", "yellow")))
    print_text(cut(styled("    ", (one_line(hit.title), "bold")), width))
    if one_line(hit.snippet) != one_line(hit.title):
        print_text(cut(styled("    ", one_line(hit.snippet)), 4 * width))
