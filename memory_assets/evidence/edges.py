"""What a span cuts off at its edges: the rest of a word or a number, or a sign that belongs to it."""

from __future__ import annotations

from memory_assets.text import differences
from memory_assets.text.characters import folded_form, unified_form

_TURNING_SYLLABLES = "비불미무부반"  # in front of a Korean word these turn it round


def cuts_off(text: str, start: int, end: int) -> bool:
    """Whether the words of ``text[start:end]`` say something else where they stand.

    "5 retries" in "15 retries", "able" in "unable", "5" in "1.5", "-5" and "5 %", 공개 in 비공개.
    """
    for position in (start, end):
        if not 0 < position < len(text):
            continue
        before, after = text[position - 1], text[position]
        if _joined(text, position):
            return True
        if _parts_a_number(text, position, before, after):
            return True
    inside = start > 0 and _is_hangul(text[start]) and text[start - 1] in _TURNING_SYLLABLES
    if inside and not (start > 1 and _is_hangul(text[start - 2])):
        return True
    return hides_a_sign(text, start, end, text[start], text[end - 1])


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A span moved out to the edges of the Latin words and numbers that it cuts."""
    while start > 0 and _joined(text, start):
        start -= 1
    while end < len(text) and _joined(text, end):
        end += 1
    return start, end


def hides_a_sign(text: str, start: int, end: int, first: str, last: str) -> bool:
    """Whether a sign, a currency, a per cent or a logical not stands right before or behind the span."""
    before = folded_form(text[max(0, start - 3) : start])
    attached = unified_form(before[len(before.rstrip("-+.$€£¥₩~<>=!±≤≥−")) :])
    if attached and first.isdigit():
        left = before[-len(attached) - 1 : -len(attached)]
        if differences.operators(attached, left, first):
            return True
    if attached.endswith("!") and len(attached) == len(before) and first.isalnum():
        return True
    return last.isdigit() and folded_form(text[end : end + 1])[:1] in ("%", "‰", "°") and end < len(text)


def _joined(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()


def _parts_a_number(text: str, position: int, before: str, after: str) -> bool:
    if before in ".," and after.isdigit():
        return text[position - 2 : position - 1].isdigit() if position > 1 else False
    return after in ".," and before.isdigit() and text[position + 1 : position + 2].isdigit()


def _is_hangul(letter: str) -> bool:
    return "가" <= letter <= "힣"
