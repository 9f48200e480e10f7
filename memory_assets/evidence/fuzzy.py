"""The place in a text that is most like a damaged quote.

Candidates come from intact pieces; each is measured once, between edges that are moved to the quote's own first and last
word. Nothing slides a window over the text: work grows with the quote, and with the text only as ``str.find`` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from memory_assets.evidence.candidates import FEW_PIECES, Candidate, PieceHit, candidates, piece_count, piece_hits
from memory_assets.evidence.prepared import Edge, PreparedText
from memory_assets.text.characters import unified_form

_MAX_MEASURED = 12
_LONGEST_WORD = 24  # letters that an edge moves out of a word at most
_ANCHORS = 3
# Percent by rapidfuzz's measure that a stretch as long as the quote keeps, when a longer one is 85 % like the quote.
_LEAST_RATIO = 70.0


@dataclass(frozen=True, slots=True)
class SimilarRange:
    """Characters ``low`` to ``high`` of a skeleton that are like the quote's, and how many edits lie between the two."""

    low: int
    high: int
    edits: int

    def similarity(self, length: int) -> float:
        return 1 - self.edits / max(length, self.high - self.low)


def allowed_edits(length: int, threshold: float) -> int:
    """Edits that a quote of so many letters may be away from its place."""
    return int(length * (1 - threshold) / threshold) + 1


def similar_places(quote: PreparedText, message: PreparedText, threshold: float) -> list[SimilarRange]:
    """Where a quote may stand, the most similar place first; also places that are not similar enough.

    A place with fewer edits than the quote was cut into pieces cannot have been missed. Where that decides nothing, one
    pass over the text names the stretch that is most like the quote, and small pieces are looked for there alone.
    """
    wanted = quote.skeleton
    limit = allowed_edits(len(wanted), threshold)
    pieces = piece_count(wanted, FEW_PIECES)
    found = _measured(quote, message, candidates(message.piece_hits(wanted, FEW_PIECES), pieces, limit), limit)
    if limit < pieces or (found and found[0].edits < pieces):
        return found
    best = fuzz.partial_ratio_alignment(wanted, message.skeleton, score_cutoff=_LEAST_RATIO)
    if best is None:
        return found
    start, end = max(0, best.dest_start - limit), best.dest_end + limit
    hits = piece_hits(wanted, message.skeleton[start:end], limit + 1)
    shifted = [PieceHit(hit.offset, hit.length, hit.position + start) for hit in hits]
    finer = _measured(quote, message, candidates(shifted, piece_count(wanted, limit + 1), limit), limit)
    return sorted({*found, *finer}, key=lambda place: (place.edits, place.low))


def _measured(quote: PreparedText, message: PreparedText, proposed: list[Candidate], limit: int) -> list[SimilarRange]:
    places: dict[tuple[int, int], SimilarRange] = {}
    fewest = limit + 1
    for candidate in proposed[:_MAX_MEASURED]:
        if places and candidate.least_edits > fewest:
            break
        place = _measure(quote, message, candidate, limit)
        places.setdefault((place.low, place.high), place)
        fewest = min(fewest, place.edits)
    return sorted(places.values(), key=lambda place: (place.edits, place.low))


def _measure(quote: PreparedText, message: PreparedText, candidate: Candidate, limit: int) -> SimilarRange:
    """The edges as the outermost pieces show them; a piece that stands there by chance is outdone by the next one."""
    wanted, text = quote.skeleton, message.skeleton
    start, end = _QuoteEnd(quote, message, -1, limit), _QuoteEnd(quote, message, 1, limit)
    first, last = candidate.hits[0], candidate.hits[-1]
    low, high = start.position(first.offset, first.position), end.position(last.end, last.position + last.length)
    edits = Levenshtein.distance(wanted, text[low:high])
    if edits <= 2 * candidate.least_edits + 1:
        return SimilarRange(low, high, edits)
    for hit in () if start.is_own_word(low) else candidate.hits[1:_ANCHORS]:
        other = start.position(hit.offset, hit.position)
        edits, low = min((edits, low), (Levenshtein.distance(wanted, text[other:high]), other))
    for hit in () if end.is_own_word(high) else candidate.hits[-_ANCHORS:-1]:
        other = end.position(hit.end, hit.position + hit.length)
        edits, high = min((edits, high), (Levenshtein.distance(wanted, text[low:other]), other))
    return SimilarRange(low, high, edits)


