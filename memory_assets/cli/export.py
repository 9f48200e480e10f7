"""`memory export`: what the store holds, for another store, for another program, for people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.output import one_line, plural, print_json, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text
from memory_assets.errors import InvalidArgumentError


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("export")(stoppable(export))


def export(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(help="The file to make; without it the export goes to stdout.", show_default=False)
    ] = None,
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            help="jsonl: the log, for `memory import` elsewhere. markdown: for people. chat.v1: the conversations alone.",
        ),
    ] = "markdown",
    project: ProjectOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write out what the store holds, as it is at this moment, while others go on writing."""
    from memory_assets.exchange.exporting import export_to_file, export_to_stream

    memory = invocation(context).memory()
    versions = memory.resources.configured_versions
    if file is None:
        if as_json:
            raise InvalidArgumentError(
                "--json says what was written to a file, and stdout holds the export itself", hint="name a FILE"
            )
        export_to_stream(memory.database, sys.stdout.buffer, format_name, project=project, versions=versions)
        return OK
    made = export_to_file(
        memory.database,
        file,
        format_name,
        project=project,
        force=force,
        versions=versions,
        progress=progress_for_people(as_json=as_json),
    )
    if as_json:
        print_json(made)
        return OK
    events = "" if made.events is None else f", {plural(made.events, 'event')}"
    print_text(styled((one_line(str(file)), "bold"), f": {plural(made.sessions, 'session')}{events}, {made.format}"))
    print_text(styled((f"{made.bytes:,} bytes, sha256 {made.sha256}", "dim")))
    return OK
