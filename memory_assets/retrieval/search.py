"""From what the legs found to one ranking (requirements K-21 to K-23, X-17). Pure: the caller runs the legs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory_assets.retrieval.fusion import (
    Candidate,
    FusedHit,
    Leg,
    ScoreKind,
    reciprocal_rank_fusion,
    single_leg,
    weighted_fusion,
)

SearchMode = Literal["lexical", "vector", "hybrid"]
FusionMethod = Literal["weighted", "rrf"]

LEXICAL = "lexical"
VECTOR = "vector"

VECTOR_WEIGHT = 0.4
"""The vector leg's say beside the lexical leg's 1.0. Measured with the bundled model on English chat; with equal ranks (RRF)
the fusion is worse than its lexical leg alone."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of the hits, and how it came about.

    Attributes:
        channels: the legs that took part, also those that found nothing.
        notes: why a leg that the mode asks for took no part; for people.
    """

    hits: tuple[FusedHit, ...]
    score_kind: ScoreKind
    channels: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LegUnavailable:
    """A leg that could not be searched, and why."""

    name: str
    reason: str


def lexical_leg(candidates: Sequence[tuple[str, float]]) -> Leg:
    """The lexical leg's (unit id, BM25 score) pairs, best first."""
    return Leg(LEXICAL, "bm25", tuple(Candidate(unit_id, score) for unit_id, score in candidates))


def vector_leg(candidates: Sequence[tuple[str, float]], weight: float = VECTOR_WEIGHT) -> Leg:
    """The vector leg's (unit id, cosine) pairs, nearest first."""
    return Leg(VECTOR, "cosine", tuple(Candidate(unit_id, score) for unit_id, score in candidates), weight)


def leg_depth(k: int) -> int:
    """How many candidates to ask of each leg for ``k`` hits: more, for what is middling in both may be best in all."""
    return min(max(100, 3 * k), 1000)


def legs_of(mode: SearchMode) -> tuple[str, ...]:
    """The legs that a mode searches."""
    match mode:
        case "lexical":
            return (LEXICAL,)
        case "vector":
            return (VECTOR,)
        case "hybrid":
            return (LEXICAL, VECTOR)


CONTESTED_WEIGHT = 0.5
"""What is left of the score of a unit that is contested (requirement G-170)."""


def weighed(hits: Sequence[FusedHit], contested: Collection[str]) -> list[FusedHit]:
    """The hits with contested units at less than their score, in their new order. A score below zero is doubled instead."""
    scored = [
        replace(hit, score=hit.score * CONTESTED_WEIGHT if hit.score > 0 else hit.score / CONTESTED_WEIGHT)
        if hit.unit_id in contested
        else hit
        for hit in hits
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def rank(legs: Sequence[Leg | LegUnavailable], k: int, method: FusionMethod = "weighted") -> Ranking:
    """The ``k`` best of what the legs found. One leg alone keeps its own scores; none gives an empty ranking."""
    there = [leg for leg in legs if isinstance(leg, Leg)]
    notes = tuple(f"{leg.name} search left out: {leg.reason}" for leg in legs if isinstance(leg, LegUnavailable))
    kind: ScoreKind = there[0].score_kind if len(there) == 1 else method
    if not there:
        hits: list[FusedHit] = []
    elif len(there) == 1:
        hits = single_leg(there[0])
    else:
        hits = weighted_fusion(there) if method == "weighted" else reciprocal_rank_fusion(there)
    return Ranking(tuple(hits[: max(k, 0)]), kind, tuple(leg.name for leg in there), notes)
