"""What a search found, as far as it tells whether that can hold the answer. Made of what the ranking knows: no text is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory_assets.search.answerability.question import telling_terms
from memory_assets.search.question.terms import Term, names_in, standing
from memory_assets.search.ranking.retrievers import LEXICAL, VECTOR

if TYPE_CHECKING:
    from memory_assets.search.ranking.ranking import RankedHit
    from memory_assets.search.ranking.retrievers import LegScores
    from memory_assets.vectors.units import UnitHit

Held = tuple[float, ...]
"""How far a text has each word of a question, 0 to 1, in their order."""

MOST: Final = 20
"""Units that are looked at, whatever number of hits is asked for: three hits and thirty are as sure."""
_NOWHERE: Final = 0.5
"""A word that no unit has counts as if half a unit had it."""


@dataclass(frozen=True, slots=True)
class Word:
    """A telling word of a question.

    Attributes:
        weight: the larger the fewer of the best units have it.
        is_seen: whether any of them has it.
        is_name: it names a file, a symbol, a product; not a person who speaks.
    """

    text: str
    weight: float
    is_seen: bool
    is_name: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A unit that was found.

    Attributes:
        score: of the ranking, as a share of the best one's.
        bm25, cosine: of the legs; 0 where one did not find it.
        before: of the passage before it, where that was found too; else nothing.
        characters: of its tokens.
    """

    unit_id: str
    score: float
    bm25: float
    cosine: float
    relevance: float
    held: Held
    before: Held
    speaker: str | None
    turn: str | None
    characters: int
    is_remembered: bool
    is_of_others: bool

    @property
    def with_before(self) -> Held:
        """What it and the passage before it have together."""
        return tuple(map(max, self.held, self.before))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for a question.

    Attributes:
        words: its telling words, but for the names of those who speak.
        names: of people who speak in the store and whom it names.
        units: best first, of each message the best one.
    """

    words: tuple[Word, ...]
    names: frozenset[str]
    units: tuple[Found, ...]

    @property
    def total(self) -> float:
        """What all words weigh."""
        return math.fsum(word.weight for word in self.words) or 1.0

    def share(self, held: Held) -> float:
        """The share of the words that a text has, each by its weight; 0 to 1."""
        return math.fsum(word.weight * one for word, one in zip(self.words, held, strict=True)) / self.total

    def share_of(self, held: Held, *, named: bool) -> float:
        """As :meth:`share`, of the words that name something, or of the others; 0 where there are none."""
        some = [(word.weight, one) for word, one in zip(self.words, held, strict=True) if word.is_name == named]
        whole = math.fsum(weight for weight, _ in some)
        return math.fsum(weight * one for weight, one in some) / whole if whole else 0.0

    def read_as(self, words: Iterable[str], names: frozenset[str]) -> Evidence:
        """The same units for a question of fewer words, which names these people."""
        read = frozenset(words)
        places = [place for place, word in enumerate(self.words) if word.text in read]

        def of(held: Held) -> Held:
            return tuple(held[place] for place in places)

        units = tuple(replace(unit, held=of(unit.held), before=of(unit.before)) for unit in self.units)
        return Evidence(tuple(self.words[place] for place in places), names, units)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The words that nothing found has."""
        return tuple(word.text for word in self.words if not word.is_seen)

    @property
    def not_together(self) -> tuple[str, ...]:
        """The fewest words that no unit has together, the rarest first chosen; none where one unit has them all.

        A word that nothing has stands among them alone, and all such words do.
        """
        if self.unseen or not self.units:
            return self.unseen
        chosen: list[int] = []
        for place in sorted(range(len(self.words)), key=lambda place: -self.words[place].weight):
            chosen.append(place)
            if not any(all(unit.held[one] >= _HAS for one in chosen) for unit in self.units):
                return tuple(self.words[one].text for one in sorted(chosen))
        return ()


_HAS: Final = 0.5
"""How far a unit must have a word to speak of it: one crossed to the other language counts for 0.7."""


def evidence_of(
    terms: Sequence[Term],
    names: frozenset[str],
    ranked: Sequence[RankedHit],
    legs: Sequence[LegScores],
    relevances: Mapping[str, float],
) -> Evidence:
    """What a ranking says of a question.

    Args:
        terms: the question's words; ``names`` those who speak and whom it names.
        legs: all that were asked, also one that ranks nothing; what the best units have of the terms is known to that by words.
    """
    kept = telling_terms(names, terms)
    places = [place for place, term in enumerate(terms) if term in kept]
    stems = frozenset(token for term in kept for token in term.tokens)
    known = {unit_id: tuple(each[place] for place in places) for leg in legs for unit_id, each in leg.held.items()}
    units = {one.hit.unit_id: one.hit for one in ranked}
    scores = {leg.leg.name: dict(leg.leg.candidates) for leg in legs}
    by_words, by_meaning = scores.get(LEXICAL, {}), scores.get(VECTOR, {})

    def held_by(hit: UnitHit) -> Held:
        if hit.unit_id not in known:
            said = standing(stems, hit.own_text)
            known[hit.unit_id] = tuple(term.held_by(said) for term in kept)
        return known[hit.unit_id]

    best = _of_each_message(ranked)
    for one in () if known else best:  # no leg by words says what they have
        held_by(one.hit)
    words = tuple(_words(kept, known.values()))
    at = {(hit.session_id, hit.place): hit for hit in units.values() if hit.place is not None}
    nothing: Held = (0.0,) * len(kept)

    def found(one: RankedHit) -> Found:
        hit = one.hit
        before = at.get((hit.session_id, hit.place - 1)) if hit.place is not None else None
        return Found(
            unit_id=hit.unit_id,
            score=one.score / best[0].score if best[0].score > 0 else 0.0,
            bm25=by_words.get(hit.unit_id, 0.0),
            cosine=by_meaning.get(hit.unit_id, 0.0),
            relevance=relevances.get(hit.unit_id, 0.0),
            held=held_by(hit),
            before=held_by(before) if before is not None else nothing,
            speaker=hit.speaker,
            turn=hit.turn,
            characters=len(hit.own_text),
            is_remembered=hit.unit_kind != "passage",
            is_of_others=hit.origin in ("pasted", "template", "tool"),
        )

    return Evidence(words, names, tuple(found(one) for one in best))


def _of_each_message(ranked: Iterable[RankedHit]) -> list[RankedHit]:
    """The best units, of each message the best one: what quotes it says the same."""
    best: dict[object, RankedHit] = {}
    for one in ranked:
        hit = one.hit
        key = hit.unit_id if hit.message_index is None else (hit.session_id, hit.message_index)
        best.setdefault(key, one)
        if len(best) == MOST:
            break
    return list(best.values())


def _words(terms: Sequence[Term], held: Iterable[Held]) -> Iterable[Word]:
    each = list(held)
    for place, (term, is_name) in enumerate(zip(terms, names_in(terms), strict=True)):
        having = math.fsum(one[place] for one in each)
        yield Word(term.text, math.log1p((len(each) or 1) / (having or _NOWHERE)), having > 0, is_name)
