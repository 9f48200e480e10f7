"""Batches are cut by work: the first is small, the later ones grow, what is huge is alone and last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.defs.batches import FIRST_BYTES, batches

MB = 1_000_000
MOST = 25
MOST_BYTES = 16 * MB


def cut(*sizes: int) -> list[list[int]]:
    """The sizes in each batch."""
    named = dict(enumerate(sizes))
    return [[named[item] for item in batch] for batch in batches(named, most=MOST, most_bytes=MOST_BYTES)]


def test_batches_grow_from_a_small_one_up_to_the_limit() -> None:
    found = cut(*[MB] * 60)
    assert [sum(batch) / MB for batch in found] == [1, 2, 8, 16, 16, 16, 1]


def test_what_is_larger_than_a_batch_is_alone_and_last_the_smallest_first() -> None:
    assert cut(90 * MB, 1, 17 * MB, 2, 3, 4) == [[1, 2, 3], [4], [17 * MB], [90 * MB]]


def test_small_ones_are_cut_by_count() -> None:
    assert [len(batch) for batch in cut(*[10] * 60)] == [3, 25, 25, 7]
    assert cut() == []


def test_nothing_waits_behind_one_that_is_larger_than_the_first_batch() -> None:
    assert cut(5 * MB, 1, 4 * MB, 2) == [[1, 2], [5 * MB], [4 * MB]]
    assert cut(5 * MB, 3 * MB, 4 * MB) == [[3 * MB], [5 * MB], [4 * MB]]


@given(st.lists(st.integers(0, 40 * MB), max_size=120), st.integers(1, 30), st.integers(1, 40 * MB))
def test_everything_is_in_one_batch_and_no_batch_is_too_large(sizes: list[int], most: int, most_bytes: int) -> None:
    named = dict(enumerate(sizes))
    found = list(batches(named, most=most, most_bytes=most_bytes))
    assert sorted(item for batch in found for item in batch) == list(named)
    for batch in found:
        assert 0 < len(batch) <= most
        assert len(batch) == 1 or sum(named[item] for item in batch) <= most_bytes
    first, rest = found[:1], [item for batch in found[1:] for item in batch if named[item] <= most_bytes]
    assert rest == sorted(rest) and all(batch == sorted(batch) for batch in found)
    if sizes and min(sizes) <= most_bytes:
        assert sum(named[item] for item in first[0]) <= max(FIRST_BYTES, min(sizes))
