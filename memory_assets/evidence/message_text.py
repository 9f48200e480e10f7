"""A message's text and, made when first needed, what the stages look their quotes up in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from memory_assets.evidence.candidates import FEW_PIECES, candidates, piece_count
from memory_assets.evidence.model import Span
from memory_assets.evidence.prepared import VIEWS, PreparedText, Ranges, hidden_ranges
from memory_assets.text.characters import inner_offsets, is_certain_boundary

WHOLE = 4_000
"""Characters up to which every reading of a message is prepared whole; of a longer one, only around likely places."""
_MARGIN = 600
_MAX_REGIONS = 4


class MessageText:
    """A text and its readings: as it is; without link targets and comments; without list numbers; without tags."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._readings: dict[tuple[int, int, int], PreparedText] = {}

    @cached_property
    def plain(self) -> PreparedText:
        """The whole text as it is."""
        return PreparedText(self.text)

    def other_readings(self, skeleton: str) -> Iterator[PreparedText]:
        """The readings that leave something out, where a quote with this skeleton may stand."""
        for start, end in self._regions(skeleton):
            known: Ranges = ()
            for view in range(1, VIEWS):
                reading = self._reading(start, end, view)
                if reading.dropped != known:
                    known = reading.dropped
                    yield reading

    def exact_spans(self, quote: str, limit: int = 64) -> tuple[tuple[Span, ...], int]:
        """The first verbatim occurrences that cut no grapheme cluster, and how many there are in all."""
        text = self.text
        position = text.find(quote)
        if position < 0:
            return (), 0
        spans: list[Span] = []
        count = 0
        while position >= 0:
            end = position + len(quote)
            if self.is_boundary(position) and self.is_boundary(end):
                count += 1
                if count <= limit:
                    spans.append((position, end))
                position = text.find(quote, end)
            else:
                position = text.find(quote, position + 1)
        return tuple(spans), count

    def is_boundary(self, offset: int) -> bool:
        """Whether an offset is between two grapheme clusters."""
        return is_certain_boundary(self.text, offset) or offset not in self._inner

    def boundary_after(self, offset: int) -> int:
        """The first cluster boundary at an offset or behind it."""
        while offset < len(self.text) and not self.is_boundary(offset):
            offset += 1
        return offset

    def boundary_before(self, offset: int) -> int:
        """The last cluster boundary in front of an offset."""
        offset -= 1
        while offset > 0 and not self.is_boundary(offset):
            offset -= 1
        return offset

    @cached_property
    def _inner(self) -> frozenset[int]:
        return inner_offsets(self.text)

    def _reading(self, start: int, end: int, view: int) -> PreparedText:
        known = self._readings.get((start, end, view))
        if known is None:
            hidden = hidden_ranges(self.text, view, start, end)
            dropped = tuple((self.boundary_after(low), self.boundary_after(high)) for low, high in hidden)
            if view > 1 and dropped == self._reading(start, end, view - 1).dropped:
                known = self._reading(start, end, view - 1)
            else:
                known = PreparedText(self.text, dropped, start, end)
            self._readings[(start, end, view)] = known
        return known

    def _regions(self, skeleton: str) -> Sequence[Span]:
        """Where other readings are worth preparing: everywhere in a short text, else around pieces of the quote."""
        if len(self.text) <= WHOLE:
            return [(0, len(self.text))]
        regions: list[Span] = []
        margin = _MARGIN + 2 * len(skeleton)
        hits = self.plain.piece_hits(skeleton, FEW_PIECES)
        for candidate in candidates(hits, piece_count(skeleton, FEW_PIECES), len(skeleton))[:_MAX_REGIONS]:
            first, last = candidate.hits[0], candidate.hits[-1]
            start = self._line_start(self.plain.offset_of(first.position) - margin)
            end = self.boundary_after(min(len(self.text), self.plain.offset_of(last.position) + margin))
            if not any(start < high and low < end for low, high in regions):
                regions.append((start, end))
        return regions

    def _line_start(self, offset: int) -> int:
        """A boundary at an offset or in front of it, a line's start where one is near: marks of lists stand there."""
        if offset <= 0:
            return 0
        line = self.text.rfind("\n", max(0, offset - _MARGIN), offset) + 1
        return self.boundary_after(line or offset)
