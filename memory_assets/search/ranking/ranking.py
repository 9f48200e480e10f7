"""From what the legs found to one ranking, each step with its reason.

Pure: the caller runs the legs. What a question says beside its words (who, when, after what) moves units by small bonuses;
none of them lifts a unit that no leg found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from memory_assets.search.question.intents import NO_INTENT_WEIGHTS, IntentWeights
from memory_assets.search.ranking.fusion import FusedHit, LegPlace, fuse, good_score
from memory_assets.search.ranking.rerank import Adjustment, UnitFacts, adjustments, nearness, recency
from memory_assets.search.ranking.weights import (
    FEEDBACK_Z,
    LATELY_Z,
    ORIGIN_WEIGHTS,
    SPEAKER_Z,
    TURN_WEIGHTS,
    WINDOW_Z,
    Z_IN_GOOD_SCORES,
)
from memory_assets.vocabulary import FusionMethod, ScoreKind

if TYPE_CHECKING:
    from memory_assets.search.question.time_cues import TimeWindow
    from memory_assets.search.ranking.retrievers import LegScores
    from memory_assets.vectors.units import UnitHit
    from memory_assets.vocabulary import Stage

BONUS_DEPTH: Final = 150
"""Units that bonuses are looked at for: what stands further behind no bonus brings to the front."""


@dataclass(frozen=True, slots=True)
class Cues:
    """What a question says beside its words.

    Attributes:
        speakers: who it names, of those who speak.
        names: the files, symbols and errors that it names.
        now: what ages are counted from.
    """

    now: datetime
    speakers: frozenset[str] = frozenset()
    window: TimeWindow | None = None
    weights: IntentWeights = NO_INTENT_WEIGHTS
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A unit in its place.

    Attributes:
        score: of the legs together and of every bonus.
        places: where each leg that found it put it.
        legs: what each leg gave to the score.
        steps: how each leg's own score came about, by the leg's name.
        bonuses: what was added, and why, in parts of the score.
    """

    hit: UnitHit
    score: float
    score_kind: ScoreKind
    places: Mapping[str, LegPlace]
    legs: Mapping[str, float]
    steps: Mapping[str, Mapping[str, float]]
    bonuses: tuple[Adjustment, ...]


def ranking(
    legs: Sequence[LegScores],
    units: Mapping[str, UnitHit],
    cues: Cues,
    method: FusionMethod = "weighted",
    *,
    most: int = 1000,
) -> list[RankedHit]:
    """The best of what the legs found, best first; ties in the order of ids.

    Args:
        units: each unit of the legs, by its id.
        most: how many.
    """
    fused = fuse([leg.leg for leg in legs], method, most)
    z = Z_IN_GOOD_SCORES * good_score(fused)
    near = [_ranked(hit, units[hit.unit_id], legs, _bonuses(units[hit.unit_id], cues), z) for hit in fused[:BONUS_DEPTH]]
    far = [_ranked(hit, units[hit.unit_id], legs, (), z) for hit in fused[BONUS_DEPTH:]]
    return sorted([*near, *far], key=lambda ranked: -ranked.score)


def raised(ranked: Sequence[RankedHit], uplifts: Mapping[str, float]) -> list[RankedHit]:
    """The ranking with what people said of some of its units.

    Args:
        uplifts: by unit id, -1 (of no use) to 1.
    """
    if not uplifts:
        return list(ranked)
    z = Z_IN_GOOD_SCORES * good_score(ranked) * FEEDBACK_Z

    def moved(ranked: RankedHit) -> RankedHit:
        bonus = Adjustment(round(z * uplifts[ranked.hit.unit_id], 6), "feedback")
        return replace(ranked, score=ranked.score + bonus.z, bonuses=(*ranked.bonuses, bonus))

    return sorted((moved(hit) if hit.hit.unit_id in uplifts else hit for hit in ranked), key=lambda hit: -hit.score)


def _ranked(fused: FusedHit, hit: UnitHit, legs: Sequence[LegScores], adjusted: Iterable[Adjustment], z: float) -> RankedHit:
    bonuses = tuple(Adjustment(round(part.z * z, 6), part.why) for part in adjusted)
    return RankedHit(
        hit=hit,
        score=fused.score + sum(bonus.z for bonus in bonuses),
        score_kind=fused.score_kind,
        places=fused.places,
        legs=fused.parts,
        steps={leg.leg.name: leg.steps[fused.unit_id] for leg in legs if fused.unit_id in leg.steps},
        bonuses=bonuses,
    )


def _bonuses(hit: UnitHit, cues: Cues) -> Iterator[Adjustment]:
    if hit.origin is not None and hit.origin in ORIGIN_WEIGHTS:
        yield Adjustment(ORIGIN_WEIGHTS[hit.origin], f"origin {hit.origin}")
    if hit.turn is not None:
        yield Adjustment(TURN_WEIGHTS[hit.turn], f"turn: {hit.turn}")
    if hit.speaker is not None and hit.speaker in cues.speakers:
        yield Adjustment(SPEAKER_Z, f"{hit.speaker} is named")
    if cues.window is not None:
        if cues.window.kind == "recency":
            yield Adjustment(LATELY_Z * recency(hit.occurred_at, cues.now), f"time: {cues.window.cue}")
        else:
            yield Adjustment(WINDOW_Z * nearness(hit.occurred_at, cues.window), f"time: {cues.window.cue}")
    is_memory = hit.unit_kind in ("entry", "task")
    facts = UnitFacts(
        unit_kind=hit.unit_kind,
        occurred_at=hit.occurred_at,
        stage=cast("Stage", hit.stage) if is_memory else None,
        confidence=hit.confidence if is_memory else None,
        contested=hit.status == "contested",
        names=frozenset(hit.own_text.split()) if cues.names and cues.weights.names else frozenset(),
    )
    yield from adjustments(facts, cues.weights, now=cues.now, asked_names=cues.names)
