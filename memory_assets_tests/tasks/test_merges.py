"""Merges in force: the last word holds, chains end, circles do not close."""

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.tasks.merges import MergeWord, merges_in_force

A, B, C, D = (f"tsk_{name}" for name in "abcd")
KNOWN = {A, B, C, D, "cnd_a"}


def test_a_chain_is_followed_to_its_end() -> None:
    assert merges_in_force([MergeWord(A, B), MergeWord(B, C)], KNOWN) == {A: C, B: C}


def test_a_merge_that_was_taken_back_is_none() -> None:
    words = [MergeWord(A, B), MergeWord(A, B, is_reverted=True)]
    assert merges_in_force(words, KNOWN) == {}
    assert merges_in_force([*words, MergeWord(A, B)], KNOWN) == {A: B}


def test_of_two_merges_of_one_the_last_holds() -> None:
    assert merges_in_force([MergeWord(A, B), MergeWord(A, C)], KNOWN) == {A: C}
    assert merges_in_force([MergeWord(A, B), MergeWord(A, C), MergeWord(A, C, is_reverted=True)], KNOWN) == {A: B}


def test_a_merge_of_what_others_were_merged_into_may_close_a_circle_too() -> None:
    assert merges_in_force([MergeWord(A, B), MergeWord(C, A), MergeWord(A, C)], KNOWN) == {A: B, C: B}


def test_what_would_close_a_circle_does_not_count() -> None:
    circle = [MergeWord(A, B), MergeWord(B, C), MergeWord(C, A)]
    assert merges_in_force(circle, KNOWN) == {A: C, B: C}
    assert merges_in_force([*circle, MergeWord(A, B, is_reverted=True)], KNOWN) == {B: A, C: A}
    assert merges_in_force([MergeWord(A, A)], KNOWN) == {}


def test_what_nobody_knows_is_merged_into_nothing() -> None:
    assert merges_in_force([MergeWord(A, B), MergeWord(B, C)], {A, C}) == {}
    assert merges_in_force([MergeWord(A, "cnd_a")], KNOWN) == {}


@given(st.lists(st.builds(MergeWord, st.sampled_from([A, B, C, D]), st.sampled_from([A, B, C, D]), st.booleans())))
def test_nothing_is_merged_into_what_is_merged(words: list[MergeWord]) -> None:
    merges = merges_in_force(words, KNOWN)
    assert all(one != other and other not in merges for one, other in merges.items())
