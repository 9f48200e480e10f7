"""What `memory ask` prints with ``--json``."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from memory_assets.results.citation import AnyCitationV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.model import WireModel
from memory_assets.vocabulary import RefusalReason, SearchMode


class AnswerCitationV1(WireModel):
    """What a mark of the answer stands for. A refusal cites the nearest candidates, without a mark."""

    marker: str | None
    citation: AnyCitationV1


class ModelRefV1(WireModel):
    """What answered, or made vectors."""

    id: str
    provider: str
    dimensions: int | None = None


class ClaimV1(WireModel):
    """One statement of the answer and what it rests on.

    Attributes:
        markers: those that stand behind it in the answer.
        quotes: the cited characters themselves.
        time: the date that the quote means, where the question asks for a time.
        is_struck: the statement did not hold and is not in the answer; ``why`` says why.
    """

    text: str
    markers: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    time: str | None = None
    is_struck: bool = False
    why: str | None = None


class AnswerRetrievalV1(WireModel):
    """How the answer was looked for.

    Attributes:
        trace_id: of the question and of what was found: the same search has the same.
        score_gate: the least answerability at which is answered.
        top_score: of the best hit; orders hits, and is no confidence.
        answerability: how sure it is that what was found can answer, 0 to 1; ``answerability_parts`` is what it was made of.
        unseen: words of the question that nothing found has.
    """

    trace_id: str
    mode: SearchMode
    k: int
    score_gate: float = Field(ge=0, le=1)
    top_score: float = 0.0
    chunks_returned: int = Field(default=0, ge=0)
    chunks_used: int = Field(default=0, ge=0)
    answerability: float = Field(default=0.0, ge=0, le=1)
    answerability_parts: dict[str, float] = Field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


def _is_absent(value: object) -> bool:
    return value is None


class TokenUsageV1(WireModel):
    """What the answer cost.

    Attributes:
        cost_usd: of the model's answer; absent where none was asked or its price is not known.
        left_today_usd: of what a day may cost; absent where nothing limits it.
    """

    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    latency_ms: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0, exclude_if=_is_absent)
    left_today_usd: float | None = Field(default=None, ge=0, exclude_if=_is_absent)


class VerificationV1(WireModel):
    """How the statements of a model's answer were held to their evidence.

    Attributes:
        statements: that it made; ``kept`` of them are the answer, ``struck`` are not in it.
        nli_score: the least of the judge's scores, where one was asked; ``nli_passed`` whether it reached the threshold.
    """

    statements: int = Field(default=0, ge=0)
    kept: int = Field(default=0, ge=0)
    struck: int = Field(default=0, ge=0)
    nli_score: float | None = Field(default=None, ge=0, le=1)
    nli_threshold: float = Field(default=0.0, ge=0, le=1)
    nli_passed: bool | None = None


class AnswerV1(WireModel):
    """An answer from memory: marks in the text, a citation for each, or a refusal.

    Attributes:
        answer: for people; a refusal says so in words.
        grounded: every statement rests on a cited quote.
        refusal_reason: why nothing is answered; None where something is.
        model: what answered; the extractive answerer is one too.
        claims: the answer's statements, those that were struck out too.
        verification: absent where no model answered and nobody was asked to judge.
        usage, created_at: of this run; everything else is the same for the same question and store, but for what a model says.
        notes: what a person should know of how the answer came about.
    """

    schema_version: Literal["answer.v1"] = "answer.v1"
    question: str
    answer: str
    citations: tuple[AnswerCitationV1, ...] = ()
    grounded: bool
    refusal_reason: RefusalReason | None = None
    model: ModelRefV1
    embedding: ModelRefV1 | None = None
    prompt_template_version: str
    retrieval: AnswerRetrievalV1
    claims: tuple[ClaimV1, ...] = ()
    verification: VerificationV1 | None = Field(default=None, exclude_if=_is_absent)
    usage: TokenUsageV1 = Field(default_factory=TokenUsageV1)
    created_at: datetime
    conversation_id: str | None = None
    turn_index: int | None = Field(default=None, ge=0)
    notes: tuple[str, ...] = ()


class BulkAnswerItemV1(WireModel):
    """One line of ``memory ask --bulk``: the question's id with its answer, or with its error; never both."""

    schema_version: Literal["bulk_answer_item.v1"] = "bulk_answer_item.v1"
    id: str
    answer: AnswerV1 | None = Field(default=None, exclude_if=_is_absent)
    error: ErrorV1 | None = Field(default=None, exclude_if=_is_absent)

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.answer is None) == (self.error is None):
            raise ValueError("a bulk item holds either an answer or an error")
        return self
