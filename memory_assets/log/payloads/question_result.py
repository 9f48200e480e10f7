"""How one golden question fared: as it is measured, and as the log keeps it."""

from __future__ import annotations

from dataclasses import dataclass

METRICS = ("hit_at_k", "mrr", "recall_at_k", "precision_at_k", "must_contain")
"""Of a search. Each between 0 and 1, more is better. ``forbidden_hits`` is a count, less is better."""

ANSWER_METRICS = ("answer_recall", "citation_precision", "citation_recall", "answered", "refused")
"""Of an answer, counted as those of a search; so is ``auc``, which is of a run alone."""


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """How search, or an answer, fared with one golden question. What it asks stays in its author's file: the id and a hash are
    kept.

    Attributes:
        question_hash: of what is asked and expected; equal ones can be compared.
        hit, reciprocal_rank, recall, precision: of the first ``k`` hits; None where nothing is expected to be found.
        must_contain: the share of the phrases that stand in what was delivered; None where there are none.
        forbidden: hits, or citations of an answer, that hold what must not be delivered.
        gone: expected addresses that name nothing in the store any more.
        error: the code of what failed; empty where nothing did.
        answer_recall: the share of the words of the expected answer that stand in the answer; 0 of a refusal.
        citation_precision, citation_recall: of the answer's citations those that are expected, and the other way round.
        answered: 1 or 0, of a question that can be answered; ``refused`` of one that cannot.
        answerability: how sure it was that the question can be answered.
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
    answer_recall: float | None = None
    citation_precision: float | None = None
    citation_recall: float | None = None
    answered: float | None = None
    refused: float | None = None
    answerability: float | None = None

    @property
    def metrics(self) -> dict[str, float | None]:
        """By the names of the aggregates."""
        found = (self.hit, self.reciprocal_rank, self.recall, self.precision, self.must_contain)
        return dict(zip(METRICS, found, strict=True)) | {name: getattr(self, name) for name in ANSWER_METRICS}
