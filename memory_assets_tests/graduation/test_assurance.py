"""The word that screens show: what was proved, and no more."""

from __future__ import annotations

import itertools

import pytest

from memory_assets.graduation.assurance import assurance_of, assurance_of_task
from memory_assets.vocabulary import ASSURANCES, STAGES, Assurance


@pytest.mark.parametrize(
    ("stage", "sessions", "vouched", "word"),
    [
        (None, 0, False, "unproved"),
        ("raw", 0, False, "unproved"),
        ("working", 0, False, "quoted"),
        ("candidate", 1, False, "quoted"),
        ("verified", 1, False, "held"),
        ("verified", 2, False, "confirmed"),
        ("verified", 1, True, "confirmed"),
        ("certified", 1, False, "confirmed"),
        # Contested or demoted: shown as a candidate, and nobody's word makes more of it.
        ("candidate", 3, True, "quoted"),
        ("raw", 3, True, "unproved"),
    ],
)
def test_the_word_says_what_was_proved(stage: str | None, sessions: int, vouched: bool, word: Assurance) -> None:
    assert assurance_of(stage, supporting_sessions=sessions, vouched_for=vouched) == word


def test_a_higher_stage_more_sessions_and_a_persons_word_never_lower_it() -> None:
    def rank(stage: str, sessions: int, vouched: bool) -> int:
        return ASSURANCES.index(assurance_of(stage, supporting_sessions=sessions, vouched_for=vouched))

    for (lower, higher), sessions in itertools.product(itertools.pairwise(STAGES), range(4)):
        assert rank(lower, sessions, False) <= rank(higher, sessions, False)
        assert rank(higher, sessions, False) <= rank(higher, sessions + 1, False)
        assert rank(higher, sessions, False) <= rank(higher, sessions, True)


def test_no_word_is_the_name_of_a_stage() -> None:
    """Whoever reads it must not take it for one, nor a stage for what was proved."""
    assert set(ASSURANCES) & set(STAGES) == set()


def test_a_task_of_which_no_session_speaks_is_a_persons_word() -> None:
    assert assurance_of_task("candidate") == "confirmed"
    assert assurance_of_task("candidate", supporting_sessions=2) == "quoted"
    assert assurance_of_task("verified", supporting_sessions=1) == "held"
    assert assurance_of_task("verified", supporting_sessions=2) == "confirmed"
    assert assurance_of_task("raw") == "unproved"
