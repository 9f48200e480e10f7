"""How much two lessons have in common, by their words, in any language."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from memory_assets.text.lexical_text import search_text

Words = frozenset[str]


@lru_cache(maxsize=20_000)
def words_of(rule: str, trigger: str) -> Words:
    """What a lesson says, and when: its words, Korean ones by pairs of syllables."""
    return frozenset(search_text(f"{rule} {trigger}").split())


def likeness(one: Words, other: Words) -> float:
    """The share of the words that both have, of all that either has; 0 where either has none."""
    return len(one & other) / len(one | other) if one and other else 0.0


class Alike:
    """Lessons to look among: who is at least so alike is found without comparing everything with everything.

    Two sets that share so much share one of their rarest words, so a set is kept under these alone (prefix filtering).

    Args:
        words: those of every lesson that is asked for or added, by its id.
        least: of the likeness.
    """

    def __init__(self, words: Mapping[str, Words], least: float) -> None:
        self._words = words
        self._least = least
        self._counts = Counter(word for told in words.values() for word in told)
        self._kept: dict[str, list[str]] = {}

    def add(self, lesson_id: str) -> None:
        """Let a lesson be found from now on."""
        for word in self._rarest(lesson_id):
            self._kept.setdefault(word, []).append(lesson_id)

    def found(self, lesson_id: str) -> list[tuple[str, float]]:
        """Those added that are alike, the most alike first; of two the one that was added first."""
        known = dict.fromkeys(other for word in self._rarest(lesson_id) for other in self._kept.get(word, ()))
        alike = [(other, likeness(self._words[lesson_id], self._words[other])) for other in known if other != lesson_id]
        return sorted((pair for pair in alike if pair[1] >= self._least), key=lambda pair: -pair[1])

    def _rarest(self, lesson_id: str) -> list[str]:
        words = sorted(self._words[lesson_id], key=lambda word: (self._counts[word], word))
        return words[: len(words) - math.ceil(self._least * len(words)) + 1]
