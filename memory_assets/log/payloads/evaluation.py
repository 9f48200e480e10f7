"""What golden questions measured."""

from __future__ import annotations

from typing import ClassVar

from memory_assets.log.payloads.base import Payload, Value


class QuestionMeasured(Value):
    """How search fared with one golden question. What it asks stays in its author's file: the id and a hash are kept.

    Attributes:
        question_hash: of what is asked and expected; equal ones can be compared.
        hit, reciprocal_rank, recall, precision: of the first ``k`` hits; None where nothing is expected to be found.
        must_contain: the share of the phrases that stand in what was delivered; None where there are none.
        forbidden: hits that hold what must not be delivered.
        gone: expected addresses that name nothing in the store any more.
        error: the code of what failed; empty where nothing did.
    """

    question_id: str
    question_hash: str
    k: int
    delivered: int = 0
    hit: float | None = None
    reciprocal_rank: float | None = None
    recall: float | None = None
    precision: float | None = None
    must_contain: float | None = None
    forbidden: int = 0
    gone: int = 0
    skipped: bool = False
    error: str = ""


class EvalRunRecorded(Payload):
    """Golden questions were put to search (requirements K-46, K-54).

    Attributes:
        suite: the name that the file gives itself; ``suite_hash`` is of its questions.
        corpus_seq: the newest event that search can depend on.
        config: how search was asked, and the embedding version that answered.
        aggregate: each metric's mean over the questions that it is defined for, and counts.
        passed: no question failed, every bar held, and nothing was worse than in the baseline; ``reasons`` says why not.
        baseline_run_id: the run that it was compared with; None where there was none.
    """

    event_type: ClassVar[str] = "eval_run_recorded"
    run_id: str
    suite: str
    suite_hash: str
    corpus_seq: int
    config: dict[str, str]
    aggregate: dict[str, float]
    results: list[QuestionMeasured]
    passed: bool
    reasons: list[str] = []
    baseline_run_id: str | None = None
