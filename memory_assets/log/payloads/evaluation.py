"""What golden questions measured."""

from __future__ import annotations

from typing import ClassVar

from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.question_result import QuestionResult


class EvalRunRecorded(Payload):
    """Golden questions were put to search.

    Attributes:
        suite: the name that the file gives itself; ``suite_hash`` is of its questions.
        corpus_seq: the newest event that search can depend on.
        config: how search was asked, and the embedding version and the release that answered.
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
    results: list[QuestionResult]
    passed: bool
    reasons: list[str] = []
    baseline_run_id: str | None = None
