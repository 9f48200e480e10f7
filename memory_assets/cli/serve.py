"""`memory serve`: the store's server, which answers pages, hooks and commands, and takes sessions in by itself."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from memory_assets.cli import serve_people
from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, Invocation, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_json, print_line, styled
from memory_assets.cli.tables import print_text
from memory_assets.errors import ConfigInvalidError, InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from memory_assets.server.application import ServerState
    from memory_assets.server.client import Client
    from memory_assets.server.files import Place
    from memory_assets.server.taking import Taking
    from memory_assets.server.units import Unit
    from memory_assets.settings import Settings

_SECONDS_TO_END = 10.0


class ServingGroup(TyperGroup):
    """Without a command it serves."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `run` in front of what has no command."""
        if not args or (args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx)):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(
        cls=ServingGroup,
        help="The store's server: pages, hooks and commands ask it, and it takes sessions in. Bare it runs until it is ended.",
    )
    group.command("run")(run)
    group.command("status")(status)
    group.command("link")(link)
    group.command("stop")(stop)
    group.command("take")(stoppable(take))
    group.command("install")(install)
    group.command("uninstall")(uninstall)
    serve_people.register(group)
    app.add_typer(group, name="serve")


def run(
    context: typer.Context,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Listen here alone; 0 for any.", show_default=False)
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Listen on another address than loopback: whoever reaches it needs the token.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A host name under which it may be asked. May be repeated.")
    ] = None,
    on_demand: Annotated[
        bool, typer.Option("--on-demand", help="End when nobody asked anything for server.idle_minutes; print nothing.")
    ] = False,
) -> int:
    """Serve this store until it is ended. One process serves a store; a second one says which that is."""
    from memory_assets.server.only_server import only_server
    from memory_assets.server.serving import bound, serve
    from memory_assets.server.store import WarmStore

    given = invocation(context)
    settings = given.settings()
    with only_server(settings.home):
        listening = bound(settings.server.port if port is None else port, host=host, exactly=port is not None)
        store = WarmStore(
            settings.home, given.memory, overrides=given.overrides, config_file=given.config_file, environ=os.environ
        )
        serve(
            store,
            listening,
            names=name or (),
            idle_seconds=settings.server.idle_minutes * 60 if on_demand else None,
            taking=lambda state: _taking(given, settings, state),
            pages=_pages(),
            ready=(lambda _: None) if on_demand else _tell_ready,
        )
    return OK


def _tell_ready(state: ServerState) -> None:
    if sys.stdout.isatty():
        print_line(f"serving on {state.place.url}; open it once with")
        print_line(f"  {state.new_link()}")
        print_line("`memory serve link` prints another link; Ctrl-C ends the server")
    else:  # a log of the system keeps what is printed, and a link is nobody's but who opens it
        print_line(f"serving on {state.place.url}; `memory serve link` prints a link that opens it")
    sys.stdout.flush()


def _pages() -> list[BaseRoute]:
    from memory_assets.server.hooks import hook_routes
    from memory_assets.viewer.routes import viewer_routes

    # The pages come last: they answer whatever nobody knows.
    return [*hook_routes(), *viewer_routes()]


def _taking(given: Invocation, settings: Settings, state: ServerState) -> Taking | None:
    from memory_assets.hooks.folders import HookFolders
    from memory_assets.hooks.script import OWN_RUN
    from memory_assets.server.taking import Taking

    if not settings.server.take_sessions:
        return None
    latest = [settings]

    def folders() -> tuple[Path, Path]:
        with contextlib.suppress(ConfigInvalidError):  # a file that somebody is writing: what it said before holds
            latest[0] = state.store.memory.settings
        return latest[0].sessions_folder, latest[0].hooks_folder

    environ = {**os.environ, "MEMORY_HOME": str(settings.home), OWN_RUN: "1"}
    return Taking(folders, HookFolders(settings.hooks_folder).journal, given.arguments(), environ, state.activity)


def status(context: typer.Context, as_json: JsonOption = False) -> int:
    """Say where the server listens, and what it does. Exits 1 where none runs."""
    with _server(invocation(context)) as (place, client):
        if client is None:
            found: dict[str, Any] = {"running": False}
        else:
            found = {"running": True, "pid": place.pid, "url": place.url, **_asked(client, "/server")}
    if as_json:
        print_json(found)
    elif not found["running"]:
        print_line("no server runs for this store: `memory serve` starts it")
    else:
        print_text(styled((found["url"], "cyan"), f"  process {found['pid']}, version {one_line(found['version'])}"))
        _print_taking(found["taking"])
    return OK if found["running"] else NOTHING_FOUND


def _print_taking(taking: dict[str, Any] | None) -> None:
    if taking is None:
        print_line("takes no sessions: server.take_sessions is off")
        return
    last = f", last {taking['last_at']}" if taking["last_at"] else ""
    print_line(f"took {plural(taking['sessions'], 'session')} in {plural(taking['runs'], 'run')}{last}")
    if taking["last_error"]:
        print_text(styled((one_line(taking["last_error"]), "yellow")))


