"""From what sessions claim of a task to what became of it (architecture.md section 4, *Order*; requirements G-90..G-92).

One pure function over all claims of one task, in the order of the sessions' own clocks. So any order in which sessions are
read gives the same history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_assets.extraction.schema import Priority, TaskStatus
from memory_assets.identifiers import typed_id
from memory_assets.tasks.transitions import InitialStatus, initial_status, refusal

RESOLVER_VERSION = "1"


@dataclass(frozen=True, slots=True)
class TaskClaim:
    """What one entry says of a task."""

    claim_id: str
    canonical_key: str
    project: str | None
    title: str
    status: TaskStatus | None
    priority: Priority | None
    evidence_aligned: bool
    occurred_at: datetime
    session_id: str
    message_index: int
    ordinal: int

    @property
    def order(self) -> tuple[datetime, str, int, int]:
        return (self.occurred_at, self.session_id, self.message_index, self.ordinal)


@dataclass(frozen=True, slots=True)
class Created:
    """The task is known from here on."""

    claim: TaskClaim
    initial_status: InitialStatus


@dataclass(frozen=True, slots=True)
class Moved:
    """The task changed its status."""

    claim: TaskClaim
    from_status: TaskStatus
    to_status: TaskStatus


@dataclass(frozen=True, slots=True)
class Rejected:
    """A claimed move that is not allowed; the task stays as it was."""

    claim: TaskClaim
    from_status: TaskStatus
    requested_status: TaskStatus
    rule: str


Outcome = Created | Moved | Rejected


def task_id(canonical_key: str) -> str:
    """The id of the task with this key."""
    return typed_id("tsk", canonical_key)


def resolve(claims: Sequence[TaskClaim]) -> list[Outcome]:
    """The history of one task from all its claims; empty without any.

    The first claim creates the task. One that is first heard of as done or cancelled begins in_progress, and what was
    asked for is kept beside it (requirement G-91): a task that nobody has seen at work is not taken for finished.
    """
    outcomes: list[Outcome] = []
    current: TaskStatus | None = None
    for claim in sorted(claims, key=lambda claim: claim.order):
        if current is None:
            current = initial_status(claim.status)
            outcomes.append(Created(claim, initial_status(claim.status)))
            continue
        requested = claim.status
        if requested is None or requested == current:
            continue
        rule = refusal(current, requested, evidence_aligned=claim.evidence_aligned)
        if rule is None:
            outcomes.append(Moved(claim, current, requested))
            current = requested
        else:
            outcomes.append(Rejected(claim, current, requested, rule))
    return outcomes
