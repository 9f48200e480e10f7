"""Search: the question is understood, the legs are run and ranked, and what is delivered is filled in from the store.

The lexical leg needs LanceDB alone; a model is loaded for the vector leg only, and no connection is held over it. What waits
for its vector is found by its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError
from memory_assets.results.search import ComplexityV1, SearchResponseV1
from memory_assets.search.answerability.asked_for import asks_why
from memory_assets.search.answerability.evidence import evidence_of
from memory_assets.search.answerability.own_gates import calibration_of
from memory_assets.search.answerability.sureness import Answerability, answerability_of
from memory_assets.search.answers.corrections import corrections_first
from memory_assets.search.answers.delivery import in_order, window_of, within_budget
from memory_assets.search.answers.empty_time import note_on_time
from memory_assets.search.answers.hydration import chosen, hits_of
from memory_assets.search.answers.neighbours import add_what_hangs_on, units_of_task
from memory_assets.search.answers.said_otherwise import with_what_was_said_otherwise
from memory_assets.search.answers.sureness import certificate_of, retrieval_of
from memory_assets.search.crossing.asking import Asked
from memory_assets.search.crossing.explained import Explained, explained_by
from memory_assets.search.finding import find
from memory_assets.search.model_loading import ModelLoading
from memory_assets.search.question.plan import Plan, check_request, plan_of
from memory_assets.search.question.terms import query_terms
from memory_assets.search.ranking.ranking import raised
from memory_assets.search.store_state import KnownState, StoreState, notes_on
from memory_assets.search.usage import note_shown
from memory_assets.vectors.calibration import known_calibration
from memory_assets.vectors.errors import (
    EmbedderUnavailableError,
    FingerprintMismatchError,
    IndexCorruptError,
    IndexMissingError,
)

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.results.outbox import Calibration
    from memory_assets.search.answers.sureness import Language
    from memory_assets.search.finding import Found
    from memory_assets.search.request import SearchRequest
    from memory_assets.vectors.embedder import Embedder, Vectors
    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.words import WordIndex

_MODEL_COMES = (
    "vector search left out while its model is being loaded: ask again in some seconds, or in the mode hybrid to wait"
)
# Questions that are answered on one connection.
_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A search's answer, with what it was made of.

    Attributes:
        asked: the question's words and all units that have them, not only those delivered.
        answerability: how sure it is that what was found can answer.
        has_corrections: a person has said otherwise than something in the store.
    """

    response: SearchResponseV1
    asked: Asked
    answerability: Answerability
    has_corrections: bool


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

    @cached_property
    def _state(self) -> KnownState:
        return KnownState(self.database, self.words, self.index)

    def plan(self, request: SearchRequest) -> Plan:
        """What a question asks for.

        Raises:
            InvalidArgumentError: an empty or endless question, a word that there is none of, a number out of bounds.
            NotFoundError, AmbiguousIdError: there is no such task.
        """
        check_request(request)
        return plan_of(
            request,
            names=self.words.speakers(),
            calibration=self._calibration,
            model=self.settings.embedding.model,
            units_of_task=self._units_of_task,
        )

    def _units_of_task(self, task: str) -> tuple[str, ...]:
        with self.database.reading() as connection:
            return units_of_task(connection, task)

    def search(self, request: SearchRequest, *, explain: bool = False) -> SearchResponseV1:
        """The best units for a question, best first, each with where it was said.

        Raises: as :meth:`look_up`.
        """
        return self.look_up(request, explain=explain).response

    def look_up(self, request: SearchRequest, *, explain: bool = False) -> LookedUp:
        """A search, for whoever goes on with what it found.

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
        # Who looks into it does not open the store once more: a thread that holds it would wait for one that cannot have it.
        explained: Future[Explained] = Future()
        with ThreadPoolExecutor(1) as beside:
            found = beside.submit(find, self.resources, plan, vectors.get(0), explained.result)
            try:
                with self.database.reading() as connection:
                    explained.set_result(_explained(connection, plan))
                    state = self._state.of(connection)  # meanwhile
                    answer = self._answer(connection, plan, found.result(), state, reasons, explain)
                    self.database.linger()
                    return answer
            finally:
                explained.cancel()  # where the store could not be opened, nobody waits for what it explains

    def search_all(
        self, requests: Sequence[SearchRequest], *, explain: bool = False
    ) -> Iterator[SearchResponseV1 | MemoryAssetsError]:
        """The answers of :meth:`look_up_all`."""
        for one in self.look_up_all(requests, explain=explain):
            yield one.response if isinstance(one, LookedUp) else one

    def look_up_all(
        self, requests: Sequence[SearchRequest], *, explain: bool = False
    ) -> Iterator[LookedUp | MemoryAssetsError]:
        """Several questions at once: their vectors are made together, and a connection serves some of them.

        An error is of its own question, and so is an index that cannot be read; a store that cannot be read is raised, for
        the others would fare no better.
        """
        plans: list[Plan | MemoryAssetsError] = [self._planned(request) for request in requests]
        vectors, reasons, missing = self._vectors([plan for plan in plans if isinstance(plan, Plan)])
        place = 0
        for start in range(0, len(plans), _AT_ONCE):
            answers: list[LookedUp | MemoryAssetsError] = []
            with self.database.reading() as connection:
                state = self._state_or_why(connection)
                for plan in plans[start : start + _AT_ONCE]:
                    if isinstance(plan, MemoryAssetsError):
                        answers.append(plan)
                        continue
                    try:
                        if isinstance(state, IndexMissingError):
                            raise state
                        if missing and plan.mode == "vector":
                            raise missing
                        found = find(self.resources, plan, vectors.get(place), partial(_explained, connection, plan))
                        answers.append(self._answer(connection, plan, found, state, reasons, explain))
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

    def _answer(
        self,
        connection: duckdb.DuckDBPyConnection,
        plan: Plan,
        found: Found,
        state: StoreState,
        reasons: tuple[str, ...],
        explain: bool,
    ) -> LookedUp:
        """What was found, filled in from the store."""
        ranked = raised(found.ranked, state.uplifts)
        if state.has_corrections:
            ranked = corrections_first(connection, ranked, 2 * plan.k)
        left_out = (found.note,) if found.note else reasons if not found.by_meaning and plan.mode != "lexical" else ()
        hits = chosen(connection, ranked, plan.k, with_beside=plan.request.beside)
        if plan.strategy == "complex":
            add_what_hangs_on(connection, hits, plan.where)
        terms, speakers, relevances = found.asked.terms, found.speakers(plan), found.relevances(self._calibration)
        why = asks_why(plan.request.query)
        delivered = hits_of(connection, hits, terms, asks_why=why, relevances=relevances, explain=explain)
        if state.has_corrections:
            delivered = with_what_was_said_otherwise(connection, delivered)
        delivered = in_order(plan, within_budget(plan.request.budget, delivered))
        evidence = evidence_of(terms, speakers, ranked, found.looked_up, relevances)
        sure = answerability_of(evidence, within=plan.is_within, calibration=calibration_of(self.settings.home))
        response = SearchResponseV1(
            query=plan.request.query,
            mode=plan.mode if found.by_meaning or plan.mode == "vector" else "lexical",
            score_kind=ranked[0].score_kind if ranked else "bm25",
            channels=tuple(leg.leg.name for leg in found.legs),
            embedding_version=self.index.embedding_version,
            k=plan.k,
            intent=plan.intent.intent,
            intent_asked=plan.intent_asked,
            intent_cues=plan.intent.cues,
            complexity=ComplexityV1(score=round(plan.complexity.score, 4), strategy=plan.strategy, why=plan.complexity.why),
            window=window_of(plan),
            speakers=tuple(sorted(speakers)),
            crossed=found.asked.crossed,
            hits=tuple(delivered),
            retrieval=retrieval_of(sure, found.asked, self._speaks, explain=explain),
            certificate=certificate_of(plan, found.asked, speakers, sure, hits, delivered),
            budget=plan.request.budget,
            estimated_tokens=sum(hit.tokens for hit in delivered),
            notes=(
                *plan.notes,
                *([empty] if (empty := note_on_time(connection, plan.where, plan.window)) else []),
                *left_out,
                *([f"{too_dear} more found, and left out for the budget"] if (too_dear := len(hits) - len(delivered)) else []),
                *notes_on(connection, state, self.words, self.index, mode=plan.request.mode),
            ),
        )
        if plan.request.log:
            shown = {hit.unit_id for hit in delivered}
            told = [unit for hit in hits if hit.unit.unit_id in shown for unit in hit.units]
            note_shown(self.settings, [(unit.unit_kind, unit.source_id) for unit in told])
        return LookedUp(response, found.asked, sure, state.has_corrections)

    def _speaks(self, language: Language) -> bool:
        return self.words.speaks_korean() if language == "ko" else self.words.speaks_english()

    def _state_or_why(self, connection: duckdb.DuckDBPyConnection) -> StoreState | IndexMissingError:
        try:
            return self._state.of(connection)
        except IndexMissingError as error:
            return error


def _explained(connection: duckdb.DuckDBPyConnection, plan: Plan) -> Explained:
    return explained_by(connection, [term.text for term in query_terms(plan.request.query)])
