"""The places that have a quote's letters and digits, and what lies between them judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_assets.evidence.edges import hides_a_sign
from memory_assets.evidence.message_text import MessageText
from memory_assets.evidence.model import Span
from memory_assets.evidence.prepared import Edge, Placed, PreparedText
from memory_assets.evidence.wanted_quote import WantedQuote
from memory_assets.text import differences
from memory_assets.text.characters import folded_form, is_raised, unified_form
from memory_assets.text.differences import CONFIDENCE, Difference

_MAX_REFUSED = 64  # places that are looked at and refused before the search of a message is given up
_MAX_EDGE = 500  # characters around a hit in which the quote's own edge marks are looked for
_BESIDE = 8  # characters beside a span in which a picture belongs to it
_KEYCAPS = re.compile("[0-9#*]\ufe0f?\u20e3")
_PASSED = frozenset((" ", "\t", "", "*", "**", "_", "`"))  # marks of a message that a quote may lack at its edges


@dataclass(frozen=True, slots=True)
class NormalizedHit:
    """The places of the best tier, in order, and how many there are of any tier."""

    spans: tuple[Span, ...]
    confidence: float
    count: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The letters are there, but what stands between or around them changes what is said."""

    span: Span


def find_normalized(message: MessageText, wanted: WantedQuote, prepared: PreparedText) -> NormalizedHit | Refused | None:
    """The places in one reading of a message that have the quote's letters and differ in nothing that matters."""
    best: NormalizedHit | None = None
    refused: Refused | None = None
    for spelling, floor in wanted.spellings:
        match _find_spelling(message, spelling, floor, prepared):
            case NormalizedHit() as hit:
                best = hit if best is None or hit.confidence > best.confidence else best
            case Refused() as other:
                refused = refused or other
            case None:
                pass
    return best or refused


def with_outer_marks(
    message: MessageText, prepared: PreparedText, quote: PreparedText, start: int, end: int
) -> tuple[Span, str, str]:
    """A span that reaches over the marks that the quote begins and ends with, and what of them is not there."""
    letters = quote.letters
    lead, trail = quote.text[: letters.starts[0]], quote.text[letters.ends[-1] :]
    start, lead_left = _grow_back(message, prepared, start, unified_form(folded_form(lead)))
    end, trail_left = _grow_on(message, prepared, end, unified_form(folded_form(trail)))
    return (start, end), lead_left, trail_left


def _find_spelling(
    message: MessageText, quote: PreparedText, floor: Difference, prepared: PreparedText
) -> NormalizedHit | Refused | None:
    spans: dict[float, list[Span]] = {}
    refused: Refused | None = None
    accepted = rejected = 0
    for low, high in _occurrences(quote, prepared):
        span, difference = _judge(message, quote, prepared, low, high)
        difference = max(difference, floor)
        if difference is Difference.CRITICAL:
            rejected += 1
            refused = refused or Refused(span)
            if rejected >= _MAX_REFUSED:
                break
            continue
        accepted += 1
        spans.setdefault(CONFIDENCE[difference], []).append(span)
    if not spans:
        return refused
    confidence = max(spans)
    return NormalizedHit(tuple(spans[confidence]), confidence, accepted)


def _occurrences(quote: PreparedText, message: PreparedText) -> Iterator[Span]:
    """Where a quote's skeleton stands in a message's, without overlaps; never from or to the middle of a cluster."""
    length = len(quote.skeleton)
    position = message.skeleton.find(quote.skeleton)
    while position >= 0:
        end = position + length
        if Edge.CHARACTER not in (message.edge(position), message.edge(end)):
            yield position, end
        position = message.skeleton.find(quote.skeleton, end)


def _judge(message: MessageText, quote: PreparedText, prepared: PreparedText, low: int, high: int) -> tuple[Span, Difference]:
    """The span in the text of the characters ``low`` to ``high`` of the skeleton, and how far the quote is from it."""
    asked, there = quote.letters, prepared.placed(low, high)
    worst = Difference.NONE if asked.cased == there.cased else Difference.CASE
    start, end = there.starts[0], there.ends[-1]
    wanted, found = quote.text[asked.starts[0] : asked.ends[-1]], prepared.between(start, end)
    if wanted != found:
        worst = max(worst, Difference.WHITESPACE)
        if wanted.split() != found.split():
            worst = max(worst, _gaps(quote, asked, prepared, there))
    (start, end), lead_left, trail_left = with_outer_marks(message, prepared, quote, start, end)
    for left in (lead_left, trail_left):
        if left:
            worst = max(worst, Difference.MARKUP if differences.is_markup(left) else Difference.PUNCTUATION)
    if worst is not Difference.CRITICAL and (
        _cuts(prepared, low, high)
        or differences.operators(differences.without_line_marks(lead_left), "", asked.cased[0])
        or differences.operators(trail_left, asked.cased[-1], "")
        or hides_a_sign(message.text, start, end, there.cased[0], there.cased[-1])
        or _shows_another_picture(message.text[max(0, start - _BESIDE) : start], lead_left)
        or _shows_another_picture(message.text[end : end + _BESIDE], trail_left)
        or ("." in trail_left and message.text[end : end + 1] in ("?", "？"))
    ):
        worst = Difference.CRITICAL
    return (start, end), worst


