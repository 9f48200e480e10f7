"""`memory conflicts`: what contradicts what, and which side holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.memories import assurance_cell, print_beside, quoted, said_otherwise_lines
from memory_assets.cli.output import moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.people import ByOption, NoteOption, person
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from memory_assets.queries.conflicts import ConflictSide, ConflictView

PAGE = 50
_ID_SHOWN = 12
_INDENT = len("  older  ")
_MOST_QUOTED = 160
_KINDS = {
    "different_value": "another value",
    "negation": "a denial",
    "opposite": "the opposite",
    "status_clash": "another end of a task",
    "corrected": "a correction",
}
ConflictArgument = Annotated[str, typer.Argument(help="The conflict's id or its beginning.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Conflicts: list them, say which side holds, take that back (bare: list).")
    group.command("list")(list_)
    group.command("show")(show)
    group.command("resolve")(resolve)
    group.command("reopen")(reopen)
    app.add_typer(group, name="conflicts")


def list_(
    context: typer.Context,
    status: Annotated[
        str,
        typer.Option(
            "--status", help="Only of this status: open, resolved, moot (one side was set aside by another resolution) or all."
        ),
    ] = "open",
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")] = PAGE,
    as_json: JsonOption = False,
) -> int:
    """List conflicts, the newest first: both sides, and where each was said last."""
    from memory_assets.queries.conflicts import list_conflicts

    found = invocation(context).memory().read(list_conflicts, status=status, project=project, limit=limit)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_text(styled("no conflicts" if status == "all" else f"no {status} conflicts"))
    for place, conflict in enumerate(found):
        if place:
            print_text(styled(""))
        print_conflict(conflict)
    if found and status == "open":
        print_text(
            styled(""),
            styled((f"{plural(len(found), 'conflict')}: `memory conflicts resolve ID --as …` says which side holds", "dim")),
        )
    return OK


def show(context: typer.Context, conflict: ConflictArgument, as_json: JsonOption = False) -> int:
    """Show one conflict with both quotes."""
    from memory_assets.queries.conflicts import one_conflict

    _print(invocation(context).memory().read(one_conflict, conflict), as_json=as_json)
    return OK


def resolve(
    context: typer.Context,
    conflict: ConflictArgument,
    resolution: Annotated[
        str,
        typer.Option(
            "--as", help="keep_newer or keep_older sets the other side aside, both keeps both, merge makes them one memory."
        ),
    ],
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say which side of a conflict holds. A later word replaces it; `memory conflicts reopen` takes it back."""
    from memory_assets.commands.conflicts import resolve_conflict

    _print(
        resolve_conflict(invocation(context).memory().resources, conflict, resolution, by=person(by), note=note),
        as_json=as_json,
    )
    return OK


def reopen(
    context: typer.Context,
    conflict: ConflictArgument,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Take a resolution back: both sides are contested again."""
    from memory_assets.commands.conflicts import reopen_conflict

    _print(reopen_conflict(invocation(context).memory().resources, conflict, by=person(by), note=note), as_json=as_json)
    return OK


def print_conflict(conflict: ConflictView) -> None:
    """The kind of difference, then a line a side with its quote below it."""
    state = (conflict.status, "yellow" if conflict.status == "open" else "dim")
    if conflict.status == "resolved":
        by = f", {one_line(conflict.resolved_by or '-')}, {moment(conflict.resolved_at)}"
        state = (f"resolved: {conflict.resolution}{by}", "green")
    print_beside(
        styled(
            (conflict.conflict_id[:_ID_SHOWN], "cyan"),
            "  ",
            (_KINDS.get(conflict.conflict_type, conflict.conflict_type), "bold"),
            (f" ({conflict.reason})", "dim"),
        ),
        styled((f"project {one_line(conflict.project or '-')}  ", "dim"), state),
        indent=2,
    )
    if conflict.note:
        print_text(styled(("  note: ", "dim"), one_line(conflict.note)))
    _print_side("older", conflict.older, kept=conflict.resolution in (None, "keep_older", "both", "merge"))
    _print_side("newer", conflict.newer, kept=conflict.resolution in (None, "keep_newer", "both", "merge"))


def _print_side(name: str, side: ConflictSide, *, kept: bool) -> None:
    differs = f"  [{one_line(side.differs)}]" if side.differs else ""
    print_beside(
        styled(
            (f"  {name}  ", "dim"),
            (side.citation or side.entry_id[:_ID_SHOWN], "cyan"),
            f"  {moment(side.said_at)}  ",
            assurance_cell(side.assurance, side.checker),
            ("" if kept else ", set aside", "dim"),
            (differs, "magenta"),
        ),
        styled((f"{plural(len(side.entries), 'entry', 'entries')}  {side.uri}", "dim")),
        indent=_INDENT,
    )
    limit = min(_MOST_QUOTED, terminal_width() - _INDENT)
    print_text(
        *said_otherwise_lines(side.said_otherwise, indent=_INDENT),
        styled(" " * _INDENT) + quoted(side.quote or side.title, limit=limit),
    )


def _print(conflict: ConflictView, *, as_json: bool) -> None:
    print_result(conflict, print_conflict, as_json=as_json)
