"""Which moves a task may make. One closed table."""

from __future__ import annotations

from memory_assets.vocabulary import InitialStatus, TaskStatus

# In the order in which a person's path prefers them.
ALLOWED: dict[TaskStatus, tuple[TaskStatus, ...]] = {
    "pending": ("in_progress", "blocked", "cancelled"),
    "in_progress": ("pending", "blocked", "done", "cancelled"),
    "blocked": ("pending", "in_progress", "done", "cancelled"),
    "done": ("in_progress",),
    "cancelled": ("in_progress",),
}

# Reopening is not a matter of course: the claim needs evidence that was found in its session.
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


def path(current: TaskStatus, wanted: TaskStatus) -> tuple[TaskStatus, ...]:
    """The moves by which a person takes a task to another status: the fewest that the table allows, without
    the first and with the last; none for the status that it has. Pending becomes done by way of in_progress."""
    if current == wanted:
        return ()
    paths: list[tuple[TaskStatus, ...]] = [(status,) for status in ALLOWED[current]]
    for moves in paths:  # it grows while it is read: the shorter ones first
        if moves[-1] == wanted:
            return moves
        paths += [(*moves, status) for status in ALLOWED[moves[-1]] if status not in moves]
    raise AssertionError(f"no way leads from {current} to {wanted}")
