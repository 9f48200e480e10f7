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
from memory_assets.vectors.units import LexicalHits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.search.crossing.bridge import Crossed, Known
    from memory_assets.search.question.terms import Term
    from memory_assets.vectors.units import UnitFilter, UnitHit
    from memory_assets.vectors.words import WordIndex


_MOSTLY_COPIES = 2
_DEEPER, _DEEPEST = 10, 3000
"""How many times as many units are asked for where copies of templates took most of the places, and at most."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the words of a question find.

    Attributes:
        terms: the words that were looked for.
        crossed: those of the other language, as they are shown; none where they were not looked for.
        speakers: whom these name by the sound of their name.
        with_a_way: the words that the other language is known to have a way to say; None where that was not looked up.
    """

    hits: LexicalHits
    terms: tuple[Term, ...]
    crossed: tuple[CrossedTermV1, ...] = ()
    speakers: frozenset[str] = frozenset()
    with_a_way: frozenset[str] | None = None


def ask_words(words: WordIndex, query: str, known: Known, depth: int, where: UnitFilter) -> Asked:
    """The units that have the words of a question; where no text has nearly all of them, those of the other language too.

    Nothing is looked up for the other language before that is known, and in a store of one language nothing waits for it.

    Raises:
        IndexCorruptError: the table cannot be read.
    """
    terms = query_terms(query)
    speaks_korean = words.speaks_korean()
    own = None if not speaks_korean and _is_korean(terms) else _searched(words, query, depth, where)
    if own is not None and (not (speaks_korean or _has_korean(terms)) or best_said(own, terms) >= SAID_FROM):
        return Asked(own, terms)
    bridge = crossed(terms, known)
    with_a_way = frozenset(terms[place].text for crossing in bridge.crossings for place in crossing.places)
    hits = _searched(words, query, depth, where, bridge.weighted_tokens())
    if not _is_said(bridge, hits):
        return Asked(own or hits, terms, with_a_way=with_a_way)
    shown = tuple(
        CrossedTermV1(said=one.said, ways=tuple(way.text for way in one.ways), weight=one.weight, by=one.by)
        for one in bridge.crossings
    )
    return Asked(hits, bridge.terms, shown, bridge.speakers, with_a_way)


def _searched(
    words: WordIndex, query: str, depth: int, where: UnitFilter, crossed: Sequence[tuple[str, float]] = ()
) -> LexicalHits:
    """The best units, one of equal templates alone: a prompt that a program writes into every session is one text.

    Where copies take most places, further units are asked for once.
    """
    found = words.lexical_search(query, depth, where, crossed)
    hits = _without_copies(found)
    fields = ((found.context, hits.context), (found.own, hits.own))
    if not any(len(field) >= depth > _MOSTLY_COPIES * len(kept) for field, kept in fields):
        return hits
    deeper = min(depth * _DEEPER, _DEEPEST)
    further = _without_copies(words.lexical_search(query, deeper, where, crossed))
    return LexicalHits(further.context[:depth], further.own[:depth])


def _without_copies(hits: LexicalHits) -> LexicalHits:
    return LexicalHits(_once(hits.context), _once(hits.own))


def _once(hits: Sequence[UnitHit]) -> tuple[UnitHit, ...]:
    seen: set[str] = set()
    kept = []
    for hit in hits:
        if hit.origin == "template":
            if hit.own_text in seen:
                continue
            seen.add(hit.own_text)
        kept.append(hit)
    return tuple(kept)


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
