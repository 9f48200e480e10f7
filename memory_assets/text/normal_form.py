"""A text without what is only the way it is written, so that two spellings of it are equal."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memory_assets.text.characters import folded_form, is_plain, is_raised, unified_form
from memory_assets.text.differences import operators, pictures, without_line_marks

_GAP = re.compile(r"[\W_]+")
_SPACE = re.compile(r"(?<=[a-z가-힣]) (?=[^\W_])|(?<=[^\W_]) (?=[a-z가-힣])")
"""The most common of all gaps, of which nothing counts: a space that does not part two numbers."""
_EMPHASIS = re.compile(r"[*_`]+")
_IN_A_NAME = re.compile(r"[./\\@]+")


def folded(text: str) -> str:
    """A text without case, spacing, punctuation, quotation marks and Markdown.

    What tells two facts apart stays although it is no letter: operators, signs and a command's dashes, pictures, the marks
    within a number, a path or a name ("1.5", "src/app.py", "C#"), and a digit above the line.
    """
    parted = text if is_plain(text) else "".join(f"^{c}" if is_raised(c) else c for c in text)
    bare = _SPACE.sub("", without_line_marks(unified_form(folded_form(parted)).strip().casefold()))
    found: list[str] = []
    end = 0
    for match in _GAP.finditer(bare):
        start, behind = match.span()
        found += (
            bare[end:start],
            _kept(bare[start:behind], bare[start - 1 : start] if start else " ", bare[behind : behind + 1]),
        )
        end = behind
    return "".join([*found, bare[end:]])


@lru_cache(maxsize=4096)
def _kept(gap: str, left: str, right: str) -> str:
    """What of the marks between two words or digits counts."""
    if left.isdigit() and right.isdigit():
        plain = _EMPHASIS.sub("", gap)
        return " " if plain.isspace() else "".join(plain.split())
    if left != " " and right and _IN_A_NAME.fullmatch(gap):
        return gap
    sharp = "#" if left.isalpha() and gap.startswith("#") else ""
    accents = "" if gap.isascii() else "".join(c for c in gap if unicodedata.category(c)[0] == "M")
    return sharp + accents + operators(gap, left, right) + pictures(gap)
