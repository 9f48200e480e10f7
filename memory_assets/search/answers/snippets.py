"""A few hundred characters of what a hit says: the sentences that say most of what was asked."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory_assets.search.question.terms import Term
from memory_assets.text.characters import whole_clusters
from memory_assets.text.reasons import may_say_why
from memory_assets.text.sentences import shortened, stops

SNIPPET_LENGTH = 400
_READ = 4_000
"""Characters of a text that are looked through, around what must be shown; of blanks in a row one counts."""
_LONGEST_PIECE = 180
_MOST_PIECES = 4
"""Pieces that are chosen by the words of the question; those beside them fill what is left."""
_SAID_ALREADY = 0.3
"""What a word of the question is worth that a chosen piece holds already."""
_GAP = " … "
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_HANGUL = "\u1100"
"""The first of the letters that are searched by pairs of syllables."""
_MARKS = 2
"""Characters of the marks that say that a text goes on before and behind what is shown."""

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """A text of which a snippet shows something.

    Attributes:
        shown: characters whose beginning is shown in any case, whatever was asked.
        is_beside: it is not what the hit says itself, but stands beside it: shown is what of it says more of the question.
        is_answer: of what stands beside: it answers the hit, and its first sentence is shown.
    """

    text: str
    shown: _Span | None = None
    is_beside: bool = False
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """What is shown of some texts.

    Attributes:
        parts: the numbers of the texts that it shows something of.
    """

    text: str
    parts: frozenset[int]


def snippet(parts: Sequence[Part], terms: Sequence[Term], length: int = SNIPPET_LENGTH, *, asks_why: bool = False) -> Snippet:
    """At most ``length`` characters of some texts on one line: the sentences that hold most of the question's words, and what
    stands around them, in the order of the texts; ``…`` stands for what is left out, and between one text and the next.

    What the hit says itself is shown whole where there is room for it, or else its best sentence in any case. A word of the
    question counts for more the fewer sentences hold it. Linear in the texts, of each of which 4,000 characters are looked
    through.

    Args:
        parts: in the order in which they are shown; one at least is not beside.
        terms: the telling words of the question.
        asks_why: a piece beside or with a word of the question that says why counts as if it held one more.
    """
    own = [number for number, part in enumerate(parts) if not part.is_beside]
    line = _GAP.join(filter(None, (_flat(parts[number].text) for number in own)))
    room = length - _MARKS
    if len(line) <= length and (len(own) == len(parts) or len(line) > room):
        return Snippet(line, frozenset(own))
    choice = _Choice([_Read.of(part) for part in parts], terms, room, asks_why=asks_why)
    if len(line) <= room:
        choice.take_all(own)
    else:
        choice.require(own)
    for number, part in enumerate(parts):
        if part.is_answer:
            choice.take_first(number)
    choice.choose()
    choice.grow()
    if not (told := choice.told()):  # one piece is longer than all that may be shown
        return Snippet(_cut_out(line, 0, length), frozenset(own[:1]))
    return Snippet(told, choice.shown_parts())


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
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        begin = start
        for stop in [*stops(text, start, end), end]:
            while begin < stop and text[begin].isspace():
                begin += 1
            for low, high in shortened(text, begin, stop, _LONGEST_PIECE):
                yield low, low + len(text[low:high].rstrip())
            begin = stop
        start = end + 1


@dataclass(frozen=True, slots=True)
class _Read:
    """What is looked through of a text.

    Attributes:
        pieces: its sentences and lines, by their characters in ``text``.
        shown: characters of ``text`` that must be shown.
        is_cut: whether the text goes on before and behind it.
    """

    text: str
    pieces: tuple[_Span, ...]
    shown: _Span | None
    is_cut: tuple[bool, bool]

    @classmethod
    def of(cls, part: Part) -> _Read:
        lines = _lines(part.text)
        first, until = (0, 0) if part.shown is None else (len(_lines(part.text[:place])) for place in part.shown)
        begins, ends = _window(lines, first)
        read = lines[begins:ends]
        shown = None if part.shown is None else (first - begins, min(until, first + _LONGEST_PIECE) - begins)
        return cls(read, tuple(_pieces(read)), shown, (begins > 0, ends < len(lines)))


class _Choice:
    """Which pieces of some texts are shown. Pieces are numbered through all texts."""

    def __init__(self, read: Sequence[_Read], terms: Sequence[Term], room: int, *, asks_why: bool) -> None:
        self._read = read
        self._room = room
        self._pieces = [(number, span) for number, one in enumerate(read) for span in one.pieces]
        wanted = frozenset(token for term in terms for token in term.tokens)
        told = [_standing(wanted, read[number].text[start:end]) for number, (start, end) in self._pieces]
        # Most pieces hold nothing, or what another holds.
        held = {said: [term.held_by(said) for term in terms] for said in set(told)}
        self._held = [held[said] for said in told]
        if asks_why:
            why = [self._is_near(number) and may_say_why(self._text_of(number)) for number in range(len(self._held))]
            self._held = [[*words, float(one)] for words, one in zip(self._held, why, strict=True)]
        totals = [sum(column) for column in zip(*self._held, strict=True)]
        self._weights = [math.log1p(len(self._pieces) / total) if total else 0.0 for total in totals]
        self._covered = [0.0] * len(totals)
        self._chosen: list[int] = []

    def take_all(self, parts: Sequence[int]) -> None:
        """Some texts, for which there is room."""
        for number in parts:
            for piece in self._pieces_of(number):
                self._take(piece)

    def take_first(self, part: int) -> None:
        """The first piece of a text, where there is room for it."""
        for piece in self._pieces_of(part)[:1]:
            self._take(piece)

    def require(self, parts: Sequence[int]) -> None:
        """Of some texts the characters that must be shown, or else the piece that says most of the question."""
        must = [
            piece
            for number in parts
            if (shown := self._read[number].shown) is not None
            for piece in self._pieces_of(number)
            if self._pieces[piece][1][0] < shown[1] and self._pieces[piece][1][1] > shown[0]
        ]
        for piece in must:
            if not self._take(piece):
                break
        if not self._chosen:
            self._take_best([piece for number in parts for piece in self._pieces_of(number)])

    def choose(self) -> None:
        """The pieces that say most of the question, as many as there is room for."""
        telling = [number for number, held in enumerate(self._held) if any(held)]
        for _ in range(_MOST_PIECES):
            if not self._take_best(telling):
                return

    def grow(self) -> None:
        """What follows the chosen pieces, then what stands before them."""
        for step in (1, -1):
            edge = list(self._chosen)
            while edge:
                edge = [
                    number + step
                    for number in edge
                    if self._is_of_one_text(number, number + step) and self._take(number + step)
                ]

    def told(self) -> str:
        """What was chosen, with marks where a text goes on before or behind it."""
        if not self._chosen:
            return ""
        told = "".join(
            self._between(one, other) + self._text_of(other)
            for one, other in pairwise([None, *self._chosen])
            if other is not None
        )
        first, last = self._pieces[self._chosen[0]][0], self._pieces[self._chosen[-1]][0]
        before = self._read[first].is_cut[0] or self._pieces_of(first)[0] not in self._chosen
        behind = self._read[last].is_cut[1] or self._pieces_of(last)[-1] not in self._chosen
        return f"{'…' if before else ''}{told}{'…' if behind else ''}"

    def shown_parts(self) -> frozenset[int]:
        return frozenset(self._pieces[number][0] for number in self._chosen)

    def _pieces_of(self, part: int) -> range:
        first = bisect_left(self._pieces, part, key=lambda piece: piece[0])
        return range(first, first + len(self._read[part].pieces))

    def _is_of_one_text(self, number: int, other: int) -> bool:
        return 0 <= other < len(self._pieces) and self._pieces[number][0] == self._pieces[other][0]

    def _is_near(self, number: int) -> bool:
        """Whether a piece, or the one shown before or behind it, be it of the next message, holds a word of the question."""
        return any(map(any, self._held[max(0, number - 1) : number + 2]))

    def _text_of(self, number: int) -> str:
        part, (start, end) = self._pieces[number]
        return self._read[part].text[start:end]

    def _between(self, one: int | None, other: int | None) -> str:
        """What stands between two pieces that are shown one behind the other; nothing between the parts of a long word."""
        if one is None or other is None:
            return ""
        if other > one + 1 or not self._is_of_one_text(one, other):
            return _GAP
        return " " if self._pieces[one][1][1] < self._pieces[other][1][0] else ""

    def _take_best(self, numbers: Sequence[int]) -> bool:
        open_ones = [number for number in numbers if number not in self._chosen and self._fits(number)]
        best = max(open_ones, key=lambda number: (self._worth(number), -number), default=None)
        return best is not None and self._take(best)

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
        joints = len(self._between(before, number)) + len(self._between(number, behind)) - len(self._between(before, behind))
        return len(self._text_of(number)) + joints

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


def _cut_out(line: str, start: int, end: int) -> str:
    """Characters of a line, none of them in part, with marks for what is left out."""
    lead, tail = "…" if start > 0 else "", "…" if end < len(line) else ""
    first, last = whole_clusters(line, start + len(lead), min(end, len(line)) - len(tail))
    return lead + line[first:last].strip() + tail
