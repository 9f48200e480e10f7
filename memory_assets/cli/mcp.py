"""`memory mcp`: the server that agents ask over stdio, and its place in the settings of Claude Desktop and Claude Code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from memory_assets.cli.invocation import NOTHING_FOUND, OK, Invocation, JsonOption, invocation
from memory_assets.cli.output import one_line, print_json, styled
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.mcp.installing import Change, ServerCommand, Standing


class Client(StrEnum):
    """Who starts the server."""

    desktop = "claude-desktop"
    code = "claude-code"


class ClientScope(StrEnum):
    """For whom Claude Code starts it."""

    user = "user"
    project = "project"


class ServingGroup(TyperGroup):
    """Without a command it serves, where a client has started it; a person at a terminal gets help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `serve` in front of what has no command, unless somebody types."""
        bare = not args or (args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx))
        if bare and sys.stdin is not None and not sys.stdin.isatty():
            args = ["serve", *args]
        return super().parse_args(ctx, args)


NameOption = Annotated[str, typer.Option("--server-name", help="What the client calls the server.")]
ClientOption = Annotated[Client, typer.Option("--client", help="Whose settings: claude-desktop or claude-code.")]
ScopeOption = Annotated[
    ClientScope,
    typer.Option("--scope", help="Of Claude Code: user (every project), or project (the .mcp.json of this folder)."),
]
PathOption = Annotated[
    Path | None,
    typer.Option("--config-path", help="The client's settings file, in place of the usual one.", show_default=False),
]
WriteOption = Annotated[
    bool, typer.Option("--allow-write", help="Offer the tools feedback and propose_prompt_update too; all others only read.")
]
TrialOption = Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")]
_DONE = {
    "installed": "installed in",
    "updated": "updated in",
    "unchanged": "already in",
    "removed": "removed from",
    "absent": "not in",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(
        cls=ServingGroup,
        no_args_is_help=True,
        help="The MCP server for agents (bare, started by a client: serve), and its place in clients' settings.",
    )
    group.command("serve")(serve)
    group.command("install")(install)
    group.command("uninstall")(uninstall)
    group.command("status")(status)
    app.add_typer(group, name="mcp")


def serve(context: typer.Context, allow_write: WriteOption = False) -> None:
    """Serve one client over stdin and stdout until it goes. Started by the client, not by hand."""
    # Nothing that imports make is garbage; to look for some costs a sixth of what the client waits for. The server goes back to
    # the usual once it is warm.
    gc.disable()
    from memory_assets.mcp.server import serve as serve_client

    given = invocation(context)
    serve_client(lambda: given.memory(wait_for_model=False), allow_write=allow_write)


def install(
    context: typer.Context,
    client: ClientOption = Client.desktop,
    scope: ScopeOption = ClientScope.user,
    server_name: NameOption = "memory",
    config_path: PathOption = None,
    allow_write: WriteOption = False,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> int:
    """Put the server into a client's settings; all that stands there stays. Restart the client afterwards."""
    from memory_assets.mcp.installing import install as put

    command = _command(invocation(context), allow_write)
    return _change(client, scope, config_path, lambda path: put(path, server_name, command, dry_run=dry_run), as_json)


def uninstall(
    client: ClientOption = Client.desktop,
    scope: ScopeOption = ClientScope.user,
    server_name: NameOption = "memory",
    config_path: PathOption = None,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> int:
    """Take the server out of a client's settings, and nothing else."""
    from memory_assets.mcp.installing import uninstall as take

    return _change(client, scope, config_path, lambda path: take(path, server_name, dry_run=dry_run), as_json)


def status(
    context: typer.Context,
    client: Annotated[
        Client | None, typer.Option("--client", help="Only of this one: claude-desktop or claude-code.", show_default=False)
    ] = None,
    scope: Annotated[
        ClientScope | None, typer.Option("--scope", help="Of Claude Code only this one: user or project.", show_default=False)
    ] = None,
    server_name: NameOption = "memory",
    config_path: PathOption = None,
    allow_write: WriteOption = False,
    as_json: JsonOption = False,
) -> int:
    """Say in which clients' settings the server is, and whether as it would be written now. Exits 1 where it is in none."""
    from memory_assets.mcp.installing import standing

    command = _command(invocation(context), allow_write)
    paths = [config_path] if config_path is not None else _all_files(client, scope)
    found = [standing(path, server_name, command) for path in paths]
    if as_json:
        print_json([_standing_object(one) for one in found])
    else:
        for one in found:
            _print_standing(one)
    return OK if any(one.installed for one in found) else NOTHING_FOUND


def _change(
    client: Client, scope: ClientScope, config_path: Path | None, change: Callable[[Path], Change], as_json: bool
) -> int:
    changes = [change(path) for path in ([config_path] if config_path is not None else _files(client, scope))]
    if as_json:
        print_json([_change_object(one) for one in changes])
        return OK
    for one in changes:
        trial = "" if one.written or one.did in ("unchanged", "absent") else " (a trial: nothing was written)"
        print_text(styled((one.server_name, "bold"), f" {_DONE[one.did]} {one_line(str(one.path))}{trial}"))
        if one.did in ("installed", "updated") and one.entry is not None:
            print_text(styled(f"  {one_line(' '.join([one.entry['command'], *one.entry['args']]))}"))
        if one.backup is not None:
            print_text(styled((f"  the file as it was: {one_line(str(one.backup))}", "dim")))
    if any(one.written for one in changes):
        print_text(styled(("restart the client: it reads its settings when it starts", "dim")))
    return OK


def _files(client: Client, scope: ClientScope) -> list[Path]:
    from memory_assets.mcp.client_files import settings_files

    return settings_files(
        client.value, scope.value, platform=sys.platform, home=Path.home(), folder=Path.cwd(), environ=os.environ
    )


def _all_files(client: Client | None, scope: ClientScope | None) -> list[Path]:
    files = []
    if client in (None, Client.desktop) and (scope is None or client is Client.desktop):
        files += _files(Client.desktop, scope or ClientScope.user)
    if client in (None, Client.code):
        for one in ClientScope if scope is None else (scope,):
            files += _files(Client.code, one)
    return files


def _command(given: Invocation, allow_write: bool) -> ServerCommand:
    """The server of this store: options in front of the command go along; a folder that is not the usual one is named."""
    from memory_assets.mcp.installing import server_command
    from memory_assets.settings import default_home

    settings = given.settings()
    home = None if settings.home == default_home() else settings.home
    return server_command(given.own_command(), home=home, allow_write=allow_write)


def _change_object(change: Change) -> dict[str, Any]:
    return {
        "path": str(change.path),
        "did": change.did,
        "server_name": change.server_name,
        "entry": change.entry,
        "backup": None if change.backup is None else str(change.backup),
        "written": change.written,
    }


def _standing_object(one: Standing) -> dict[str, Any]:
    return {
        "path": str(one.path),
        "server_name": one.server_name,
        "exists": one.exists,
        "installed": one.installed,
        "same_command": one.same_command,
        "foreign": one.foreign,
        "entry": one.entry,
        "problem": one.problem,
    }


def _print_standing(one: Standing) -> None:
    if one.problem is not None:
        said = (one_line(one.problem), "red")
    elif one.foreign:
        said = ("another server has this name: choose one with --server-name", "yellow")
    elif not one.installed:
        said = ("not installed", "dim")
    elif one.same_command:
        said = ("installed", "green")
    else:
        said = ("installed with another command: `memory mcp install` updates it", "yellow")
    print_text(styled((one.server_name, "bold"), f"  {one_line(str(one.path))}  ", said))
