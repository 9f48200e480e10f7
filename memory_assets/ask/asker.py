"""A question answered: searched, graded, gated, quoted. Each step is a plain function; this is their order."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_assets.ask.answers import refused, refused_undivided, refused_without_index
from memory_assets.ask.following import is_unheard, readings
from memory_assets.ask.list_questions import asked_list
from memory_assets.ask.listing import KINDS, listed_answer, topic_answer
from memory_assets.ask.topic_questions import asked_topic
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.results.answer import AnswerV1
from memory_assets.search.answerability.calibration import Calibration, calibration
from memory_assets.search.answerability.corrected import with_corrections
from memory_assets.search.answerability.passages import Passage, passages_of
from memory_assets.search.answerability.question import Question, understood
from memory_assets.search.answerability.signs import signs_of_passage
from memory_assets.search.answerability.sureness import Answerability, answerability_of
from memory_assets.search.bulk import in_batches
from memory_assets.search.searcher import LookedUp
from memory_assets.search.usage import note_cited
from memory_assets.vectors.errors import IndexMissingError

if TYPE_CHECKING:
    from memory_assets.ask.answerer import Answerer, Listen
    from memory_assets.ask.listing import Lists
    from memory_assets.ask.request import AskRequest
    from memory_assets.results.answer import BulkAnswerItemV1
    from memory_assets.search.searcher import Searcher
    from memory_assets.vocabulary import RefusalReason

MOST_CHARACTERS = 20_000
"""Of a question. What is longer is a document."""
_OF_A_TOPIC = 64
"""Memories or tasks that are looked at for what is kept of something."""


@dataclass(frozen=True, slots=True)
class Considered:
    """What an answer is made of.

    Attributes:
        graded: the passages with their grades, best first.
        sure: how sure it is that what was found can answer.
        of: the parts that it is made of, where a question was taken apart.
    """

    request: AskRequest
    question: Question
    found: LookedUp
    graded: tuple[tuple[Passage, float], ...]
    sure: Answerability
    of: tuple[Considered, ...] = ()

    @property
    def refusal(self) -> RefusalReason | None:
        """Why nothing may be answered; None where it may."""
        if not self.graded:
            return "no_chunks"
        if self.sure.is_known:
            return None
        return "attribution" if self.sure.is_by_another else "score_gate"


class Asker:
    """Answers from one store.

    Args:
        searcher: of that store.
        answerer: who answers; None for the one that the settings choose.
        lists: what a question may ask for as a list; without them every question is searched.
    """

    def __init__(self, searcher: Searcher, answerer: Answerer | None = None, *, lists: Lists | None = None) -> None:
        self.searcher = searcher
        self._answerer = answerer
        self._lists = lists

    @property
    def answerer(self) -> Answerer:
        """Who answers."""
        return self._answerer or self.searcher.resources.answerer

    def ask(self, request: AskRequest, listen: Listen | None = None) -> AnswerV1:
        """The answer to a question, or a refusal.

        Args:
            listen: is told the draft of a model's answer as it comes; see ``ask.answerer.Answerer``.

        Raises:
            InvalidArgumentError: an empty or endless question, or one that a model's budget does not hold.
            NotFoundError, AmbiguousIdError: see ``search.searcher.Searcher.look_up``.
            EmbedderUnavailableError, IndexCorruptError
        """
        check(request)
        started = time.monotonic()
        try:
            if request.multi_hop:
                return self._given(request, self._hopped(request, listen), started)
            if (told := self._listed(request)) is not None:
                return self._given(request, told, started)
            found = self.searcher.look_up(request.search())
        except IndexMissingError as error:
            return refused_without_index(request, error)
        answer = answer_of(self._considered(request, found), self.answerer, self._embedding, listen)
        return self._given(request, answer, started)

    def ask_all(self, requests: Sequence[AskRequest]) -> Iterator[AnswerV1 | MemoryAssetsError]:
        """The answers to several questions, whose vectors are made together. An error is of its own question."""
        wrong: dict[int, MemoryAssetsError] = {
            place: error for place, request in enumerate(requests) if (error := _wrong(request)) is not None
        }
        good = {place: request for place, request in enumerate(requests) if place not in wrong}
        told: dict[int, AnswerV1] = {}
        for place, request in good.items():
            try:
                if (listed := self._listed(request)) is not None:
                    told[place] = listed
            except MemoryAssetsError as error:
                wrong[place] = error
        searched = [request.search() for place, request in good.items() if place not in told.keys() | wrong.keys()]
        found = self.searcher.look_up_all(searched)
        for place, request in enumerate(requests):
            if place in wrong:
                yield wrong[place]
                continue
            started = time.monotonic()
            if place in told:
                yield self._given(request, told[place], started)
                continue
            match next(found):
                case LookedUp() as one:
                    answer = answer_of(self._considered(request, one), self.answerer, self._embedding)
                    yield self._given(request, answer, started)
                case IndexMissingError() as missing:
                    yield refused_without_index(request, missing)
                case failed:
                    yield failed

    def ask_lines(self, lines: Iterable[str], defaults: AskRequest, *, first_line: int = 1) -> Iterator[BulkAnswerItemV1]:
        """The answer of each line of JSON, in their order, a hundred at a time; see ``ask.bulk.answers``.

        Args:
            defaults: what a line does not say itself; its question is not read.
            first_line: the number of the first one, for the id of a line that has none.
        """
        from memory_assets.ask.bulk import answers

        for number, batch in in_batches(lines, first_line):
            yield from answers(self, batch, defaults, first_line=number)

    def _listed(self, request: AskRequest) -> AnswerV1 | None:
        """The answer to a question that asks for what the store keeps; None where it asks for anything else, or goes on from an
        answer, or the store keeps nothing of it."""
        follows = request.conversation is not None and request.conversation.last_answer
        if self._lists is None or follows:
            return None
        if (asked := asked_list(request.question)) is not None:
            with self.searcher.database.reading() as connection:
                if (told := listed_answer(connection, self._lists, request, asked)) is not None:
                    return told
        return self._told_of_topic(self._lists, request)

    def _told_of_topic(self, lists: Lists, request: AskRequest) -> AnswerV1 | None:
        """The decisions or tasks that speak of what a question is about."""
        if (asked := asked_topic(request.question)) is None:
            return None
        searched = replace(request.search(), query=asked.topic, k=_OF_A_TOPIC, kinds=(KINDS[asked.kept],), beside=False)
        try:
            found = self.searcher.look_up(searched)
        except IndexMissingError:
            return None  # the search for the whole question says so
        about = understood(asked.topic, found)
        with self.searcher.database.reading() as connection:
            return topic_answer(connection, lists, request, asked, found.response.hits, about)

    def _given(self, request: AskRequest, answer: AnswerV1, started: float) -> AnswerV1:
        """An answer as it is given: how long it took is in it, and what it cites is counted."""
        if request.log and answer.grounded:
            cited = [one.citation.uri for one in answer.citations if one.marker]
            note_cited(self.searcher.settings, list(dict.fromkeys(cited)))
        return timed(answer, started)

    def _hopped(self, request: AskRequest, listen: Listen | None) -> AnswerV1:
        """The answer to a question that is taken apart first."""
        from memory_assets.ask.decomposition import RuleDecomposer
        from memory_assets.ask.hopping import hopped

        told = hopped(request, RuleDecomposer(), self._considered_all)
        if told.seen is None:
            return refused_undivided(request).model_copy(update={"hops": told.hops})
        answer = answer_of(told.seen, self.answerer, self._embedding, listen)
        notes = [f"nothing that was said answers: {part}" for part in told.open] if answer.grounded else []
        return answer.model_copy(update={"hops": told.hops, "notes": (*notes, *answer.notes)})

    def _considered_all(self, requests: Sequence[AskRequest]) -> list[Considered]:
        """What was found for several questions, graded; what fails for one of them is raised."""
        seen = []
        for request, found in zip(requests, self.searcher.look_up_all([one.search() for one in requests]), strict=True):
            if not isinstance(found, LookedUp):
                raise found
            seen.append(self._considered(request, found))
        return seen

    @property
    def _embedding(self) -> str:
        return self.searcher.settings.embedding.model

    def _considered(self, request: AskRequest, found: LookedUp) -> Considered:
        with self.searcher.database.reading() as connection:
            passages = passages_of(connection, found.response.hits)
            if found.has_corrections:
                passages = with_corrections(connection, passages)
            self.searcher.database.linger()
        return considered(request, found, passages)


def considered(request: AskRequest, found: LookedUp, passages: Sequence[Passage]) -> Considered:
    """The passages graded, as sure as the search is. Pure. In a conversation the question is read by itself first."""
    first, *others = (_graded(request, question, found, passages) for question in readings(request, found))
    if request.conversation is not None and is_unheard(first.question):
        # It was searched with words of an answer, which find something whatever is asked.
        return replace(first, sure=replace(first.sure, value=0.0))
    return next((seen for seen in (first, *others) if seen.refusal is None), first)


def _graded(request: AskRequest, question: Question, found: LookedUp, passages: Sequence[Passage]) -> Considered:
    known = calibration()
    best = max((passage.hit.score for passage in passages), default=0.0)
    grades = [(passage, _grade(question, passage, best, known)) for passage in passages]
    graded = tuple(sorted(grades, key=lambda one: (-one[1], one[0].hit.rank, one[0].place)))
    return Considered(request, question, found, graded, _sure(request, question, found))


def _grade(question: Question, passage: Passage, best: float, known: Calibration) -> float:
    """How well a passage answers; a correction as well as what it corrects would, at the least."""
    some = (passage, *passage.instead_of)
    return max(known.passage.grade(signs_of_passage(question, one, one.hit.rank - 1, best)) for one in some)


def _sure(request: AskRequest, question: Question, found: LookedUp) -> Answerability:
    """How sure it is that what was found can answer: the number of the search, in a conversation that of the words read."""
    if request.conversation is None:
        return found.answerability
    evidence = found.answerability.evidence.read_as((word.term.text for word in question.words), question.names)
    return replace(answerability_of(evidence, within=request.project is not None), gate=found.answerability.gate)


def answer_of(seen: Considered, answerer: Answerer, embedding: str, listen: Listen | None = None) -> AnswerV1:
    """The answer, or the refusal: below the gate nobody is asked for one."""
    if (reason := seen.refusal) is not None:
        return refused(seen, reason, embedding)
    return answerer.answer(seen, listen)


def check(request: AskRequest) -> None:
    """
    Raises:
        InvalidArgumentError: an empty or endless question, a number of words that holds none.
    """
    if not request.question.strip():
        raise InvalidArgumentError("the question is empty", hint="as in memory ask 'why was the deploy rolled back?'")
    if len(request.question) > MOST_CHARACTERS:
        raise InvalidArgumentError(
            f"the question has {len(request.question):,} characters", hint=f"a question has {MOST_CHARACTERS:,} at most"
        )
    if request.most_words < 1:
        raise InvalidArgumentError("an answer of no words says nothing", hint="give it one word at least")


def timed(answer: AnswerV1, started: float) -> AnswerV1:
    """An answer with how long it took."""
    elapsed = round(1000 * (time.monotonic() - started))
    return answer.model_copy(update={"usage": answer.usage.model_copy(update={"latency_ms": elapsed})})


def _wrong(request: AskRequest) -> InvalidArgumentError | None:
    try:
        check(request)
    except InvalidArgumentError as error:
        return error
    return None
