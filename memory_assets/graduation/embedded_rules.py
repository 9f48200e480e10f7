"""The rules of the ``Memory`` package as the embedded checker holds them: one plain function a rule, stated a second time
and not taken from the generator. Numbers and texts come from the module that is judged.

Each answers the question that the rule of the same name in ``idris/src/Memory`` answers.
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


def window_fits(length: int, offset: int, text: str) -> bool:
    """The embedded text begins in the message and ends in it (``windowOk``)."""
    return offset >= 0 and offset + len(text) <= length


def span_fits(length: int, start: int, end: int) -> bool:
    """The span holds a character and lies in the message (``spanOk``)."""
    return 0 <= start < end <= length


def confidence_fits(method: str, confidence: int) -> bool:
    """The confidence, in ten-thousandths, is in the band of its method (``confidenceOk``)."""
    low, high = _BANDS[method]
    return low <= confidence <= high


def slice_matches(text: str, offset: int, start: int, end: int, stored: str) -> bool:
    """The stored slice is the source text between start and end, all of it embedded (``sliceOk``)."""
    begin = start - offset
    return begin >= 0 and len(stored) == end - start and text[begin : begin + len(stored)] == stored


def quote_matches(method: str, quote: str, stored: str) -> bool:
    """An exact quote is its slice; another is at least not empty (``quoteOk``)."""
    return quote == stored if method == "Exact" else quote != ""


def segments_follow(whole: tuple[int, int], parts: Sequence[tuple[int, int]]) -> bool:
    """The parts begin and end with the whole, and none begins before the one before it ends (``partsOk``)."""
    if not parts or parts[0][0] != whole[0] or parts[-1][1] != whole[1]:
        return False
    return all(before[1] <= after[0] for before, after in pairwise(parts))


def starts_legally(status: str) -> bool:
    """A task does not begin done or cancelled (``startOk``)."""
    return status not in ("Done", "Cancelled")


def move_is_legal(before: str, after: str) -> bool:
    """A task may go from the one status to the other (``moveOk``)."""
    return after in _MOVES[before]


def blockers_fit(task: str, status: str, blockers: Sequence[str]) -> bool:
    """Blocked names a blocker, done names none, none is the task itself or nameless (``blockersOk``)."""
    if status == "Done":
        return not blockers
    if status == "Blocked" and not blockers:
        return False
    return all(blocker not in (task, "") for blocker in blockers)


def stage_is_citable(stage: str) -> bool:
    """A decision rests on verified or certified entries only (``citable``)."""
    return stage in ("Verified", "Certified")


def ascends(ids: Sequence[str]) -> bool:
    """The ids ascend strictly by code points, from behind the empty one (``ascending``)."""
    return all(before < after for before, after in pairwise(("", *ids)))
