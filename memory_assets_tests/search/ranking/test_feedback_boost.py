"""What was said of a unit moves it a little, praise up and blame far down."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.ranking.feedback_boost import feedback_boost

COUNT = st.integers(min_value=0, max_value=10**9)


def test_without_a_word_nothing_moves_however_often_it_was_shown() -> None:
    assert [feedback_boost(0, 0, 0, shown) for shown in (0, 1, 10**6)] == [0.0] * 3


@given(helpful=COUNT, used=COUNT, wrong=COUNT, shown=COUNT)
def test_it_stays_within_one_and_each_word_moves_it_its_way(helpful: int, used: int, wrong: int, shown: int) -> None:
    found = feedback_boost(helpful, used, wrong, shown)
    assert -1 <= found <= 1
    # A word is also a delivery.
    assert feedback_boost(helpful + 1, used, wrong, shown + 1) >= found
    assert feedback_boost(helpful, used + 1, wrong, shown + 1) >= found
    assert feedback_boost(helpful, used, wrong + 1, shown + 1) <= found
    assert abs(feedback_boost(helpful, used, wrong, shown + 1)) <= abs(found)


def test_one_word_moves_little_and_wrong_is_strong() -> None:
    assert 0 < feedback_boost(0, 1, 0, 1) < feedback_boost(1, 0, 0, 1) < 0.4
    assert feedback_boost(0, 0, 1, 1) < -0.5
    assert feedback_boost(1, 1, 1, 3) < 0 < feedback_boost(4, 0, 1, 5)


def test_what_is_shown_for_nothing_takes_from_praise_and_not_from_blame() -> None:
    assert 0 < feedback_boost(1, 0, 0, 200) < feedback_boost(1, 0, 0, 1)
    assert feedback_boost(0, 0, 1, 200) == feedback_boost(0, 0, 1, 1)
