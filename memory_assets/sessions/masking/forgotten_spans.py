"""Forgotten spans of a text, overwritten in place.

What is overwritten keeps its length and its line breaks, so that every other span of the text still says where its words stand,
and overwriting twice equals overwriting once.
"""

from __future__ import annotations

from collections.abc import Iterable

FILLER = "█"
"""Stands in a text where something was forgotten; no word of any language has it."""

_SHOWN = 8
"""Fillers at the most: the rest of a long span is blank."""

_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def overwritten(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without what stands in some spans of it.

    Args:
        spans: half-open ranges of code points; what lies outside the text is passed over.
    """
    characters = list(text)
    for start, end in spans:
        shown = 0
        for place in range(max(0, start), min(end, len(characters))):
            if characters[place] in _BREAKS:
                continue
            characters[place] = FILLER if shown < _SHOWN else " "
            shown += 1
    return "".join(characters)


def holds_back(kept: str, told: str) -> bool:
    """Whether a text is what was kept of another one: the same characters, but where it is overwritten, and no more than that.

    Args:
        kept: what the store has.
        told: what a source says, which may go on behind it.
    """
    return len(kept) <= len(told) and all(
        mine == theirs or mine in (FILLER, " ") for mine, theirs in zip(kept, told, strict=False)
    )


def with_words_again(kept: str, original: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text with what stood in some spans of it: the way back of :func:`overwritten`.

    Args:
        original: the text, or its beginning, before these spans were overwritten.
    """
    characters = list(kept)
    for start, end in spans:
        characters[start:end] = original[start:end]
    return "".join(characters)
