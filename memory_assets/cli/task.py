"""`memory task`: one task with its past, and a person's word on it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.conditions import print_condition
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import one_line, print_json, print_result, styled
from memory_assets.cli.people import ByOption, NoteOption, person
from memory_assets.cli.tables import print_text
from memory_assets.cli.task_detail import print_detail, print_standing
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.commands.outcomes import ConditionSpoken, TaskSpoken

TaskArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The task's id, its beginning, a former id, or its key task:project:name.")
]
StatusHelp = "pending, in_progress, blocked, done or cancelled."
PriorityHelp = "low, medium, high or critical."


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(no_args_is_help=True, help="One task: show it with its past, say how it stands, make a new one.")
    group.command("show")(show)
    group.command("new")(new)
    group.command("set-status")(set_status)
    group.command("set-priority")(set_priority)
    group.command("set-blockers")(set_blockers)
    group.command("accept")(accept)
    group.command("resolve")(resolve)
    group.command("merge")(merge)
    group.command("unmerge")(unmerge)
    app.add_typer(group, name="task")


def show(context: typer.Context, task: TaskArgument, as_json: JsonOption = False) -> int:
    """Show one task: what it waits for, what was said of it where and by whom, and what became of it."""
    found = invocation(context).memory().task(task)
    print_result(found, print_detail, as_json=as_json)
    return OK


def new(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="What is to be done, in a line.")],
    project: Annotated[
        str | None, typer.Option("--project", help="The project that it belongs to.", show_default=False)
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(
            "--status", help="pending, in_progress or blocked; pending without it, with blockers blocked.", show_default=False
        ),
    ] = None,
    priority: Annotated[str | None, typer.Option("--priority", help=PriorityHelp, show_default=False)] = None,
    blocked_by: Annotated[
        list[str] | None, typer.Option("--blocked-by", help="What it waits for: words, or an id. May be repeated.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Make another one where there is one of this title.")] = False,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make a task."""
    from memory_assets.commands import tasks

    spoken = tasks.new_task(
        invocation(context).memory().resources,
        title,
        project=project,
        status=status,
        priority=priority,
        blockers=blocked_by or [],
        again=again,
        by=person(by),
    )
    return _print(spoken, as_json=as_json)


def set_status(
    context: typer.Context,
    task: TaskArgument,
    status: Annotated[str, typer.Argument(help=StatusHelp)],
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say how a task stands. What is no single step takes the steps between."""
    from memory_assets.commands import tasks

    spoken = tasks.set_status(invocation(context).memory().resources, task, status, by=person(by), note=note)
    return _print(spoken, as_json=as_json)


def set_priority(
    context: typer.Context,
    task: TaskArgument,
    priority: Annotated[str, typer.Argument(help=PriorityHelp)],
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say how much a task matters."""
    from memory_assets.commands import tasks

    spoken = tasks.set_priority(invocation(context).memory().resources, task, priority, by=person(by), note=note)
    return _print(spoken, as_json=as_json)


def set_blockers(
    context: typer.Context,
    task: TaskArgument,
    blockers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]...", help="What it waits for: words, or an id; nothing when nothing is in its way."),
    ] = None,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say what a task waits for, in place of what was known."""
    from memory_assets.commands import tasks

    spoken = tasks.set_blockers(invocation(context).memory().resources, task, blockers or [], by=person(by), note=note)
    return _print(spoken, as_json=as_json)


def accept(
    context: typer.Context,
    task: TaskArgument,
    event: Annotated[
        str | None,
        typer.Option("--event", help="The event that refused it; otherwise the newest that waits.", show_default=False),
    ] = None,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Accept a status that sessions claim and that the task was refused. `memory tasks review` lists them."""
    from memory_assets.commands import tasks

    spoken = tasks.accept(invocation(context).memory().resources, task, event=event, by=person(by), note=note)
    return _print(spoken, as_json=as_json)


def resolve(
    context: typer.Context,
    condition: Annotated[str, typer.Argument(help="The condition's id, its beginning, or its key cond:project:name.")],
    to: Annotated[
        str | None, typer.Option("--to", metavar="ID", help="The task, condition or artifact that it is.", show_default=False)
    ] = None,
    satisfied: Annotated[bool, typer.Option("--satisfied", help="It is met.")] = False,
    reopen: Annotated[bool, typer.Option("--open", help="It is open after all.")] = False,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say what a condition that tasks wait for turned out to be, or that it is met. The last word holds."""
    from memory_assets.commands import task_links

    if (to is not None) + satisfied + reopen != 1:
        raise InvalidArgumentError("say one thing of the condition", hint="--to ID, --satisfied or --open")
    spoken = task_links.resolve(
        invocation(context).memory().resources, condition, to=to, satisfied=satisfied, by=person(by), note=note
    )
    return _print(spoken, as_json=as_json)


def merge(
    context: typer.Context,
    given: Annotated[str, typer.Argument(metavar="FROM", help="The task, or condition, that is the other one.")],
    into: Annotated[str, typer.Argument(metavar="INTO", help="The one that goes on.")],
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say that two tasks, or two conditions, are one. `memory task unmerge` takes it back."""
    from memory_assets.commands import task_links

    return _print(
        task_links.merge(invocation(context).memory().resources, given, into, by=person(by), note=note), as_json=as_json
    )


def unmerge(
    context: typer.Context,
    given: Annotated[str, typer.Argument(metavar="FROM", help="The id, or its beginning, of the one that was merged.")],
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Take a merge back: both stand on their own again."""
    from memory_assets.commands import task_links

    return _print(task_links.unmerge(invocation(context).memory().resources, given, by=person(by), note=note), as_json=as_json)


def _print(spoken: TaskSpoken | ConditionSpoken, *, as_json: bool) -> int:
    from memory_assets.commands.outcomes import TaskSpoken

    if as_json:
        print_json(spoken)
        return OK
    if isinstance(spoken, TaskSpoken):
        print_standing(spoken.task, datetime.now(UTC))
    else:
        print_condition(spoken.condition)
    if spoken.remark:
        print_text(styled((one_line(spoken.remark), "" if spoken.said else "yellow")))
    return OK
