"""Quotes of messages of agents: runs of lines around those in which the answer stands most likely.

A line alone says too little there: ``Bumped 3 → 4`` stands under what was bumped. So a quote is a window of a message: its best
line with the better ones of those beside it, as far as there is room.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory_assets.ask.line_signs import Line
    from memory_assets.search.answerability.passages import Passage

MOST_WINDOWS: Final = 3
_WORD: Final = re.compile(r"\w")
_FIRST: Final = 0.67
"""Of all words, how many the first window has."""
_FURTHER: Final = 0.33
"""The same of each other one."""
_WORTH: Final = 0.03
"""How likely a further window's best line is, at the least, beside the first one's."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of a passage, from the first to the last."""

    passage: Passage
    first: int
    last: int

    @property
    def start(self) -> int:
        return self.passage.lines[self.first].start

    @property
    def end(self) -> int:
        return self.passage.lines[self.last].end

    @property
    def words(self) -> int:
        """Marks of lists and tables are none."""
        return sum(_WORD.search(word) is not None for word in self.passage.text[self.start : self.end].split())

    def holds(self, passage: Passage, number: int) -> bool:
        return self.passage is passage and self.first <= number <= self.last


def windows_of(lines: Sequence[tuple[Line, float]], most_words: int) -> list[Window]:
    """The windows that answer, the likeliest first, none over another.

    Args:
        lines: of some passages, each with its score: how likely the answer stands there, as a logarithm.
        most_words: of all windows together; the best line is in one whatever its length.
    """
    order = sorted(range(len(lines)), key=lambda place: (-lines[place][1], place))
    scores = {(id(line.passage), line.number): score for line, score in lines}
    taken: list[Window] = []
    left = most_words
    for place in order:
        line, score = lines[place]
        is_likely = not taken or math.exp(score - lines[order[0]][1]) >= _WORTH
        if len(taken) == MOST_WINDOWS or not is_likely:
            break
        begun = Window(line.passage, line.number, line.number)
        if any(one.holds(line.passage, line.number) for one in taken) or (taken and begun.words > left):
            continue
        room = round(most_words * (_FURTHER if taken else _FIRST))
        window = _grown(begun, taken, scores, min(left, room))
        taken.append(window)
        left -= window.words
    return taken


def _grown(window: Window, taken: Sequence[Window], scores: Mapping[tuple[int, int], float], room: int) -> Window:
    """A window with the lines beside it, the likelier one first, as far as there is room."""
    passage = window.passage
    while True:
        wider = [
            (scores[id(passage), number], grown)
            for number, grown in (
                (window.first - 1, Window(passage, window.first - 1, window.last)),
                (window.last + 1, Window(passage, window.first, window.last + 1)),
            )
            if (id(passage), number) in scores and not any(one.holds(passage, number) for one in taken) and grown.words <= room
        ]
        if not wider:
            return window
        window = max(wider, key=lambda one: one[0])[1]
