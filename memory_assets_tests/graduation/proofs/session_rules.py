"""The rules as they read on a session's data (see ``session_checker``): stated apart from the checker of modules, in the
session's own words.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.evidence.model import AlignmentMethod, Span
from memory_assets.graduation.proofs.model import ProofEvidence, ProofMove
from memory_assets.vocabulary import Stage, TaskStatus


def has_text(text: str) -> bool:
    return len(text) > 0


def all_different(ids: Sequence[str]) -> bool:
    """No id comes twice, and none is empty."""
    return "" not in ids and len(set(ids)) == len(ids)


def comes_behind(identifier: str, previous: str) -> bool:
    """Of ids in order: this is another one than the one before it (the first must not be empty)."""
    return identifier != previous


# -- evidence ----------------------------------------------------------------------------------------------------------


def lies_inside(span: Span, length: int) -> bool:
    """A span is not empty and all of its characters are in a text of this length."""
    start, end = span
    return start < end and start >= 0 and end <= length


def says(text: str, shown: Span, span: Span, stored: str) -> bool:
    """What was stored is what a text says at the span, as far as the text is shown."""
    start, end = span
    if start < shown[0] or end - start != len(stored):
        return False
    return text[start : min(end, shown[1])] == stored


def confidence_fits(method: AlignmentMethod, confidence: float) -> bool:
    """Exact is certain; of the others each has a band of its own, in steps of a ten-thousandth."""
    match method:
        case "exact":
            return 1.0 <= confidence < 1.0001
        case "normalized":
            return 0.95 <= confidence < 1.0
        case "fuzzy":
            return 0.85 <= confidence < 0.95


def quote_fits(evidence: ProofEvidence) -> bool:
    """An exact quote is the stored slice, letter by letter; of another it is only known that there is one."""
    if evidence.method == "exact":
        return evidence.quote == evidence.matched_text
    return has_text(evidence.quote)


def part_of(evidence: ProofEvidence, at: Span) -> str:
    """What the stored slice says at a part of its span."""
    before = evidence.span_start
    return evidence.matched_text[max(0, at[0] - before) : max(0, at[1] - before)]


def parts_in_order(whole: Span, parts: Sequence[Span]) -> bool:
    """Parts go from the beginning of the whole to its end, and none reaches into the next."""
    starts, ends = [start for start, _ in parts], [end for _, end in parts]
    if (starts[0], ends[-1]) != whole:
        return False
    return not any(start < end for start, end in zip(starts[1:], ends[:-1], strict=True))


# -- tasks and decisions -----------------------------------------------------------------------------------------------


def may_begin(status: TaskStatus) -> bool:
    """A task begins neither done nor cancelled."""
    return status in ("pending", "in_progress", "blocked")


def may_follow(before: TaskStatus, after: TaskStatus) -> bool:
    """The moves of a task: done comes from in progress alone; what ended can only be taken up again."""
    match after:
        case "done":
            return before == "in_progress"
        case "cancelled":
            return before in ("pending", "in_progress", "blocked")
        case "blocked":
            return before in ("pending", "in_progress", "blocked")
        case "in_progress":
            return before in ("pending", "blocked", "done")
        case "pending":
            return before in ("in_progress", "blocked", "cancelled")


def blockers_fit(task_id: str, move: ProofMove) -> bool:
    """What is blocked says by what, what is done by nothing; nothing is blocked by itself or by what has no id."""
    if move.status == "done" and move.blockers:
        return False
    if move.status == "blocked" and not move.blockers:
        return False
    return task_id not in move.blockers and "" not in move.blockers


def may_be_cited(stage: Stage) -> bool:
    """A decision rests on what was verified."""
    return stage == "verified" or stage == "certified"


def precedes(spoken_at: int | None, decided_at: int) -> bool:
    """What a decision rests on was said before it, or as it was taken; of what has no time that is not known."""
    return spoken_at is not None and not spoken_at > decided_at
