"""`memory show`: what an address or an id names, with what stands around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.memories import assurance_cell, context_lines, print_memories, quoted, said_otherwise_lines
from memory_assets.cli.output import cut, moment, one_line, plural, print_result, styled
from memory_assets.cli.quotes import highlighted, quote_line
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from memory_assets.results.memories import CitedQuote, Neighbour
    from memory_assets.results.sessions import MessageView
    from memory_assets.results.shown import (
        Resolved,
        ResolvedEntry,
        ResolvedMemory,
        ResolvedName,
        ResolvedSpan,
        ResolvedTask,
        ResolvedUnit,
    )

CONTEXT = 200
NARROW = 120
LONGEST_BODY = 2000


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("show")(show)


def show(
    context: typer.Context,
    citation: Annotated[
        str,
        typer.Argument(
            help="mem:a7Bc3x, session:ID#m=12&c=140-182 or another address (quote it for the shell), or the id of an entry, "
            "task, memory or unit."
        ),
    ],
    as_json: JsonOption = False,
) -> int:
    """Show what an address or id names: a memory or task with its quotes, characters of a session, or who names a file."""
    from memory_assets.search.usage import note_opened

    memory = invocation(context).memory()
    resolved = memory.resolve(citation)
    note_opened(memory.settings, _opened(resolved))
    print_result(resolved, print_resolved, as_json=as_json)
    return OK


def _opened(resolved: Resolved) -> list[str]:
    """The address or id of what was opened; none of what lies outside the store."""
    from memory_assets.results.shown import ResolvedEntry, ResolvedMemory, ResolvedSpan, ResolvedTask, ResolvedUnit

    match resolved:
        case ResolvedMemory():
            return [resolved.memory.citation]
        case ResolvedEntry():
            return [resolved.entry.entry_id]
        case ResolvedTask():
            return [resolved.task.task_id]
        case ResolvedUnit():
            return [resolved.unit_id]
        case ResolvedSpan():
            return [resolved.uri]
        case _:
            return []


def print_resolved(resolved: Resolved) -> None:
    """What was found, for people."""
    from memory_assets.results.shown import ResolvedEntry, ResolvedMemory, ResolvedName, ResolvedSpan, ResolvedTask

    match resolved:
        case ResolvedMemory():
            print_memory(resolved)
        case ResolvedSpan():
            print_span(resolved)
        case ResolvedEntry():
            print_entry(resolved)
        case ResolvedTask():
            print_task(resolved)
        case ResolvedName():
            print_name(resolved)
        case _:
            print_unit(resolved)


def print_memory(resolved: ResolvedMemory) -> None:
    """A memory's title, type and what was proved of it, then each quote with its address and its neighbours."""
    memory = resolved.memory
    said = moment(memory.first_said_at)
    if memory.last_said_at != memory.first_said_at:
        said += f" to {moment(memory.last_said_at)}"
    print_text(
        *said_otherwise_lines(memory.said_otherwise),
        styled((one_line(memory.title), "bold")),
        styled(
            (memory.citation, "cyan"),
            "  ",
            (memory.entry_type, "magenta"),
            "  ",
            assurance_cell(memory.assurance, memory.checker, memory.status),
            (f" in favour of {memory.superseded_by}" if memory.superseded_by else "", "yellow"),
        ),
        styled(
            f"said {said} UTC, {plural(len(resolved.quotes), 'quote')} in {plural(memory.session_count, 'session')}, "
            f"project {one_line(memory.project or '-')}"
        ),
        *context_lines(memory.context),
    )
    _print_quotes(resolved.quotes)


def print_entry(resolved: ResolvedEntry) -> None:
    """An entry's title, type and what was proved of it, then each quote with its address and its neighbours."""
    entry = resolved.entry
    print_text(
        *said_otherwise_lines(entry.said_otherwise),
        styled((one_line(entry.title), "bold")),
        styled(
            (entry.entry_id, "cyan"),
            "  ",
            (entry.entry_type, "magenta"),
            "  ",
            assurance_cell(entry.assurance, entry.checker, entry.status),
            f"  in {entry.citation}" if entry.citation else "  in no memory",
        ),
        styled(f"said {moment(entry.said_at)} UTC in session {entry.session_id}, project {one_line(entry.project or '-')}"),
        *context_lines(entry.context),
    )
    _print_quotes(resolved.quotes)


def print_task(resolved: ResolvedTask) -> None:
    """A task's title and how it stands, then the places that speak of it."""
    task = resolved.task
    print_text(
        styled((one_line(task.title), "bold")),
        styled(
            (task.task_id, "cyan"),
            "  ",
            ("task", "magenta"),
            f"  {task.status.replace('_', ' ')} since {moment(task.status_since)} UTC",
        ),
        *(styled(f"waits for {one_line(blocker.effective)}") for blocker in task.waits_for),
        styled((f"memory task show {task.task_id} tells how it came to that", "dim")),
    )
    _print_places(resolved.places, resolved.place_count)


