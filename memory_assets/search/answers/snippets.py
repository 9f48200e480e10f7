"""A few hundred characters of a text: the sentences that say most of what was asked."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memory_assets.search.question.terms import Term, query_terms
from memory_assets.text.characters import whole_clusters

SNIPPET_LENGTH = 400
_READ = 4_000
"""Characters of a text that are looked through, around what must be shown; of blanks in a row one counts."""
_LONGEST_PIECE = 180
_MOST_PIECES = 5
"""Pieces that are chosen by the words of the question; those beside them fill what is left."""
_SAID_ALREADY = 0.3
"""What a word of the question is worth that a chosen piece holds already."""
_GAP = " … "
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_HANGUL = "\u1100"
"""The first of the letters that are searched by pairs of syllables."""
_MARKS = 2
"""Characters of the marks that say that a text goes on before and behind what is shown."""
_PIECE = re.compile(r"""[^\n]+?(?:[.!?。…][*_`"')\]]{0,4}(?=\s)|(?=\n)|\Z)""")

_Span = tuple[int, int]


def snippet(text: str, query: str, length: int = SNIPPET_LENGTH, *, shown: _Span | None = None) -> str:
    """At most ``length`` characters of a text on one line: the sentences that hold most of the question's words, and what
    stands beside them, in the order of the text; ``…`` stands for what is left out.

    A word of the question counts for more the fewer sentences hold it. Linear in the text, of which 4,000 characters are
    looked through.

    Args:
        shown: characters of the text whose beginning is shown in any case, whatever was asked.
    """
    line = _flat(text)
    if len(line) <= length:
        return line
    lines = _lines(text)
    first, until = (0, 0) if shown is None else (len(_lines(text[:place])) for place in shown)
    begins, ends = _window(lines, first)
    read = lines[begins:ends]
    choice = _Choice(read, list(_pieces(read)), query, length - _MARKS)
    if shown is not None:
        choice.require(first - begins, min(until, first + _LONGEST_PIECE) - begins)
    choice.choose()
    choice.grow()
    told = choice.told()
    if not told:  # one piece is longer than all that may be shown
        return _cut_out(line, 0, length)
    before = begins > 0 or not choice.shows_first
    behind = ends < len(lines) or not choice.shows_last
    return f"{'…' if before else ''}{told}{'…' if behind else ''}"


def around(text: str, span_start: int, span_end: int, length: int = SNIPPET_LENGTH) -> str:
    """At most ``length`` characters of a text on one line, around the given ones, whose end is cut where they are more."""
    line = _flat(text)
    if len(line) <= length:
        return line
    first, until = len(_flat(text[:span_start])), len(_flat(text[:span_end]))
    room = max(0, length - (until - first)) // 2
    start = max(0, min(first - room, len(line) - length))
    return _cut_out(line, start, start + length)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> str:
    """A text whose lines are what they say, without blanks around them or empty ones between."""
    return "\n".join(line for line in map(_flat, text.split("\n")) if line)


def _window(lines: str, first: int) -> _Span:
    """The characters that are looked through, so that what begins at ``first`` stands in their middle."""
    begins = max(0, min(first - _READ // 2, len(lines) - _READ))
    return whole_clusters(lines, begins, min(begins + _READ, len(lines)))


def _pieces(text: str) -> Iterator[_Span]:
    """The sentences and lines of a text, without the blanks around them; long ones in parts."""
    for match in _PIECE.finditer(text):
        start, end = match.span()
        while start < end:
            while start < end and text[start].isspace():
                start += 1
            stop = end
            if end - start > _LONGEST_PIECE:
                blank = text.rfind(" ", start + _LONGEST_PIECE // 2, start + _LONGEST_PIECE)
                stop = blank if blank > 0 else whole_clusters(text, start, start + _LONGEST_PIECE)[1]
            if start < stop:
                yield start, stop
            start = stop


class _Choice:
    """Which pieces of a text are shown."""

    def __init__(self, text: str, pieces: Sequence[_Span], query: str, room: int) -> None:
        self._text = text
        self._pieces = pieces
        self._room = room
        terms = _terms(query)
        wanted = frozenset(token for term in terms for form in term.forms for token in form)
        told = (_standing(wanted, text[start:end]) for start, end in pieces)
        self._held = [[term.held_by(said) for term in terms] for said in told]
        totals = [sum(column) for column in zip(*self._held, strict=True)]
        self._weights = [math.log1p(len(pieces) / total) if total else 0.0 for total in totals]
        self._covered = [0.0] * len(terms)
        self._chosen: list[int] = []

    @property
    def shows_first(self) -> bool:
        return 0 in self._chosen

    @property
    def shows_last(self) -> bool:
        return len(self._pieces) - 1 in self._chosen

    def require(self, first: int, until: int) -> None:
        """The pieces that hold some characters of the text, as far as there is room."""
        for number, (start, end) in enumerate(self._pieces):
            if start < until and end > first and not self._take(number):
                return

    def choose(self) -> None:
        """The pieces that say most of the question, as many as there is room for."""
        telling = [number for number, held in enumerate(self._held) if any(held)]
        for _ in range(_MOST_PIECES):
            open_ones = [number for number in telling if number not in self._chosen and self._fits(number)]
            best = max(open_ones, key=lambda number: (self._worth(number), -number), default=None)
            if best is None:
                return
            self._take(best)

    def grow(self) -> None:
        """What follows the chosen pieces, then what stands before them; of a text that says nothing of it the beginning."""
        if not self._chosen:
            self._take(0)
        for step in (1, -1):
            edge = list(self._chosen)
            while edge:
                edge = [
                    number + step for number in edge if 0 <= number + step < len(self._pieces) and self._take(number + step)
                ]

    def told(self) -> str:
        told, last = "", None
        for number in self._chosen:
            start, end = self._pieces[number]
            told += self._between(last, number) + self._text[start:end]
            last = number
        return told

    def _between(self, one: int | None, other: int | None) -> str:
        """What stands between two pieces that are shown one behind the other; nothing between the parts of a long word."""
        if one is None or other is None:
            return ""
        if other > one + 1:
            return _GAP
        return " " if self._pieces[one][1] < self._pieces[other][0] else ""

    def _worth(self, number: int) -> float:
        return sum(
            weight * (max(0.0, held - covered) + _SAID_ALREADY * min(held, covered))
            for weight, held, covered in zip(self._weights, self._held[number], self._covered, strict=True)
        )

    def _fits(self, number: int) -> bool:
        return self._cost(number) <= self._room

    def _cost(self, number: int) -> int:
        """How much longer the snippet is with a piece."""
        place = bisect_left(self._chosen, number)
        before = self._chosen[place - 1] if place else None
        behind = self._chosen[place] if place < len(self._chosen) else None
        start, end = self._pieces[number]
        joints = len(self._between(before, number)) + len(self._between(number, behind)) - len(self._between(before, behind))
        return end - start + joints

    def _take(self, number: int) -> bool:
        if number in self._chosen or not self._fits(number):
            return False
        self._room -= self._cost(number)
        insort(self._chosen, number)
        self._covered = [max(pair) for pair in zip(self._covered, self._held[number], strict=True)]
        return True


def _standing(tokens: frozenset[str], piece: str) -> frozenset[str]:
    """Those of some tokens of a question that a piece holds, Latin ones as the beginning of a word.

    Nearly what the index says of it, at a tenth of the cost.
    """
    words = _BETWEEN_WORDS.sub(" ", f" {piece.casefold()}")
    letters = words.replace(" ", "")
    return frozenset(token for token in tokens if (f" {token}" in words if token[0] < _HANGUL else token in letters))


@lru_cache(maxsize=64)
def _terms(query: str) -> tuple[Term, ...]:
    """One question is asked of many texts."""
    return query_terms(query)


def _cut_out(line: str, start: int, end: int) -> str:
    """Characters of a line, none of them in part, with marks for what is left out."""
    lead, tail = "…" if start > 0 else "", "…" if end < len(line) else ""
    first, last = whole_clusters(line, start + len(lead), min(end, len(line)) - len(tail))
    return lead + line[first:last].strip() + tail
