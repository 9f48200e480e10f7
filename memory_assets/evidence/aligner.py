"""From a quote to the exact characters it is, or a failure with a reason.

The stages are tried in order: exact, normalized, both in the session's other messages, with an ellipsis, fuzzy. What an
earlier stage finds no later one can win over.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from memory_assets.evidence.critical import critical_differences, joins_otherwise
from memory_assets.evidence.edges import cuts_off, whole_words
from memory_assets.evidence.ellipsis import smallest_hull
from memory_assets.evidence.fuzzy import similar_places
from memory_assets.evidence.message_text import MessageText
from memory_assets.evidence.model import AlignedEvidence, AlignmentMethod, Evidence, FailedEvidence, Span
from memory_assets.evidence.normalized import NormalizedHit, Refused, find_normalized, with_outer_marks
from memory_assets.evidence.prepared import PreparedText
from memory_assets.evidence.wanted_quote import WantedQuote
from memory_assets.text.characters import folded_form
from memory_assets.text.differences import CONFIDENCE, Difference

ALIGNER_VERSION = "2"
FUZZY_THRESHOLD = 0.85
MAX_QUOTE_LENGTH = 500
MIN_FUZZY_LENGTH = 10.0
"""Effective characters that a quote needs to be looked for by similarity."""
MIN_RELOCATION_LENGTH = 12.0
"""Effective characters that a quote needs before it is looked for in other messages than the one it names."""
MIN_SIMILAR = 0.6
"""From here on a refused place is called similar: the quote fails as below_threshold, not as not_found."""
HIGHEST_FUZZY = 0.9499
ELLIPSIS_CONFIDENCE = 0.95

_LEFT_OUT = " … "
_COMPARED = 3  # similar places of one reading that are compared in full
_MIN_TEXT_SIMILARITY = 0.8  # of the whole text, marks and spaces too, where the letters alone reach the threshold


@dataclass(frozen=True, slots=True)
class _Hit:
    """A place in one message.

    Attributes:
        spans: the place that is taken first, then others that are just as good.
        count: how many there are in all.
        similarity: None where it is still to be worked out.
    """

    spans: tuple[Span, ...]
    count: int
    method: AlignmentMethod
    confidence: float
    segments: tuple[Span, ...] = ()
    similarity: float | None = None
    critical: bool = False


@dataclass(frozen=True, slots=True)
class _SimilarPlace:
    """A place, and the two texts that were compared: a spelling of the quote, and one reading of the place."""

    similarity: float
    span: Span
    quote: str
    text: str


@dataclass(frozen=True, slots=True)
class _Similar:
    """The most similar place of a message, which is not similar enough."""

    similarity: float


class Aligner:
    """Aligns quotes against messages and keeps what it worked out about each text.

    One aligner serves one session (or one batch): its cache holds every message that was needed, and goes with it.
    """

    def __init__(
        self, *, max_quote_length: int = MAX_QUOTE_LENGTH, fuzzy: bool = True, fuzzy_threshold: float = FUZZY_THRESHOLD
    ) -> None:
        self._max_quote_length = max_quote_length
        self._fuzzy = fuzzy
        self._fuzzy_threshold = fuzzy_threshold
        self._texts: dict[str, MessageText] = {}

    def align(
        self, messages: Sequence[str], quote: str, message_index: int, *, near: Sequence[tuple[int, int]] = ()
    ) -> Evidence:
        """The span of ``quote``, looked for in ``messages[message_index]`` first.

        Args:
            messages: the session's stored (masked) texts, in order; spans count their code points.
            message_index: the message that the extractor named, from 0. Out of range is a failure, never a guess.
            near: message and offset of other quotes of the entry; of equal places the one nearest to them is taken, the
                first one where there are none in that message.

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
        here = self._text(messages[message_index])
        spans, count = here.exact_spans(quote)
        if spans:  # most quotes, so without a detour
            start, end = _nearest(spans, message_index, near)
            return AlignedEvidence(
                message_index=message_index,
                claimed_message_index=message_index,
                quote=quote,
                span_start=start,
                span_end=end,
                matched_text=quote,
                segments=((start, end),),
                method="exact",
                confidence=1.0,
                critical=cuts_off(here.text, start, end),
                ambiguous=count > 1,
                alternative_count=count - 1,
            )
        wanted = WantedQuote(quote)
        hit = _normalized(here, wanted)
        if isinstance(hit, _Hit):
            return _aligned(here, wanted, hit, message_index, message_index, near)
        elsewhere = self._elsewhere(messages, wanted, message_index, near)
        if elsewhere is not None:
            return elsewhere
        match _with_ellipsis(here, wanted) or self._similar(here, wanted, hit):
            case _Hit() as found:
                return _aligned(here, wanted, found, message_index, message_index, near)
            case _Similar(similarity) if similarity >= MIN_SIMILAR:
                return FailedEvidence(message_index, quote, "below_threshold", round(similarity, 4))
            case _:
                return FailedEvidence(message_index, quote, "not_found")

    def _elsewhere(
        self, messages: Sequence[str], wanted: WantedQuote, claimed: int, near: Sequence[tuple[int, int]]
    ) -> AlignedEvidence | None:
        """The nearest other message that has the quote, exact before normalized."""
        if wanted.effective_length < MIN_RELOCATION_LENGTH:
            return None
        order = sorted((i for i in range(len(messages)) if i != claimed), key=lambda i: (abs(i - claimed), i))
        for stage in (_exact, _normalized):
            first: tuple[int, _Hit] | None = None
            count = 0
            for index in order:
                hit = stage(self._text(messages[index]), wanted)
                if isinstance(hit, _Hit):
                    first = first or (index, hit)
                    count += hit.count
            if first is not None:
                index, hit = first
                hit = replace(hit, count=count)
                return _aligned(self._text(messages[index]), wanted, hit, index, claimed, near)
        return None

    def _similar(self, here: MessageText, wanted: WantedQuote, refused: Refused | None) -> _Hit | _Similar | None:
        """The most similar place, accepted from the threshold on; flagged when it says something else."""
        if not self._fuzzy or wanted.effective_length < MIN_FUZZY_LENGTH or not wanted.spellings:
            return None if refused is None else _Similar(_similarity(wanted.quote, here.text[slice(*refused.span)]))
        places: list[_SimilarPlace] = []
        if refused is not None:
            span = _whole(here, refused.span)
            text = here.text[slice(*span)]
            places.append(_SimilarPlace(_similarity(wanted.quote, text), span, wanted.quote, text))
        for quote, _ in wanted.spellings:
            plain = self._similar_in(here, here.plain, quote)
            places += plain
            for reading in here.other_readings(quote.skeleton):
                # What is hidden far from a place that is similar enough makes no difference to it.
                if not any(place.similarity >= self._fuzzy_threshold and not reading.hides_in(*place.span) for place in plain):
                    places += self._similar_in(here, reading, quote)
        if not places:
            return None
        best = max(places, key=lambda place: (place.similarity, -place.span[0]))
        if best.similarity < self._fuzzy_threshold:
            return _Similar(best.similarity)
        others = {place.span for place in places if place.similarity == best.similarity and place.span[0] >= best.span[1]}
        return _Hit(
            spans=(best.span, *sorted(others)),
            count=1 + len(others),
            method="fuzzy",
            confidence=round(min(best.similarity, HIGHEST_FUZZY), 4),
            similarity=round(best.similarity, 4),
            critical=_overlaps(refused, best.span) or bool(critical_differences(best.quote, best.text)),
        )

    def _similar_in(self, here: MessageText, reading: PreparedText, quote: PreparedText) -> list[_SimilarPlace]:
        """The most similar places in one reading; the letters alone decide where marks and spaces agree well enough."""
        found: list[_SimilarPlace] = []
        for place in similar_places(quote, reading, self._fuzzy_threshold)[:_COMPARED]:
            placed = reading.placed(place.low, place.high)
            if not placed.starts:
                continue
            span = _whole(here, with_outer_marks(here, reading, quote, placed.starts[0], placed.ends[-1])[0])
            text = reading.between(*span)
            letters, whole = place.similarity(len(quote.skeleton)), _similarity(quote.text, text)
            similarity = max(letters, whole) if whole >= _MIN_TEXT_SIMILARITY else whole
            found.append(_SimilarPlace(similarity, span, quote.text, text))
        return found

    def _text(self, text: str) -> MessageText:
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = MessageText(text)
        return known