def print_unit(resolved: ResolvedUnit) -> None:
    """What a unit says, what it names, and the places that it rests on."""
    names = [one["uri"] for one in resolved.citations if "session_id" not in one]
    body = resolved.body if len(resolved.body) <= LONGEST_BODY else resolved.body[:LONGEST_BODY] + "…"
    print_text(
        styled((one_line(resolved.title), "bold")),
        styled(
            (resolved.unit_id, "cyan"),
            "  ",
            (resolved.unit_kind, "magenta"),
            "  ",
            assurance_cell(resolved.assurance, None, resolved.status),
        ),
        styled(f"said {moment(resolved.occurred_at)} UTC, project {one_line(resolved.project or '-')}"),
        *([styled("names ", (one_line("  ".join(names)), "cyan"))] if names else []),
        styled(""),
        styled(body),
    )
    _print_places(resolved.places, resolved.place_count)


def print_name(resolved: ResolvedName) -> None:
    """Who names something that lies outside the store, and that nothing of it was opened."""
    print_text(
        styled((one_line(resolved.name), "bold")),
        styled((resolved.uri, "cyan"), "  ", (resolved.citation_kind.replace("_", " "), "magenta")),
        styled(("it lies outside the store and was not opened; this is who speaks of it", "dim")),
    )
    for session in resolved.sessions:
        print_text(
            styled(
                "read from it: ",
                (session.session_id, "cyan"),
                f"  {one_line(session.title or '-')}, {plural(session.messages, 'message')}",
            )
        )
    print_text(*_around(resolved.message))
    if resolved.memories:
        print_text(styled(""), styled(f"named by {plural(resolved.memory_count, 'memory', 'memories')}:"))
        print_memories(resolved.memories)
    if resolved.units:
        print_text(
            styled(""),
            styled(
                f"named in {plural(resolved.unit_count, 'passage, task or other unit', 'passages, tasks and other units')}:"
            ),
        )
    for unit in resolved.units:
        line = styled(
            (unit.uri or unit.unit_id, "cyan"),
            "  ",
            (unit.unit_kind, "magenta"),
            f"  {moment(unit.occurred_at)}  {one_line(unit.summary)}",
        )
        print_text(cut(line, terminal_width()))


def print_span(resolved: ResolvedSpan) -> None:
    """The cited characters in their message, the messages around it, and the memories that rest on them."""
    message, session = resolved.message, resolved.session
    print_text(
        *said_otherwise_lines(resolved.said_otherwise),
        styled((resolved.uri, "cyan")),
        styled(
            (one_line(session.title or session.session_id), "bold"),
            f"  project {one_line(session.project or '-')}, {session.status}",
        ),
        styled(""),
        *_around(resolved.before),
        styled((f"{message.message_index}  {one_line(message.name or message.role)}  {moment(message.ts)} UTC", "dim")),
        highlighted(message.text, resolved.segments, CONTEXT),
        *_around(resolved.after),
        styled(""),
    )
    if resolved.memories:
        print_text(styled("remembered from it:"))
        print_memories(resolved.memories)
    else:
        print_text(styled("nothing was remembered from it"))
    print_text(*_neighbours(resolved.previous, resolved.next))


def _print_quotes(quotes: Sequence[CitedQuote]) -> None:
    for item in quotes:
        print_text(styled(""), _in_place(item), quote_line(item.quote))
        if item.ts is not None:
            print_text(styled((f"{_speaker(item)}, {moment(item.ts)} UTC", "dim")))
        print_text(*_neighbours(item.previous, item.next))


def _in_place(item: CitedQuote) -> Text:
    """The quote between what stands around it in its message, on one line."""
    before, behind = one_line(item.text_before), one_line(item.text_after)
    return (
        styled((f"{before} " if item.text_before[-1:].isspace() else before, "dim"))
        + quoted(item.quote.matched_text or item.quote.quote)
        + styled((f" {behind}" if item.text_after[:1].isspace() else behind, "dim"))
    )


def _print_places(places: Sequence[ResolvedSpan], count: int) -> None:
    for place in places:
        message = place.message
        print_text(
            styled(""),
            *said_otherwise_lines(place.said_otherwise),
            quoted(place.text, limit=terminal_width()),
            styled((place.uri, "cyan"), (f"  {one_line(message.name or message.role)}, {moment(message.ts)} UTC", "dim")),
            *_neighbours(place.previous, place.next),
        )
    if count > len(places):
        print_text(styled(""), styled((f"and {plural(count - len(places), 'further place')}", "dim")))


def _speaker(item: CitedQuote) -> str:
    return one_line(item.name or item.role or "-")


def _around(message: MessageView | None) -> list[Text]:
    if message is None:
        return []
    line = styled((f"{message.message_index}  {one_line(message.name or message.role)}: {one_line(message.text[:400])}", "dim"))
    return [cut(line, min(terminal_width(), NARROW)), *said_otherwise_lines(message.said_otherwise, indent=2)]


def _neighbours(previous: Neighbour | None, following: Neighbour | None) -> list[Text]:
    width = min(terminal_width(), NARROW)
    lines = []
    for word, found in (("before", previous), ("after ", following)):
        if found is not None:
            head = styled((f"{word}  ", "dim"), (found.citation, "cyan"), "  ", (found.entry_type, "magenta"))
            lines.append(cut(head + styled(f"  {one_line(found.preview)}"), width))
            lines += said_otherwise_lines(found.said_otherwise, indent=2)
    return lines
