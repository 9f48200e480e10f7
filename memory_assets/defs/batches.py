"""Cutting work into batches: by how much there is to do, and not by how many pieces.

A batch is one run of the assets, and what is in it can be found when all of it is through. So the first one is small, and
the next ones grow: something can be found soon, whichever file comes first by its name, and the price of a run is paid seldom.
Where all of it is small, all is found soon in one.
What is larger than any batch is a batch of its own and comes last, so that nobody waits behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

FIRST_BYTES = 500_000
FIRST_ITEMS = 3
GROWTH = 4

_Item = TypeVar("_Item")


def batches(sizes: Mapping[_Item, int], *, most: int, most_bytes: int) -> Iterator[list[_Item]]:
    """All items in batches, in their order but for those of the first batch, and for the large ones, which come last.

    Args:
        sizes: each item's bytes.
        most: items in a batch.
        most_bytes: bytes in a batch; only an item that is larger alone goes beyond.
    """
    if len(sizes) <= most and sum(sizes.values()) <= min(FIRST_BYTES, most_bytes):
        yield from [list(sizes)] if sizes else []
        return
    large = sorted((item for item in sizes if sizes[item] > most_bytes), key=lambda item: sizes[item])
    waiting = {item: size for item, size in sizes.items() if size <= most_bytes}
    if first := _first(waiting, min(FIRST_ITEMS, most), min(FIRST_BYTES, most_bytes)):
        yield first
    batch: list[_Item] = []
    held, room = 0, min(FIRST_BYTES * GROWTH, most_bytes)
    for item, size in waiting.items():
        if batch and (len(batch) >= most or held + size > room):
            yield batch
            batch, held, room = [], 0, min(room * GROWTH, most_bytes)
        batch.append(item)
        held += size
    if batch:
        yield batch
    for item in large:
        yield [item]


def _first(waiting: dict[_Item, int], most: int, room: int) -> list[_Item]:
    """Take out what the first batch holds: what fits into it, in its order, or the smallest where nothing does."""
    batch: list[_Item] = []
    held = 0
    for item, size in waiting.items():
        if len(batch) < most and held + size <= room:
            batch.append(item)
            held += size
    if waiting and not batch:
        batch.append(min(waiting, key=lambda item: waiting[item]))
    for item in batch:
        del waiting[item]
    return batch
