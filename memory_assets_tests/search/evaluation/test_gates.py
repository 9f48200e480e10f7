"""The gate that golden questions choose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.evaluation.gates import FEWEST, GATES, Judged, Numbered, chosen_gate, judged, left_out

NUMBERS = st.floats(0, 1)
QUESTIONS = st.lists(st.builds(Numbered, NUMBERS, st.booleans()), max_size=30)


def questions(able: list[float], unable: list[float]) -> list[Numbered]:
    return [*(Numbered(number, True) for number in able), *(Numbered(number, False) for number in unable)]


def test_a_gate_stands_in_the_middle_of_those_that_keep_both_kinds_apart() -> None:
    asked = questions([0.8] * 6, [0.2] * 6)
    gate = chosen_gate(asked, 0.0)
    assert gate == pytest.approx(0.5, abs=0.03)
    assert judged(asked, gate) == left_out(asked, 0.0) == Judged(0.0, 1.0)


def test_no_more_good_questions_are_refused_than_allowed() -> None:
    asked = questions([0.1, *[0.9] * 9], [0.5] * 10)
    strict, lenient = chosen_gate(asked, 0.05), chosen_gate(asked, 0.1)
    assert strict is not None and judged(asked, strict) == Judged(0.0, 0.0)
    assert lenient is not None and judged(asked, lenient) == Judged(0.1, 1.0)


@pytest.mark.parametrize(("able", "unable"), [(FEWEST - 1, 20), (20, FEWEST - 1), (0, 0)])
def test_few_questions_choose_nothing(able: int, unable: int) -> None:
    asked = questions([0.9] * able, [0.1] * unable)
    assert chosen_gate(asked, 0.1) is None and left_out(asked, 0.1) is None


def test_what_is_left_out_is_judged_by_the_others() -> None:
    """One question that nobody is like: its own gate would let it pass, that of the others does not."""
    asked = questions([0.3, *[0.9] * 9], [0.2] * 10)
    gate, left = chosen_gate(asked, 0.0), left_out(asked, 0.0)
    assert gate is not None and judged(asked, gate).refused_wrongly == 0.0
    assert left is not None and left.refused_wrongly == 0.1


@given(QUESTIONS, NUMBERS)
def test_of_all_gates_that_are_allowed_none_refuses_more(asked: list[Numbered], most: float) -> None:
    gate = chosen_gate(asked, most)
    if gate is not None:
        does = judged(asked, gate)
        allowed = [other for gate_ in GATES if (other := judged(asked, gate_)).refused_wrongly <= most]
        assert all(other.refused_rightly <= does.refused_rightly for other in allowed)
        assert does.refused_wrongly <= most or not allowed
