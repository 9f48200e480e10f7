"""The statuses of a task within one session: only changes, in the order of the messages, a bounded number of them."""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.extraction.schema import ExtractedEntry, StatusAt
from memory_assets.vocabulary import FINISHED

MOST_STEPS = 8
"""Steps that a history holds: the first, and the last seven."""


def changes(steps: Sequence[StatusAt]) -> tuple[StatusAt, ...]:
    """The steps at which the status became another; empty when it never did."""
    changed = [step for number, step in enumerate(steps) if number == 0 or step.status != steps[number - 1].status]
    if len(changed) < 2:
        return ()
    return tuple(bounded(changed))


def bounded(changed: list[StatusAt]) -> list[StatusAt]:
    """The first and the last of too many changes, without two steps of one status in a row."""
    if len(changed) <= MOST_STEPS:
        return changed
    first, *rest = changed
    last = rest[-(MOST_STEPS - 1) :]
    return [first, *(last[1:] if last[0].status == first.status else last)]


def joined_history(one: ExtractedEntry, at_one: int, other: ExtractedEntry, at_other: int) -> tuple[StatusAt, ...]:
    """The history of two entries of one session that are one task; its last step is the status that stands.

    An entry without a history says its status in the message ``at_…``. What only says ``pending`` of what the other entry
    calls closed does not open it again: a list that is repeated is no news.
    """
    told = sorted(
        [*((step, 0) for step in _steps(one, at_one)), *((step, 1) for step in _steps(other, at_other))],
        key=lambda pair: (pair[0].message_index, pair[1]),
    )
    kept: list[tuple[StatusAt, int]] = []
    for step, source in told:
        if kept and step.status == "pending" and kept[-1][0].status in FINISHED and kept[-1][1] != source:
            continue
        if not kept or kept[-1][0].status != step.status:
            kept.append((step, source))
    return tuple(step for step, _ in kept)


def _steps(entry: ExtractedEntry, at: int) -> tuple[StatusAt, ...]:
    if entry.history:
        return entry.history
    return (StatusAt(entry.status, at),) if entry.status else ()
