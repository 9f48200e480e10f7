"""`memory show`: what an address names, with what stands around it (requirement K-32; sibling_systems.md R1.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.memories import print_memories, quoted, stage_cell
from memory_assets.cli.output import cut, moment, one_line, plural, print_json, styled
from memory_assets.cli.quotes import highlighted, quote_line
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.memory import CitedQuote, MessageView, Neighbour, ResolvedMemory, ResolvedSpan

CONTEXT = 200


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("show")(show)


def show(
    context: typer.Context,
    citation: Annotated[str, typer.Argument(help="mem:a7Bc3x, or session:ID#m=12&c=140-182 (quote it for the shell).")],
    as_json: JsonOption = False,
) -> int:
    """Show what a citation names: a memory with all its quotes, or characters of a session."""
    from memory_assets.memory import ResolvedMemory, as_plain

    resolved = invocation(context).memory().resolve(citation)
    is_memory = isinstance(resolved, ResolvedMemory)
    if as_json:
        print_json({"kind": "memory" if is_memory else "span", **as_plain(resolved)})
    elif isinstance(resolved, ResolvedMemory):
        print_memory(resolved)
    else:
        print_span(resolved)
    return OK


def print_memory(resolved: ResolvedMemory) -> None:
    """A memory's title, type and stage, then each quote with its address and its neighbours."""
    memory = resolved.memory
    said = moment(memory.first_said_at)
    if memory.last_said_at != memory.first_said_at:
        said += f" to {moment(memory.last_said_at)}"
    print_text(
        styled((one_line(memory.title), "bold")),
        styled(
            (memory.citation, "cyan"),
            "  ",
            (memory.entry_type, "magenta"),
            "  ",
            stage_cell(memory.stage, memory.checker, memory.status),
            (f" in favour of {memory.superseded_by}" if memory.superseded_by else "", "yellow"),
        ),
        styled(
            f"said {said} UTC, {plural(len(resolved.quotes), 'quote')} in {plural(memory.session_count, 'session')}, "
            f"project {one_line(memory.project or '-')}"
        ),
    )
    for item in resolved.quotes:
        print_text(styled(""), quoted(item.quote.matched_text or item.quote.quote), quote_line(item.quote))
        if item.ts is not None:
            print_text(styled((f"{_speaker(item)}, {moment(item.ts)} UTC", "dim")))
        print_text(*_neighbours(item.previous, item.next))


def print_span(resolved: ResolvedSpan) -> None:
    """The cited characters in their message, the messages around it, and the memories that rest on them."""
    message, session = resolved.message, resolved.session
    print_text(
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


def _speaker(item: CitedQuote) -> str:
    return one_line(item.name or item.role or "-")


def _around(message: MessageView | None) -> list[Text]:
    if message is None:
        return []
    line = styled((f"{message.message_index}  {one_line(message.name or message.role)}: {one_line(message.text[:400])}", "dim"))
    return [cut(line, min(terminal_width(), 120))]


def _neighbours(previous: Neighbour | None, following: Neighbour | None) -> list[Text]:
    width = min(terminal_width(), 120)
    return [
        cut(
            styled(
                (f"{word}  ", "dim"),
                (found.citation, "cyan"),
                "  ",
                (found.entry_type, "magenta"),
                f"  {one_line(found.preview)}",
            ),
            width,
        )
        for word, found in (("before", previous), ("after ", following))
        if found is not None
    ]
