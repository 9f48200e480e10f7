"""What search prints with ``--json``."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from memory_assets.results.certificate import CertificateV1
from memory_assets.results.citation import AnyCitationV1, CitationV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.model import WireModel
from memory_assets.results.retrieval import RetrievalV1
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.vocabulary import Assurance, CrossedBy, Origin, ScoreKind, SearchMode, Strategy


class LegPlaceV1(WireModel):
    """Where one leg of the search put the hit."""

    rank: int = Field(ge=1)
    score: float
    score_kind: ScoreKind


class BonusV1(WireModel):
    """What was added to a score for something that the question says beside its words."""

    score: float
    why: str


class HitStepsV1(WireModel):
    """How a hit's score came about: ``--explain``.

    Attributes:
        legs: what each leg gave to the score.
        parts: how each leg's own score came about, by the leg's name.
    """

    legs: dict[str, float] = Field(default_factory=dict)
    parts: dict[str, dict[str, float]] = Field(default_factory=dict)
    bonuses: tuple[BonusV1, ...] = ()


class RelatedV1(WireModel):
    """A memory or task that is shown with a hit: it rests on the same words, or an edge leads from the hit to it.

    Attributes:
        relation: the edge's type, as ``blocked_by``; None for what rests on the same words.
    """

    unit_kind: str
    id: str | None = None
    title: str = ""
    stage: str | None = None
    checker: str | None = None
    status: str | None = None
    relation: str | None = None
    assurance: Assurance | None = None


class SearchHitV1(WireModel):
    """One unit that was found.

    Attributes:
        score: orders the hits of one response; it is no confidence.
        relevance: how sure the hit is, 0 to 1: how much of the question's telling words it has, or how near it is in meaning.
        legs: the hit's place in each leg that found it, by the leg's name.
        id: the memory's address, ``mem:a7Bc3x``, or the task's id; None for what is neither (a passage).
        summary: what it is, in some 50 tokens.
        snippet: what the cited turns say of the question in their own words, up to 400 characters of it.
        beside: the passages beside the unit of which the snippet shows something too, each cited: another one of the same
            message, or what was said next.
        tokens: what its title and snippet, and ``said_otherwise``, cost a language model.
        is_cited: at least one citation; a hit without one is shown as a hypothesis.
        checker: who granted the stage, as in ``embedded 1``; shown wherever the stage is.
        related: what rests on the same words, and for a complex question what hangs on it.
        steps: how the score came about, where that was asked for.
        assurance: what was proved of it, as screens say it; what is no memory and no task is quoted.
        origin: of a passage, who wrote it: what neither the person nor the agent wrote ranks behind what they did.
        said_otherwise: what a person said instead of something that it shows.
    """

    schema_version: Literal["search_hit.v1"] = "search_hit.v1"
    rank: int = Field(ge=1)
    score: float
    score_kind: ScoreKind = "rrf"
    relevance: float = Field(default=0.0, ge=0, le=1)
    unit_id: str
    unit_kind: str
    id: str | None = None
    title: str = ""
    summary: str = ""
    snippet: str = ""
    tokens: int = Field(default=0, ge=0)
    project: str | None = None
    session_id: str | None = None
    stage: str | None = None
    status: str | None = None
    checker: str | None = None
    ts: datetime | None = None
    citations: tuple[AnyCitationV1, ...] = ()
    beside: tuple[CitationV1, ...] = ()
    is_cited: bool = False
    legs: dict[str, LegPlaceV1] = Field(default_factory=dict)
    related: tuple[RelatedV1, ...] = ()
    steps: HitStepsV1 | None = None
    assurance: Assurance | None = None
    origin: Origin | None = None
    said_otherwise: SaidOtherwiseV1 | None = None

    @model_validator(mode="before")
    @classmethod
    def _count_citations(cls, values: object) -> object:
        return {**values, "is_cited": bool(values.get("citations"))} if isinstance(values, dict) else values


class ComplexityV1(WireModel):
    """How complex a question is, and what makes it so."""

    score: float = Field(ge=0, le=1)
    strategy: Strategy
    why: tuple[str, ...] = ()


class WindowV1(WireModel):
    """The time that a question speaks of."""

    since: datetime | None = None
    until: datetime | None = None
    cue: str
    kind: str


class CrossedTermV1(WireModel):
    """Words of the question and how the other language says them: the hits were looked for by these too.

    Attributes:
        said: as the question writes it.
        ways: as the other language does.
        weight: of each way, beside 1 of a word that is said.
        by: what tells it: the glossary, the texts of the store (배포(deploy)), its sound, or the calendar.
    """

    said: str
    ways: tuple[str, ...]
    weight: float = Field(ge=0, le=1)
    by: CrossedBy


class SearchResponseV1(WireModel):
    """The answer to one question.

    Attributes:
        channels: the legs that took part.
        k: hits asked for, by the caller or by the question's complexity.
        intent: what the question is after; ``intent_asked`` where the caller said so, else it was read from ``intent_cues``.
        speakers: people who speak in the store and whom the question names.
        crossed: the words of the question that were looked for in the other language too; none where its own answers.
        certificate: how far the hits suffice, and what to do next.
        retrieval: how sure it is that what was found can hold the answer; where it says that nothing is known, the hits are the
            nearest and no answers.
        notes: what a person should know of how the answer came about (a leg that was left out, and why).
        estimated_tokens: what the hits' titles and snippets cost a language model.
    """

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: str
    mode: SearchMode
    score_kind: ScoreKind = "rrf"
    channels: tuple[str, ...] = ()
    embedding_version: str | None = None
    k: int | None = None
    intent: str | None = None
    intent_asked: bool = False
    intent_cues: tuple[str, ...] = ()
    complexity: ComplexityV1 | None = None
    window: WindowV1 | None = None
    speakers: tuple[str, ...] = ()
    crossed: tuple[CrossedTermV1, ...] = ()
    hits: tuple[SearchHitV1, ...] = ()
    certificate: CertificateV1 | None = None
    retrieval: RetrievalV1 | None = None
    budget: int | None = None
    estimated_tokens: int = 0
    notes: tuple[str, ...] = ()


def _is_absent(half: object) -> bool:
    return half is None


class BulkSearchItemV1(WireModel):
    """One line of a bulk search: the question's id with its answer, or with its error; never both."""

    schema_version: Literal["bulk_search_item.v1"] = "bulk_search_item.v1"
    id: str
    response: SearchResponseV1 | None = Field(default=None, exclude_if=_is_absent)
    error: ErrorV1 | None = Field(default=None, exclude_if=_is_absent)

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.response is None) == (self.error is None):
            raise ValueError("a bulk item holds either a response or an error")
        return self
