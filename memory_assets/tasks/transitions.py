"""Which moves a task may make (requirements G-91, G-92, G-98). One closed table."""

from __future__ import annotations

from typing import Literal

from memory_assets.extraction.schema import TaskStatus

InitialStatus = Literal["pending", "in_progress", "blocked"]

ALLOWED: dict[TaskStatus, frozenset[TaskStatus]] = {
    "pending": frozenset({"in_progress", "blocked", "cancelled"}),
    "in_progress": frozenset({"pending", "blocked", "done", "cancelled"}),
    "blocked": frozenset({"pending", "in_progress", "done", "cancelled"}),
    "done": frozenset({"in_progress"}),
    "cancelled": frozenset({"in_progress"}),
}

# Reopening is not a matter of course: the claim needs evidence that was found in its session (requirements G-98).
NEEDS_ALIGNED_EVIDENCE: frozenset[tuple[TaskStatus, TaskStatus]] = frozenset({("done", "in_progress")})
NEEDS_A_PERSON: frozenset[tuple[TaskStatus, TaskStatus]] = frozenset({("cancelled", "in_progress")})


def initial_status(requested: TaskStatus | None) -> InitialStatus:
    """What a new task starts as. It is never born finished: done and cancelled begin as in_progress."""
    match requested:
        case None | "pending":
            return "pending"
        case "blocked":
            return "blocked"
        case "in_progress" | "done" | "cancelled":
            return "in_progress"


def refusal(current: TaskStatus, requested: TaskStatus, *, evidence_aligned: bool) -> str | None:
    """Why a task may not move so, as the name of a rule; None when it may."""
    if requested not in ALLOWED[current]:
        return f"{current}-to-{requested}-is-no-transition"
    if (current, requested) in NEEDS_A_PERSON:
        return "reopening-a-cancelled-task-needs-a-person"
    if (current, requested) in NEEDS_ALIGNED_EVIDENCE and not evidence_aligned:
        return "reopening-needs-aligned-evidence"
    return None
