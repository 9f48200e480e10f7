"""`memory serve people`, `admit` and `dismiss`: who of a team may come into the pages, each with a token of their own."""

from __future__ import annotations

import os
from typing import Annotated
from urllib.parse import urlsplit

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, Invocation, JsonOption, invocation
from memory_assets.cli.output import one_line, print_json, print_line
from memory_assets.cli.tables import print_table
from memory_assets.errors import InvalidArgumentError

NameArgument = Annotated[str, typer.Argument(help="A person's name, as it will stand beside what that person says.")]


def register(group: typer.Typer) -> None:
    """Add the commands of this file."""
    group.command("people")(people)
    group.command("admit")(admit)
    group.command("dismiss")(dismiss)


def people(context: typer.Context, as_json: JsonOption = False) -> int:
    """List who may come into the pages with a token of their own. Exits 1 where nobody may."""
    from memory_assets.server.people import people_of

    found = people_of(invocation(context).settings().home)
    if as_json:
        print_json({"people": [{"name": one.name, "since": one.since} for one in found]})
    elif found:
        print_table(("name", "since"), [(one.name, one.since) for one in found])
    else:
        print_line("nobody but you: `memory serve admit NAME` lets somebody in")
    return OK if found else NOTHING_FOUND


def admit(
    context: typer.Context,
    name: NameArgument,
    at: Annotated[
        str | None,
        typer.Option("--at", help="Where the person reaches the server, as in https://memory.example.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Let somebody into the pages, to read everything and to give words under that name. Prints their link, once."""
    from memory_assets.server.people import admit as let_in
    from memory_assets.server.people import plain_name
    from memory_assets.viewer.masking import mask_by

    given = invocation(context)
    base, mask = _base(given, at), mask_by(given.memory().resources.redaction_policy)
    link = f"{base}/login#key={let_in(given.settings().home, name, masked=mask)}"
    if as_json:
        print_json({"name": plain_name(name), "link": link})
    else:
        print_line(f"{one_line(plain_name(name))} comes in with this link, again and again; it is shown now and kept nowhere:")
        print_line(f"  {link}")
    return OK


def dismiss(context: typer.Context, name: NameArgument, as_json: JsonOption = False) -> int:
    """Let somebody in no more; pages that are open are shut with their next request. Exits 2 where nobody of that name may."""
    from memory_assets.server.people import dismiss as let_out
    from memory_assets.server.people import plain_name

    let_out(invocation(context).settings().home, name)
    if as_json:
        print_json({"name": plain_name(name)})
    else:
        print_line(f"{one_line(plain_name(name))} comes in no more")
    return OK


def _base(given: Invocation, at: str | None) -> str:
    """Where people reach the server: as was said, or where it listens, or would.

    Raises:
        InvalidArgumentError: it is no address of a server.
    """
    from memory_assets.server.files import LOOPBACK, place_of
    from memory_assets.server.settings_print import usual_home

    if at is None:
        place = place_of(usual_home(given.overrides, os.environ))
        return place.url if place is not None else f"http://{LOOPBACK}:{given.settings().server.port}"
    try:
        parts = urlsplit(at)
        is_plain = parts.port != 0 and "@" not in parts.netloc and not (parts.path.strip("/") or parts.query or parts.fragment)
    except ValueError:
        is_plain = False
    if not is_plain or parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidArgumentError(f"{at[:100]!r} is no address of a server", hint="as in --at https://memory.example")
    return f"{parts.scheme}://{parts.netloc}"
