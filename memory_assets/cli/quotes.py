"""How a quote and what became of it look on a terminal: in one line, in words, and highlighted in its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.cli.output import clean, console, one_line, plural, styled

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.evidence.model import AlignedEvidence
    from memory_assets.results.memories import Quote

# Code points of a long message that are shown on each side of a quote.
CONTEXT = 600
METHOD_STYLES = {"exact": "green", "normalized": "green", "fuzzy": "yellow", "none": "red"}
METHOD_WORDS = {
    "exact": "the same, character for character",
    "normalized": "the same letters and digits; white space, case, marks or the way they are encoded differ",
    "fuzzy": "similar, not the same",
}
FAILURE_WORDS = {
    "not_found": "nothing like it stands there",
    "below_threshold": "what is most like it differs too much",
    "ambiguous": "it stands in several places, and nothing says which is meant",
    "empty_quote": "there is no text in it",
    "quote_too_long": "it is longer than a quote may be (alignment.max_quote_length)",
    "index_out_of_range": "the session has no such message",
}
# Around a quote where no style can be shown: a pipe, a file, a dumb terminal.
OPEN, CLOSE = "⟦", "⟧"


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters to highlight, half-open, and what is written behind them; pairs of text and style, or plain text."""

    start: int
    end: int
    label: tuple[str | tuple[str, str], ...] = ()


def quote_line(quote: Quote) -> Text:
    """Where a quote stands and how it was found, or why it was not."""
    if quote.uri is None:
        return styled(
            ("not in the session", "red"), f"  claimed in message {quote.claimed_message_index}: {quote.failure_reason or '-'}"
        )
    return styled((quote.uri, "cyan"), "  ", *method_cells(quote))


def method_cells(quote: Quote | AlignedEvidence) -> tuple[str | tuple[str, str], ...]:
    """Method, confidence and flags."""
    flags = [word for word in ("ambiguous", "relocated", "critical") if getattr(quote, word)]
    return (
        (quote.method, METHOD_STYLES.get(quote.method, "")),
        f" {quote.confidence:.2f}",
        (f"  {', '.join(flags)}" if flags else "", "yellow"),
    )


def why_aligned(quote: Quote | AlignedEvidence) -> list[Text]:
    """In words: how a quote was found, what was left out of it, and what each flag says. A line each."""
    words = METHOD_WORDS.get(quote.method, quote.method)
    if quote.method == "fuzzy" and quote.similarity is not None:
        words = f"{words}: {quote.similarity:.1%} alike"
    lines = [styled(f"{quote.method}: {words}")]
    if len(quote.segments) > 1:
        lines.append(styled(f"leaves something out: {len(quote.segments)} parts, in their order"))
    if quote.critical:
        lines.append(
            styled(("critical: a number, a negation, an operator or a word differs; it never supports verified", "yellow"))
        )
    if quote.ambiguous:
        further = f"{plural(quote.alternative_count, 'time')} more" if quote.alternative_count else "elsewhere too"
        lines.append(styled((f"ambiguous: it stands {further} just as well", "yellow")))
    if quote.relocated:
        lines.append(
            styled(
                (f"relocated: claimed in message {quote.claimed_message_index}, found in {quote.message_index}", "yellow"),
            )
        )
    return lines


def why_failed(reason: str | None, similarity: float | None) -> Text:
    """In words: why a quote has no span, and how near the nearest text comes."""
    words = FAILURE_WORDS.get(reason or "", "no reason was logged")
    nearest = "" if similarity is None else f"; the best place is {similarity:.1%} alike"
    return styled((f"{reason or '-'}: {words}{nearest}", "red"))


def highlighted(text: str, segments: Sequence[tuple[int, int]], context: int | None = CONTEXT) -> Text:
    """A message with the quoted characters reversed; of a long message only what lies around them.

    Args:
        context: code points that are shown on each side of a segment; None for all of them.
    """
    return marked(text, [Mark(start, end) for start, end in segments], context, always=False)


def marked(text: str, marks: Sequence[Mark], context: int | None = CONTEXT, *, always: bool = True) -> Text:
    """A message with marked characters, each with its label behind it; of a long message only what lies around them.

    Cleaning keeps every character in its place, so spans of the stored text fit what is shown.

    Args:
        context: code points that are shown on each side of a mark; None for all of them.
        always: brackets around the marked characters also where a style shows them.
    """
    from rich.text import Text

    brackets = always or console().color_system is None
    shown = clean(text)
    result = Text()
    end = 0
    for start, stop in _excerpts(len(text), marks, context):
        result.append(" … " if start > end and end else "…" if start else "")
        _append_marked(result, shown, start, stop, marks, brackets=brackets)
        end = stop
    if end < len(text):
        result.append("…")
    return result


def _excerpts(length: int, marks: Sequence[Mark], context: int | None) -> list[tuple[int, int]]:
    """What of a text is shown: around its marks, in one piece where two come near each other."""
    if context is None:
        return [(0, length)]
    if not marks:
        return [(0, min(length, context))]
    pieces: list[tuple[int, int]] = []
    for mark in sorted(marks, key=lambda mark: mark.start):
        start, end = max(0, mark.start - context), min(length, mark.end + context)
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(pieces[-1][1], end))
        else:
            pieces.append((start, end))
    return pieces


def _append_marked(result: Text, shown: str, start: int, stop: int, marks: Sequence[Mark], *, brackets: bool) -> None:
    inside = [mark for mark in marks if start <= mark.start and mark.end <= stop]
    bounds = sorted({start, stop, *(mark.start for mark in inside), *(mark.end for mark in inside)})
    # Marks are few; the pieces between their bounds are at most twice as many.
    for low, high in zip(bounds, [*bounds[1:], stop], strict=True):
        ending = [mark for mark in inside if mark.end == low]
        if brackets:
            result.append(CLOSE * len(ending), "bold")
        _append_labels(result, ending)
        if brackets:
            result.append(OPEN * sum(mark.start == low for mark in inside), "bold")
        covered = any(mark.start <= low and high <= mark.end for mark in inside)
        if high > low:
            result.append(shown[low:high], "bold reverse" if covered else "")


def _append_labels(result: Text, ending: Sequence[Mark]) -> None:
    labels = [mark.label for mark in ending if mark.label]
    if labels:
        joined = [part for label in labels for part in (", ", *label)][1:]
        result.append_text(styled("(", *joined, ")"))


def shown_as_given(quote: str, matched_text: str | None) -> list[Text]:
    """The extractor's own wording where it is not the text's."""
    return [] if quote == matched_text else [styled(("quoted as  ", "dim"), f"“{one_line(quote)}”")]