class _QuoteEnd:
    """One end of a quote, looked for in a message: ``direction`` is -1 for its beginning and 1 for its end."""

    def __init__(self, quote: PreparedText, message: PreparedText, direction: int, limit: int) -> None:
        self._quote = quote
        self._message = message
        self._direction = direction
        self._limit = limit
        self._outer = 0 if direction < 0 else len(quote.skeleton)
        self._mark = _mark(quote, self._outer, direction)

    def position(self, offset: int, anchor: int) -> int:
        """Where this end is, when the quote's letter at ``offset`` is the message's at ``anchor``.

        Never inside a Latin word or a number. Of places with equally many edits one that is a word's edge wins, then the
        one nearest to where it would be unharmed; the quote's own mark beside a place makes up for one edit. Where the
        end is damaged, the quote's own outermost word decides if it stands near: what the quote leaves out behind it
        belongs to the place.
        """
        message, skeleton = self._message, self._message.skeleton
        part = self._quote.skeleton[:offset] if self._direction < 0 else self._quote.skeleton[offset:]
        expected = anchor + self._direction * len(part)
        best: tuple[int, int, int] | None = None
        chosen = max(0, min(expected, len(skeleton)))
        for position in self._nearest_first(expected, anchor, min(self._limit, len(part)) + 2):
            if best is not None and abs(position - expected) - 2 > best[0]:
                break  # so many letters more or less are at least as many edits
            between = skeleton[position:anchor] if self._direction < 0 else skeleton[anchor:position]
            edits = 0
            if between != part:
                edits = Levenshtein.distance(part, between, score_cutoff=None if best is None else best[0] + 1)
                if best is not None and edits > best[0] + 1:
                    continue
            distance = abs(position - expected)
            if best is not None and (edits - bool(self._mark), Edge.WORD, distance) >= best:
                continue
            edge = message.edge(position)
            if edge >= Edge.INSIDE:
                continue
            marked = self._mark != "" and _mark(message, position, self._direction) == self._mark
            rank = (edits - marked, edge, distance)
            if best is None or rank < best:
                best, chosen = rank, position
            if rank == (0, Edge.WORD, 0) and not self._mark:
                break
        if best is None:
            return _out_of_word(message, chosen, self._direction)
        return chosen if best[0] <= 0 else self._own_word(offset, anchor, chosen)

    def is_own_word(self, position: int) -> bool:
        """Whether the message has the quote's outermost word at this end, whole."""
        inner = self._inner_end
        word = self._quote.skeleton[:inner] if self._direction < 0 else self._quote.skeleton[inner:]
        start = position if self._direction < 0 else position - len(word)
        ends = (start, start + len(word))
        return (
            start >= 0
            and self._message.skeleton.startswith(word, start)
            and all(self._message.edge(end) == Edge.WORD for end in ends)
        )

    def _own_word(self, offset: int, anchor: int, chosen: int) -> int:
        """A place near an edge where the message has the quote's outermost word; the edge as it is where there is none.

        One word may be left out on the way; more than one, and another sentence that ends alike would be taken in.
        """
        skeleton, inner = self._message.skeleton, self._inner_end
        word = self._quote.skeleton[:inner] if self._direction < 0 else self._quote.skeleton[inner:]
        if self._direction < 0:
            if offset < inner or skeleton.startswith(word, chosen):
                return chosen
            outer = skeleton.rfind(word, max(0, chosen - self._limit - len(word)), chosen + len(word))
            ends = (outer, outer + len(word))
        else:
            if offset > inner or skeleton.endswith(word, 0, chosen):
                return chosen
            start = skeleton.find(word, max(0, chosen - len(word)), chosen + self._limit + len(word))
            outer = start if start < 0 else start + len(word)
            ends = (outer, outer - len(word))
        if outer < 0 or any(self._message.edge(end) != Edge.WORD for end in ends):
            return chosen
        left_out = _words(self._message, ends[1], anchor) - _words(self._quote, inner, offset)
        return outer if left_out <= 1 else chosen

    @cached_property
    def _inner_end(self) -> int:
        """Where the quote's outermost word ends towards its middle."""
        position = self._outer - self._direction
        while 0 < position < len(self._quote.skeleton) and self._quote.edge(position) != Edge.WORD:
            position -= self._direction
        return position

    def _nearest_first(self, expected: int, anchor: int, reach: int) -> Iterator[int]:
        """Places around an expected edge, the nearest first, on the side of the anchor that the edge is on."""
        low, high = max(0, expected - reach), min(len(self._message.skeleton), expected + reach)
        if self._direction < 0:
            high = min(high, anchor)
        else:
            low = max(low, anchor)
        for step in range(max(expected - low, high - expected) + 1):
            if low <= expected - step <= high:
                yield expected - step
            if step and low <= expected + step <= high:
                yield expected + step


def _out_of_word(message: PreparedText, position: int, direction: int) -> int:
    for _ in range(_LONGEST_WORD):
        if message.edge(position) < Edge.INSIDE:
            break
        position += direction
    return position


def _words(prepared: PreparedText, one: int, other: int) -> int:
    """How many words lie between two places of a skeleton, the rest of one that is cut counted too."""
    low, high = min(one, other), max(one, other)
    if low == high:
        return 0
    between = prepared.placed(low, high)
    return len(prepared.text[between.starts[0] : between.ends[-1]].split())


def _mark(prepared: PreparedText, position: int, direction: int) -> str:
    """The mark that adjoins a place between two letters, on the outer side; empty where a space or a letter does."""
    if direction < 0:
        if position >= len(prepared.skeleton):
            return ""
        start = prepared.placed(position, position + 1).starts[0]
        found = prepared.text[start - 1 : start] if start else ""
    else:
        if position <= 0:
            return ""
        end = prepared.placed(position - 1, position).ends[0]
        found = prepared.text[end : end + 1]
    return "" if found.isalnum() else unified_form(found).strip()
