"""`memory lessons`: what sessions teach each role, and a person's word on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.memories import quoted
from memory_assets.cli.output import moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.people import ByOption, NoteOption, person
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from memory_assets.results.court import CourtEvidenceV1, LessonListV1, LessonV1

_ID_SHOWN = 12
_INDENT = 4
_MOST_QUOTED = 160
RoleOption = Annotated[str | None, typer.Option("--role", help="Only lessons for this role, e.g. coder.", show_default=False)]
LessonArgument = Annotated[str, typer.Argument(help="The lesson's id or its beginning.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Lessons of all cases: list, search, show, retire or keep them (bare: list).")
    group.command("list")(list_)
    group.command("search")(search)
    group.command("nearest")(nearest)
    group.command("show")(show)
    group.command("retire")(retire)
    group.command("keep")(keep)
    app.add_typer(group, name="lessons")


def list_(
    context: typer.Context,
    role: RoleOption = None,
    status: Annotated[
        str,
        typer.Option("--status", help="Only of this status: active, contested, merged, superseded, retired or all."),
    ] = "active",
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")] = 50,
    as_json: JsonOption = False,
) -> int:
    """List lessons, the surest first, each with the words that it was learned from."""
    from memory_assets.queries.lessons import list_lessons

    _check_role(context, role)
    found = invocation(context).memory().read(list_lessons, role=role, status=status, project=project, limit=limit)
    if as_json:
        print_json(found)
    elif found.lessons:
        print_lessons(found)
    else:
        print_text(styled("no such lessons; `memory court run --all` hears every session"))
    return OK


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What is about to be done, or what went wrong, in plain words.")],
    role: RoleOption = None,
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, max=1000, help="How many to find at the most.")] = 10,
    as_json: JsonOption = False,
) -> int:
    """Find the lessons of a role that bear upon a question, the best first."""
    from memory_assets.queries.lessons import search_lessons
    from memory_assets.search.searcher import Searcher

    _check_role(context, role)
    searcher = Searcher(invocation(context).memory().resources)
    found = search_lessons(searcher, query, role=role, k=limit, project=project)
    if as_json:
        print_json(found)
    elif found.lessons:
        print_lessons(found)
    else:
        print_text(styled("no lesson"))
    return OK if found.lessons else NOTHING_FOUND


def nearest(
    context: typer.Context,
    role: Annotated[str, typer.Argument(help="The role, e.g. coder.")],
    query: Annotated[str, typer.Argument(help="What is about to be done, in plain words.")],
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, max=1000, help="How many to find at the most.")] = 10,
    as_json: JsonOption = False,
) -> int:
    """Find the lessons of a role that are nearest by meaning alone, in PostgreSQL where court.backend says so."""
    from memory_assets.queries.lessons import nearest_lessons

    _check_role(context, role)
    found = nearest_lessons(invocation(context).memory().resources, query, role=role, k=limit)
    print_result(found, print_lessons, as_json=as_json)
    return OK if found.lessons else NOTHING_FOUND


def _check_role(context: typer.Context, role: str | None) -> None:
    from memory_assets.queries.lessons import check_role

    if role is not None:
        invocation(context).memory().read(check_role, role)


def show(context: typer.Context, lesson: LessonArgument, as_json: JsonOption = False) -> int:
    """Show a lesson with all that it rests on, and how others stand to it."""
    from memory_assets.queries.lessons import one_lesson

    print_result(invocation(context).memory().read(one_lesson, lesson), print_lesson, as_json=as_json)
    return OK


def retire(
    context: typer.Context, lesson: LessonArgument, by: ByOption = None, note: NoteOption = "", as_json: JsonOption = False
) -> int:
    """Say that a lesson is to be read no more, whatever session teaches it again. `memory lessons keep` takes that back."""
    from memory_assets.commands.lessons import retire_lesson

    found = retire_lesson(invocation(context).memory().resources, lesson, by=person(by), note=note)
    print_result(found, print_lesson, as_json=as_json)
    return OK


def keep(
    context: typer.Context, lesson: LessonArgument, by: ByOption = None, note: NoteOption = "", as_json: JsonOption = False
) -> int:
    """Say that a lesson is to be kept: neither newer evidence nor the number of a role's lessons sets it aside."""
    from memory_assets.commands.lessons import keep_lesson

    found = keep_lesson(invocation(context).memory().resources, lesson, by=person(by), note=note)
    print_result(found, print_lesson, as_json=as_json)
    return OK


def print_lessons(found: LessonListV1) -> None:
    """Each lesson with its newest words."""
    for place, lesson in enumerate(found.lessons):
        if place:
            print_text(styled(""))
        print_lesson(lesson)
    if found.total > len(found.lessons):
        print_text(styled(""), styled((f"{plural(found.total, 'lesson')} in all", "dim")))
    for note in found.notes:
        print_text(styled((one_line(note), "yellow")))


def print_lesson(lesson: LessonV1) -> None:
    """What to do or to leave, for whom, and the words that it was learned from."""
    support = f"{plural(lesson.support_cases, 'case')}, {lesson.confidence:.2f} sure, last {moment(lesson.last_at)}"
    print_text(
        styled(
            (lesson.lesson_id[:_ID_SHOWN], "cyan"),
            "  ",
            (one_line(lesson.rule), "bold"),
        ),
        styled((f"  for {one_line(lesson.role)}, {lesson.kind.replace('_', ' ')}, {lesson.severity}; {support}", "dim")),
    )
    if lesson.trigger:
        print_text(styled((f"  when: {one_line(lesson.trigger)}", "dim")))
    for exception in lesson.exceptions:
        print_text(styled((f"  not when: {one_line(exception)}", "dim")))
    if lesson.status != "active":
        by = f" ({lesson.by_lesson_id[:_ID_SHOWN]})" if lesson.by_lesson_id else ""
        print_text(styled((f"  {lesson.status}: {one_line(lesson.reason)}{by}", "yellow")))
    for link in lesson.links:
        if link.link in ("conflicts", "coexists"):
            stands = "contradicts" if link.link == "conflicts" else "is near to"
            print_text(styled((f"  {stands} {link.lesson_id[:_ID_SHOWN]}: {one_line(link.title)}", "dim")))
    print_evidence(lesson.evidence)


def print_evidence(evidence: Iterable[CourtEvidenceV1]) -> None:
    """A line a quote: what it shows, its words, and where they stand."""
    limit = min(_MOST_QUOTED, terminal_width() - _INDENT)
    for shown in evidence:
        where = shown.citation
        part = styled(" " * _INDENT, (f"{shown.part}  ", "dim"))
        print_text(part + quoted(where.quote or "", limit=limit), styled((" " * _INDENT + where.uri, "cyan")))
