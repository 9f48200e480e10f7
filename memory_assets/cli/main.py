"""The command ``memory``. Commands live in one file a group; this one puts them together.

Nothing heavy is imported before a command needs it: ``memory --help`` costs a fraction of a second.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from memory_assets.cli import (
    align,
    answers,
    ask,
    audit,
    backup,
    builds,
    conditions,
    conflicts,
    context,
    correcting,
    court,
    decisions,
    digest,
    entries,
    evaluation,
    events,
    evidence,
    export,
    extraction,
    feedback,
    forgetting,
    fsck,
    hooks,
    idris,
    importing,
    lessons,
    maintenance,
    mcp,
    metrics,
    mirror,
    move,
    outbox,
    pipeline,
    policy,
    privacy,
    promote,
    prompts,
    proof,
    purge,
    reembed,
    schema,
    search,
    serve,
    sessions,
    show,
    task,
    tasks,
    timeline,
)
from memory_assets.cli.failures import guarded
from memory_assets.cli.invocation import Invocation, overrides_of
from memory_assets.cli.output import prepare_streams, print_line

app = typer.Typer(
    name="memory",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Long-term memory from sessions with people and coding agents: every memory points at the characters it came from.",
)
for group in (
    importing,
    privacy,
    forgetting,
    sessions,
    pipeline,
    entries,
    evidence,
    align,
    extraction,
    show,
    digest,
    schema,
    search,
    ask,
    answers,
    timeline,
    context,
    feedback,
    correcting,
    evaluation,
    events,
    tasks,
    task,
    conditions,
    promote,
    conflicts,
    decisions,
    court,
    lessons,
    prompts,
    policy,
    builds,
    metrics,
    maintenance,
    mirror,
    move,
    outbox,
    reembed,
    proof,
    idris,
    fsck,
    purge,
    backup,
    export,
    audit,
    mcp,
    serve,
    hooks,
):
    group.register(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from memory_assets import __version__

        print_line(f"memory_assets {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option("--home", help="The folder that holds the store; otherwise MEMORY_HOME.", show_default=False)
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="A settings file instead of memory.toml in the store's folder.")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="A setting for this call only. May be repeated."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = Invocation(overrides_of(home, assignments or []), config)


def _app_for(arguments: Sequence[str]) -> typer.Typer:
    """The app with the one command that stands first in the arguments, or the whole app where none does.

    typer reads the signatures of every command that an app has before it runs one of them: 40 ms, a third of what a short
    command takes (measured).
    """
    asked = arguments[0] if arguments else ""
    commands = [command for command in app.registered_commands if command.name == asked]
    groups = [group for group in app.registered_groups if group.name == asked]
    if not commands and not groups:
        return app
    alone = copy.copy(app)
    alone.registered_commands, alone.registered_groups = commands, groups
    return alone


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0 done, 1 no hit, refusal or something quarantined, 2 an error, 3 doctor or fsck found something wrong, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Sessions are private: whatever a command or a library under it writes is its user's alone.
    os.umask(0o077)
    prepare_streams()
    return guarded(
        lambda: typer.main.get_command(_app_for(arguments)).main(args=arguments, prog_name="memory", standalone_mode=False),
        as_json="--json" in arguments,
    )
