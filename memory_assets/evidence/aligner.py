"""From a quote to the exact characters it is, or a failure with a reason (requirements G-51, G-52, E-02 to E-13).

The stages are tried in order: exact, normalized, then both in the session's other messages. A stage answers with an
aligned evidence, with a refusal (something like the quote is there, but it says something else), or with nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from memory_assets.evidence import differences
from memory_assets.evidence.characters import (
    effective_length,
    folded_form,
    inner_offsets,
    surely_between,
    unified_form,
)
from memory_assets.evidence.differences import CONFIDENCE, Difference
from memory_assets.evidence.model import AlignedEvidence, AlignmentMethod, Evidence, FailedEvidence
from memory_assets.evidence.prepared import VIEWS, PreparedText, hidden_ranges, prepare

ALIGNER_VERSION = "1"
MAX_QUOTE_LENGTH = 500
MIN_RELOCATION_LENGTH = 12.0
"""Effective characters that a quote needs before it is looked for in other messages than the one it names."""

MIN_SIMILAR = 0.6
"""From here on a refused place is called similar: the quote fails as below_threshold, not as not_found."""

_MAX_REFUSED = 64  # places that are looked at and refused before the search of a message is given up
_MAX_EDGE = 40  # characters around a hit in which the quote's own edge marks are looked for
_PASSED = frozenset(("", "*", "**", "_", "`"))  # marks of a message that a quote may lack at its edges
_ESCAPE = re.compile(r"\\(n|t|r|\"|'|\\|/)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    end: int
    method: AlignmentMethod
    confidence: float
    further: int = 0


@dataclass(frozen=True, slots=True)
class _Refused:
    """The letters are there, but what stands between or around them changes what is said."""

    similarity: float


class Aligner:
    """Aligns quotes against messages and keeps what it worked out about each text.

    One aligner serves one session (or one batch): its cache holds every message that was needed, and goes with it.
    """

    def __init__(self, *, max_quote_length: int = MAX_QUOTE_LENGTH) -> None:
        self._max_quote_length = max_quote_length
        self._texts: dict[str, _Text] = {}

    def align(self, messages: Sequence[str], quote: str, message_index: int) -> Evidence:
        """The span of ``quote``, looked for in ``messages[message_index]`` first.

        Args:
            messages: the session's stored (masked) texts, in order; spans count their code points.
            message_index: the message that the extractor named, from 0. Out of range is a failure, never a guess.

        Returns:
            ``AlignedEvidence`` with ``messages[message_index][span_start:span_end] == matched_text``, or
            ``FailedEvidence`` with its reason. Never raises for any text.
        """
        if not quote.strip():
            return FailedEvidence(message_index, quote, "empty_quote")
        if len(quote) > self._max_quote_length:
            return FailedEvidence(message_index, quote, "quote_too_long")
        if not 0 <= message_index < len(messages):
            return FailedEvidence(message_index, quote, "index_out_of_range")
        wanted = _Quote(quote)
        here = self._text(messages[message_index]).find(wanted)
        if isinstance(here, _Hit):
            return _aligned(messages, wanted, here, message_index, message_index)
        elsewhere = self._find_elsewhere(messages, wanted, message_index)
        if elsewhere is not None:
            return elsewhere
        # An ellipsis inside the quote, and a quote that is only similar, would be looked for here, in this order; what
        # they find is never exact or normalized, so they cannot win over a place found above.
        if isinstance(here, _Refused) and here.similarity >= MIN_SIMILAR:
            return FailedEvidence(message_index, quote, "below_threshold", round(here.similarity, 4))
        return FailedEvidence(message_index, quote, "not_found")

    def _find_elsewhere(self, messages: Sequence[str], wanted: _Quote, claimed: int) -> AlignedEvidence | None:
        """The nearest other message that has the quote, exact before normalized (requirement X-08)."""
        if effective_length(wanted.quote) < MIN_RELOCATION_LENGTH:
            return None
        order = sorted((i for i in range(len(messages)) if i != claimed), key=lambda i: (abs(i - claimed), i))
        for exactly in (True, False):
            found: AlignedEvidence | None = None
            for index in order:
                text = self._text(messages[index])
                hit = text.find_exact(wanted) if exactly else text.find_normalized(wanted)
                if not isinstance(hit, _Hit):
                    continue
                if found is None:
                    found = _aligned(messages, wanted, hit, index, claimed)
                else:
                    count = found.alternative_count + 1 + hit.further
                    found = replace(found, ambiguous=True, alternative_count=count)
            if found is not None:
                return found
        return None

    def _text(self, text: str) -> _Text:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = _Text(text)
        return known


def align(messages: Sequence[str], quote: str, message_index: int) -> Evidence:
    """One quote on its own; see ``Aligner.align``. For many quotes of a session keep one ``Aligner``."""
    return Aligner().align(messages, quote, message_index)


class _Quote:
    """A quote and the ways in which it may have been written down, prepared when they are needed."""

    def __init__(self, quote: str) -> None:
        self.quote = quote
        self._spellings: list[tuple[PreparedText, Difference]] | None = None

    @property
    def spellings(self) -> list[tuple[PreparedText, Difference]]:
        """The quote with JSON escapes undone, and as it is, each with the difference that this alone amounts to.

        Nothing is ever dropped from a quote: what it says, also in a link target or a list number, must be there.
        """
        if self._spellings is None:
            spellings = [(prepare(self.quote), Difference.NONE)]
            if "\\" in self.quote:
                undone = _ESCAPE.sub(lambda m: _ESCAPED.get(m.group(1), m.group(1)), self.quote)
                spellings.insert(0, (prepare(undone), Difference.MARKUP))
            self._spellings = [(prepared, floor) for prepared, floor in spellings if prepared.skeleton]
        return self._spellings


class _Text:
    """A message's text and, made when first needed, what the stages look their quotes up in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._inner: frozenset[int] | None = None
        self._views: dict[int, PreparedText] = {}

    def find(self, wanted: _Quote) -> _Hit | _Refused | None:
        return self.find_exact(wanted) or self.find_normalized(wanted)

    def find_exact(self, wanted: _Quote) -> _Hit | None:
        """The first verbatim occurrence that cuts no grapheme cluster, and how many follow it."""
        quote, text = wanted.quote, self.text
        first = text.find(quote)
        if first < 0:
            return None
        spans: list[int] = []
        position = first
        while position >= 0:
            end = position + len(quote)
            if self._is_boundary(position) and self._is_boundary(end):
                spans.append(position)
                position = text.find(quote, end)
            else:
                position = text.find(quote, position + 1)
        if not spans:
            return None
        return _Hit(spans[0], spans[0] + len(quote), "exact", 1.0, len(spans) - 1)

    def find_normalized(self, wanted: _Quote) -> _Hit | _Refused | None:
        """The best place that has the quote's letters and digits and differs in nothing that matters."""
        best: _Hit | None = None
        refused: _Refused | None = None
        for view in range(VIEWS):
            if view and self.view(view) is self.view(view - 1):
                continue
            for spelling, floor in wanted.spellings:
                match self._find_skeleton(spelling, floor, self.view(view)):
                    case _Hit() as hit:
                        best = hit if best is None or hit.confidence > best.confidence else best
                    case _Refused() as other:
                        refused = refused or other
                    case None:
                        pass
            if best is not None and best.confidence > CONFIDENCE[Difference.PUNCTUATION]:
                break  # else a mark of the quote may still be found behind a link target
        return best or refused

    def _find_skeleton(self, quote: PreparedText, floor: Difference, message: PreparedText) -> _Hit | _Refused | None:
        best: _Hit | None = None
        refused: _Refused | None = None
        accepted = rejected = 0
        for low, high in _occurrences(quote, message):
            start, end, difference = self._judge(quote, message, low, high)
            difference = max(difference, floor)
            if difference is Difference.CRITICAL:
                rejected += 1
                if refused is None:
                    refused = _Refused(_similarity(quote.text, self.text[start:end]))
                if rejected >= _MAX_REFUSED:
                    break
                continue
            accepted += 1
            confidence = CONFIDENCE[difference]
            if best is None or confidence > best.confidence:
                best = _Hit(start, end, "normalized", confidence)
        return refused if best is None else replace(best, further=accepted - 1)

    def _judge(self, quote: PreparedText, message: PreparedText, low: int, high: int) -> tuple[int, int, Difference]:
        """The span in the original of the characters ``low`` to ``high`` of the skeleton, and how far the quote is."""
        worst = Difference.NONE
        if quote.cased != message.cased[low:high]:
            worst = Difference.CASE
        start, end = message.starts[low], message.ends[high - 1]
        lead, trail = quote.text[: quote.starts[0]], quote.text[quote.ends[-1] :]
        if quote.text[quote.starts[0] : quote.ends[-1]] != self.text[start:end]:
            worst = max(worst, Difference.WHITESPACE, _gaps(quote, message, low, high))
        start, lead_left = self._grow_back(start, unified_form(folded_form(lead)), message)
        end, trail_left = self._grow_on(end, unified_form(folded_form(trail)), message)
        for left in (lead_left, trail_left):
            if left:
                worst = max(worst, Difference.MARKUP if differences.is_markup(left) else Difference.PUNCTUATION)
        if worst is not Difference.CRITICAL and (
            _cuts(message, low, high)
            or differences.operators(differences.without_line_marks(lead_left), "", quote.cased[0])
            or differences.operators(trail_left, quote.cased[-1], "")
            or self._hides_a_sign(start, end, message.cased[low], message.cased[high - 1])
        ):
            worst = Difference.CRITICAL
        return start, end, worst

    def _hides_a_sign(self, start: int, end: int, first: str, last: str) -> bool:
        """Whether a sign, a currency, a per cent or a logical not stands right before or behind the span."""
        before = folded_form(self.text[max(0, start - 3) : start])
        attached = unified_form(before[len(before.rstrip("-+.$€£¥₩~<>=!±≤≥−")) :])
        if attached and first.isdigit():
            left = before[-len(attached) - 1 : -len(attached)]
            if differences.operators(attached, left, first):
                return True
        if attached.endswith("!") and len(attached) == len(before) and first.isalnum():
            return True
        return last.isdigit() and folded_form(self.text[end : end + 1])[:1] in ("%", "‰", "°") and end < len(self.text)

    def _grow_back(self, start: int, marks: str, message: PreparedText) -> tuple[int, str]:
        """Moves a start back over the marks that the quote begins with; also what of them is not there."""
        position = start
        while marks.strip() and position > 0 and start - position < _MAX_EDGE:
            before = message.hidden_before(position)
            if before == position:
                before -= 1
                while before in self.inner:
                    before -= 1
                unit = unified_form(folded_form(self.text[before:position])).strip()
                if unit and marks.rstrip().endswith(unit):
                    marks, start = marks.rstrip()[: -len(unit)], before
                elif unit not in _PASSED:
                    break
            position = before
        return start, marks if marks.strip() else ""

    def _grow_on(self, end: int, marks: str, message: PreparedText) -> tuple[int, str]:
        """Moves an end on over the marks that the quote ends with; also what of them is not there."""
        position = end
        while marks.strip() and position < len(self.text) and position - end < _MAX_EDGE:
            after = message.hidden_after(position)
            if after == position:
                after += 1
                while after in self.inner:
                    after += 1
                unit = unified_form(folded_form(self.text[position:after])).strip()
                if unit and marks.lstrip().startswith(unit):
                    marks, end = marks.lstrip()[len(unit) :], after
                elif unit not in _PASSED:
                    break
            position = after
        return end, marks if marks.strip() else ""

    def _is_boundary(self, offset: int) -> bool:
        return surely_between(self.text, offset) or offset not in self.inner

    @property
    def inner(self) -> frozenset[int]:
        if self._inner is None:
            self._inner = inner_offsets(self.text)
        return self._inner

    def view(self, view: int) -> PreparedText:
        if view not in self._views:
            hidden = hidden_ranges(self.text, view)
            same = view > 0 and hidden == self.view(view - 1).dropped
            self._views[view] = self.view(view - 1) if same else prepare(self.text, hidden)
        return self._views[view]


