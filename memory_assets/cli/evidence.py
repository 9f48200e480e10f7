"""`memory evidence show`: the quote highlighted in its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from memory_assets.cli.entries import EntryArgument, entry_head, quote_line
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.memories import quoted
from memory_assets.cli.output import clean, moment, one_line, print_json, styled
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

# Code points of a long message that are shown on each side of the quote.
CONTEXT = 600


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(no_args_is_help=True, help="Evidence: the characters that an entry rests on.")
    group.command("show")(show)
    # A group of a single command would otherwise be that command.
    group.callback()(_group)
    app.add_typer(group, name="evidence")


def _group() -> None:
    pass


def show(context: typer.Context, entry: EntryArgument, as_json: JsonOption = False) -> int:
    """Show an entry's quotes, each highlighted in its message."""
    from memory_assets.memory import as_plain

    evidence = invocation(context).memory().evidence(entry)
    if as_json:
        print_json(as_plain(evidence))
        return OK
    print_text(*entry_head(evidence.entry))
    for item in evidence.quotes:
        print_text(styled(""), quote_line(item.quote))
        message = item.message
        if message is None:
            print_text(quoted(item.quote.quote))
            continue
        speaker = one_line(message.name or message.role)
        print_text(
            styled((f"message {message.message_index}, {speaker}, {moment(message.ts)} UTC", "dim")),
            highlighted(message.text, item.quote.segments),
        )
    return OK


def highlighted(text: str, segments: Sequence[tuple[int, int]], context: int = CONTEXT) -> Text:
    """A message with the quoted characters reversed; of a long message only what lies around them.

    Cleaning keeps every character in its place, so the spans fit the cleaned text too.
    """
    from rich.text import Text

    first, last = (segments[0][0], segments[-1][1]) if segments else (0, 0)
    start, end = max(0, first - context), min(len(text), last + context)
    shown = Text(("…" if start else "") + clean(text[start:end]) + ("…" if end < len(text) else ""))
    offset = (1 if start else 0) - start
    for begin, stop in segments:
        shown.stylize("bold reverse", begin + offset, stop + offset)
    return shown
