"""A few hundred characters of a text: the ones that say most of what was asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

SNIPPET_LENGTH = 400
_LEAD = 40
_WORD = re.compile(r"\w{1,64}")
_MAX_WORDS = 24


def snippet(text: str, query: str, length: int = SNIPPET_LENGTH) -> str:
    """At most ``length`` characters of a text on one line, where most different words of the question stand together.

    A Korean word is looked for by its beginning too, so that another particle does not hide it.
    """
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    start = max(0, min(_best_window(line, query, length - _LEAD) - _LEAD, len(line) - length + 1))
    return _cut_out(line, start, start + length)


def around(text: str, span_start: int, span_end: int, length: int = SNIPPET_LENGTH) -> str:
    """At most ``length`` characters of a text on one line, around the given ones, whose end is cut where they are more."""
    if len(text) <= length:
        return " ".join(text.split())
    room = max(0, length - (span_end - span_start)) // 2
    start = max(0, min(span_start - room, len(text) - length))
    lead, tail = "…" if start else "", "…" if start + length < len(text) else ""
    return lead + " ".join(text[start + len(lead) : start + length - len(tail)].split()) + tail


def _best_window(line: str, query: str, width: int) -> int:
    # Where folding changed the length (ß, İ) its positions would be off by a little: only the window moves.
    folded, composed = line.casefold(), unicodedata.normalize("NFC", query)
    places = sorted(
        (place, word)
        for word, spelled in enumerate(_WORD.findall(composed.casefold())[:_MAX_WORDS])
        for place in _places(folded, _spellings(spelled))
    )
    best, best_start, first = 0, places[0][0] if places else 0, 0
    inside: dict[int, int] = {}
    for place, word in places:
        inside[word] = inside.get(word, 0) + 1
        while place - places[first][0] > width:
            left = places[first][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
        if len(inside) > best:
            best, best_start = len(inside), places[first][0]
    return best_start


def _spellings(word: str) -> Sequence[str]:
    if word[-1] < "가" or len(word) < 3:
        return (word,)
    return (word, word[:-1]) if len(word) < 5 else (word, word[:-1], word[:-2])


def _places(line: str, spellings: Sequence[str], most: int = 64) -> list[int]:
    """Where a word stands, by the first of its spellings that stands anywhere; the first places are enough to choose by."""
    for spelling in spellings:
        found: list[int] = []
        start = line.find(spelling)
        while start >= 0 and len(found) < most:
            found.append(start)
            start = line.find(spelling, start + len(spelling))
        if found:
            return found
    return []


def _cut_out(line: str, start: int, end: int) -> str:
    lead, tail = "…" if start else "", "…" if end < len(line) else ""
    return lead + line[start : end - len(lead) - len(tail)].strip() + tail
