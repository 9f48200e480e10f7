"""What differs between a quote and the place that has the same letters and digits.

The letters agree already; what lies between them decides how sure the hit is, or that it is none: an operator, a sign
or a decimal point is not punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from enum import IntEnum

from memory_assets.text.characters import folded_form, unified_form


class Difference(IntEnum):
    """How far a quote is from its place, from nothing to a difference that changes what is said."""

    NONE = 0
    WHITESPACE = 1  # and NFKC forms
    QUOTES = 2  # and dashes
    CASE = 3
    MARKUP = 4  # Markdown marks, escapes, spacing
    PUNCTUATION = 5
    CRITICAL = 6  # an operator, a sign, a number's own dots and commas, another emoji


CONFIDENCE: dict[Difference, float] = {
    Difference.NONE: 0.99,
    Difference.WHITESPACE: 0.99,
    Difference.QUOTES: 0.98,
    Difference.CASE: 0.97,
    Difference.MARKUP: 0.96,
    Difference.PUNCTUATION: 0.955,
}

_BULLETS = r"[ \t]*(?:(?:[-*+•]|>{1,4}|#{1,6})[ \t]+)+(?:\[[ xX]\])?"
_LINE_MARKS = re.compile(r"(?<=\n)" + _BULLETS)
_FIRST_LINE_MARKS = re.compile(r"\A" + _BULLETS)
_EMPHASIS = re.compile(r"[*_`]{1,3}")
_MARKUP = re.compile(r"[*_`#>|\[\](){}\\•\s-]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_SPACES = re.compile(r"\s+")
_ALWAYS = frozenset("%‰&^")
_NEVER = frozenset("|~´`")  # symbols by their class, but Markdown by their use; "~" is judged by what follows


def between(quoted: str, found: str, left: str, right: str) -> Difference:
    """How a quote's gap differs from a message's, between the same two characters ``left`` and ``right``."""
    if quoted == found:
        return Difference.NONE
    quoted, found = folded_form(quoted), folded_form(found)
    if _SPACES.sub(" ", quoted) == _SPACES.sub(" ", found):
        return Difference.WHITESPACE
    quoted, found = unified_form(quoted), unified_form(found)
    if _SPACES.sub(" ", quoted) == _SPACES.sub(" ", found):
        return Difference.QUOTES
    if left.isdigit() and right.isdigit() and _number_gap(quoted) != _number_gap(found):
        return Difference.CRITICAL
    if _SPACES.sub("", quoted) == _SPACES.sub("", found):
        return Difference.MARKUP
    if operators(quoted, left, right) != operators(found, left, right):
        return Difference.CRITICAL
    pictures_quoted, pictures_found = pictures(quoted), pictures(found)
    if pictures_quoted and pictures_found and pictures_quoted != pictures_found:
        return Difference.CRITICAL
    if _MARKUP.sub("", quoted) == _MARKUP.sub("", found):
        return Difference.MARKUP
    return Difference.PUNCTUATION


def operators(gap: str, left: str, right: str) -> str:
    """The marks of a gap that carry meaning, in order; line-start marks of Markdown are not among them."""
    if gap.isspace() or not gap:
        return ""
    bare = _LINE_MARKS.sub("", gap)
    found: list[str] = []
    for index, mark in enumerate(bare):
        before = bare[index - 1] if index else left
        after = bare[index + 1] if index + 1 < len(bare) else right
        if _is_operator(mark, before, after):
            found.append(mark)
    return "".join(found)


def all_operators(text: str) -> Counter[str]:
    """The marks of a whole text that carry meaning."""
    found: Counter[str] = Counter()
    for match in _BETWEEN_WORDS.finditer(text):
        start, end = match.span()
        found.update(operators(match.group(), text[start - 1 : start], text[end : end + 1]))
    return found


def pictures(gap: str) -> str:
    """The emoji and other pictures of a gap: one more or less is punctuation, another one is not."""
    return "" if gap.isascii() else "".join(c for c in gap if unicodedata.category(c) == "So")


def is_markup(text: str) -> bool:
    """Whether nothing but Markdown marks and spaces is in a text."""
    return not _MARKUP.sub("", text)


def without_line_marks(text: str) -> str:
    """A text without the bullets, quote marks and headings that its first line starts with."""
    return _FIRST_LINE_MARKS.sub("", text)


def _is_operator(mark: str, before: str, after: str) -> bool:
    if mark == "-":
        return _is_minus_or_option(before, after)
    if mark == ".":
        return after.isdigit() and not before.isalnum() and before != "."
    if mark == "!":
        return (after.isalnum() or after in "=(") and not before.isalnum() and after != ""
    if mark == "*":
        return before == " " and after == " "
    if mark == "~":
        return after.isdigit() or "~" in (before, after)
    if mark in _ALWAYS:
        return True
    return mark not in _NEVER and unicodedata.category(mark) in ("Sm", "Sc")


def _is_minus_or_option(before: str, after: str) -> bool:
    """A sign of a number, or the dashes in front of an option: "-5", "-f", "--force"."""
    if before.isalnum():
        return False
    return after.isdigit() or (after.isalpha() and before in (" ", "-")) or (after == "-" and before == " ")


def _number_gap(gap: str) -> str:
    """What stands between two digits, as far as it can change the number: spaces alone part it in two."""
    bare = _SPACES.sub(" ", _EMPHASIS.sub("", _LINE_MARKS.sub("", gap)))
    return bare if bare.isspace() else bare.replace(" ", "")