def _gaps(quote: PreparedText, asked: Placed, message: PreparedText, there: Placed) -> Difference:
    """The worst difference between the letters of a quote and those of a place."""
    worst = Difference.NONE
    for offset in range(len(asked.cased) - 1):
        wanted = quote.text[asked.ends[offset] : asked.starts[offset + 1]]
        found = message.text[there.ends[offset] : there.starts[offset + 1]]
        if message.dropped:
            found = message.between(there.ends[offset], there.starts[offset + 1])
        if wanted != found:
            worst = max(worst, differences.between(wanted, found, asked.cased[offset], asked.cased[offset + 1]))
            if worst is Difference.CRITICAL:
                break
        elif not wanted and _number_parts(quote, asked, offset) != _number_parts(message, there, offset):
            return Difference.CRITICAL
    return worst


def _number_parts(prepared: PreparedText, letters: Placed, offset: int) -> tuple[bool, bool, bool] | None:
    """How two digits that stand side by side belong together: "102", "10²", "½"; None for other letters."""
    if not (letters.cased[offset].isdigit() and letters.cased[offset + 1].isdigit()):
        return None
    one, other = (prepared.text[letters.starts[at] : letters.ends[at]] for at in (offset, offset + 1))
    return is_raised(one), is_raised(other), letters.starts[offset] == letters.starts[offset + 1]


def _cuts(message: PreparedText, low: int, high: int) -> bool:
    """Whether a place begins or ends inside a word of Latin letters or a number: "able" in "unable", "5" in "1,500"."""
    for position in (low, high):
        if not 0 < position < len(message.skeleton):
            continue
        if message.edge(position) is Edge.INSIDE:
            return True
        if message.skeleton[position - 1 : position + 1].isdigit():
            around = message.placed(position - 1, position + 1)
            if folded_form(message.text[around.ends[0] : around.starts[1]]) in (".", ","):
                return True
    return False


def _shows_another_picture(beside: str, missing: str) -> bool:
    """Whether the quote has a picture at its edge where the message has another: a tick for a cross."""
    wanted, there = _pictures(missing), _pictures(beside)
    return bool(wanted) and bool(there) and wanted not in there


def _pictures(text: str) -> str:
    return differences.pictures(text) + "".join(_KEYCAPS.findall(text))


def _grow_back(message: MessageText, prepared: PreparedText, start: int, marks: str) -> tuple[int, str]:
    """Moves a start back over the marks that the quote begins with; also what of them is not there."""
    position = start
    for _ in range(_MAX_EDGE):
        if not marks.strip() or position <= prepared.start:
            break
        before = prepared.hidden_before(position)
        if before == position:
            before = message.boundary_before(position)
            unit = unified_form(folded_form(message.text[before:position]))
            if unit.strip() and marks.rstrip().endswith(unit.strip()):
                marks, start = marks.rstrip()[: -len(unit.strip())], before
            elif not (_is_passed(unit) or (unit.isspace() and marks[-1:].isspace() and not _is_line_mark(marks))):
                break
        position = before
    return start, marks if marks.strip() else ""


def _grow_on(message: MessageText, prepared: PreparedText, end: int, marks: str) -> tuple[int, str]:
    """Moves an end on over the marks that the quote ends with; also what of them is not there."""
    position = end
    for _ in range(_MAX_EDGE):
        if not marks.strip() or position >= prepared.end:
            break
        after = prepared.hidden_after(position)
        if after == position:
            after = message.boundary_after(position + 1)
            unit = unified_form(folded_form(message.text[position:after]))
            if unit.strip() and marks.lstrip().startswith(unit.strip()):
                marks, end = marks.lstrip()[len(unit.strip()) :], after
            elif not (_is_passed(unit) or (unit.isspace() and marks[:1].isspace())):
                break
        position = after
    return end, marks if marks.strip() else ""


def _is_passed(unit: str) -> bool:
    """Whether a quote may lack this at its edge: emphasis, a space, a picture."""
    return unit in _PASSED or bool(differences.pictures(unit)) or bool(_KEYCAPS.search(unit))


def _is_line_mark(marks: str) -> bool:
    """Whether marks are a bullet of the quote's own line: none of the line before."""
    return not differences.without_line_marks(marks).strip()
