"""One order of records out of two that share some of them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

_Record = TypeVar("_Record")


def united_order(
    lead: Sequence[_Record], other: Sequence[_Record], clock: Callable[[_Record], tuple[datetime | None, str]]
) -> list[_Record]:
    """The records of both, each once; linear in both.

    What stands in the other only comes before the shared record that follows it. Behind the last shared record both go on in
    their own ways: these are merged by their times, or come one behind the other where a time is missing or nothing is shared.

    Args:
        clock: when a record was made, and what decides between two of one time.
    """
    in_lead = set(lead)
    before: dict[_Record, list[_Record]] = {}
    waiting: list[_Record] = []
    for record in other:
        if record not in in_lead:
            waiting.append(record)
        elif waiting:
            before.setdefault(record, []).extend(waiting)
            waiting = []
    order: list[_Record] = []
    for record in lead:
        order.extend(before.get(record, ()))
        order.append(record)
    shared = set(other)
    alone = next((place for place in range(len(order), 0, -1) if order[place - 1] in shared), 0)
    if not alone:
        return order + waiting
    return order[:alone] + _by_the_clock(order[alone:], waiting, clock)


def _by_the_clock(
    lead: list[_Record], other: list[_Record], clock: Callable[[_Record], tuple[datetime | None, str]]
) -> list[_Record]:
    # A third that is merged later finds the same, whichever of the two came first.
    if any(clock(record)[0] is None for record in (*lead, *other)):
        return lead + other
    return list(heapq.merge(lead, other, key=clock))
