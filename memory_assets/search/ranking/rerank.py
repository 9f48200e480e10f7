"""What a unit's own circumstances add to its score.

Every part is added, in units of one standard deviation of a leg's scores (z), and comes with its reason: the sum of the parts
is all that moves a unit. `recency` and `nearness` are factors between 0 and 1, to be given a weight.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_assets.search.question.intents import IntentWeights
from memory_assets.search.question.time_cues import TimeWindow
from memory_assets.search.ranking.weights import CONTESTED_PENALTY, STAGE_WEIGHTS
from memory_assets.vocabulary import Stage

HALF_LIFE_DAYS: Final = 30.0
NEAR_DAYS: Final = 7.0
"""Days outside a window after which half of its weight is left. What is asked for by its date is often told a day or two later:
of English chat's answers 84 % stood within the window of the question's date (which held 12 % of the sessions), most others a
few days beside it."""

_DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """What of a unit counts beside its text.

    Attributes:
        stage, confidence: of a memory; None for what is none.
        names: the files, symbols and errors that it names, folded (`str.casefold`).
    """

    unit_kind: str
    occurred_at: datetime | None = None
    stage: Stage | None = None
    confidence: float | None = None
    contested: bool = False
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One part of what is added to a score: how much, in z, and why."""

    z: float
    why: str


def recency(moment: datetime | None, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """1 for what is said now, half of it after each half-life, 0 for what has no time. What is to come counts as now."""
    if moment is None:
        return 0.0
    age_days = max((now - moment).total_seconds() / _DAY_SECONDS, 0.0)
    return float(0.5 ** (age_days / half_life_days))


def nearness(moment: datetime | None, window: TimeWindow, half_life_days: float = NEAR_DAYS) -> float:
    """1 within a window, half of it with each half-life outside, 0 for what has no time. A window without borders holds all."""
    if moment is None:
        return 0.0
    if window.since is not None and moment < window.since:
        outside = (window.since - moment).total_seconds()
    elif window.until is not None and moment >= window.until:
        outside = (moment - window.until).total_seconds()
    else:
        return 1.0
    return float(0.5 ** (outside / _DAY_SECONDS / half_life_days))


def adjustments(
    unit: UnitFacts,
    weights: IntentWeights,
    *,
    now: datetime,
    asked_names: Collection[str] = (),
    half_life_days: float = HALF_LIFE_DAYS,
) -> tuple[Adjustment, ...]:
    """What a unit gets for its stage, for being contested, and by the weights of an intent; without parts that add nothing.

    Args:
        asked_names: the files, symbols and errors that the question names; a path also counts by its last part.
    """
    return tuple(part for part in _parts(unit, weights, now, asked_names, half_life_days) if part.z)


def _parts(
    unit: UnitFacts, weights: IntentWeights, now: datetime, asked_names: Collection[str], half_life_days: float
) -> Iterator[Adjustment]:
    if unit.stage is not None:
        yield Adjustment(STAGE_WEIGHTS[unit.stage], f"stage {unit.stage}")
        yield Adjustment(weights.stage * STAGE_WEIGHTS[unit.stage], f"intent: stage {unit.stage}")
    if unit.contested:
        yield Adjustment(CONTESTED_PENALTY, "contested")
    yield from (Adjustment(z, f"intent: {kind}") for kind, z in weights.kinds if kind == unit.unit_kind)
    if weights.confidence and unit.confidence is not None:
        yield Adjustment(weights.confidence * unit.confidence, f"intent: confidence {unit.confidence:.2f}")
    if weights.recency:
        yield Adjustment(weights.recency * recency(unit.occurred_at, now, half_life_days), "intent: newer first")
    if weights.names and (shared := _last_parts(asked_names) & _last_parts(unit.names)):
        yield Adjustment(weights.names, "intent: names " + ", ".join(sorted(shared)))


def _last_parts(names: Collection[str]) -> frozenset[str]:
    folded = [name.casefold().removesuffix("()") for name in names]
    return frozenset((*folded, *(name.replace("\\", "/").rpartition("/")[2] for name in folded))) - {""}
