"""What the index found, made into the scores of the two legs (decision 0016).

By words: BM25 of the context (what is said, three times, and what is said around it), a little of BM25 of what is said alone,
a little of how much the session speaks of it, and more where what is said has all words of the question. By meaning: the
cosine, and that of the better neighbour. Pure: hits of the index in, legs out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING

from memory_assets.search.question.terms import Term, names_in, standing
from memory_assets.search.ranking.fusion import Candidate, Leg, good_score
from memory_assets.search.ranking.weights import (
    COVERAGE_WEIGHT,
    NAME_WEIGHT,
    NAMED_COVERAGE_WEIGHT,
    NEIGHBOUR_WEIGHT,
    OWN_WEIGHT,
    SESSION_WEIGHT,
    VECTOR_WEIGHT,
)

if TYPE_CHECKING:
    from memory_assets.vectors.units import LexicalHits, UnitHit

LEXICAL = "lexical"
VECTOR = "vector"

SESSION_BEST = 3
SAID_DEPTH = 10
"""Units of each field that are looked at for the question's own words."""
COVERAGE_DEPTH = 100
"""Units whose words are compared with the question's: the best ones so far."""


@dataclass(frozen=True, slots=True)
class LegScores:
    """A leg, and how the score of each of its units came about.

    Attributes:
        steps: by unit id, the named parts of its score.
        raw: by unit id, what says how sure a hit is: the coverage of the question by words, or the cosine.
        held: by unit id, how far the best units have each of the question's telling words; by words alone.
    """

    leg: Leg
    steps: Mapping[str, Mapping[str, float]]
    raw: Mapping[str, float]
    held: Mapping[str, Sequence[float]] = field(default_factory=dict)


def leg_depth(k: int, *, alone: bool) -> int:
    """How many candidates to ask of each leg for ``k`` hits.

    What is middling in both legs may be best in all: of the answers in English chat one in 300 comes from further behind than
    the hundredth place of either. A leg that is alone finds as many with a third of the depth (measured).
    """
    return min(max(60, 4 * k) if alone else max(200, 6 * k), 3000)


def lexical_leg(hits: LexicalHits, terms: Sequence[Term]) -> LegScores:
    """The lexical leg.

    Args:
        terms: the question's telling words.
    """
    own = {hit.unit_id: hit.score for hit in hits.own}
    found = {hit.unit_id: hit for hit in (*hits.own, *hits.context)}
    context = {hit.unit_id: hit.score for hit in hits.context}
    sessions = _session_scores(hits.context)
    plain = {
        unit_id: context.get(unit_id, 0.0)
        + OWN_WEIGHT * own.get(unit_id, 0.0)
        + SESSION_WEIGHT * sessions.get(hit.session_id, 0.0)
        for unit_id, hit in found.items()
    }
    stems = frozenset(token for term in terms for token in term.tokens)
    held = {
        unit_id: _held(terms, stems, found[unit_id].own_text)
        for unit_id in nlargest(COVERAGE_DEPTH, plain, key=plain.__getitem__)
    }
    names = names_in(terms)
    telling = _by_rarity(held, [NAME_WEIGHT if is_name else 1.0 for is_name in names])
    weight = NAMED_COVERAGE_WEIGHT if any(names) else COVERAGE_WEIGHT
    scores = {unit_id: score * (1.0 + weight * telling.get(unit_id, 0.0) ** 2) for unit_id, score in plain.items()}
    steps = {
        unit_id: {
            "context": context.get(unit_id, 0.0),
            "own": own.get(unit_id, 0.0),
            "session": sessions.get(hit.session_id, 0.0),
            "coverage": telling.get(unit_id, 0.0),
        }
        for unit_id, hit in found.items()
    }
    candidates = _best_first(scores)
    covered = {unit_id: _share(each) for unit_id, each in held.items()}
    return LegScores(Leg(LEXICAL, "bm25", candidates, scale=good_score(candidates)), steps, covered, held)


