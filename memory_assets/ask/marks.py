"""Marks in an answer, ``[2]`` or ``[1, 3]``, and what may be shown of an answer that is still arriving."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

MARK: Final = re.compile(r"\[\s{0,2}([0-9]{1,4}(?:\s{0,2}[,;]\s{0,2}[0-9]{1,4}){0,7})\s{0,2}\]")
_MAY_BECOME_ONE: Final = re.compile(r"\[[0-9\s,;]*")
LONGEST_MARK: Final = 64
"""Characters after which what began like a mark is held back no longer."""

UNKNOWN: Final = "[?]"
"""Shown for a mark that nothing stands behind. Left out, what surrounds it could close up to a mark."""


def numbers_of(mark: str) -> tuple[int, ...]:
    """The numbers of a mark, each once, as they stand."""
    return tuple(dict.fromkeys(int(number) for number in re.findall(r"[0-9]+", mark)))


def mark_of(numbers: Collection[int]) -> str:
    """Marks as an answer shows them, one for each number."""
    return "".join(f"[{number}]" for number in numbers)


def without_controls(text: str) -> str:
    """A text without what a terminal obeys and what nobody sees: a hidden character could part a number that people read."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


class MarkFilter:
    """Lets a text through as it comes, but for marks, which come whole and known or not at all.

    Args:
        known: the numbers of the evidence.
    """

    def __init__(self, known: Collection[int]) -> None:
        self._known = frozenset(known)
        self._held = ""

    def shown(self, chunk: str) -> str:
        """What may be shown now that a chunk has come."""
        text, self._held = self._held + without_controls(chunk), ""
        told: list[str] = []
        place = 0
        while (opened := text.find("[", place)) >= 0:
            told.append(text[place:opened])
            begun = _MAY_BECOME_ONE.match(text, opened)
            assert begun is not None  # it begins with a bracket
            if begun.end() == len(text) and len(begun[0]) <= LONGEST_MARK:
                self._held = begun[0]
                return "".join(told)
            if (mark := MARK.match(text, opened)) is not None:
                known = [number for number in numbers_of(mark[0]) if number in self._known]
                told.append(mark_of(known) or UNKNOWN)
                place = mark.end()
            else:
                told.append("[")
                place = opened + 1
        return "".join([*told, text[place:]])

    def rest(self) -> str:
        """What may be shown at the end: nothing, for what is still held back is half a mark."""
        self._held = ""
        return ""
