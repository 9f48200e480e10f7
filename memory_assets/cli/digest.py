"""`memory session`, `memory project` and `memory today`: what happened and how things stand, in quotes and counts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.output import print_result

PAGE = 8
_PAGE_OF_A_DAY = 5

AllOption = Annotated[bool, typer.Option("--all", help="Every line of each part.")]
LimitOption = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, max=100_000, help="How many lines of each part.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("session")(session)
    app.command("project")(project)
    app.command("today")(today)


def session(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="The session's id, or its beginning.")],
    every: AllOption = False,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Tell what a session was about: goal, decisions and why, what was done, changed and mended, open ends; each cited."""
    from memory_assets.cli.digest_page import print_session
    from memory_assets.queries.session_digest import first_of_each

    found = invocation(context).memory().session_digest(session)
    most = None if every else limit or PAGE
    print_result(found, lambda whole: print_session(first_of_each(whole, most)), as_json=as_json)
    return OK


def project(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The project's name, as `memory sessions list` shows it.")],
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="How many days before its last session are lately.")] = 7,
    every: AllOption = False,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Tell how a project stands: what holds, what changed lately, what is open and what is contested; each line cited."""
    from memory_assets.cli.digest_page import print_project

    most = None if every or as_json else limit or PAGE
    print_result(invocation(context).memory().project_digest(name, days=days, most=most), print_project, as_json=as_json)
    return OK


def today(
    context: typer.Context,
    day: Annotated[
        datetime | None,
        typer.Option("--date", formats=["%Y-%m-%d"], help="Another day (UTC) than today.", show_default=False),
    ] = None,
    project: ProjectOption = None,
    every: AllOption = False,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Tell what the sessions of a day were about, as `memory session` does for one. Exits 1 where there are none."""
    from memory_assets.cli.digest_page import print_day
    from memory_assets.queries.day_digest import first_of_each_session

    wanted = (day or datetime.now(UTC)).date()
    found = invocation(context).memory().day_digest(wanted, project=project)
    most = None if every else limit or _PAGE_OF_A_DAY
    print_result(found, lambda whole: print_day(first_of_each_session(whole, most)), as_json=as_json)
    return OK if found.sessions else NOTHING_FOUND