def align(messages: Sequence[str], quote: str, message_index: int) -> Evidence:
    """One quote on its own; see ``Aligner.align``. For many quotes of a session keep one ``Aligner``."""
    return Aligner().align(messages, quote, message_index)


def _exact(message: MessageText, wanted: WantedQuote) -> _Hit | None:
    spans, count = message.exact_spans(wanted.quote)
    if not spans:
        return None
    return _Hit(spans, count, "exact", 1.0, similarity=1.0, critical=cuts_off(message.text, *spans[0]))


def _normalized(message: MessageText, wanted: WantedQuote) -> _Hit | Refused | None:
    """The best place that has the quote's letters and digits and differs in nothing that matters."""
    if not wanted.spellings:
        return None
    best = find_normalized(message, wanted, message.plain)
    if isinstance(best, NormalizedHit) and best.confidence > CONFIDENCE[Difference.PUNCTUATION]:
        return _normalized_hit(best)
    # A mark of the quote may stand behind a link target, and so may its letters.
    for reading in message.other_readings(wanted.spellings[0][0].skeleton):
        match find_normalized(message, wanted, reading):
            case NormalizedHit() as hit:
                best = hit if not isinstance(best, NormalizedHit) or hit.confidence > best.confidence else best
            case Refused() as refused:
                best = best or refused
            case None:
                pass
        if isinstance(best, NormalizedHit) and best.confidence > CONFIDENCE[Difference.PUNCTUATION]:
            break
    return _normalized_hit(best) if isinstance(best, NormalizedHit) else best


