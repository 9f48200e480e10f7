"""The index of words asked for a question: in its own language, and in the other one where its own does not answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.results.search import CrossedTermV1
from memory_assets.search.ranking.retrievers import best_said
from memory_assets.search.ranking.weights import SAID_FROM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.search.crossing.bridge import Crossed
    from memory_assets.search.question.terms import Term
    from memory_assets.vectors.units import LexicalHits, UnitFilter
    from memory_assets.vectors.words import WordIndex


@dataclass(frozen=True, slots=True)
class Asked:
    """What the words of a question find.

    Attributes:
        terms: the words that were looked for.
        crossed: those of the other language, as they are shown; none where they were not looked for.
    """

    hits: LexicalHits
    terms: tuple[Term, ...]
    crossed: tuple[CrossedTermV1, ...] = ()


def ask_words(words: WordIndex, query: str, bridge: Crossed, depth: int, where: UnitFilter) -> Asked:
    """The units that have the words of a question; where no text has nearly all of them, those of the other language too.

    In a store of one language nothing is crossed, and nothing waits for it.

    Raises:
        IndexCorruptError: the table cannot be read.
    """
    tokens = bridge.weighted_tokens()
    said = words.lexical_search(query, depth, where)
    if not tokens or not _is_answered_elsewhere(words, bridge, said, [token for token, _ in tokens]):
        return Asked(said, bridge.said)
    shown = (
        CrossedTermV1(said=one.said, ways=tuple(way.text for way in one.ways), weight=one.weight, by=one.by)
        for one in bridge.crossings
    )
    return Asked(words.lexical_search(query, depth, where, tokens), bridge.terms, tuple(shown))


def _is_answered_elsewhere(words: WordIndex, bridge: Crossed, said: LexicalHits, tokens: Sequence[str]) -> bool:
    """Whether the other language may answer what the question's own does not. What costs least is asked first."""
    # A number is of both.
    telling = [token for token in tokens if not token.isdigit()]
    if not any(map(str.isascii, telling)) and not words.speaks_korean():
        return False
    return best_said(said, bridge.said) < SAID_FROM and words.holds_any(telling)
