"""Several ranked lists made one (requirements K-22, K-23).

Fused scores order the hits of one search; they are no confidence. A unit that a leg did not find gets nothing from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

RRF_K = 60

LegScoreKind = Literal["bm25", "cosine"]
ScoreKind = Literal["rrf", "weighted", "bm25", "cosine"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit in the list of one leg."""

    unit_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One way of searching and what it found, best first, each unit once.

    Attributes:
        weight: its say in a weighted fusion, > 0.
    """

    name: str
    score_kind: LegScoreKind
    candidates: tuple[Candidate, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class LegPlace:
    """Where a leg put a unit; the first rank is 1."""

    rank: int
    score: float
    score_kind: LegScoreKind


@dataclass(frozen=True, slots=True)
class FusedHit:
    """A unit with its fused score and its place in each leg that found it, by the leg's name."""

    unit_id: str
    score: float
    score_kind: ScoreKind
    places: dict[str, LegPlace]


def reciprocal_rank_fusion(legs: Sequence[Leg], k: int = RRF_K) -> list[FusedHit]:
    """Sum of 1 / (k + rank), in parts of what the first of every leg gets.

    With n legs the sum is divided by n / (k + 1): 1.0 for the first in all, 0.5 at most for what one of two legs found. A
    leg that found nothing took part all the same.
    """
    best = len(legs) / (k + 1)
    return _ordered(legs, "rrf", lambda leg, place: 1.0 / (k + place.rank) / best)


def weighted_fusion(legs: Sequence[Leg]) -> list[FusedHit]:
    """Sum of weight times score, each leg's scores brought to [0, 1] by its own lowest and highest; 1.0 for the first in all.

    Unlike ranks, scores say by how much the first is better: a leg that finds everything about equally good moves little
    but what it puts at the ends.
    """
    total = sum(leg.weight for leg in legs) or 1.0
    ranges = {leg.name: _range(leg) for leg in legs}

    def part(leg: Leg, place: LegPlace) -> float:
        low, high = ranges[leg.name]
        return leg.weight / total * ((place.score - low) / (high - low) if high > low else 1.0)

    return _ordered(legs, "weighted", part)


def single_leg(leg: Leg) -> list[FusedHit]:
    """One leg's own order and scores."""
    return _ordered([leg], leg.score_kind, lambda _, place: place.score)


def _ordered(legs: Sequence[Leg], kind: ScoreKind, part: Callable[[Leg, LegPlace], float]) -> list[FusedHit]:
    scores: dict[str, float] = {}
    places: dict[str, dict[str, LegPlace]] = {}
    for leg in legs:
        for rank, candidate in enumerate(leg.candidates, start=1):
            place = LegPlace(rank, candidate.score, leg.score_kind)
            scores[candidate.unit_id] = scores.get(candidate.unit_id, 0.0) + part(leg, place)
            places.setdefault(candidate.unit_id, {})[leg.name] = place
    hits = [FusedHit(unit_id, score, kind, places[unit_id]) for unit_id, score in scores.items()]
    # Ties: the better rank in any leg, then the id, so that the same lists always give the same order.
    return sorted(hits, key=lambda hit: (-hit.score, min(place.rank for place in hit.places.values()), hit.unit_id))


def _range(leg: Leg) -> tuple[float, float]:
    scores = [candidate.score for candidate in leg.candidates]
    return (min(scores), max(scores)) if scores else (0.0, 0.0)
