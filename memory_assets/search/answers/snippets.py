"""A few hundred characters of a text: the sentences that say most of what was asked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memory_assets.search.question.terms import Term, query_terms

SNIPPET_LENGTH = 400
_READ = 4_000
"""Characters of a text that are looked through, around what must be shown."""
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
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    first = 0 if shown is None else max(0, min(shown[0] - _READ // 2, len(text) - _READ))
    read = text[first : first + _READ]
    pieces = list(_pieces(read))
    if not pieces:  # nothing but blanks in what is read
        return _cut_out(line, 0, length)
    choice = _Choice([" ".join(read[start:end].split()) for start, end in pieces], query, length - _MARKS)
    if shown is not None:
        begin, until = shown[0] - first, min(shown[1], shown[0] + _LONGEST_PIECE) - first
        choice.require(number for number, (start, end) in enumerate(pieces) if start < until and end > begin)
    choice.choose()
    choice.grow()
    told = choice.told()
    if not told:  # one piece is longer than all that may be shown
        return _cut_out(line, 0, length)
    before = first > 0 or 0 not in choice.chosen
    behind = first + len(read) < len(text.rstrip()) or len(pieces) - 1 not in choice.chosen
    return f"{'…' if before else ''}{told}{'…' if behind else ''}"


def around(text: str, span_start: int, span_end: int, length: int = SNIPPET_LENGTH) -> str:
    """At most ``length`` characters of a text on one line, around the given ones, whose end is cut where they are more."""
    if len(text) <= length:
        return " ".join(text.split())
    room = max(0, length - (span_end - span_start)) // 2
    start = max(0, min(span_start - room, len(text) - length))
    lead, tail = "…" if start else "", "…" if start + length < len(text) else ""
    return lead + " ".join(text[start + len(lead) : start + length - len(tail)].split()) + tail


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
                stop = blank if blank > 0 else start + _LONGEST_PIECE
            if text[start:stop].strip():
                yield start, stop
            start = stop


class _Choice:
    """Which pieces of a text are shown."""

    def __init__(self, pieces: Sequence[str], query: str, room: int) -> None:
        self._pieces = pieces
        self._room = room
        terms = _terms(query)
        wanted = frozenset(token for term in terms for form in term.forms for token in form)
        self._held = [[term.held_by(said) for term in terms] for said in (_standing(wanted, piece) for piece in pieces)]
        totals = [sum(column) for column in zip(*self._held, strict=True)]
        self._weights = [math.log1p(len(pieces) / total) if total else 0.0 for total in totals]
        self._covered = [0.0] * len(terms)
        self.chosen: set[int] = set()

    def require(self, numbers: Iterator[int]) -> None:
        for number in numbers:
            if not self._take(number):
                return

    def choose(self) -> None:
        """The pieces that say most of the question, as many as there is room for."""
        telling = [number for number, held in enumerate(self._held) if any(held)]
        for _ in range(_MOST_PIECES):
            open_ones = [number for number in telling if number not in self.chosen and self._fits(number)]
            best = max(open_ones, key=lambda number: (self._worth(number), -number), default=None)
            if best is None:
                return
            self._take(best)

    def grow(self) -> None:
        """What follows the chosen pieces, then what stands before them; of a text that says nothing of it the beginning."""
        if not self.chosen:
            self._take(0)
        for step in (1, -1):
            edge = sorted(self.chosen)
            while edge:
                edge = [
                    number + step for number in edge if 0 <= number + step < len(self._pieces) and self._take(number + step)
                ]

    def told(self) -> str:
        parts: list[str] = []
        last = -2
        for number in sorted(self.chosen):
            parts.append((" " if number == last + 1 else _GAP) + self._pieces[number] if parts else self._pieces[number])
            last = number
        return "".join(parts)

    def _worth(self, number: int) -> float:
        return sum(
            weight * (max(0.0, held - covered) + _SAID_ALREADY * min(held, covered))
            for weight, held, covered in zip(self._weights, self._held[number], self._covered, strict=True)
        )

    def _fits(self, number: int) -> bool:
        return len(self._pieces[number]) + len(_GAP) <= self._room

    def _take(self, number: int) -> bool:
        if number in self.chosen or not self._fits(number):
            return False
        self.chosen.add(number)
        self._room -= len(self._pieces[number]) + len(_GAP)
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
    lead, tail = "…" if start else "", "…" if end < len(line) else ""
    return lead + line[start : end - len(lead) - len(tail)].strip() + tail
