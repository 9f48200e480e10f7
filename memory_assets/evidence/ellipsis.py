"""Quotes that leave something out: "we keep … for ever"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_assets.evidence.model import Span
from memory_assets.text.characters import effective_length

MIN_SEGMENT = 8.0
"""Effective characters that each part of a quote needs, so that it is found by itself."""
MAX_SEGMENTS = 6

_ELLIPSIS = re.compile(r"\s*(?:[\[(<]\s*(?:\.{3,}|…+|중략|생략|snip)\s*[\])>]|\.{3,}|…+|‥+|⋯+)\s*")


def quoted_parts(quote: str) -> list[str]:
    """The parts of a quote around its ellipses; none where there is no ellipsis inside, or a part says too little."""
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip()]
    if not 2 <= len(parts) <= MAX_SEGMENTS or any(effective_length(part) < MIN_SEGMENT for part in parts):
        return []
    return parts


def smallest_hull(places: Sequence[Sequence[Span]]) -> tuple[Span, ...] | None:
    """One place of each part, in order and without overlaps, that lie closest together; the first of equals."""
    best: tuple[Span, ...] | None = None
    for first in places[0]:
        chosen = [first]
        for options in places[1:]:
            after = next((span for span in options if span[0] >= chosen[-1][1]), None)
            if after is None:
                break
            chosen.append(after)
        if len(chosen) == len(places) and (best is None or chosen[-1][1] - first[0] < best[-1][1] - best[0][0]):
            best = tuple(chosen)
    return best
