"""What was asked, and which words answered it."""

from __future__ import annotations

from typing import ClassVar

from memory_assets.log.payloads.base import Payload, Value
from memory_assets.vocabulary import RefusalReason


class CitedSpan(Value):
    """Characters of a message that an answer rests on, as a reference: the words stay where they were said.

    Attributes:
        marker: of the answer, ``[1]``; empty for a candidate that a refusal names.
        span_start, span_end: half-open, code points; equal ones for the message as a whole.
        quote_hash: of the characters that stood there.
    """

    marker: str = ""
    session_id: str
    message_index: int
    span_start: int = 0
    span_end: int = 0
    quote_hash: str = ""


class AnswerRecorded(Payload):
    """A question was answered, or refused.

    The event rests on the histories of all sessions that it cites (``basis_chains``), so it is hidden with any of them.

    Attributes:
        question: masked, as every text of people. What was answered is not here: it is what the cited spans say.
        conversation_id, turn_index: which turn it is, where it is one.
        answerer: what answered: ``extractive``, or the model's name.
        prompt_version: of the prompt, or of the weights.
        refusal_reason: why nothing was answered; empty where something was.
    """

    event_type: ClassVar[str] = "answer_recorded"
    answer_id: str
    question: str
    conversation_id: str | None = None
    turn_index: int | None = None
    answerer: str
    prompt_version: str
    answerability: float
    score_gate: float
    grounded: bool
    refusal_reason: RefusalReason | None = None
    citations: list[CitedSpan] = []
