"""Several ranked lists made one.

Fused scores order the hits of one search; they are no confidence. What a leg did not find gets what the leg gives to the
unfound: nothing by words, and by meaning no more than the last that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import NamedTuple, Protocol

from memory_assets.vocabulary import FusionMethod, LegScoreKind, ScoreKind

RRF_K = 60
BEST = 10
"""How many of a list's best scores say what a good score is in it."""


class Candidate(NamedTuple):
    """A unit in the list of one leg."""

    unit_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One way of searching and what it found, best first, each unit once.

    Attributes:
        weight: its say in a weighted fusion.
        scale: what a score is divided by there, so that scores of different questions say the same.
        missing: the score of a unit that the leg did not find.
    """

    name: str
    score_kind: LegScoreKind
    candidates: tuple[Candidate, ...]
    weight: float = 1.0
    scale: float = 1.0
    missing: float = 0.0


class LegPlace(NamedTuple):
    """Where a leg put a unit; the first rank is 1."""

    rank: int
    score: float
    score_kind: LegScoreKind


@dataclass(frozen=True, slots=True)
class FusedHit:
    """A unit with its fused score and its place in each leg that found it, by the leg's name.

    Attributes:
        parts: what each leg gave to the score, by the leg's name; a leg that did not find it too.
    """

    unit_id: str
    score: float
    score_kind: ScoreKind
    places: dict[str, LegPlace]
    parts: dict[str, float]


def fuse(legs: Sequence[Leg], method: FusionMethod = "weighted", most: int | None = None) -> list[FusedHit]:
    """One ranking of what the legs found. A leg alone keeps its own order and scores.

    Args:
        most: how many of the best are wanted; None for all.
    """
    if len(legs) == 1:
        return _ordered(legs, legs[0].score_kind, [_own_score], most)
    match method:
        case "weighted":
            return _ordered(legs, method, [_weighted(leg) for leg in legs], most)
        case "zscore":
            return _ordered(legs, method, _standardised(legs), most)
        case "rrf":
            return _ordered(legs, method, [_reciprocal(len(legs))] * len(legs), most)


class Scored(Protocol):
    """Something with a score."""

    @property
    def score(self) -> float: ...


def good_score(hits: Sequence[Scored]) -> float:
    """The mean of the ten best scores: what a bonus of a cue is measured in. 1.0 where there is none, or none above zero."""
    best = [hit.score for hit in hits[:BEST]]
    mean = fmean(best) if best else 0.0
    return mean if mean > 0 else 1.0


_Found = tuple[int, float]
"""A unit's rank in a leg, from 1, and its score there."""

_Part = Callable[[_Found | None], float]


def _own_score(found: _Found | None) -> float:
    return found[1] if found else 0.0


def _weighted(leg: Leg) -> _Part:
    each, missing = leg.weight / leg.scale, leg.weight / leg.scale * leg.missing
    return lambda found: each * found[1] if found else missing


def _standardised(legs: Sequence[Leg]) -> list[_Part]:
    """Weight times (score - mean) / deviation, over every unit that any leg found."""
    pool = {candidate.unit_id for leg in legs for candidate in leg.candidates}

    def part(leg: Leg) -> _Part:
        scores = [candidate.score for candidate in leg.candidates]
        scores += [leg.missing] * (len(pool) - len(scores))
        mean, deviation = (fmean(scores), pstdev(scores) or 1.0) if scores else (0.0, 1.0)
        return lambda found: leg.weight * ((found[1] if found else leg.missing) - mean) / deviation

    return [part(leg) for leg in legs]


def _reciprocal(legs: int) -> _Part:
    """1 / (k + rank), in parts of what the first of every leg gets: 1.0 for the first in all, 0.5 at most for one of two."""
    best = legs / (RRF_K + 1)
    return lambda found: 1.0 / (RRF_K + found[0]) / best if found else 0.0


def _ordered(legs: Sequence[Leg], kind: ScoreKind, parts: Sequence[_Part], most: int | None) -> list[FusedHit]:
    found = [{one.unit_id: (rank, one.score) for rank, one in enumerate(leg.candidates, start=1)} for leg in legs]
    # Ties: the better rank in any leg, then the id, so that the same lists always give the same order.
    ordered = sorted(
        (
            -sum([part(of_leg.get(unit_id)) for part, of_leg in zip(parts, found, strict=True)]),
            _best_rank(found, unit_id),
            unit_id,
        )
        for unit_id in set().union(*found)
    )
    return [_fused(legs, kind, parts, found, -negative, unit_id) for negative, _, unit_id in ordered[:most]]


def _best_rank(found: Sequence[dict[str, _Found]], unit_id: str) -> int:
    return min(of_leg[unit_id][0] for of_leg in found if unit_id in of_leg)


def _fused(
    legs: Sequence[Leg], kind: ScoreKind, parts: Sequence[_Part], found: Sequence[dict[str, _Found]], score: float, unit_id: str
) -> FusedHit:
    places = {
        leg.name: LegPlace(*of_leg[unit_id], leg.score_kind)
        for leg, of_leg in zip(legs, found, strict=True)
        if unit_id in of_leg
    }
    given = {leg.name: part(of_leg.get(unit_id)) for leg, part, of_leg in zip(legs, parts, found, strict=True)}
    return FusedHit(unit_id, score, kind, places, given)
