"""The rules of the ``Memory`` package as the embedded checker holds them: one plain function a rule, under the rule's own
name, stated a second time and not taken from the generator. Numbers and texts come from the module that is judged.

Each answers the question that the obligation of the same name in ``idris/src/Memory`` answers. That a definition it looks
at has a value at all is the checker's business (``embedded``), not the rule's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_BANDS = {"Exact": (10_000, 10_000), "Normalized": (9_500, 9_999), "Fuzzy": (8_500, 9_499)}

_MOVES = {
    "Pending": ("InProgress", "Blocked", "Cancelled"),
    "InProgress": ("Pending", "Blocked", "Done", "Cancelled"),
    "Blocked": ("Pending", "InProgress", "Blocked", "Cancelled"),
    "Done": ("InProgress",),
    "Cancelled": ("Pending",),
}

# -- messages and evidence ---------------------------------------------------------------------------------------------


def message_id_not_empty(message: str) -> bool:
    return message != ""


def message_text_fits_length(length: int, offset: int, text: str) -> bool:
    """The embedded text begins in the message and ends in it."""
    return offset >= 0 and offset + len(text) <= length


def span_inside_message(length: int, start: int, end: int) -> bool:
    """The span holds a character and lies in the message."""
    return 0 <= start < end <= length


def confidence_fits_method(method: str, confidence: int) -> bool:
    """The confidence, in ten-thousandths, is in the band of its method."""
    low, high = _BANDS[method]
    return low <= confidence <= high


def slice_is_source_text(text: str, offset: int, start: int, end: int, stored: str) -> bool:
    """The stored slice is the source text between start and end, all of it embedded."""
    begin = start - offset
    return begin >= 0 and len(stored) == end - start and text[begin : begin + len(stored)] == stored


def exact_quote_is_slice(method: str, quote: str, stored: str) -> bool:
    """An exact quote is its slice; another is at least not empty."""
    return quote == stored if method == "Exact" else quote != ""


def segments_in_order(whole: tuple[int, int], parts: Sequence[tuple[int, int]]) -> bool:
    """The parts begin and end with the whole, and none begins before the one before it ends."""
    if not parts or parts[0][0] != whole[0] or parts[-1][1] != whole[1]:
        return False
    return all(before[1] <= after[0] for before, after in pairwise(parts))


# -- entries -----------------------------------------------------------------------------------------------------------


def entry_id_not_empty(entry: str) -> bool:
    return entry != ""


def title_not_empty(title: str) -> bool:
    return title != ""


def has_evidence(evidence: Sequence[object]) -> bool:
    return len(evidence) > 0


def all_evidence_aligned(failed: int) -> bool:
    """No quote was left that is nowhere."""
    return failed == 0


def certifier_named(certifier: str) -> bool:
    return certifier != ""


def entry_ids_unique(before: str, entry: str) -> bool:
    """The ids ascend by code points, so that none comes twice."""
    return before < entry


# -- tasks -------------------------------------------------------------------------------------------------------------


def task_id_not_empty(task: str) -> bool:
    return task != ""


def task_starts_legally(status: str) -> bool:
    """A task does not begin done or cancelled."""
    return status not in ("Done", "Cancelled")


def legal_task_transition(before: str, after: str) -> bool:
    """A task may go from the one status to the other."""
    return after in _MOVES[before]


def events_in_time_order(before: int, after: int) -> bool:
    return before <= after


def blockers_fit_status(task: str, status: str, blockers: Sequence[str]) -> bool:
    """Blocked names a blocker, done names none, none is the task itself or nameless."""
    if status == "Done":
        return not blockers
    if status == "Blocked" and not blockers:
        return False
    return all(blocker not in (task, "") for blocker in blockers)


# -- decisions and ids -------------------------------------------------------------------------------------------------


def decision_id_not_empty(decision: str) -> bool:
    return decision != ""


def decision_has_evidence(cites: Sequence[object]) -> bool:
    return len(cites) > 0


def decision_cites_verified(stage: str) -> bool:
    """A decision rests on verified or certified entries only."""
    return stage in ("Verified", "Certified")


def evidence_precedes_decision(evidence_at: int, decided_at: int) -> bool:
    return evidence_at <= decided_at


def ids_unique(ids: Sequence[str]) -> bool:
    """The ids ascend strictly by code points, from behind the empty one."""
    return all(before < after for before, after in pairwise(("", *ids)))
