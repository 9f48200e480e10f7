"""A text prepared for look-ups: its skeleton, and where each of the skeleton's characters stands in the original.

The skeleton holds letters and digits only, NFKC and case folded. Whoever finds a quote's skeleton in a message's has
passed whitespace, line ends, smart quotes, case, Markdown marks and Korean spacing in one ``str.find``.

A message is prepared chunk by chunk, and the places of a plain chunk's characters are worked out only when a quote is
found there: of a long message that is a chunk or two.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum

from memory_assets.evidence.candidates import PieceHit, piece_hits
from memory_assets.text.characters import LETTERS, PIECES, clusters, counts, folded_form, is_keycap

Ranges = tuple[tuple[int, int], ...]

# What a reader of rendered Markdown does not see. Bounded: a link target or a tag longer than this is left in the text.
_TARGETS = re.compile(r"\]\([^()\n]{0,400}\)|<!--.{0,400}?-->|\{/\*.{0,400}?\*/\}", re.DOTALL)
_NUMBERS = re.compile(r"(?m)^[ \t]{0,12}\d{1,3}[.)](?=[ \t])")
_TAGS = re.compile(
    r"</?[A-Za-z][\w:.-]{0,40}(?:\s{1,8}[A-Za-z_:@][\w:.-]{0,40}\s?=\s?(?:\"[^\"<>\n]{0,200}\"|'[^'<>\n]{0,200}'|\{[^{}\n]{0,200}\}"
    r"|[^\s\"'<>{}]{1,100})){0,12}\s{0,8}/?>"
)
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+•#>|]|\d{1,3}[.)])")
VIEWS = 4
"""Ways to read a message: as it is; without link targets and comments; also without list numbers; also without tags."""


class Edge(IntEnum):
    """A place between two letters: a word's edge, inside a word of syllables, or where nothing may be cut.

    That is inside a Latin word or a number, and inside one character that folds to several.
    """

    WORD = 0
    SYLLABLE = 1
    INSIDE = 2
    CHARACTER = 3


@dataclass(slots=True)
class Placed:
    """A stretch of a skeleton, character by character.

    Attributes:
        cased: the characters before case folding.
        starts, ends: for each, the span in the text of the grapheme cluster that it came from.
    """

    cased: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, other: Placed, low: int, high: int) -> None:
        self.cased += other.cased[low:high]
        self.starts += other.starts[low:high]
        self.ends += other.ends[low:high]


class PreparedText:
    """The skeleton of a text, or of a part of it, in time linear in the part's length.

    Attributes:
        text: the whole text; every offset counts in it.
        start, end: the part that was prepared.
        skeleton: the letters and digits that count, folded.
        dropped: ranges of the part that were left out (link targets, comments …), in order, on cluster bounds.
    """

    __slots__ = (
        "_asked",
        "_bounds",
        "_hits",
        "_letters",
        "_places",
        "_skeleton_starts",
        "dropped",
        "end",
        "skeleton",
        "start",
        "text",
    )

    def __init__(self, text: str, dropped: Ranges = (), start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.dropped = dropped
        self.start = start
        self.end = len(text) if end is None else end
        self._skeleton_starts: list[int] = []  # of each chunk: where it begins in the skeleton
        self._bounds: list[tuple[int, int]] = []  # and in the text
        self._places: dict[int, Placed] = {}  # of the chunks that are not plain, and of those that were asked for
        self._asked: tuple[str, int] | None = None
        self._hits: list[PieceHit] = []
        self._letters: Placed | None = None
        parts: list[str] = []
        length = 0
        for low, high in self._kept():
            for match in PIECES.finditer(text, low, high):
                chunk = match.group()
                folded = None
                if match.lastgroup == "plain":
                    letters = "".join(LETTERS.findall(chunk))
                    folded = letters.casefold()
                    if len(folded) != len(letters):  # "ß" becomes "ss"
                        folded = None
                if folded is None:
                    folded, self._places[len(self._bounds)] = _special(text, *match.span())
                parts.append(folded)
                self._bounds.append(match.span())
                self._skeleton_starts.append(length)
                length += len(folded)
        self.skeleton = "".join(parts)

    @property
    def letters(self) -> Placed:
        """Every character with its place: for quotes, which are short."""
        if self._letters is None:
            self._letters = self.placed(0, len(self.skeleton))
        return self._letters

    def placed(self, low: int, high: int) -> Placed:
        """The characters ``low`` to ``high`` of the skeleton with their places."""
        found = Placed()
        index = bisect_right(self._skeleton_starts, low) - 1
        while low < high:
            places = self._places_of(index)
            first = low - self._skeleton_starts[index]
            last = min(first + high - low, len(places.cased))
            found.add(places, first, last)
            low += last - first
            index += 1
        return found

    def edge(self, position: int) -> Edge:
        """What the place in front of a character of the skeleton is."""
        if position <= 0 or position >= len(self.skeleton):
            return Edge.WORD
        index = bisect_right(self._skeleton_starts, position - 1) - 1
        places, at = self._places_of(index), position - 1 - self._skeleton_starts[index]
        if at + 1 >= len(places.cased):
            places, at = self.placed(position - 1, position + 1), 0
        if places.starts[at] == places.starts[at + 1]:
            return Edge.CHARACTER
        if places.ends[at] != places.starts[at + 1]:
            return Edge.WORD
        return Edge.INSIDE if places.cased[at].isascii() and places.cased[at + 1].isascii() else Edge.SYLLABLE

    def piece_hits(self, quote: str, pieces: int) -> list[PieceHit]:
        """Where the pieces of a quote's skeleton stand in this one; kept until the next quote is asked for."""
        if self._asked != (quote, pieces):
            self._hits = piece_hits(quote, self.skeleton, pieces)
            self._asked = (quote, pieces)
        return self._hits

    def offset_of(self, position: int) -> int:
        """Where a character of the skeleton begins in the text; the text's end for the skeleton's."""
        return self.placed(position, position + 1).starts[0] if position < len(self.skeleton) else self.end

    def hidden_before(self, position: int) -> int:
        """Where the dropped range that ends at ``position`` begins; ``position`` when none does."""
        index = bisect_right(self.dropped, (position, -1)) - 1
        return self.dropped[index][0] if index >= 0 and self.dropped[index][1] == position else position

    def hidden_after(self, position: int) -> int:
        """Where the dropped range that begins at ``position`` ends; ``position`` when none does."""
        index = bisect_right(self.dropped, (position, -1))
        return self.dropped[index][1] if index < len(self.dropped) and self.dropped[index][0] == position else position

    def hides_in(self, start: int, end: int) -> bool:
        """Whether something is left out between two offsets, or beside them."""
        index = bisect_right(self.dropped, (end, len(self.text))) - 1
        return index >= 0 and self.dropped[index][1] >= start

    def between(self, start: int, end: int) -> str:
        """``text[start:end]`` without what was dropped."""
        if not self.dropped:
            return self.text[start:end]
        parts: list[str] = []
        position = start
        for low, high in self.dropped[max(0, bisect_right(self.dropped, (start, start)) - 1) :]:
            if low >= end:
                break
            if high > position:
                parts.append(self.text[position : max(position, low)])
                position = high
        parts.append(self.text[position:end])
        return "".join(parts)

    def _kept(self) -> Ranges:
        kept: list[tuple[int, int]] = []
        position = self.start
        for low, high in self.dropped:
            kept.append((position, low))
            position = high
        return (*kept, (position, self.end))

    def _places_of(self, index: int) -> Placed:
        places = self._places.get(index)
        if places is None:
            places = self._places[index] = Placed()
            for match in LETTERS.finditer(self.text, *self._bounds[index]):
                low, high = match.span()
                places.cased += match.group()
                places.starts += range(low, high)
                places.ends += range(low + 1, high + 1)
        return places


