"""`memory timeline` and `memory details`: what was said around something, and all of it."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import FAILED, NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.memories import assurance_cell, print_beside, quoted, said_otherwise_lines
from memory_assets.cli.output import clean, console, cut, day, moment, one_line, plural, print_result, styled
from memory_assets.cli.tables import UNLIMITED, fitting, print_text, terminal_width
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from memory_assets.results.details import BesideV1, DetailsV1, DetailV1
    from memory_assets.results.timeline import TimelineItemV1, TimelineV1
    from memory_assets.results.unanswered import UnansweredV1

IdsArgument = Annotated[
    list[str], typer.Argument(help="mem:a7Bc3x, session:ID#m=12 (quote it for the shell), a task's id, or a hit's unit_id.")
]
BudgetOption = Annotated[
    int | None, typer.Option("--budget", min=1, help="Tokens of all together, a hard cap. [default: enough for the usual]")
]
_SPEAKER_WIDTH = 14
_LEAST_ROOM = 20


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("timeline")(timeline)
    app.command("details")(details)


def timeline(
    context: typer.Context,
    ids: IdsArgument,
    window: Annotated[int, typer.Option("--window", min=0, max=20, help="Passages on each side.")] = 3,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what was said around something, and elsewhere of the same task. Exits 1 where an id names nothing."""
    found = invocation(context).memory().timeline(ids, window=window, budget=budget)
    print_result(found, print_timeline, as_json=as_json)
    return _ended(len(found.targets), found.errors)


def details(context: typer.Context, ids: IdsArgument, budget: BudgetOption = None, as_json: JsonOption = False) -> int:
    """Show things in full: text, source, quotes and what hangs on them. Exits 1 where an id names nothing."""
    from memory_assets.search.usage import note_opened

    memory = invocation(context).memory()
    found = memory.details(ids, budget=budget)
    note_opened(memory.settings, [item.unit_id for item in found.items if item.unit_id])
    print_result(found, print_details, as_json=as_json)
    return _ended(len(found.items), found.errors)


def print_timeline(found: TimelineV1) -> None:
    """Each session under its name, a line for each passage, the ones that were asked for marked."""
    width = min(_SPEAKER_WIDTH, max((styled(one_line(item.speaker)).cell_len for item in found.items), default=0))
    for place, (_, of_session) in enumerate(groupby(found.items, key=lambda item: item.session_id)):
        items = list(of_session)
        first = items[0]
        if place:
            print_text(styled(""))
        print_beside(
            _headline(first.session_title or first.session_id, f"  project {one_line(first.project or '-')}  {day(first.ts)}"),
            styled((f"session:{first.session_id}", "cyan")),
            indent=2,
        )
        print_text(
            *(line for item in items for line in _item_lines(item, width, len({day(one.ts) for one in items}) > 1)),
        )
    for target in found.targets:
        if not target.uris:
            print_text(styled((f"{one_line(target.title)}: no session speaks of it", "dim")))
    _print_errors(found.errors)
    if found.items:
        print_text(
            styled((f"{plural(len(found.items), 'passage')}, {found.estimated_tokens} of {found.budget:,} tokens", "dim"))
        )


def print_details(found: DetailsV1) -> None:
    """Each thing under its title: what it is, its text in its place, its quotes, and what hangs on it."""
    for place, item in enumerate(found.items):
        if place:
            print_text(styled((min(terminal_width(), 60) * "─", "dim")))
        _print_detail(item)
    _print_errors(found.errors)
    if found.items:
        print_text(styled((f"{found.estimated_tokens:,} of {found.budget:,} tokens", "dim")))


def _headline(title: str, rest: str) -> Text:
    """A session's title and what is known of it; on a narrow terminal the title is cut and the rest is not."""
    known = styled(rest)
    return cut(styled((one_line(title), "bold")), max(terminal_width() - known.cell_len, _LEAST_ROOM)) + known