def _occurrences(quote: PreparedText, message: PreparedText) -> Iterator[tuple[int, int]]:
    """Where a quote's skeleton stands in a message's, without overlaps; never from or to the middle of a cluster."""
    length = len(quote.skeleton)
    position = message.skeleton.find(quote.skeleton)
    while position >= 0:
        end = position + length
        cut_before = position > 0 and message.starts[position - 1] == message.starts[position]
        cut_behind = end < len(message.skeleton) and message.starts[end - 1] == message.starts[end]
        if not cut_before and not cut_behind:
            yield position, end
        position = message.skeleton.find(quote.skeleton, end)


def _gaps(quote: PreparedText, message: PreparedText, low: int, high: int) -> Difference:
    """The worst difference between the letters of a quote and those of a place."""
    worst = Difference.NONE
    for offset in range(high - low - 1):
        asked = quote.text[quote.ends[offset] : quote.starts[offset + 1]]
        there = message.text[message.ends[low + offset] : message.starts[low + offset + 1]]
        if message.dropped:
            there = message.between(message.ends[low + offset], message.starts[low + offset + 1])
        if asked != there:
            worst = max(worst, differences.between(asked, there, quote.cased[offset], quote.cased[offset + 1]))
            if worst is Difference.CRITICAL:
                break
    return worst


