"""A text as the detectors read it: what several of them need is worked out once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_assets.text.literals import LiteralSearch

_TOKEN = re.compile(r"[A-Za-z0-9_.~+/=:-]{14,}+")
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class ScannedText:
    """A text and what is known of it.

    Attributes:
        lowered: the text in lower case, code point for code point.
        held: the policy's literals that it may hold, in lower case (see ``LiteralSearch``).
        tokens: its long tokens, as ranges: whatever has 14 code points without a blank, a quote or a bracket.
        with_digit: those that hold a digit, each in a line of its own.
    """

    text: str
    lowered: str
    held: frozenset[str]
    tokens: tuple[tuple[int, int], ...]
    with_digit: str


def scanned(text: str, literals: LiteralSearch) -> ScannedText:
    """Reads a text once for all detectors."""
    lowered = _lowered(text)
    tokens = tuple([match.span() for match in _TOKEN.finditer(text)])
    with_digit = "\n".join([text[start:end] for start, end in tokens if _DIGIT.search(text, start, end)])
    return ScannedText(text, lowered, literals.held(lowered), tokens, with_digit)


def _lowered(text: str) -> str:
    """Lower case, code point for code point: one Turkish capital becomes two in ``str.lower``."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
