"""Regions of a text that are to be masked, and the masking itself.

A masked region becomes ``[KIND]`` followed by the region's line breaks; nothing else of the text changes, so line
numbers stay what they were. Regions that touch stay two markers; regions that overlap become one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# What str.splitlines() calls a line break. CRLF first: it is one break.
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")

# Above every end of a span: bisecting by (position, _BEYOND) finds the last span that begins at or before it.
_BEYOND = 1 << 62


@dataclass(frozen=True, slots=True)
class Region:
    """Half-open range of code points that must not be stored.

    Attributes:
        rank: where regions overlap, the kind of the lowest rank names the whole.
    """

    start: int
    end: int
    kind: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Markers:
    """Where a text holds markers of an earlier masking, so that masking twice equals masking once."""

    spans: tuple[tuple[int, int], ...]

    def holds(self, position: int) -> bool:
        """Whether a position lies inside a marker, its brackets included."""
        index = bisect_right(self.spans, (position, _BEYOND)) - 1
        return index >= 0 and position < self.spans[index][1]

    def end_around(self, position: int) -> int:
        """The end of the marker that a position lies strictly inside of, else the position."""
        index = bisect_right(self.spans, (position, _BEYOND)) - 1
        if index >= 0 and self.spans[index][0] < position < self.spans[index][1]:
            return self.spans[index][1]
        return position


def find_markers(text: str, marker: re.Pattern[str]) -> Markers:
    """The markers that stand in a text already."""
    return Markers(tuple(match.span() for match in marker.finditer(text)))


def settle(text: str, regions: Iterable[Region], markers: Markers) -> list[Region]:
    """Regions in order, without overlap, never half of a CRLF and never half of a marker.

    A region that begins inside a marker was read out of the marker's own words and is dropped.
    """
    settled: list[Region] = []
    for region in sorted(regions, key=lambda found: (found.start, found.rank, found.end)):
        if markers.end_around(region.start) != region.start:
            continue
        whole = _whole(text, region, markers)
        if settled and whole.start < settled[-1].end:
            settled[-1] = _union(settled[-1], whole)
        else:
            settled.append(whole)
    return settled


def mask(text: str, regions: Sequence[Region]) -> str:
    """The text with each region replaced by its marker; ``regions`` as :func:`settle` returns them."""
    parts: list[str] = []
    position = 0
    for region in regions:
        parts.append(text[position : region.start])
        parts.append(f"[{region.kind}]")
        parts.append(_line_breaks(text, region))
        position = region.end
    parts.append(text[position:])
    return "".join(parts)


def _whole(text: str, region: Region, markers: Markers) -> Region:
    start, end = region.start, markers.end_around(region.end)
    if start > 0 and text[start - 1] == "\r" and text[start] == "\n":
        start -= 1
    if end < len(text) and text[end - 1] == "\r" and text[end] == "\n":
        end += 1
    return Region(start, end, region.kind, region.rank)


def _union(left: Region, right: Region) -> Region:
    named = right if right.rank < left.rank else left
    return Region(left.start, max(left.end, right.end), named.kind, named.rank)


def _line_breaks(text: str, region: Region) -> str:
    """The region's line breaks. A lone CR that would melt with a following LF into one break becomes LF."""
    breaks = _LINE_BREAK.findall(text, region.start, region.end)
    following = text[region.end : region.end + 1]
    for index in range(len(breaks) - 1, -1, -1):
        if breaks[index] == "\r" and following == "\n":
            breaks[index] = "\n"
        following = breaks[index][0]
    return "".join(breaks)