def link(context: typer.Context, as_json: JsonOption = False) -> int:
    """Print a link that opens the pages once, within two minutes. Exits 1 where no server runs."""
    with _server(invocation(context)) as (_, client):
        if client is None:
            print_line("no server runs for this store: `memory serve` starts it")
            return NOTHING_FOUND
        found = _posted(client, "/server/link")
    if as_json:
        print_json(found)
    else:
        print_line(found["link"])
    return OK


def stop(context: typer.Context, as_json: JsonOption = False) -> int:
    """End the server of this store; what it is taking in is ended in order. Exits 1 where none runs."""
    from memory_assets.server.only_server import is_served

    given = invocation(context)
    with _server(given) as (place, client):
        if client is not None:
            _posted(client, "/server/stop")
            until = time.monotonic() + _SECONDS_TO_END
            while (runs_still := is_served(_home(given))) and time.monotonic() < until:
                time.sleep(0.05)
            if runs_still:
                raise UnavailableError(f"process {place.pid} was told to end and does not", hint="end it by its id")
    if as_json:
        print_json({"stopped": client is not None})
    else:
        print_line("no server runs for this store" if client is None else f"process {place.pid} ended")
    return OK if client is not None else NOTHING_FOUND


def take(
    context: typer.Context,
    on_request: Annotated[
        bool, typer.Option("--on-request", help="Once for each line on stdin, until it is closed: what the server starts.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Take in what hooks told of and what lies in the sessions folder, as the server does. Exits 1 where something failed."""
    from memory_assets.cli.taking import take_once

    given = invocation(context)
    if not on_request:
        taken = take_once(given)
        if as_json:
            print_json(taken.as_json())
        else:
            print_line(one_line(taken.error) if taken.error else f"took {plural(taken.sessions, 'session')}")
        return NOTHING_FOUND if taken.error else OK
    # What libraries print would be read as our answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from memory_assets.defs.taking import Left
    from memory_assets.interpreter import keep_what_is_loaded

    left = Left()
    for number, _ in enumerate(sys.stdin):
        answers.write(json.dumps(take_once(given, left).as_json()) + "\n")
        answers.flush()
        if number == 0:
            keep_what_is_loaded()
    return OK


def install(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the file, and write nothing.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write the unit with which the system starts the server of this store: systemd's of a user, or launchd's."""
    from memory_assets.server.units import write_unit

    unit = _unit(invocation(context))
    if dry_run and not as_json:
        print_line(f"# {unit.path}")
        for line in unit.text.decode().splitlines():
            print_line(line)
        return OK
    return _tell_unit(unit.path, not dry_run and write_unit(unit), unit.next_steps, as_json, ("wrote", "as it is already"))


def uninstall(context: typer.Context, as_json: JsonOption = False) -> int:
    """Take that unit away again; a server that runs goes on until it is ended."""
    from memory_assets.server.units import remove_unit

    unit = _unit(invocation(context))
    return _tell_unit(unit.path, remove_unit(unit), unit.steps_back, as_json, ("removed", "not there"))


def _unit(given: Invocation) -> Unit:
    from memory_assets.server.units import unit_of

    command = [*given.own_command(), "serve", "run"]
    return unit_of(sys.platform, Path.home(), command, {"MEMORY_HOME": str(given.settings().home)}, os.environ)


def _tell_unit(path: Path, changed: bool, steps: tuple[str, ...], as_json: bool, said: tuple[str, str]) -> int:
    if as_json:
        print_json({"path": str(path), "changed": changed, "next_steps": steps})
        return OK
    print_line(f"{said[0] if changed else said[1]}: {path}")
    if changed:
        print_line("so that the system knows it:")
        for step in steps:
            print_line(f"  {step}")
    return OK


def _home(given: Invocation) -> Path:
    from memory_assets.server.settings_print import usual_home

    return usual_home(given.overrides, os.environ)


@contextlib.contextmanager
def _server(given: Invocation) -> Iterator[tuple[Place, Client | None]]:
    """The place and the client of a server that answers; what a dead one left says nothing."""
    from memory_assets.server.client import NoServerError, client_of
    from memory_assets.server.files import Place, place_of

    home = _home(given)
    place, client = place_of(home), client_of(home)
    if place is None or client is None:
        yield Place(0, 0, "", ""), None
        return
    try:
        client.get("/server")
    except NoServerError:
        client = None
    yield place, client


def _asked(client: Client, path: str) -> dict[str, Any]:
    return _object(client, lambda: client.get(path))


def _posted(client: Client, path: str) -> dict[str, Any]:
    return _object(client, lambda: client.post(path, {}, seconds=_SECONDS_TO_END))


def _object(client: Client, ask: Callable[[], tuple[int, bytes]]) -> dict[str, Any]:
    from memory_assets.server.client import NoServerError

    try:
        status, body = ask()
    except NoServerError as error:
        said = f"the server on port {client.port} ended before it answered"
        raise UnavailableError(said, hint="`memory serve` starts it again") from error
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    if status != 200 or not isinstance(value, dict):
        raise InvalidArgumentError(
            f"the server answers with status {status}", hint="it may be of another version: end it and start it again"
        )
    return value
