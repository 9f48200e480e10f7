"""What came of recording a decision: it stands in the ledger, or its proof failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_assets.graduation.proofs.model import RuleFailure
    from memory_assets.queries.decisions import DecisionView


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
