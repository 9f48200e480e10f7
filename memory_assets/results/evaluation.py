"""What golden questions measured, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel


class EvalQuestionV1(WireModel):
    """How search, or an answer, fared with one question. The text is the asker's own file's and is not kept with the run.

    Attributes:
        query: empty where the run is read back and the file does not hold the question any more.
        delivered: how many hits there were, k at the most.
        hit_at_k, mrr, recall_at_k, precision_at_k, must_contain: 0 to 1, None where nothing is expected of it.
        answer_recall, citation_precision, citation_recall, answered, refused: the same, of an answer.
        answerability: how sure it was that the question can be answered; None of a search.
        forbidden_hits: hits that hold what they must not.
        gone: expected addresses that name nothing in the store.
        error: the code of what failed, empty mostly.
    """

    id: str
    query: str = ""
    k: int = Field(ge=1)
    delivered: int = 0
    hit_at_k: float | None = None
    mrr: float | None = None
    recall_at_k: float | None = None
    precision_at_k: float | None = None
    must_contain: float | None = None
    forbidden_hits: int = 0
    gone: int = 0
    skipped: bool = False
    error: str = ""
    answer_recall: float | None = None
    citation_precision: float | None = None
    citation_recall: float | None = None
    answered: float | None = None
    refused: float | None = None
    answerability: float | None = None


class EvalRunV1(WireModel):
    """A run of golden questions.

    Attributes:
        suite_hash: of the questions; equal ones were asked the same.
        corpus_seq: the newest event that the answers could depend on.
        config: how search was asked, and the embedding version that answered.
        aggregate: means of the metrics, and counts.
        passed: no question failed, every bar held, nothing fell below the baseline by more than the tolerance.
        reasons: why it did not pass, one sentence each.
        baseline_run_id: the last run that passed before, if there was one.
    """

    schema_version: Literal["eval_run.v1"] = "eval_run.v1"
    run_id: str
    suite: str
    suite_hash: str
    corpus_seq: int
    config: dict[str, str] = Field(default_factory=dict)
    aggregate: dict[str, float] = Field(default_factory=dict)
    passed: bool
    reasons: tuple[str, ...] = ()
    baseline_run_id: str | None = None
    ran_at: datetime
    questions: tuple[EvalQuestionV1, ...] = ()


class EvalChangeV1(WireModel):
    """A metric before and after; ``gain`` above 0 is better, whichever way the metric counts."""

    metric: str
    before: float
    after: float
    gain: float


class EvalQuestionChangeV1(WireModel):
    """A question that fared differently."""

    id: str
    query: str = ""
    better: bool
    changes: tuple[EvalChangeV1, ...] = ()


class EvalComparisonV1(WireModel):
    """Two runs of golden questions, over the questions that both asked with the same expectations.

    Attributes:
        only_before, only_after: ids of questions that one of them asked alone, or with other expectations.
    """

    schema_version: Literal["eval_comparison.v1"] = "eval_comparison.v1"
    before: EvalRunV1
    after: EvalRunV1
    common: int = 0
    changes: tuple[EvalChangeV1, ...] = ()
    questions: tuple[EvalQuestionChangeV1, ...] = ()
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()


class GateV1(WireModel):
    """What a gate does to the questions that were asked; each share is 0 where there is no question of that kind.

    Attributes:
        refused_wrongly: the share of the questions that can be answered.
        refused_rightly: the share of those that cannot.
    """

    gate: float
    refused_wrongly: float
    refused_rightly: float


class CalibratedScopeV1(WireModel):
    """The gate of questions within a project, or over the whole store.

    Attributes:
        before: the shipped gate; ``after`` the chosen one, None where there were too few questions of a kind.
        left_out: what is refused where the gate for each question is chosen by the others: what to expect of new questions.
        gates: what some others do.
    """

    scope: Literal["within_a_project", "over_all"]
    answerable: int = Field(ge=0)
    unanswerable: int = Field(ge=0)
    before: GateV1
    after: GateV1 | None = None
    left_out: GateV1 | None = None
    gates: tuple[GateV1, ...] = ()


class EvalCalibrationV1(WireModel):
    """The gates that golden questions choose.

    Attributes:
        version: of the gates, which answers name: the shipped weights' and the suite's.
        most_wrong: the largest share of what can be answered that a gate was allowed to refuse.
        written_to: the file that the store's answers go by from now on; None where nothing was written.
    """

    schema_version: Literal["eval_calibration.v1"] = "eval_calibration.v1"
    suite: str
    version: str
    most_wrong: float
    scopes: tuple[CalibratedScopeV1, ...]
    written_to: str | None = None


class EvalInitV1(WireModel):
    """A file of golden questions was written."""

    schema_version: Literal["eval_init.v1"] = "eval_init.v1"
    path: str
    questions: int = Field(ge=0)
