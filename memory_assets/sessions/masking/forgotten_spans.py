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

_TELLING_TAIL = 6
"""Characters behind what was overwritten that show that it still stands where it stood."""

_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def overwritten(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without what stands in some spans of it.

    Args:
        spans: half-open ranges of code points; what lies outside the text is passed over.
    """
    characters = list(text)
    for start, end in _joined(spans):
        shown = 0
        for place in range(max(0, start), min(end, len(characters))):
            if characters[place] in _BREAKS:
                continue
            characters[place] = FILLER if shown < _SHOWN else " "
            shown += 1
    return "".join(characters)


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that overlap as one: each is drawn once."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def undrawn(text: str) -> str:
    """A text in which what is overwritten is blank: how much of it is drawn depends on what was forgotten together."""
    return text.replace(FILLER, " ")


def holds_back(kept: str, told: str) -> bool:
    """Whether a text is what was kept of another one: the same characters, but where it is overwritten, and no more than that.

    Args:
        kept: what the store has.
        told: what a source says, which may go on behind it.
    """
    return len(kept) <= len(told) and all(
        mine == theirs or mine in (FILLER, " ") for mine, theirs in zip(kept, told, strict=False)
    )


def are_alike(one: str, other: str) -> bool:
    """Whether two texts may be one, of which other parts are overwritten here and there."""
    blank = (FILLER, " ")
    return len(one) == len(other) and all(a == b or a in blank or b in blank for a, b in zip(one, other, strict=True))


def are_alike_within(text: str, original: str) -> bool:
    """Whether two texts may be one but for space around it, of which other parts are overwritten here and there."""
    core, rest = original.strip(), text.lstrip()
    # Blanks behind it may be overwritten words of a longer text.
    return are_alike(rest[: len(core)], core) and _BREAKS.issuperset(rest[len(core) :])


def goes_on_from(kept: str, told: str) -> bool:
    """Whether a text says what was kept of it, so that what it says behind that may be taken in.

    Where nothing is kept behind what was overwritten, words of it may have moved there.
    """
    if not holds_back(kept, told):
        return False
    return len(kept) == len(told) or len(kept.rpartition(FILLER)[2].strip()) >= _TELLING_TAIL


def without_spans(spans: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """What of some ranges lies in none of the others."""
    left = [(start, end) for start, end in spans if start < end]
    for gone_from, gone_to in others:
        if gone_from < gone_to:
            halves = [((start, min(end, gone_from)), (max(start, gone_to), end)) for start, end in left]
            left = [(start, end) for pair in halves for start, end in pair if start < end]
    return left


def with_words_again(kept: str, original: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text with what stood in some spans of it: the way back of :func:`overwritten`.

    Args:
        original: the text, or its beginning, before these spans were overwritten.
    """
    characters = list(kept)
    for start, end in spans:
        characters[start:end] = original[start:end]
    return "".join(characters)
