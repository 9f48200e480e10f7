"""What is measured of a line that an agent or its user wrote: how likely the answer stands in it.

A message of an agent has forty sentences, list items, rows and lines of code, of which one answers; its neighbours, the
heading above it and what was asked before it say what it speaks of. Lines are compared with all other lines that were found
for the same question, so a sign need only tell one from another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory_assets.search.answerability.asked_for import fits
from memory_assets.search.answerability.question import tokens_of
from memory_assets.search.answerability.signs import is_question

if TYPE_CHECKING:
    from memory_assets.search.answerability.passages import Passage, Quotable
    from memory_assets.search.answerability.question import Question

LOOKED_AT: Final = 10
"""Passages whose lines are looked at, the best ones."""
_LEAST_WORDS: Final = 4
_NUMBER: Final = re.compile(r"\d")
_PATH: Final = re.compile(r"[\w.-]+/[\w./-]+|\b[\w-]+\.(?:py|ts|js|tsx|md|toml|json|sql|sh|yml|yaml|rs|go)\b")
_MARKUP: Final = "*_` "
_ANNOUNCES: Final = re.compile(
    r"^(?:let me|i'll|i will|now (?:let me|i'll)|i need to|first,? (?:let me|i'll)|next|good|great|perfect|이제|먼저)\b"
    r"|(?:하겠습니다|보겠습니다|볼게요|할게요|드리겠습니다|드릴게요)[.!]?$",
    re.IGNORECASE,
)
"""What an agent says before it does something."""

Shares = tuple[float, ...]
"""How far something holds each telling word of the question."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a passage with its signs; ``number`` is its place among the passage's."""

    passage: Passage
    number: int
    signs: Mapping[str, float]


def lines_of(question: Question, graded: Sequence[tuple[Passage, float]]) -> list[Line]:
    """The lines of the best passages, by passage and place.

    Args:
        graded: passages with their grades, best first.
    """
    some = [(passage, grade) for passage, grade in graded[:LOOKED_AT] if passage.lines]
    if not some:
        return []
    held = [[_held(question, one.text) for one in passage.lines] for passage, _ in some]
    weighing = _Weighing(question, held)
    best_grade = max(grade for _, grade in some)
    best_score = max(passage.hit.score for passage, _ in graded) or 1.0
    told = []
    for (passage, grade), of_lines in zip(some, held, strict=True):
        of_passage = {
            "log_grade": math.log(grade + 1e-3),
            "beside_best": grade / best_grade if best_grade else 0.0,
            "score": passage.hit.score / best_score,
            "by_user": float(passage.role == "user"),
            "by_tool": float(passage.role == "tool"),
            "lines": math.log1p(len(passage.lines)),
            "cosine": max(0.0, vector.score) if (vector := passage.hit.legs.get("vector")) else 0.0,
        }
        shown = _blank(passage.hit.snippet)
        before = _held(question, passage.before)
        whole = _most(of_lines)
        of_passage["more_before"] = weighing.more(before, whole)
        within = weighing.within(of_lines)
        for number, line in enumerate(passage.lines):
            by_place = _by_place(question, passage, number, of_lines, weighing)
            by_place["held_in_message"] = _weighed(of_lines[number], within)
            by_place["in_snippet"] = float(_blank(line.text) in shown)
            told.append(Line(passage, number, of_passage | by_place | _by_text(question, line)))
    return told


class _Weighing:
    """How much of a question some words are, by what each weighs in all and among the lines that were found."""

    def __init__(self, question: Question, held: Sequence[Sequence[Shares]]) -> None:
        self._weights = tuple(word.weight for word in question.words)
        lines = [one for of_passage in held for one in of_passage]
        counts = [math.fsum(column) for column in zip(*lines, strict=True)]
        self._among_lines = tuple(math.log1p(len(lines) / count) if count else 0.0 for count in counts)

    def share(self, held: Shares) -> float:
        """Of the whole question."""
        return _weighed(held, self._weights)

    def share_among_lines(self, held: Shares) -> float:
        """As :meth:`share`, where a word weighs the more the fewer lines have it."""
        return _weighed(held, self._among_lines)

    def within(self, of_lines: Sequence[Shares]) -> Sequence[float]:
        """What each word weighs in a message: the more the fewer of its lines have it."""
        counts = [math.fsum(column) for column in zip(*of_lines, strict=True)]
        return [
            weight * math.log1p(len(of_lines) / count) if count else 0.0
            for weight, count in zip(self._weights, counts, strict=True)
        ]

    def more(self, beside: Shares, held: Shares) -> float:
        """How much more of the question something holds than something else."""
        return _weighed(tuple(max(0.0, one - other) for one, other in zip(beside, held, strict=True)), self._weights)


def _by_place(
    question: Question, passage: Passage, number: int, of_lines: Sequence[Shares], weighing: _Weighing
) -> dict[str, float]:
    """What a line holds of the question, and what stands around it does beside."""
    lines, held = passage.lines, of_lines[number]
    line = lines[number]
    nothing = (0.0,) * len(held)
    heading = _held(question, line.heading) if line.heading else nothing
    earlier = of_lines[number - 1] if number else nothing
    later = of_lines[number + 1] if number + 1 < len(lines) else nothing
    return {
        "held": weighing.share(held),
        "held_among_lines": weighing.share_among_lines(held),
        "held_around": weighing.share(_most([held, heading, earlier, of_lines[_lead(lines, number)]])),
        "more_above": weighing.more(earlier, held),
        "more_below": weighing.more(later, held),
        "more_in_heading": weighing.more(heading, held),
        "in_hit": float(line.start >= passage.start and line.end <= passage.end),
    }


def _by_text(question: Question, line: Quotable) -> dict[str, float]:
    """What a line says, whatever of the question it holds."""
    text, bare = line.text, line.text.strip(_MARKUP)
    asked = frozenset(token for word in question.words for token in word.term.tokens)
    new = len(tokens_of(text) - asked)
    return {
        "new": math.log1p(new),
        "says_again": float(new <= 1),
        "short": float(len(text.split()) < _LEAST_WORDS),
        "fits": float(fits(question.asked_for, text)),
        "number": float(question.asked_for in ("number", "time") and _NUMBER.search(text) is not None),
        "path": float(_PATH.search(text) is not None),
        "leads": float(bare.endswith((":", "："))),
        "asks": float(is_question(text)),
        "announces": float(_ANNOUNCES.search(bare) is not None),
        "row": float(line.shape == "row"),
    }


def _lead(lines: Sequence[Quotable], number: int) -> int:
    """The line that leads the list, table or code which a line stands in; itself where it stands in none."""
    return next((place for place in range(number, -1, -1) if lines[place].shape in ("prose", "heading")), number)


def _held(question: Question, text: str) -> Shares:
    tokens = tokens_of(text)
    return tuple(word.term.held_by(tokens) for word in question.words)


def _most(held: Sequence[Shares]) -> Shares:
    return tuple(map(max, zip(*held, strict=True)))


def _weighed(held: Shares, weights: Sequence[float]) -> float:
    total = math.fsum(weights)
    return math.fsum(share * weight for share, weight in zip(held, weights, strict=True)) / total if total else 0.0


def _blank(text: str) -> str:
    return " ".join(text.split())
