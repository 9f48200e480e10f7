"""What of an answer may be shown while it arrives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.ask.marks import LONGEST_MARK, MARK, MarkFilter, numbers_of


def shown(chunks: list[str], known: set[int]) -> list[str]:
    marks = MarkFilter(known)
    return [*(marks.shown(chunk) for chunk in chunks), marks.rest()]


def test_a_mark_comes_whole_or_not_at_all() -> None:
    assert shown(["He said so ", "[", "1", "]", ". And"], {1}) == ["He said so ", "", "", "[1]", ". And", ""]
    assert shown(["Half a mark [1"], {1}) == ["Half a mark ", ""]


def test_an_unknown_mark_is_not_shown() -> None:
    assert "".join(shown(["a [", "9] b [1, 9", "; 2] c"], {1, 2})) == "a [?] b [1][2] c"


def test_what_surrounds_an_unknown_mark_does_not_close_up_to_one() -> None:
    assert "[2]" not in "".join(shown(["[2[2]", "]"], {1}))


def test_a_bracket_that_becomes_no_mark_is_not_lost() -> None:
    assert shown(["x[i] = [] or [", "1 apple]"], {1}) == ["x[i] = [] or ", "[1 apple]", ""]


def test_nothing_is_held_back_for_ever() -> None:
    assert "1" * LONGEST_MARK in "".join(shown(["[", *["1"] * 200], {1}))


def test_nothing_reaches_a_terminal_that_it_obeys() -> None:
    assert "".join(shown(["\x1b[2Jgone\x07 1\u200b2\u202e[\u200b1]\n"], {1})) == "[2Jgone 12[1]\n"


@given(st.lists(st.text(alphabet="[]12, a\n\x1b\u200b", max_size=6), max_size=30))
def test_however_it_is_cut_the_same_is_shown(chunks: list[str]) -> None:
    whole = "".join(shown(["".join(chunks)], {1}))
    assert "".join(shown(chunks, {1})) == whole
    assert all(set(numbers_of(mark[0])) <= {1} for mark in MARK.finditer(whole))
