"""What the index has for a question: its legs asked at once, and what they found ranked. Opens no store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_assets.search.crossing.asking import Asked, ask_words
from memory_assets.search.crossing.bridge import Known
from memory_assets.search.question.entities import query_entities
from memory_assets.search.question.intents import intent_weights
from memory_assets.search.question.terms import query_terms
from memory_assets.search.ranking.ranking import BONUS_DEPTH, Cues, RankedHit, ranking
from memory_assets.search.ranking.retrievers import LEXICAL, LegScores, leg_depth, lexical_leg, vector_leg
from memory_assets.vectors.calibration import relevance
from memory_assets.vectors.errors import FingerprintMismatchError, IndexCorruptError
from memory_assets.vectors.units import LexicalHits

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.results.outbox import Calibration
    from memory_assets.search.crossing.explained import Explained
    from memory_assets.search.question.plan import Plan
    from memory_assets.vectors.embedder import Vectors
    from memory_assets.vectors.units import UnitHit

# Of what the better legs found; what is dropped for saying what a better hit said must be made up for.
_FILLED_FOR_A_HIT = 3


@dataclass(frozen=True, slots=True)
class Found:
    """What the index has for a question.

    Attributes:
        legs: those whose scores rank.
        looked_up: what says how sure it is: every leg that was asked, of what is ranked by vectors alone the words too, but no
            vectors of a model that knows no such language.
        by_meaning: its vectors were asked.
        asked: its words. Where vectors alone rank, nobody is named and nothing shown by those of the other language; where
            their index cannot be read then, no unit has any.
        note: why the vectors gave nothing where they were to be asked.
    """

    legs: tuple[LegScores, ...]
    looked_up: tuple[LegScores, ...]
    ranked: list[RankedHit]
    by_meaning: bool
    asked: Asked
    note: str | None

    def speakers(self, plan: Plan) -> frozenset[str]:
        """Who is named: by their name, and by its sound where the other language was asked."""
        return plan.speakers | self.asked.speakers

    def relevances(self, calibration: Calibration | None) -> Mapping[str, float]:
        """By unit id how likely it speaks of what is asked: its share of the question's words, or what its cosine is worth."""
        sure: dict[str, float] = {}
        for leg in self.looked_up:
            for unit_id, raw in leg.raw.items():
                value = raw if leg.leg.name == LEXICAL else relevance(calibration, raw) if calibration else 0.0
                sure[unit_id] = max(value, sure.get(unit_id, 0.0))
        return sure


def find(resources: Resources, plan: Plan, vector: Vectors | None, explained: Callable[[], Explained]) -> Found:
    """What the index has for a question, ranked.

    Args:
        vector: of the question; None where it is asked by its words alone.
        explained: what the store's texts explain of the question's words; asked where these are crossed.

    Raises:
        FingerprintMismatchError: the mode is ``vector``, and another model made what is in the index.
        IndexCorruptError: the index cannot be read.
    """
    by_vectors_alone = plan.mode == "vector"
    depth = leg_depth(plan.k, alone=vector is None or by_vectors_alone)
    note: str | None = None
    near: Sequence[UnitHit] | None = None
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(_near, resources, vector, depth, plan) if vector is not None else None
        known = Known(resources.word_index.english_words, plan.names, explained)
        try:
            asked = ask_words(resources.word_index, plan.request.query, known, depth, plan.where)
        except IndexCorruptError:
            if not by_vectors_alone:
                raise
            asked = Asked(LexicalHits((), ()), query_terms(plan.request.query))
        if by_vectors_alone:
            asked = replace(asked, crossed=(), speakers=frozenset())
        said = lexical_leg(asked.hits, asked.terms)
        if coming is not None:
            try:
                near = coming.result()
            except FingerprintMismatchError as error:
                if by_vectors_alone:
                    raise
                note = f"vector search left out: {error}"
    by_words = {hit.unit_id: hit for hit in (*asked.hits.own, *asked.hits.context)}
    units = {hit.unit_id: hit for hit in near or ()} | by_words
    meant = () if near is None else (vector_leg(near, plan.vector_weight),)
    legs = meant if by_vectors_alone else (said, *meant)
    cues = Cues(
        now=plan.now,
        speakers=plan.speakers | asked.speakers,
        window=plan.window,
        weights=intent_weights(plan.intent.intent, asked=plan.intent_asked),
        names=tuple(entity.text for entity in query_entities(plan.request.query)),
    )
    most = max(BONUS_DEPTH, _FILLED_FOR_A_HIT * plan.k)
    ranked = ranking(legs, units, cues, plan.request.fusion, most=most)
    looked_up = (said, *meant) if plan.vectors_tell else (said,)
    return Found(legs, looked_up, ranked, near is not None, asked, note)


def _near(resources: Resources, vector: Vectors, depth: int, plan: Plan) -> Sequence[UnitHit]:
    # A model's files may have been replaced since: vectors of two models are not to be compared.
    index, fingerprint = resources.vector_index, resources.embedder.fingerprint
    return index.vector_search(vector, depth, plan.where, fingerprint=fingerprint)
