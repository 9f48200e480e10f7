"""`memory move`: the log into a PostgreSQL that several machines share, and back into a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_result, styled
from memory_assets.cli.people import agrees
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.moved import MovedV1

EMBEDDED = "embedded"


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("move")(stoppable(move))


def move(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL|embedded|FOLDER",
            help="An empty PostgreSQL, `embedded` for this store's own file, or a folder for another one.",
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be moved, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Move the log: into a PostgreSQL that several machines share, or out of it into a file. After a kill, run it again."""
    from memory_assets.defs.dead_runs import end_dead_work
    from memory_assets.maintenance.moving import move_to_own, move_to_shared

    resources = invocation(context).memory().resources
    progress = progress_for_people(as_json=as_json)
    if to != EMBEDDED and "://" in to:
        moved = move_to_shared(resources, to, dry_run=dry_run, progress=progress)
    else:
        if not dry_run and not yes:
            _ask(as_json=as_json)
        folder = None if to == EMBEDDED else Path(to).expanduser().absolute()
        if not dry_run:
            end_dead_work(resources)
        moved = move_to_own(resources, folder, dry_run=dry_run, progress=progress)
    print_result(moved, print_moved, as_json=as_json)
    return OK


def _ask(*, as_json: bool) -> None:
    what = "no machine could write to the shared log any more"
    hint = "`--yes` says so; `--dry-run` shows what would be moved"
    if not agrees(what, f"{what[0].upper()}{what[1:]}. Go on?", hint=hint, as_json=as_json):
        raise typer.Abort


def print_moved(moved: MovedV1) -> None:
    """What lies where, and what a person does next."""
    would = "would lie" if moved.dry_run else "lie"
    print_text(styled((f"{plural(moved.events, 'event')} {would} in {one_line(moved.target)}", "bold")))
    sent = "are to be taken over" if moved.dry_run else "were taken over and read back"
    print_text(styled(f"{moved.sent:,} of them {sent}; the newest is {moved.link_hash[:16]}…"))
    for step in moved.next_steps:
        print_text(styled(("then: ", "dim"), one_line(step)))
