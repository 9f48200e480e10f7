"""`memory reembed`: another embedding model, in force once all of its vectors are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.outbox import calibration_line, print_drained
from memory_assets.cli.output import one_line, plural, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.outbox import Reembedded


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("reembed")(stoppable(reembed))


def reembed(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option("--to", metavar="MODEL", help="bundled, hashing, the folder of a model, or its name on a hub."),
    ],
    query_prefix: Annotated[
        str | None, typer.Option("--query-prefix", help="What the model wants in front of a question.", show_default=False)
    ] = None,
    passage_prefix: Annotated[
        str | None, typer.Option("--passage-prefix", help="What it wants in front of a text.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what there is to embed, and do nothing.")] = False,
    accept_failed: Annotated[
        bool, typer.Option("--accept-failed", help="Change the model also where it could not embed every unit.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Change the embedding model: the new index is made whole while the old one serves, then memory.toml is changed.

    Exits 1 where the old model stays in force.
    """
    done = (
        invocation(context)
        .memory()
        .reembed(
            to,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
            dry_run=dry_run,
            accept_failed=accept_failed,
            progress=progress_for_people(as_json=as_json),
        )
    )
    print_result(done, print_reembedded, as_json=as_json)
    return OK if done.in_force or dry_run else NOTHING_FOUND


def print_reembedded(done: Reembedded) -> None:
    """What was embedded, what the self-test says, and which model is in force."""
    print_text(styled(f"{one_line(done.from_version)} → ", (one_line(done.to_version), "bold")))
    if done.dry_run:
        print_text(styled(f"{plural(done.found.to_write, 'unit')} to write, {done.found.same:,} are there already"))
        return
    print_drained(done.drained)
    if done.calibration is not None:
        print_text(styled((calibration_line(done.calibration), "dim")))
    if done.in_force:
        said = f", written into {done.written_to}" if done.written_to else ""
        print_text(styled((f"{one_line(done.to_model)} is in force", "bold green"), f"{said}"))
        print_text(styled(("what runs already (memory dev, an MCP server) follows once it is started anew", "dim")))
    elif done.to_set:
        print_text(styled(("ready, but the environment or a flag names another model. Set:", "yellow")))
        print_text(*(styled(f"  {one_line(line)}") for line in done.to_set))
        print_text(styled(("then: memory run --all", "dim")))
    else:
        print_text(
            styled((f"{plural(done.failed, 'unit')} failed, so {one_line(done.from_model)} stays in force", "bold yellow")),
            styled("the same command tries them again; with --accept-failed it changes the model without them"),
        )
