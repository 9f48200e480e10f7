"""`memory sessions show --evidence`: a session's quotes in their messages, each beside the entry that it supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.cli.memories import quoted, said_otherwise_lines
from memory_assets.cli.output import cut, moment, one_line, plural, styled
from memory_assets.cli.quotes import Mark, marked, method_cells, why_failed
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from memory_assets.queries.session_evidence import SessionEvidence, SupportingQuote
    from memory_assets.results.sessions import MessageView

ROLE_STYLES = {"user": "bold cyan", "assistant": "bold", "tool": "dim", "system": "dim"}
# Code points of a long message that are shown on each side of a quote.
CONTEXT = 200
# Where nobody looks a folded message is still one line.
FOLDED_CHARACTERS = 400


def print_evidence(found: SessionEvidence, *, full: bool) -> None:
    """The messages in order: with quotes as a block, without as a line; then the quotes that are nowhere.

    Args:
        full: show the quoted messages whole, not only what lies around their quotes.
    """
    shown = sum(len(item.quotes) for item in found.messages)
    print_text(styled(f"{plural(shown, 'quote')} in {plural(sum(bool(item.quotes) for item in found.messages), 'message')}"))
    before_was_block = True
    for item in found.messages:
        if item.quotes:
            text = marked(item.message.text, marks_of(item.quotes), None if full else CONTEXT)
            print_text(styled(""), message_line(item.message), *said_otherwise_lines(item.message.said_otherwise), text)
        else:
            if before_was_block:
                print_text(styled(""))
            print_text(_folded(item.message), *said_otherwise_lines(item.message.said_otherwise, indent=2))
        before_was_block = bool(item.quotes)
    if found.failed:
        print_text(styled(""), styled((f"{plural(len(found.failed), 'quote')} that cannot be found in it:", "red")))
    for quote in found.failed:
        print_text(
            styled("  ", *_entry_cells(quote), f"  {one_line(quote.title)}"),
            styled("  ") + quoted(quote.quote.quote),
            styled("  ") + why_failed(quote.quote.failure_reason, quote.quote.similarity),
        )


def message_line(message: MessageView) -> Text:
    """Number, speaker, kind and time of a message."""
    return styled(
        (f"{message.message_index}  {one_line(message.name or message.role)}", ROLE_STYLES.get(message.role, "")),
        (f"  {message.kind}  {moment(message.ts)}", "dim"),
    )


def marks_of(quotes: Sequence[SupportingQuote]) -> list[Mark]:
    """Every segment of every quote; behind its last one stands what the quote supports."""
    return [
        Mark(start, end, _label(item) if place == len(item.quote.segments) - 1 else ())
        for item in quotes
        for place, (start, end) in enumerate(item.quote.segments)
    ]


def _label(item: SupportingQuote) -> tuple[str | tuple[str, str], ...]:
    if item.quote.method == "exact" and not (item.quote.ambiguous or item.quote.relocated):
        return _entry_cells(item)
    return (*_entry_cells(item), " ", *method_cells(item.quote))


def _entry_cells(item: SupportingQuote) -> tuple[str | tuple[str, str], ...]:
    """The entry's type and its short id; its own where it is no memory."""
    return (item.entry_type, "magenta"), " ", (item.citation or item.entry_id[:14], "cyan")


def _folded(message: MessageView) -> Text:
    speaker = one_line(message.name or message.role)
    line = styled((f"{message.message_index}  {speaker}: {one_line(message.text[:FOLDED_CHARACTERS])}", "dim"))
    return cut(line, terminal_width())
