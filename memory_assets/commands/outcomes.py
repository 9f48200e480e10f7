"""What came of a word: a decision stands in the ledger or its proof failed, and how a task or condition stands now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_assets.graduation.proofs.model import RuleFailure
    from memory_assets.queries.decisions import DecisionView
    from memory_assets.results.tasks import ConditionView, TaskDetail


@dataclass(frozen=True, slots=True)
class Recorded:
    """The decision is in the ledger."""

    decision: DecisionView


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """The proof failed: nothing was written.

    Attributes:
        rules_failed: what of the decision does not hold.
        reasons: the same as sentences, one a rule, with the addresses that were given.
    """

    rules_failed: tuple[RuleFailure, ...]
    reasons: tuple[str, ...]
    checker: str


@dataclass(frozen=True, slots=True)
class TaskSpoken:
    """What came of a word on a task.

    Attributes:
        task: as it stands now.
        said: whether a word was written; none is where all is so already.
        remark: what else there is to know, in a sentence; empty mostly.
    """

    task: TaskDetail
    said: bool
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ConditionSpoken:
    """What came of a word on a condition; ``said`` and ``remark`` as of :class:`TaskSpoken`."""

    condition: ConditionView
    said: bool
    remark: str = ""