def _normalized_hit(hit: NormalizedHit) -> _Hit:
    return _Hit(hit.spans, hit.count, "normalized", hit.confidence)


def _with_ellipsis(message: MessageText, wanted: WantedQuote) -> _Hit | None:
    """The parts around an ellipsis, in order and as close together as they stand (step 4)."""
    if not wanted.parts:
        return None
    places: list[tuple[Span, ...]] = []
    for part in wanted.parts:
        hit = _exact(message, part) or _normalized(message, part)
        if not isinstance(hit, _Hit):
            return None
        places.append(hit.spans)
    segments = smallest_hull(places)
    if segments is None:
        return None
    gaps = itertools.pairwise(segments)
    quoted = _LEFT_OUT.join(part.quote for part in wanted.parts)
    return _Hit(
        spans=((segments[0][0], segments[-1][1]),),
        count=1,
        method="normalized",
        confidence=ELLIPSIS_CONFIDENCE,
        segments=segments,
        similarity=_similarity(quoted, _LEFT_OUT.join(message.text[low:high] for low, high in segments)),
        critical=any(cuts_off(message.text, *segment) for segment in segments)
        or any(joins_otherwise(message.text, one[1], other[0]) for one, other in gaps),
    )


def _aligned(
    message: MessageText, wanted: WantedQuote, hit: _Hit, index: int, claimed: int, near: Sequence[tuple[int, int]]
) -> AlignedEvidence:
    start, end = _nearest(hit.spans, index, near)
    segments = hit.segments or ((start, end),)
    matched = message.text[start:end]
    similarity = hit.similarity
    if similarity is None:
        similarity = _similarity(wanted.quote, matched)
    return AlignedEvidence(
        message_index=index,
        claimed_message_index=claimed,
        quote=wanted.quote,
        span_start=start,
        span_end=end,
        matched_text=matched,
        segments=segments,
        method=hit.method,
        confidence=hit.confidence,
        similarity=similarity,
        ambiguous=hit.count > 1,
        alternative_count=hit.count - 1,
        relocated=index != claimed,
        critical=hit.critical,
    )


def _whole(here: MessageText, span: Span) -> Span:
    """A span that cuts no Latin word, no number and no cluster."""
    start, end = whole_words(here.text, *span)
    return here.boundary_before(start + 1), here.boundary_after(end)


def _overlaps(refused: Refused | None, span: Span) -> bool:
    """Whether a place is the one that has the quote's letters, and what lies between them says something else."""
    return refused is not None and refused.span[0] < span[1] and span[0] < refused.span[1]


def _nearest(spans: Sequence[Span], message_index: int, near: Sequence[tuple[int, int]]) -> Span:
    """Of equal places the one that lies nearest to another quote of the entry; the first one where none does."""
    offsets = [offset for index, offset in near if index == message_index] if len(spans) > 1 else []
    return min(spans, key=lambda span: min(abs(span[0] - offset) for offset in offsets)) if offsets else spans[0]


def _similarity(quote: str, matched: str) -> float:
    """1 - Levenshtein / longer length, whitespace runs as one space, case folded."""
    one, other = (" ".join(folded_form(text).casefold().split()) for text in (quote, matched))
    return round(Levenshtein.normalized_similarity(one, other), 4)
