"""Quotes of messages of agents: the runs of lines in which the answer stands most likely.

A line alone says too little there: ``Bumped 3 → 4`` stands under what was bumped. So a quote is a window of a message: as many
lines as there is room for, those that are likeliest together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
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
"""How likely a further window is, at the least, beside the first one."""


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
        return _count(self.passage.text[self.start : self.end])


def windows_of(lines: Sequence[tuple[Line, float]], most_words: int) -> list[Window]:
    """The windows that answer, the likeliest first, none over another.

    Args:
        lines: of some passages, each with its score: how likely the answer stands there, as a logarithm.
        most_words: of all windows together; one line is quoted whatever its length.
    """
    runs = _runs(lines)
    taken: list[Window] = []
    least, left = 0.0, most_words
    while len(taken) < MOST_WINDOWS and left > 0:
        room = min(left, round(most_words * (_FURTHER if taken else _FIRST)))
        each = [one for run in runs if (one := run.likeliest(room, even_if_longer=not taken))]
        if not each:
            break
        likelihood, window = max(each, key=lambda one: one[0])
        if likelihood < least:
            break
        least = least or _WORTH * likelihood
        taken.append(window)
        left -= window.words
        runs = [part for run in runs for part in run.without(window)]
    return taken


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines of a passage beside each other, none of which is quoted yet.

    Attributes:
        first: the number of the first one.
        likelihoods: of each, that the answer stands in it, beside the likeliest of all.
        before: of each, how many words the run has before it; ``words`` how many it has itself.
    """

    passage: Passage
    first: int
    likelihoods: tuple[float, ...]
    before: tuple[int, ...]
    words: tuple[int, ...]

    def likeliest(self, room: int, *, even_if_longer: bool) -> tuple[float, Window] | None:
        """The window of so many words at most in which the answer stands most likely, and how likely it does."""
        best: tuple[float, int, int] | None = None
        total, end = 0.0, 0
        for start, likelihood in enumerate(self.likelihoods):
            if end <= start:
                total, end = 0.0, start
            while end < len(self.words) and self.before[end] + self.words[end] - self.before[start] <= room:
                total += self.likelihoods[end]
                end += 1
            if end > start:
                found = (total, start, end)
                total -= likelihood
            elif even_if_longer:
                found = (likelihood, start, start + 1)
            else:
                continue
            if best is None or found[0] > best[0]:
                best = found
        if best is None:
            return None
        return best[0], Window(self.passage, self.first + best[1], self.first + best[2] - 1)

    def without(self, window: Window) -> Iterator[_Run]:
        """What a window leaves of it."""
        if window.passage is not self.passage or not self.first <= window.first < self.first + len(self.words):
            yield self
            return
        for low, high in ((0, window.first - self.first), (window.last + 1 - self.first, len(self.words))):
            if low < high:
                yield _Run(
                    self.passage, self.first + low, self.likelihoods[low:high], self.before[low:high], self.words[low:high]
                )


def _runs(lines: Sequence[tuple[Line, float]]) -> list[_Run]:
    """The lines by their passages."""
    best = max((score for _, score in lines), default=0.0)
    of_passages: dict[int, list[tuple[Line, float]]] = {}
    for line, score in lines:
        of_passages.setdefault(id(line.passage), []).append((line, math.exp(score - best)))
    return [_run(each) for each in of_passages.values()]


def _run(lines: Sequence[tuple[Line, float]]) -> _Run:
    passage, first = lines[0][0].passage, lines[0][0].number
    some = passage.lines[first : first + len(lines)]
    starts = [one.start for one in some]
    between = [_count(passage.text[one:following]) for one, following in pairwise(starts)]
    return _Run(
        passage,
        first,
        tuple(likelihood for _, likelihood in lines),
        tuple(accumulate(between, initial=0)),
        tuple(_count(one.text) for one in some),
    )


def _count(text: str) -> int:
    """The words of a text; marks of lists and tables are none."""
    return sum(_WORD.search(word) is not None for word in text.split())
