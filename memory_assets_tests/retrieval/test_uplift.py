"""What was said of a unit moves it a little, praise up and blame far down."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.retrieval.uplift import uplift

COUNT = st.integers(min_value=0, max_value=10**9)


def test_without_a_word_nothing_moves_however_often_it_was_shown() -> None:
    assert [uplift(0, 0, 0, shown) for shown in (0, 1, 10**6)] == [0.0] * 3


@given(helpful=COUNT, used=COUNT, wrong=COUNT, shown=COUNT)
def test_it_stays_within_one_and_each_word_moves_it_its_way(helpful: int, used: int, wrong: int, shown: int) -> None:
    found = uplift(helpful, used, wrong, shown)
    assert -1 <= found <= 1
    # A word is also a delivery.
    assert uplift(helpful + 1, used, wrong, shown + 1) >= found
    assert uplift(helpful, used + 1, wrong, shown + 1) >= found
    assert uplift(helpful, used, wrong + 1, shown + 1) <= found
    assert abs(uplift(helpful, used, wrong, shown + 1)) <= abs(found)


def test_one_word_moves_little_and_wrong_is_strong() -> None:
    assert 0 < uplift(0, 1, 0, 1) < uplift(1, 0, 0, 1) < 0.4
    assert uplift(0, 0, 1, 1) < -0.5
    assert uplift(1, 1, 1, 3) < 0 < uplift(4, 0, 1, 5)


def test_what_is_shown_for_nothing_takes_from_praise_and_not_from_blame() -> None:
    assert 0 < uplift(1, 0, 0, 200) < uplift(1, 0, 0, 1)
    assert uplift(0, 0, 1, 200) == uplift(0, 0, 1, 1)
