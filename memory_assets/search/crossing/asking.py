"""The index of words asked for a question: in its own language, and in the other one where its own does not answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from memory_assets.results.search import CrossedTermV1
from memory_assets.search.crossing.bridge import crossed
from memory_assets.search.question.terms import query_terms, standing
from memory_assets.search.ranking.retrievers import best_said
from memory_assets.search.ranking.weights import SAID_FROM
from memory_assets.text.particles import is_hangul
from memory_assets.vectors.units import LexicalHits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    own = _searched(partial(words.lexical_search, query, where=where), depth)
    if not (words.speaks_korean() or _has_korean(terms)) or best_said(own, terms) >= SAID_FROM:
        return Asked(own, terms)
    bridge = crossed(terms, known)
    with_a_way = frozenset(terms[place].text for crossing in bridge.crossings for place in crossing.places)
    others = _searched(partial(words.crossed_search, bridge.weighted_tokens(), where=where), depth)
    if not _is_said(bridge, others):
        return Asked(own, terms, with_a_way=with_a_way)
    shown = tuple(
        CrossedTermV1(said=one.said, ways=tuple(way.text for way in one.ways), weight=one.weight, by=one.by)
        for one in bridge.crossings
    )
    return Asked(together(own, others, depth), bridge.terms, shown, bridge.speakers, with_a_way)


def together(own: LexicalHits, others: LexicalHits, depth: int) -> LexicalHits:
    """The best units by the words of both languages: BM25 is a sum over words.

    Asked at once, each word of the question as often as its weight beside the others says, the same takes twice as long (13.1
    ms, and 4.8 for these words alone; 100,000 units).
    """
    return LexicalHits(_summed(own.context, others.context, depth), _summed(own.own, others.own, depth))


def _summed(own: Sequence[UnitHit], others: Sequence[UnitHit], depth: int) -> tuple[UnitHit, ...]:
    own_scores, other_scores = ({hit.unit_id: hit.score for hit in hits} for hits in (own, others))
    own_beyond, other_beyond = _beyond(own, depth), _beyond(others, depth)
    units = {hit.unit_id: hit for hit in (*others, *own)}
    best = sorted(
        (-own_scores.get(unit_id, own_beyond) - other_scores.get(unit_id, other_beyond), unit_id) for unit_id in units
    )
    return tuple(units[unit_id].scored(-negative) for negative, unit_id in best[:depth])


def _beyond(hits: Sequence[UnitHit], depth: int) -> float:
    """What a unit is taken to have that is not among these: where they are as many as were asked for, something between nothing
    and the last one's score."""
    return hits[-1].score / 2 if len(hits) >= depth else 0.0


def _searched(search: Callable[[int], LexicalHits], depth: int) -> LexicalHits:
    """The best units, one of equal templates alone: a prompt that a program writes into every session is one text.

    Where copies take most places, further units are asked for once.
    """
    found = search(depth)
    hits = _without_copies(found)
    fields = ((found.context, hits.context), (found.own, hits.own))
    if not any(len(field) >= depth > _MOSTLY_COPIES * len(kept) for field, kept in fields):
        return hits
    further = _without_copies(search(min(depth * _DEEPER, _DEEPEST)))
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


def _has_korean(terms: Sequence[Term]) -> bool:
    return any(is_hangul(character) for term in terms for character in term.text)
