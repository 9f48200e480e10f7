"""What is overwritten keeps its shape, and nothing of what stood there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.masking.forgotten_spans import (
    FILLER,
    goes_on_from,
    holds_back,
    overwritten,
    with_words_again,
    without_spans,
)

TEXTS = st.text(st.sampled_from("ab 가힣é😀\n\r\u2028\x85" + FILLER), max_size=40)
SPANS = st.lists(st.tuples(st.integers(-3, 45), st.integers(-3, 45)), max_size=4)
Spans = list[tuple[int, int]]


def covered(spans: Spans, length: int) -> set[int]:
    return {place for start, end in spans for place in range(max(0, start), min(end, length))}


@given(TEXTS, SPANS)
def test_length_and_lines_stay_and_no_word_does(text: str, spans: Spans) -> None:
    kept = overwritten(text, spans)
    assert len(kept) == len(text)
    gone = covered(spans, len(text))
    for place, (mine, said) in enumerate(zip(kept, text, strict=True)):
        is_break = len(f"a{said}b".splitlines()) > 1
        assert mine == said if is_break or place not in gone else mine in (FILLER, " ")


@given(TEXTS, SPANS)
def test_overwriting_twice_is_overwriting_once(text: str, spans: Spans) -> None:
    assert overwritten(overwritten(text, spans), spans) == overwritten(text, spans)


@given(TEXTS, SPANS, st.integers(0, 45))
def test_the_beginning_of_a_text_is_overwritten_like_the_text(text: str, spans: Spans, length: int) -> None:
    """A file that was cut off tells the same as the whole one, as far as it goes."""
    assert overwritten(text[:length], spans) == overwritten(text, spans)[:length]


@given(TEXTS, SPANS)
def test_the_words_come_back(text: str, spans: Spans) -> None:
    within = [(max(0, start), min(end, len(text))) for start, end in spans if max(0, start) < min(end, len(text))]
    assert with_words_again(overwritten(text, within), text, within) == text


@given(TEXTS, SPANS, SPANS)
def test_what_is_still_forgotten_does_not_come_back(text: str, spans: Spans, others: Spans) -> None:
    within = [(max(0, start), min(end, len(text))) for start, end in spans if max(0, start) < min(end, len(text))]
    back = without_spans(within, others)
    assert covered(back, len(text)) == covered(within, len(text)) - covered(others, len(text))
    assert all(start < end for start, end in back)


@given(TEXTS, SPANS, TEXTS)
def test_what_was_kept_is_known_by_what_was_said(text: str, spans: Spans, more: str) -> None:
    assert holds_back(overwritten(text, spans), text + more)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("I met █████ in Rome", "I met my Jonas in Rome"),
        ("I met █████", "I met"),
        ("Call █████ now", "Call Jonas not"),
    ],
)
def test_other_words_are_none_of_what_was_kept(kept: str, told: str) -> None:
    assert not holds_back(kept, told)


@pytest.mark.parametrize(
    ("kept", "told", "goes_on"),
    [
        ("I met █████ in Rome yesterday", "I met Jonas in Rome yesterday, and it rained", True),
        ("I met █████ in Rome", "I met Jonas in Rome", True),
        # The forgotten words stand at the end: where they are now, nobody can say.
        ("Call █████", "Call old Jonas", False),
        ("████████           ", "Well, I said: my password is it", False),
        ("████████", "as long!", True),
        ("████████.", "Some . and the name", False),
    ],
)
def test_more_words_are_taken_only_behind_words_that_still_stand_there(kept: str, told: str, goes_on: bool) -> None:
    assert goes_on_from(kept, told) is goes_on


def test_spans_that_overlap_are_drawn_once() -> None:
    text = "the zebra stands in the grass"
    assert overwritten(text, [(4, 29), (0, 12)]) == overwritten(text, [(0, 29)])
