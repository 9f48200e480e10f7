"""How one golden question fared: as it is measured, and as the log keeps it."""

from __future__ import annotations

from dataclasses import dataclass

METRICS = ("hit_at_k", "mrr", "recall_at_k", "precision_at_k", "must_contain")
"""Each between 0 and 1, more is better. ``forbidden_hits`` is a count, less is better."""


@dataclass(frozen=True, slots=True)
class QuestionResult:
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

    @property
    def metrics(self) -> dict[str, float | None]:
        """By the names of the aggregates."""
        return dict(zip(METRICS, (self.hit, self.reciprocal_rank, self.recall, self.precision, self.must_contain), strict=True))