def _special(text: str, start: int, end: int) -> tuple[str, Placed]:
    """A stretch whose characters join, fold to others, or are not seen: cluster by cluster."""
    folded: list[str] = []
    places = Placed()
    for low, high in clusters(text, start, end):
        cluster = text[low:high]
        if is_keycap(cluster):  # "1️⃣" is a picture, not a number
            continue
        for character in folded_form(cluster):
            if counts(character):
                for piece in character.casefold():
                    folded.append(piece)
                    places.cased.append(character)
                    places.starts.append(low)
                    places.ends.append(high)
    return "".join(folded), places


def hidden_ranges(text: str, view: int, start: int = 0, end: int | None = None) -> Ranges:
    """What one of the ``VIEWS`` of a text (or of a part of it) leaves out, in order and without overlaps."""
    end = len(text) if end is None else end
    found: list[tuple[int, int]] = []

    def has(mark: str) -> bool:
        return text.find(mark, start, end) >= 0

    if view >= 1 and (has("](") or has("<!--") or has("{/*")):
        found.extend(match.span() for match in _TARGETS.finditer(text, start, end))
    if view >= 2:
        found.extend(match.span() for match in _NUMBERS.finditer(text, start, end) if _begins_an_item(text, match.start()))
    if view >= 3 and has("<"):
        found.extend(match.span() for match in _TAGS.finditer(text, start, end))
    merged: list[tuple[int, int]] = []
    for low, high in sorted(found):
        if not merged or low >= merged[-1][1]:
            merged.append((low, high))
    return tuple(merged)


def _begins_an_item(text: str, line: int) -> bool:
    """Whether a number at a line's beginning is an item's: not where the line before runs on into it ("is\n10. After")."""
    above = text[text.rfind("\n", 0, max(0, line - 1)) + 1 : max(0, line - 1)].rstrip()
    return not above or above[0].isspace() or above[-1] in ".!?:;。…)*_`|>" or bool(_ITEM.match(above))
