"""`memory conditions` and `memory artifacts`: what tasks wait for that is no task, and what sessions name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.board import ID_SHOWN, KIND_WORDS, words
from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.output import day, one_line, print_json, styled
from memory_assets.cli.tables import fitting, print_table, print_text

if TYPE_CHECKING:
    from memory_assets.results.tasks import ConditionView

PAGE = 50
_TASKS = 3
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Conditions: what tasks wait for that is no task and no artifact (bare: list).")
    group.command("list")(list_)
    group.command("resolved")(resolved)
    app.add_typer(group, name="conditions")
    app.command("artifacts")(artifacts)


def list_(
    context: typer.Context,
    status: Annotated[
        str,
        typer.Option("--status", help="open, resolved (it turned out to be something), satisfied (it is met), settled or all."),
    ] = "open",
    project: ProjectOption = None,
    limit: LimitOption = PAGE,
    as_json: JsonOption = False,
) -> int:
    """List conditions, each with the tasks that wait for it and the tasks that it may be."""
    return _list(context, status, project, limit, as_json=as_json)


def resolved(
    context: typer.Context, project: ProjectOption = None, limit: LimitOption = PAGE, as_json: JsonOption = False
) -> int:
    """List conditions that turned out to be something, or are met: what, since when, and who says so."""
    return _list(context, "settled", project, limit, as_json=as_json)


def artifacts(
    context: typer.Context,
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="Only of this kind: gh_pr, gh_issue, jira, url, file or commit.", show_default=False),
    ] = None,
    project: ProjectOption = None,
    limit: LimitOption = PAGE,
    as_json: JsonOption = False,
) -> int:
    """List pull requests, issues, addresses, files and commits that sessions name, what was named last first."""
    from memory_assets.queries.artifacts import list_artifacts

    found = invocation(context).memory().read(list_artifacts, kind=kind, project=project, limit=limit)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_text(styled("no artifacts"))
        return OK
    print_table(
        ("id", "kind", "status", "title", "named", "last", "holds up", "address"),
        [
            (
                (artifact.artifact_id[:ID_SHOWN], "cyan"),
                (KIND_WORDS.get(artifact.kind, artifact.kind), "magenta"),
                (artifact.status, "green" if artifact.status == "settled" else ""),
                artifact.title,
                str(artifact.entries),
                day(artifact.last_said_at),
                ", ".join(task.title for task in artifact.tasks) or "-",
                (artifact.uri or "-", "dim"),
            )
            for artifact in found
        ],
        shrink=((6, 24), (3, 30), (6, 10), (3, 10)),
        drop=(7, 5, 4),
        right=frozenset({4}),
    )
    return OK


def print_condition(condition: ConditionView) -> None:
    """A condition, what became of it, and below it who waits for it and what it may be."""
    state = (condition.status, "yellow" if condition.status == "open" else "green")
    ends = f" → {one_line(condition.resolved_to)}" if condition.resolved_to else ""
    print_text(
        fitting(
            styled(
                (condition.condition_id[:ID_SHOWN], "cyan"),
                f"  {one_line(condition.title)}{ends}  ",
                state,
                (f"  project {one_line(condition.project or '-')}", "dim"),
            )
        )
    )
    if condition.settled_at:
        who = f"said {one_line(condition.settled_by)}" if condition.settled_by else condition.uri or "by its title"
        print_text(styled((f"  since {day(condition.settled_at)}, {who}", "dim")))
    for task in condition.tasks[:_TASKS]:
        print_text(
            fitting(
                styled(
                    ("  holds up ", "dim"),
                    (task.task_id[:ID_SHOWN], "cyan"),
                    f"  {one_line(task.title)}",
                    (f"  {words(task.status)}", "dim"),
                )
            )
        )
    if len(condition.tasks) > _TASKS:
        print_text(styled((f"  … and {len(condition.tasks) - _TASKS:,} more", "dim")))
    for candidate in condition.candidates[:_TASKS] if condition.status == "open" else ():
        print_text(
            fitting(
                styled(
                    ("  perhaps  ", "dim"),
                    (candidate.task_id[:ID_SHOWN], "cyan"),
                    f"  {one_line(candidate.title)}",
                    (f"  {candidate.score:.0%}", "dim"),
                )
            )
        )


def _list(context: typer.Context, status: str, project: str | None, limit: int, *, as_json: bool) -> int:
    from memory_assets.queries.conditions import list_conditions

    found = invocation(context).memory().read(list_conditions, status=status, project=project, limit=limit)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_text(styled("no conditions" if status == "all" else f"no {status} conditions"))
    for condition in found:
        print_condition(condition)
    if any(condition.status == "open" for condition in found):
        print_text(
            styled(""), styled(("`memory task resolve ID --satisfied` once one is met, `--to ID` for what it is", "dim"))
        )
    return OK
