"""How sure it is that what was found can hold the answer, as it is printed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel


class RetrievalV1(WireModel):
    """Whether what was found can hold the answer.

    Attributes:
        answerability: 0 to 1; the same number for a search and for an answer to its question, whatever number of hits is given.
        score_gate: below it nothing is known: the hits are the nearest, and no answers.
        known: whether the number reaches the gate.
        unknown: where nothing is known: the words of the question that nothing found has together.
        other_language: where only text of this language could hold it, in words that nobody knows to be the question's.
        says: where nothing is known, that in words.
        answerability_parts: the signs that the number is made of, where that was asked for.
    """

    schema_version: Literal["retrieval.v1"] = "retrieval.v1"
    answerability: float = Field(ge=0, le=1)
    score_gate: float = Field(ge=0, le=1)
    known: bool
    unknown: tuple[str, ...] = ()
    other_language: Literal["en", "ko"] | None = None
    says: str = ""
    answerability_parts: dict[str, float] = Field(default_factory=dict)