def _item_lines(item: TimelineItemV1, speaker_width: int, several_days: bool) -> list[Text]:
    """A passage on a line of its own, cut to the terminal; what was asked for on as many as it takes."""
    mark = ("▶ ", "bold yellow") if item.is_target else ("= ", "magenta") if item.relation == "same_task" else ("  ", "")
    speaker = cut(styled(one_line(item.speaker)), speaker_width)
    said = moment(item.ts) if several_days else moment(item.ts)[-5:]
    head = styled(mark, (f"{item.message_index:>4}  ", "dim"), (f"{said}  ", "dim"))
    head.append_text(speaker).append(" " * (speaker_width - speaker.cell_len + 2))
    body = styled((one_line(item.preview), "bold" if item.is_target else ""))
    if item.relation == "same_task":
        body = styled((f"{item.id or 'same task'}  ", "cyan")) + body
    if item.origin in OF_OTHERS:
        body = styled((f"({item.origin}) ", "yellow")) + body
    room = terminal_width() - head.cell_len
    instead = said_otherwise_lines(item.said_otherwise, indent=head.cell_len)
    if not item.is_target or body.cell_len <= room or room < _LEAST_ROOM:
        return [fitting(head + body), *instead]
    first, *rest = body.wrap(console(), room)
    return [head + first, *(styled(" " * head.cell_len) + line for line in rest), *instead]


def _print_detail(item: DetailV1) -> None:
    known = item.metadata
    proved = ("  ", assurance_cell(known.assurance, known.checker, known.status)) if item.unit_kind == "entry" else ()
    said = f"{moment(known.said_at)} UTC" if known.said_at else "-"
    print_text(
        *said_otherwise_lines(item.said_otherwise),
        styled((one_line(item.title), "bold")),
        styled(
            (item.id or item.text_uri or item.given, "cyan"),
            "  ",
            (known.entry_type or item.unit_kind or "message", "magenta"),
            (f"  {known.origin}" if known.origin in OF_OTHERS else "", "yellow"),
            *proved,
            f"  {known.task_status}" if known.task_status else "",
            f"  project {one_line(known.project or '-')}  ",
            (f"{one_line(known.speaker or known.role or '-')}, {said}", "dim"),
        ),
        styled(""),
    )
    if item.before:
        print_text(*_beside("before", item.before))
    print_text(styled(clean(item.text)))
    if item.after:
        print_text(*_beside("after ", item.after))
    print_text(styled(""))
    for citation in item.citations:
        print_text(styled((citation.uri, "cyan"), "  ", (one_line(citation.label), "dim")))
        if citation.quote:
            print_text(styled("  ") + quoted(citation.quote))
    if not item.is_cited:
        print_text(styled(("[HYPOTHESIS] nothing is cited for it", "yellow")))
    for related in item.related:
        print_text(
            fitting(
                styled(
                    (f"{related.relation.replace('_', ' ')}  ", "dim"),
                    (related.id, "cyan"),
                    f"  {one_line(related.title)}",
                    (f"  {related.status}" if related.status and related.status != "active" else "", "yellow"),
                )
            )
        )
    if known.files:
        print_text(fitting(styled(("files  ", "dim"), one_line(", ".join(known.files)))))
    if item.cut:
        print_text(styled((f"left out: {', '.join(item.cut)}; --budget gives more", "yellow")))


def _beside(word: str, one: BesideV1) -> list[Text]:
    line = styled((f"{word}  {one_line(one.speaker)}: {one_line(one.preview)}", "dim"))
    shown = line if terminal_width() == UNLIMITED else cut(line, min(terminal_width(), 120))
    return [shown, *said_otherwise_lines(one.said_otherwise, indent=2)]


def _print_errors(errors: Sequence[UnansweredV1]) -> None:
    for one in errors:
        sys.stderr.write(f"error: {one_line(one.error.message)}\n")
        if one.error.hint:
            sys.stderr.write(f"hint: {one_line(one.error.hint)}\n")


def _ended(answered: int, errors: Sequence[UnansweredV1]) -> int:
    if not errors:
        return OK
    return NOTHING_FOUND if answered else FAILED
