"""`memory tasks` and `memory blocked`: the board, what is blocked by what, and what waits for somebody's word."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.board import ID_SHOWN, Look, blocker_text, print_board, words
from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.output import plural, print_json, print_result, styled
from memory_assets.cli.tables import fitting, print_text
from memory_assets.cli.task_review import print_review
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.queries.tasks import Which
    from memory_assets.results.tasks import TaskView

PAGE = 50


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Tasks: the board, and what waits for somebody's word (bare: the board).")
    group.command("list")(list_)
    group.command("review")(review)
    app.add_typer(group, name="tasks")
    app.command("blocked")(blocked)


def list_(
    context: typer.Context,
    status: Annotated[
        str | None,
        typer.Option(
            "--status", help="Only of this status: pending, in_progress, blocked, done or cancelled.", show_default=False
        ),
    ] = None,
    project: ProjectOption = None,
    only_suggested: Annotated[
        bool, typer.Option("--only-suggested", help="Only those of whose blockers nothing but suggestions tells.")
    ] = False,
    unknown_blocker: Annotated[
        bool, typer.Option("--unknown-blocker", help="Only those that are blocked by nobody knows what.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Only open ones that later sessions of their project did not speak of again.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Every task on its own line, finished ones too.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            min=1,
            max=100_000,
            help="How many to list; otherwise the first of each status, and with --json all.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show the board: tasks by status, what matters most first, each with what it waits for."""
    chosen: dict[Which, bool] = {"only_suggested": only_suggested, "unknown_blocker": unknown_blocker, "quiet": quiet}
    asked = [which for which, is_asked in chosen.items() if is_asked]
    if len(asked) > 1:
        named = " and ".join(f"--{one.replace('_', '-')}" for one in asked)
        raise InvalidArgumentError(f"{named} exclude each other", hint="give one of them")
    which: Which = asked[0] if asked else "all"
    found = invocation(context).memory().tasks(which=which, status=status, project=project, limit=limit)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_text(styled(" ".join(part for part in ("no", "quiet" if quiet else "", words(status or ""), "tasks") if part)))
        return OK
    print_board(found, whole=every or quiet or status is not None or limit is not None)
    return OK


def blocked(
    context: typer.Context,
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")] = PAGE,
    as_json: JsonOption = False,
) -> int:
    """List blocked tasks: what each waits for, what that turned out to be, whether it is cleared, and since when."""
    found = invocation(context).memory().tasks(which="blocked", project=project, limit=limit)
    print_result(found, print_blocked, as_json=as_json, nothing="nothing is blocked")
    return OK


def review(context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List what waits for somebody's word, each with the command that settles it."""
    from memory_assets.queries.task_review import task_review

    found = invocation(context).memory().read(task_review, project=project)
    print_result(found, print_review, as_json=as_json)
    return OK


def print_blocked(tasks: Sequence[TaskView]) -> None:
    """Each task with its blockers below it."""
    look = Look.of(tasks, datetime.now(UTC))
    for place, task in enumerate(tasks):
        if place:
            print_text(styled(""))
        look.print_task(task, blockers=False)
        for blocker in task.blockers:
            print_text(fitting(styled("    ") + blocker_text(blocker, since=True)))
        if not task.waits_for:
            go_on = f"memory task set-status {task.task_id[:ID_SHOWN]} in_progress"
            print_text(fitting(styled(("    nothing of it is left: ", "dim"), go_on)))
    print_text(
        styled(""),
        styled((f"{plural(len(tasks), 'task')} blocked: `memory task set-blockers ID …` says what they wait for", "dim")),
    )