def best_said(hits: LexicalHits, terms: Sequence[Term]) -> float:
    """The most that one text has of a question's telling words, 0 to 1; what a program wrote is not said."""
    stems = frozenset(token for term in terms for token in term.tokens)
    said = [[hit for hit in field if hit.origin != "template"][:SAID_DEPTH] for field in (hits.context, hits.own)]
    texts = {hit.unit_id: hit.own_text for field in said for hit in field}
    return max((_coverage(terms, stems, text) for text in texts.values()), default=0.0)


def vector_leg(hits: Sequence[UnitHit], weight: float = VECTOR_WEIGHT) -> LegScores:
    """The vector leg: cosine, and that of the better neighbour. A neighbour that was not found counts as the last that was.

    Args:
        weight: calibrated for the embedding version; see ``vectors.calibration``.
    """
    lowest = min((hit.score for hit in hits), default=0.0)
    at_place = {(hit.session_id, hit.place): hit.score for hit in hits if hit.place is not None}
    of_message: dict[tuple[str | None, int | None], float] = {}
    for hit in hits:
        if hit.place is not None:
            key = (hit.session_id, hit.message_index)
            of_message[key] = max(hit.score, of_message.get(key, hit.score))

    def neighbour(hit: UnitHit) -> float:
        if hit.place is None:  # what is no passage stands beside those of its message
            return of_message.get((hit.session_id, hit.message_index), lowest)
        return max(at_place.get((hit.session_id, hit.place + step), lowest) for step in (-1, 1))

    beside = {hit.unit_id: neighbour(hit) for hit in hits}
    scores = {hit.unit_id: hit.score + NEIGHBOUR_WEIGHT * beside[hit.unit_id] for hit in hits}
    steps = {hit.unit_id: {"cosine": hit.score, "neighbour": beside[hit.unit_id]} for hit in hits}
    leg = Leg(VECTOR, "cosine", _best_first(scores), weight, missing=lowest * (1.0 + NEIGHBOUR_WEIGHT))
    return LegScores(leg, steps, {hit.unit_id: hit.score for hit in hits})


def _session_scores(hits: Sequence[UnitHit]) -> dict[str | None, float]:
    """How much each session speaks of it: the mean of its three best passages, best first as they come."""
    best: defaultdict[str | None, list[float]] = defaultdict(list)
    for hit in hits:
        if hit.place is not None and len(best[hit.session_id]) < SESSION_BEST:
            best[hit.session_id].append(hit.score)
    return {session_id: sum(scores) / SESSION_BEST for session_id, scores in best.items()}


def _coverage(terms: Sequence[Term], stems: frozenset[str], own_text: str) -> float:
    """How much of the question's telling words a text has, 0 to 1; a Korean word with or without its particles.

    Args:
        stems: every token of the terms.
    """
    return _share(_held(terms, stems, own_text))


def _held(terms: Sequence[Term], stems: frozenset[str], own_text: str) -> list[float]:
    """How far a text has each of the question's telling words."""
    said = standing(stems, own_text)
    return [term.held_by(said) for term in terms]


def _share(held: Sequence[float]) -> float:
    return sum(held) / len(held) if held else 0.0


def _by_rarity(held: Mapping[str, Sequence[float]], each_weighs: Sequence[float]) -> dict[str, float]:
    """By unit id how much it has of the question's telling words: one counts for more the fewer of these units have it.

    That all have of three words out of four is no answer where the fourth stands in one of them.

    Args:
        each_weighs: what a word counts beside another that is as rare.
    """
    totals = [sum(column) for column in zip(*held.values(), strict=True)]
    rarity = [math.log1p(len(held) / total) if total else 0.0 for total in totals]
    weights = [each * rare for each, rare in zip(each_weighs, rarity, strict=False)]
    whole = sum(weights)
    return {
        unit_id: sum(weight * one for weight, one in zip(weights, each, strict=True)) / whole if whole else 0.0
        for unit_id, each in held.items()
    }


def _best_first(scores: Mapping[str, float]) -> tuple[Candidate, ...]:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Candidate(unit_id, score) for unit_id, score in ordered)
