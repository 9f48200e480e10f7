"""A text prepared for look-ups: its skeleton, and where each of the skeleton's characters stands in the original.

The skeleton holds letters and digits only, NFKC and case folded. Whoever finds a quote's skeleton in a message's has
passed whitespace, line ends, smart quotes, case, Markdown marks and Korean spacing in one ``str.find``.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass

from memory_assets.evidence.characters import KEYCAP, PIECES, clusters, counts, folded_form

Ranges = tuple[tuple[int, int], ...]

# What a reader of rendered Markdown does not see. Bounded: a link target or a tag longer than this is left in the text.
_TARGETS = re.compile(r"\]\([^()\n]{0,400}\)|<!--.{0,400}?-->|\{/\*.{0,400}?\*/\}", re.DOTALL)
_NUMBERS = re.compile(r"(?m)^[ \t]{0,12}\d{1,3}[.)](?=[ \t])")
_TAGS = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
VIEWS = 4
"""Ways to read a message: as it is; without link targets and comments; also without list numbers; also without tags."""


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A text and its skeleton.

    Attributes:
        skeleton: the letters and digits that count, folded.
        cased: the same characters before case folding, one for one.
        starts, ends: for each character of the skeleton, the span in ``text`` of the grapheme cluster it came from.
        dropped: ranges of ``text`` that were left out (link targets, comments …), in order.
    """

    text: str
    skeleton: str
    cased: str
    starts: array[int]
    ends: array[int]
    dropped: Ranges = ()

    def hidden_before(self, position: int) -> int:
        """Where the dropped range that ends at ``position`` begins; ``position`` when none does."""
        index = bisect_right(self.dropped, (position, -1)) - 1
        return self.dropped[index][0] if index >= 0 and self.dropped[index][1] == position else position

    def hidden_after(self, position: int) -> int:
        """Where the dropped range that begins at ``position`` ends; ``position`` when none does."""
        index = bisect_right(self.dropped, (position, -1))
        return self.dropped[index][1] if index < len(self.dropped) and self.dropped[index][0] == position else position

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


def prepare(text: str, dropped: Ranges = ()) -> PreparedText:
    """The skeleton of a text, in time linear in its length."""
    folded: list[str] = []
    cased: list[str] = []
    starts = array("I")
    ends = array("I")

    def add(start: int, end: int) -> None:
        cluster = text[start:end]
        if KEYCAP in cluster:  # "1️⃣" is a picture, not a number
            return
        for character in folded_form(cluster):
            if counts(character):
                for piece in character.casefold():
                    folded.append(piece)
                    cased.append(character)
                    starts.append(start)
                    ends.append(end)

    gone = list(reversed(dropped))
    for match in PIECES.finditer(text):
        start, end = match.span()
        while gone and gone[-1][1] <= start:
            gone.pop()
        if gone and gone[-1][0] < end:
            for low, high in clusters(text, start, end):
                while gone and gone[-1][1] <= low:
                    gone.pop()
                if not gone or low < gone[-1][0]:
                    add(low, high)
        elif match.lastgroup == "special":
            for low, high in clusters(text, start, end):
                add(low, high)
        else:
            word = match.group()
            lower = word.casefold()
            if len(lower) == len(word):
                folded.append(lower)
                cased.append(word)
                starts.extend(range(start, end))
                ends.extend(range(start + 1, end + 1))
            else:
                for position in range(start, end):
                    add(position, position + 1)
    return PreparedText(text, "".join(folded), "".join(cased), starts, ends, dropped)


def hidden_ranges(text: str, view: int) -> Ranges:
    """What one of the ``VIEWS`` of a text leaves out, in order and without overlaps."""
    found: list[tuple[int, int]] = []
    if view >= 1 and ("](" in text or "<!--" in text or "{/*" in text):
        found.extend(match.span() for match in _TARGETS.finditer(text))
    if view >= 2:
        found.extend(match.span() for match in _NUMBERS.finditer(text))
    if view >= 3 and "<" in text:
        found.extend(match.span() for match in _TAGS.finditer(text))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end))
    return tuple(merged)