def _cuts(message: PreparedText, low: int, high: int) -> bool:
    """Whether a place begins or ends inside a word of Latin letters or a number: "able" in "unable", "5" in "1,500"."""
    for left, right in ((low - 1, low), (high - 1, high)):
        if left < 0 or right >= len(message.skeleton):
            continue
        gap = folded_form(message.text[message.ends[left] : message.starts[right]])
        one, other = message.cased[left], message.cased[right]
        if not gap and one.isascii() and other.isascii():
            return True
        if gap in (".", ",") and one.isdigit() and other.isdigit():
            return True
    return False


def _aligned(messages: Sequence[str], wanted: _Quote, hit: _Hit, index: int, claimed: int) -> AlignedEvidence:
    matched = messages[index][hit.start : hit.end]
    return AlignedEvidence(
        message_index=index,
        claimed_message_index=claimed,
        quote=wanted.quote,
        span_start=hit.start,
        span_end=hit.end,
        matched_text=matched,
        segments=((hit.start, hit.end),),
        method=hit.method,
        confidence=hit.confidence,
        similarity=1.0 if hit.method == "exact" else _similarity(wanted.quote, matched),
        ambiguous=hit.further > 0,
        alternative_count=hit.further,
        relocated=index != claimed,
    )


def _similarity(quote: str, matched: str) -> float:
    """1 - Levenshtein / longer length, whitespace runs as one space (requirement E-07)."""
    one, other = (" ".join(folded_form(text).split()) for text in (quote, matched))
    return round(Levenshtein.normalized_similarity(one, other), 4)
