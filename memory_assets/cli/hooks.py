"""`memory hook`: what agents call; `memory hooks`: their settings of it, and which projects are left out."""

from __future__ import annotations

import os
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, Invocation, JsonOption, invocation
from memory_assets.cli.output import one_line, print_json, styled
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.hooks.folders import HookFolders
    from memory_assets.hooks.installing import HookChange, HookStanding


class AgentName(StrEnum):
    """Whose hooks."""

    claude_code = "claude-code"
    codex = "codex"
    cursor = "cursor"
    gemini = "gemini"


class HookScopeName(StrEnum):
    """For which sessions."""

    user = "user"
    project = "project"


AgentArgument = Annotated[
    AgentName | None, typer.Argument(help="Whose settings; without it of every agent that has some here.", show_default=False)
]
ScopeOption = Annotated[
    HookScopeName, typer.Option("--scope", help="user (every project), or project (the settings in this folder).")
]
PathOption = Annotated[
    Path | None, typer.Option("--config-path", help="The agent's settings file, in place of the usual one.", show_default=False)
]
TrialOption = Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")]
FolderArgument = Annotated[Path | None, typer.Argument(help="The project's folder; without it this one.", show_default=False)]
_DONE = {
    "installed": "installed in",
    "updated": "updated in",
    "unchanged": "already in",
    "removed": "removed from",
    "absent": "not in",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("hook")(hook)
    group = typer.Typer(no_args_is_help=True, help="Hooks in the settings of agents, and the projects that are left out.")
    for command in (install, uninstall, status, off, on):
        group.command(command.__name__)(command)
    app.add_typer(group, name="hooks")


def hook(
    context: typer.Context,
    event: Annotated[
        str,
        typer.Argument(help="session-start, user-prompt-submit, post-tool-use, pre-compact, stop or session-end."),
    ],
    agent: Annotated[str, typer.Option("--agent", help="Who calls: claude-code, codex, cursor, gemini.")] = "claude-code",
) -> int:
    """Take a call of an agent: its JSON on stdin, one JSON object on stdout. Exits with 0 whatever happens."""
    from memory_assets.hooks.script import main

    home = invocation(context).settings().home
    return main([event, "--agent", agent, "--home", str(home)])


def install(
    context: typer.Context,
    agent: AgentArgument = None,
    scope: ScopeOption = HookScopeName.user,
    config_path: PathOption = None,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> int:
    """Put the hooks into agents' settings; all that stands there stays. Agents read them when they start."""
    from memory_assets.hooks.installing import commands_of, write_script
    from memory_assets.hooks.installing import install as put

    given = invocation(context)
    settings, folders = given.settings(), _folders(given)
    agents = _files(agent, scope, config_path)
    if not dry_run:
        write_script(folders, settings, [*given.own_command(), "serve", "run", "--on-demand"])
    changes = [put(path, one, commands_of(one, folders, settings.home), folders, dry_run=dry_run) for one, path in agents]
    return _print_changes(changes, as_json, dry_run=dry_run)


def uninstall(
    context: typer.Context,
    agent: AgentArgument = None,
    scope: ScopeOption = HookScopeName.user,
    config_path: PathOption = None,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> int:
    """Take the hooks out of agents' settings, and nothing else. What was kept stays in the store."""
    from memory_assets.hooks.installing import uninstall as take

    folders = _folders(invocation(context))
    changes = [take(path, one, folders, dry_run=dry_run) for one, path in _files(agent, scope, config_path)]
    return _print_changes(changes, as_json, dry_run=dry_run)


def status(
    context: typer.Context,
    agent: AgentArgument = None,
    scope: ScopeOption = HookScopeName.user,
    config_path: PathOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say in which settings the hooks are, what waits to be taken, and what is left out. Exits 1 where they are in none."""
    from memory_assets.hooks.ignored import left_out
    from memory_assets.hooks.installing import commands_of, standing
    from memory_assets.hooks.spool import spooled_bytes

    given = invocation(context)
    settings, folders = given.settings(), _folders(given)
    found = [standing(path, one, commands_of(one, folders, settings.home)) for one, path in _files(agent, scope, config_path)]
    waiting, projects = spooled_bytes(folders), left_out(folders)
    if as_json:
        agents = [asdict(one) | {"path": str(one.path)} for one in found]
        print_json({"agents": agents, "spooled_bytes": waiting, "left_out": list(projects)})
    else:
        for one in found:
            _print_standing(one)
        if waiting:
            print_text(styled(f"{waiting:,} bytes of calls wait until a server takes them"))
        for project in projects:
            print_text(styled(f"left out: {one_line(project)}"))
    return OK if any(one.installed for one in found) else NOTHING_FOUND


def off(
    context: typer.Context,
    folder: FolderArgument = None,
    file: Annotated[
        bool, typer.Option("--file", help="By a file .memoryignore in the folder, which everybody who works there gets.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Leave a project out: nothing that is said in its folder, or below it, is kept or told. What is kept already stays."""
    from memory_assets.hooks.ignored import MARK, leave_out

    chosen = _folder(folder)
    if file:
        mark = chosen / MARK
        changed = not mark.exists()
        mark.touch()
    else:
        changed = leave_out(_folders(invocation(context)), chosen)
    return _print_project(chosen, "left out" if changed else "already left out", changed, as_json)


def on(context: typer.Context, folder: FolderArgument = None, as_json: JsonOption = False) -> int:
    """Take a project in again that was left out, by the list or by its file."""
    from memory_assets.hooks.ignored import MARK, is_left_out, take_back

    chosen, folders = _folder(folder), _folders(invocation(context))
    mark = chosen / MARK
    has_mark = mark.exists()
    mark.unlink(missing_ok=True)
    changed = take_back(folders, chosen) or has_mark
    said = "taken in again" if changed else "was not left out"
    if is_left_out(folders, str(chosen)):
        said += "; a folder above it still is"
    return _print_project(chosen, said, changed, as_json)


def _folders(given: Invocation) -> HookFolders:
    from memory_assets.hooks.folders import HookFolders

    return HookFolders(given.settings().hooks_folder)


def _folder(folder: Path | None) -> Path:
    from memory_assets.errors import InvalidArgumentError

    chosen = (folder or Path()).expanduser().absolute()
    if not chosen.is_dir():
        raise InvalidArgumentError(f"{one_line(str(chosen))} is no folder", hint="name the folder that the agent works in")
    return chosen


def _files(agent: AgentName | None, scope: HookScopeName, config_path: Path | None) -> list[tuple[Any, Path]]:
    """Which agents, and the settings file of each."""
    from memory_assets.errors import InvalidArgumentError
    from memory_assets.hooks.agents import agents_of_this_machine, settings_path

    home, project = Path.home(), Path.cwd()
    if config_path is not None:
        if agent is None:
            raise InvalidArgumentError("--config-path needs to know whose file it is", hint="name the agent")
        return [(agent.value, config_path.expanduser().absolute())]
    agents = [agent.value] if agent is not None else agents_of_this_machine(home=home, environ=os.environ)
    if not agents:
        raise InvalidArgumentError("no agent has settings here", hint="name one: claude-code, codex, cursor or gemini")
    return [
        (one, settings_path(one, scope.value, home=home, project=project, environ=os.environ))  # type: ignore[arg-type]
        for one in agents
    ]


def _print_changes(changes: list[HookChange], as_json: bool, *, dry_run: bool) -> int:
    if as_json:
        print_json([asdict(one) | {"path": str(one.path)} for one in changes])
        return OK
    for one in changes:
        trial = " (a trial: nothing was written)" if dry_run and one.did not in ("unchanged", "absent") else ""
        print_text(styled((one.agent, "bold"), f" {_DONE[one.did]} {one_line(str(one.path))}{trial}"))
    if any(one.written and one.agent == "codex" and one.did != "removed" for one in changes):
        print_text(styled(("codex asks once whether it may run them: /hooks", "dim")))
    return OK


def _print_standing(one: HookStanding) -> None:
    if one.problem is not None:
        said = (one_line(one.problem), "red")
    elif not one.installed:
        said = ("not installed", "dim")
    elif one.as_now:
        said = ("installed", "green")
    else:
        said = ("installed otherwise: `memory hooks install` updates it", "yellow")
    print_text(styled((one.agent, "bold"), f"  {one_line(str(one.path))}  ", said))


def _print_project(folder: Path, said: str, changed: bool, as_json: bool) -> int:
    if as_json:
        print_json({"folder": str(folder), "changed": changed})
    else:
        print_text(styled((one_line(str(folder)), "bold"), f" {said}"))
    return OK
