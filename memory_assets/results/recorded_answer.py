"""Answers that were recorded, as they are printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.answer import AnswerCitationV1
from memory_assets.results.model import WireModel
from memory_assets.vocabulary import RefusalReason


class RecordedAnswerV1(WireModel):
    """An answer that was recorded. Its words are those of the cited messages, read when it is shown.

    Attributes:
        conversation_id, turn_index: which turn it is, where it is one.
        question: masked.
        project: within which was asked; None for the whole store.
        answerer: ``extractive``, or the model's name.
        citations: with a mark what the answer rests on, without one a candidate that a refusal named. A citation has no quote
            where its message says something else by now.
    """

    schema_version: Literal["recorded_answer.v1"] = "recorded_answer.v1"
    answer_id: str
    conversation_id: str | None = None
    turn_index: int | None = Field(default=None, ge=0)
    question: str
    project: str | None = None
    answerer: str
    prompt_template_version: str
    answerability: float = Field(ge=0, le=1)
    score_gate: float = Field(ge=0, le=1)
    grounded: bool
    refusal_reason: RefusalReason | None = None
    citations: tuple[AnswerCitationV1, ...] = ()
    asked_at: datetime


class RecordedAnswerListV1(WireModel):
    """The newest recorded answers; ``total`` counts those that are not listed too."""

    schema_version: Literal["recorded_answer_list.v1"] = "recorded_answer_list.v1"
    answers: tuple[RecordedAnswerV1, ...] = ()
    total: int = Field(default=0, ge=0)
