"""The index of words asked for a question: in its own language, and in the other one where its own does not answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.results.search import CrossedTermV1
from memory_assets.search.crossing.bridge import crossed
from memory_assets.search.question.terms import query_terms, standing
from memory_assets.search.ranking.retrievers import best_said
from memory_assets.search.ranking.weights import SAID_FROM
from memory_assets.text.particles import is_hangul

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.search.crossing.bridge import Crossed, Known
    from memory_assets.search.question.terms import Term
    from memory_assets.vectors.units import LexicalHits, UnitFilter
    from memory_assets.vectors.words import WordIndex


@dataclass(frozen=True, slots=True)
class Asked:
    """What the words of a question find.

    Attributes:
        terms: the words that were looked for.
        crossed: those of the other language, as they are shown; none where they were not looked for.
        speakers: whom these name by the sound of their name.
    """

    hits: LexicalHits
    terms: tuple[Term, ...]
    crossed: tuple[CrossedTermV1, ...] = ()
    speakers: frozenset[str] = frozenset()


def ask_words(words: WordIndex, query: str, known: Known, depth: int, where: UnitFilter) -> Asked:
    """The units that have the words of a question; where no text has nearly all of them, those of the other language too.

    Nothing is looked up for the other language before that is known, and in a store of one language nothing waits for it.

    Raises:
        IndexCorruptError: the table cannot be read.
    """
    terms = query_terms(query)
    speaks_korean = words.speaks_korean()
    own = None if not speaks_korean and _is_korean(terms) else words.lexical_search(query, depth, where)
    if own is not None and (not (speaks_korean or _has_korean(terms)) or best_said(own, terms) >= SAID_FROM):
        return Asked(own, terms)
    bridge = crossed(terms, known)
    hits = words.lexical_search(query, depth, where, bridge.weighted_tokens())
    if not _is_said(bridge, hits):
        return Asked(own or hits, terms)
    shown = tuple(
        CrossedTermV1(said=one.said, ways=tuple(way.text for way in one.ways), weight=one.weight, by=one.by)
        for one in bridge.crossings
    )
    return Asked(hits, bridge.terms, shown, bridge.speakers)


def _is_said(bridge: Crossed, hits: LexicalHits) -> bool:
    """Whether any text that was found has a crossed word; a number is of both languages."""
    ways = (way for crossing in bridge.crossings for way in crossing.ways)
    stems = frozenset(token for way in ways for form in way.forms for token in form if not token.isdigit())
    return any(standing(stems, hit.own_text) for hit in hits.context)


def _is_korean(terms: Sequence[Term]) -> bool:
    """Whether so many words are Korean that no text without Korean has enough of them: it need not be searched to know that."""
    only_korean = sum(not any(token.isascii() for form in term.forms for token in form) for term in terms)
    return only_korean > len(terms) * (1 - SAID_FROM)


def _has_korean(terms: Sequence[Term]) -> bool:
    return any(is_hangul(character) for term in terms for character in term.text)
