"""`memory evidence show`: the quote highlighted in its message."""

from __future__ import annotations

import typer

from memory_assets.cli.entries import EntryArgument, entry_head
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.memories import quoted
from memory_assets.cli.output import moment, one_line, print_json, styled
from memory_assets.cli.quotes import highlighted, quote_line, shown_as_given, why_aligned, why_failed
from memory_assets.cli.tables import print_text


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
    from memory_assets.search.usage import note_opened

    memory = invocation(context).memory()
    evidence = memory.evidence(entry)
    note_opened(memory.settings, [evidence.entry.entry_id])
    if as_json:
        print_json(evidence)
        return OK
    print_text(*entry_head(evidence.entry))
    for item in evidence.quotes:
        quote, message = item.quote, item.message
        print_text(styled(""), quote_line(quote))
        if quote.uri is None:
            print_text(why_failed(quote.failure_reason, quote.similarity), quoted(quote.quote))
            continue
        print_text(*why_aligned(quote), *shown_as_given(quote.quote, quote.matched_text))
        if message is None:
            # The text of a superseded entry is kept in the log alone.
            print_text(quoted(quote.matched_text or quote.quote))
            continue
        speaker = one_line(message.name or message.role)
        print_text(
            styled((f"message {message.message_index}, {speaker}, {moment(message.ts)} UTC", "dim")),
            highlighted(message.text, quote.segments),
        )
    return OK
