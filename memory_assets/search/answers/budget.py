"""Tokens are a budget: how it is shared out, and texts that keep within it.

Costs are `estimate_tokens`, which weighs a Hangul syllable as what it costs. A cap is hard: what is packed under it never costs
more, whatever the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory_assets.text.tokens import LEAST_COST, estimate_tokens

DEFAULT_BUDGET: Final = 4000
CUT_MARK: Final = " …"
"""What stands where a text was cut."""

_SENTENCE_END: Final = re.compile(r"[.!?。！？…]{1,8}[\"'”’)\]`*]{0,3}(?=\s)|\n")
_SPACE: Final = re.compile(r"\s+")
_JOINERS: Final = "\u200d\ufe0e\ufe0f"
_LEAST_KEPT: Final = 0.5
"""A cut at a sentence's end may lose this share of what there is room for; beyond it the cut is at a word."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """How many tokens each part of a context may take.

    An eighth, a quarter, a half and an eighth of the total, whatever it is.
    """

    constitution: int
    skills: int
    context: int
    code_symbols: int

    @classmethod
    def of(cls, total: int) -> Allocation:
        """The shares of a total, which they add up to."""
        eighth, quarter = total // 8, total // 4
        return cls(constitution=eighth, skills=quarter, context=total - 2 * eighth - quarter, code_symbols=eighth)


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens that may be spent, and those that were.

    Raises:
        ValueError: more is used than there is, or a number is negative.
    """

    total: int
    used: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.used <= self.total:
            raise ValueError(f"{self.used} of {self.total} tokens cannot be used")

    @property
    def remaining(self) -> int:
        """What is left: never kept beside ``used``, so that it cannot stand still."""
        return self.total - self.used

    @property
    def allocation(self) -> Allocation:
        return Allocation.of(self.total)

    def spent(self, tokens: int) -> TokenBudget:
        """The budget after so many tokens more.

        Raises:
            ValueError: that is more than remains.
        """
        return replace(self, used=self.used + tokens)


@dataclass(frozen=True, slots=True)
class Cut:
    """A text within its tokens.

    Attributes:
        tokens: what it costs.
        lost: characters of the original that it does not hold; 0 where it is whole.
    """

    text: str
    tokens: int
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """Texts within their tokens together.

    Attributes:
        texts: one for each that was given; what found no room is empty, with all of it lost.
        tokens: at least what all of them cost, joined by lines.
    """

    texts: tuple[Cut, ...]
    tokens: int


def cut_to(text: str, cap: int) -> Cut:
    """As much of a text's beginning as costs at most ``cap`` tokens, the mark of the cut included.

    It is cut behind a sentence where that keeps at least half of what there is room for, else behind a word, else in a word.
    """
    if len(text) * LEAST_COST <= cap and (tokens := estimate_tokens(text)) <= cap:
        return Cut(text, tokens)
    # No character costs less than the least: what lies behind is never looked at.
    head = text[: max(0, int(cap / LEAST_COST)) + 1]
    low, high = 0, len(head)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(head[:middle] + CUT_MARK) <= cap:
            low = middle
        else:
            high = middle - 1
    kept = head[: _cut_place(head, low)].rstrip()
    if not kept:
        return Cut("", 0, len(text))
    shown = kept + CUT_MARK
    return Cut(shown, estimate_tokens(shown), len(text) - len(kept))


def fit(texts: Sequence[str], cap: int, *, each: int | None = None, least: int = 1) -> Fitted:
    """Texts, in their order of importance, packed under a cap: each whole where there is room, cut where there is some.

    Args:
        cap: of all of them joined by line breaks.
        each: the most that one of them may take; None for what there is.
        least: with less room a text is not cut but left out, and a shorter one behind it may still fit.
    """
    left = cap
    fitted: list[Cut] = []
    for text in texts:
        # One is for the line break between two texts.
        room = left - 1 if each is None else min(left - 1, each)
        cut = cut_to(text, room)
        if cut.lost and room < least:
            cut = Cut("", 0, len(text))
        left -= cut.tokens + 1 if cut.text else 0
        fitted.append(cut)
    return Fitted(tuple(fitted), cap - left)


def _cut_place(head: str, most: int) -> int:
    """Where to cut the first ``most`` characters of a text."""
    least = int(most * _LEAST_KEPT)
    ends = [match.end() for match in _SENTENCE_END.finditer(head, least, most + 1) if match.end() <= most]
    if ends:
        return ends[-1]
    spaces = [match.start() for match in _SPACE.finditer(head, least, most + 1)]
    if spaces:
        return spaces[-1]
    place = most
    # A mark that belongs to the letter before it, and what an emoji is joined of, stay with it.
    while 0 < place < len(head) and (
        unicodedata.combining(head[place]) or head[place] in _JOINERS or head[place - 1] == "\u200d"
    ):
        place -= 1
    return place
