"""Search: the question is understood, the legs are run and ranked, and what is delivered is filled in from the store.

The lexical leg needs LanceDB alone; a model is loaded for the vector leg only, and no connection is held over it. What waits
for its vector is found by its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError
from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import WORDS
from memory_assets.search.answers.hydration import chosen, hits_of
from memory_assets.search.answers.neighbours import add_what_hangs_on, units_of_task
from memory_assets.search.answers.unit_standing import unit_uplifts
from memory_assets.search.model_loading import ModelLoading
from memory_assets.search.question.entities import query_entities
from memory_assets.search.question.intents import intent_weights
from memory_assets.search.question.plan import Plan, check_request, plan_of
from memory_assets.search.question.terms import query_terms
from memory_assets.search.ranking.certificate import WIDENED_K, SeenHit, certify
from memory_assets.search.ranking.ranking import BONUS_DEPTH, Cues, raised, ranking
from memory_assets.search.ranking.retrievers import LEXICAL, leg_depth, lexical_leg, vector_leg
from memory_assets.search.results.certificate import CertificateV1
from memory_assets.search.results.search import ComplexityV1, SearchHitV1, SearchResponseV1, WindowV1
from memory_assets.search.usage import note_shown
from memory_assets.vectors.calibration import known_calibration, relevance
from memory_assets.vectors.errors import (
    MISSING_HINT,
    EmbedderUnavailableError,
    FingerprintMismatchError,
    IndexCorruptError,
    IndexMissingError,
)

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.search.answers.hydration import Chosen
    from memory_assets.search.question.time_cues import TimeWindow
    from memory_assets.search.ranking.ranking import RankedHit
    from memory_assets.search.ranking.retrievers import LegScores
    from memory_assets.search.request import SearchRequest
    from memory_assets.vectors.calibration import Calibration
    from memory_assets.vectors.embedder import Embedder, Vectors
    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.units import UnitFilter, UnitHit
    from memory_assets.vectors.words import WordIndex

_MODEL_COMES = (
    "vector search left out while its model is being loaded: ask again in some seconds, or in the mode hybrid to wait"
)
# Of what the better legs found; what is dropped for saying what a better hit said must be made up for.
_FILLED_FOR_A_HIT = 3
# Questions that are answered on one connection.
_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class _Found:
    """What the index has for a question.

    Attributes:
        by_meaning: its vectors were asked.
        note: why they gave nothing where they were to be asked.
    """

    legs: list[LegScores]
    ranked: list[RankedHit]
    by_meaning: bool
    note: str | None


@dataclass(frozen=True, slots=True)
class _Standing:
    """How the store stands when it is asked.

    Attributes:
        waiting: units that wait to be made searchable.
        without_vector: units that are found by their words alone, for they wait for their vectors.
        vectors_made: units that have a vector, as the outbox has it.
        uplifts: by unit id, -1 to 1, what people said of some units.
    """

    waiting: int
    without_vector: int
    vectors_made: int
    uplifts: Mapping[str, float]


class Searcher:
    """Searches of one store. What several questions share (the index, the model) is opened once, at the first need.

    Args:
        wait_for_model: false where somebody waits for each answer: what is asked in the mode ``auto`` is answered by words
            alone while the model is being loaded beside it.
    """

    def __init__(self, resources: Resources, *, wait_for_model: bool = True) -> None:
        self.resources = resources
        self.settings = resources.settings
        self.wait_for_model = wait_for_model

    @property
    def database(self) -> Database:
        return self.resources.database

    @property
    def words(self) -> WordIndex:
        return self.resources.word_index

    @property
    def index(self) -> VectorIndex:
        return self.resources.vector_index

    @property
    def embedder(self) -> Embedder:
        return self.resources.embedder

    @cached_property
    def _loading(self) -> ModelLoading:
        return ModelLoading(self.embedder)

    @cached_property
    def _calibration(self) -> Calibration | None:
        return known_calibration(self.settings)

    def plan(self, request: SearchRequest) -> Plan:
        """What a question asks for.

        Raises:
            InvalidArgumentError: an empty or endless question, a word that there is none of, a number out of bounds.
            NotFoundError, AmbiguousIdError: there is no such task.
        """
        check_request(request)
        return plan_of(
            request,
            speakers=self.words.speakers(),
            calibration=self._calibration,
            model=self.settings.embedding.model,
            units_of_task=self._units_of_task,
        )

    def _units_of_task(self, task: str) -> tuple[str, ...]:
        with self.database.reading() as connection:
            return units_of_task(connection, task)

    def search(self, request: SearchRequest, *, explain: bool = False) -> SearchResponseV1:
        """The best units for a question, best first, each with where it was said.

        Raises:
            InvalidArgumentError, NotFoundError, AmbiguousIdError: see :meth:`plan`.
            EmbedderUnavailableError, FingerprintMismatchError: the mode is ``vector`` and there is no model, or another one
                made what is in the index.
            IndexCorruptError: the index cannot be read.
        """
        plan = self.plan(request)
        vectors, reasons, missing = self._vectors([plan])
        if missing and plan.mode == "vector":
            raise missing
        # The index is asked while the store is opened: neither needs the other.
        with ThreadPoolExecutor(1) as beside:
            found = beside.submit(self._find, plan, vectors.get(0))
            with self.database.reading() as connection:
                standing = self._standing(connection)  # meanwhile
                answer = self._answer(connection, plan, found.result(), standing, reasons, explain)
                self.database.linger()
                return answer

    def search_all(
        self, requests: Sequence[SearchRequest], *, explain: bool = False
    ) -> Iterator[SearchResponseV1 | MemoryAssetsError]:
        """Several questions at once: their vectors are made together, and a connection serves some of them.

        An error is of its own question, and so is an index that cannot be read; a store that cannot be read is raised, for
        the others would fare no better.
        """
        plans: list[Plan | MemoryAssetsError] = [self._planned(request) for request in requests]
        vectors, reasons, missing = self._vectors([plan for plan in plans if isinstance(plan, Plan)])
        place = 0
        for start in range(0, len(plans), _AT_ONCE):
            answers: list[SearchResponseV1 | MemoryAssetsError] = []
            with self.database.reading() as connection:
                standing = self._standing_or_why(connection)
                for plan in plans[start : start + _AT_ONCE]:
                    if isinstance(plan, MemoryAssetsError):
                        answers.append(plan)
                        continue
                    try:
                        if isinstance(standing, IndexMissingError):
                            raise standing
                        if missing and plan.mode == "vector":
                            raise missing
                        found = self._find(plan, vectors.get(place))
                        answers.append(self._answer(connection, plan, found, standing, reasons, explain))
                    except (EmbedderUnavailableError, FingerprintMismatchError, IndexCorruptError) as error:
                        answers.append(error)
                    place += 1
            # No connection is held while somebody reads the answers.
            yield from answers

    def _planned(self, request: SearchRequest) -> Plan | MemoryAssetsError:
        try:
            return self.plan(request)
        except MemoryAssetsError as error:
            return error

    def _vectors(self, plans: Sequence[Plan]) -> tuple[dict[int, Vectors], tuple[str, ...], EmbedderUnavailableError | None]:
        """The vector of each question that needs one, by its place; why others have none; what failed, where no model does."""
        wanted = [place for place, plan in enumerate(plans) if plan.mode != "lexical"]
        if not wanted or not self.index.exists():
            return {}, (), None
        notes: tuple[str, ...] = ()
        try:
            if not self.wait_for_model and self._loading.is_on_its_way():
                patient = [place for place in wanted if plans[place].request.mode != "auto"]
                wanted, notes = patient, () if patient == wanted else (_MODEL_COMES,)
            made = self.embedder.embed_queries([plans[place].request.query for place in wanted])
        except EmbedderUnavailableError as error:
            return {}, (f"vector search left out: {error}",), error
        return dict(zip(wanted, made, strict=True)), notes, None

    def _find(self, plan: Plan, vector: Vectors | None) -> _Found:
        """What the index has for a question, ranked. Needs no store."""
        legs, units, note = self._legs(plan, vector)
        cues = Cues(
            now=plan.now,
            speakers=plan.speakers,
            window=plan.window,
            weights=intent_weights(plan.intent.intent, asked=plan.intent_asked),
            names=tuple(entity.text for entity in query_entities(plan.request.query)),
        )
        most = max(BONUS_DEPTH, _FILLED_FOR_A_HIT * plan.k)
        by_meaning = vector is not None and note is None
        return _Found(legs, ranking(legs, units, cues, plan.request.fusion, most=most), by_meaning, note)

    def _answer(
        self,
        connection: duckdb.DuckDBPyConnection,
        plan: Plan,
        found: _Found,
        standing: _Standing,
        reasons: tuple[str, ...],
        explain: bool,
    ) -> SearchResponseV1:
        """What was found, filled in from the store."""
        legs, ranked = found.legs, raised(found.ranked, standing.uplifts)
        left_out = (found.note,) if found.note else reasons if not found.by_meaning and plan.mode != "lexical" else ()
        hits = chosen(connection, ranked, plan.k)
        if plan.strategy == "complex":
            add_what_hangs_on(connection, hits, plan.where)
        delivered = hits_of(connection, hits, plan.request.query, relevances=self._relevances(legs), explain=explain)
        delivered = _in_order(plan, _within(plan.request.budget, delivered))
        response = SearchResponseV1(
            query=plan.request.query,
            mode=plan.mode if found.by_meaning or plan.mode == "vector" else "lexical",
            score_kind=ranked[0].score_kind if ranked else "bm25",
            channels=tuple(leg.leg.name for leg in legs),
            embedding_version=self.index.embedding_version,
            k=plan.k,
            intent=plan.intent.intent,
            intent_asked=plan.intent_asked,
            intent_cues=plan.intent.cues,
            complexity=ComplexityV1(score=round(plan.complexity.score, 4), strategy=plan.strategy, why=plan.complexity.why),
            window=_window(plan.window),
            speakers=tuple(sorted(plan.speakers)),
            hits=tuple(delivered),
            certificate=_certificate(plan, hits, delivered),
            budget=plan.request.budget,
            estimated_tokens=sum(hit.tokens for hit in delivered),
            notes=(*plan.notes, *left_out, *self._notes(plan, standing, len(hits) - len(delivered))),
        )
        if plan.request.log:
            shown = {hit.unit_id for hit in delivered}
            told = [unit for hit in hits if hit.unit.unit_id in shown for unit in hit.units]
            note_shown(self.settings, [(unit.unit_kind, unit.source_id) for unit in told])
        return response

    def _standing(self, connection: duckdb.DuckDBPyConnection) -> _Standing:
        """How the store stands.

        Raises:
            IndexMissingError: no table holds what was made searchable. To find nothing would look like the truth.
        """
        made, waiting, vectors_made, without_vector, said = fetch(
            connection,
            """SELECT count(*) FILTER (embedding_version = $words AND status <> 'pending'),
                 count(*) FILTER (embedding_version = $words AND status = 'pending'),
                 count(*) FILTER (embedding_version = $version AND status = 'done'),
                 count(*) FILTER (embedding_version = $version AND status = 'pending' AND op = 'upsert'),
                 (SELECT count(*) FROM unit_feedback)
               FROM vector_outbox WHERE embedding_version IN ($words, $version)""",
            {"words": WORDS, "version": self.index.embedding_version},
        )[0]
        if not self.words.exists() and (units := self._units(connection)) and (made or waiting < units):
            raise IndexMissingError(
                f"the index is missing: none of the {units} units in the store can be searched", hint=MISSING_HINT
            )
        uplifts = unit_uplifts(connection) if said else {}
        return _Standing(
            waiting,
            without_vector,
            vectors_made,
            {typed_id("unt", *of): uplift for of, uplift in uplifts.items() if uplift},
        )

    def _standing_or_why(self, connection: duckdb.DuckDBPyConnection) -> _Standing | IndexMissingError:
        try:
            return self._standing(connection)
        except IndexMissingError as error:
            return error

    def _units(self, connection: duckdb.DuckDBPyConnection) -> int:
        return int(fetch(connection, "SELECT count(*) FROM memory_units")[0][0])

    def _legs(self, plan: Plan, vector: Vectors | None) -> tuple[list[LegScores], dict[str, UnitHit], str | None]:
        query = plan.request.query
        depth = leg_depth(plan.k, alone=vector is None or plan.mode == "vector")
        legs: list[LegScores] = []
        units: dict[str, UnitHit] = {}
        note: str | None = None
        with ThreadPoolExecutor(1) as beside:
            near = beside.submit(self._near, vector, depth, plan.where) if vector is not None else None
            if plan.mode != "vector":
                lexical = self.words.lexical_search(query, depth, plan.where)
                legs.append(lexical_leg(lexical, query_terms(query)))
                units |= {hit.unit_id: hit for hit in (*lexical.own, *lexical.context)}
            if near is not None:
                try:
                    legs.append(vector_leg(near.result(), plan.vector_weight))
                    units |= {hit.unit_id: hit for hit in near.result() if hit.unit_id not in units}
                except FingerprintMismatchError as error:
                    if plan.mode == "vector":
                        raise
                    note = f"vector search left out: {error}"
        return legs, units, note

    def _near(self, vector: Vectors, depth: int, where: UnitFilter) -> list[UnitHit]:
        # A model's files may have been replaced since: vectors of two models are not to be compared.
        return self.index.vector_search(vector, depth, where, fingerprint=self.embedder.fingerprint)

    def _relevances(self, legs: Sequence[LegScores]) -> Mapping[str, float]:
        sure: dict[str, float] = {}
        for leg in legs:
            for unit_id, raw in leg.raw.items():
                value = raw if leg.leg.name == LEXICAL else self._calibrated(raw)
                sure[unit_id] = max(value, sure.get(unit_id, 0.0))
        return sure

    def _calibrated(self, cosine: float) -> float:
        return relevance(self._calibration, cosine) if self._calibration else 0.0

    def _notes(self, plan: Plan, standing: _Standing, too_dear: int) -> list[str]:
        notes = []
        if too_dear:
            notes.append(f"{too_dear} more found, and left out for the budget")
        if standing.waiting:
            notes.append(f"{_units(standing.waiting)} to be made searchable: `memory outbox drain`")
        if not self.words.exists():
            notes.append("there is no index yet: `memory import` makes it")
        elif plan.request.mode != "lexical":
            notes += self._of_vectors(standing)
        return notes

    def _of_vectors(self, standing: _Standing) -> list[str]:
        """Why something may be found by its words alone."""
        if standing.without_vector:
            waiting = _units(standing.without_vector)
            return [f"{waiting} for their vectors: found by words alone until then (`memory outbox drain`)"]
        if self.index.exists():
            return []
        if standing.vectors_made:
            return ["the vectors are missing, and all is found by words alone: `memory outbox drain` makes them again"]
        return [
            f"there is no index {self.index.table_name} yet, and all is found by words alone: `memory outbox drain` makes it"
        ]


def _units(count: int) -> str:
    return "1 unit waits" if count == 1 else f"{count} units wait"


def _within(budget: int | None, hits: list[SearchHitV1]) -> list[SearchHitV1]:
    """The first hits that a budget pays for; one that is too dear is left out, and what is cheaper behind it is not."""
    if budget is None:
        return hits
    kept: list[SearchHitV1] = []
    left = budget
    for hit in hits:
        if hit.tokens <= left:
            kept.append(hit.model_copy(update={"rank": len(kept) + 1}))
            left -= hit.tokens
    return kept


def _in_order(plan: Plan, hits: list[SearchHitV1]) -> list[SearchHitV1]:
    """What happened is told in the order of time, where that was asked for; the rank still says how good a hit is."""
    if not intent_weights(plan.intent.intent, asked=plan.intent_asked).by_time:
        return hits
    return sorted(hits, key=lambda hit: (hit.ts is None, hit.ts, hit.rank))


def _window(window: TimeWindow | None) -> WindowV1 | None:
    if window is None:
        return None
    return WindowV1(since=window.since, until=window.until, cue=window.cue, kind=window.kind)


def _certificate(plan: Plan, hits: Sequence[Chosen], delivered: Sequence[SearchHitV1]) -> CertificateV1:
    of_unit = {hit.unit.unit_id: hit.ranked.hit for hit in hits}
    seen = [
        SeenHit(
            tokens=of_unit[hit.unit_id].own_text.split(),
            citations=tuple(citation.uri for citation in hit.citations),
            relevance=hit.relevance,
            said_at=hit.ts,
            speaker=of_unit[hit.unit_id].speaker,
        )
        for hit in delivered
    ]
    return CertificateV1.of(
        certify(
            plan.request.query,
            seen,
            window=plan.window,
            files=plan.request.files,
            speakers=plan.speakers,
            widened=plan.request.scope == "org" and plan.k >= WIDENED_K,
        )
    )
