"""Which known task a name means: the one that is beyond doubt, or none."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.tasks.matching import POLICY, Known, match, score
from memory_assets.tasks.model import Likeness
from memory_assets.vocabulary import STAGES

NOW = datetime(2026, 3, 1)
RECENT = Known("tsk_a", Likeness("lexical", 1.0), "raw", False, "in_progress", NOW - timedelta(days=3))

known_tasks = st.builds(
    Known,
    task_id=st.sampled_from(["tsk_a", "tsk_b", "tsk_c"]),
    likeness=st.builds(Likeness, method=st.sampled_from(["lexical", "vector"]), similarity=st.floats(0.0, 1.0)),
    stage=st.sampled_from(STAGES),
    contested=st.booleans(),
    status=st.sampled_from(["pending", "in_progress", "blocked", "done", "cancelled"]),
    last_said=st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1)),
)


def is_matched(known: Known) -> bool:
    return match([known], NOW) is not None


@pytest.mark.parametrize("status", ["pending", "in_progress", "blocked"])
@pytest.mark.parametrize("stage", STAGES)
def test_the_same_words_mean_a_recent_open_task(status: str, stage: str) -> None:
    assert is_matched(replace(RECENT, status=status, stage=stage))


@pytest.mark.parametrize("stage", STAGES)
def test_a_task_that_is_over_or_in_dispute_is_not_meant(stage: str) -> None:
    for over in (replace(RECENT, status="done"), replace(RECENT, status="cancelled"), replace(RECENT, contested=True)):
        assert not is_matched(replace(over, stage=stage))


def test_another_verb_needs_a_better_task() -> None:
    worded = replace(RECENT, likeness=Likeness("lexical", 0.98))
    assert not is_matched(worded)
    assert is_matched(replace(worded, stage="candidate"))


def test_an_old_task_needs_more() -> None:
    half_a_year = replace(RECENT, last_said=NOW - timedelta(days=182))
    assert not is_matched(half_a_year) and not is_matched(replace(half_a_year, stage="candidate"))
    assert is_matched(replace(half_a_year, stage="verified"))
    assert not is_matched(replace(half_a_year, stage="verified", likeness=Likeness("lexical", 0.98)))
    assert not is_matched(replace(RECENT, stage="certified", last_said=NOW - timedelta(days=400)))


def test_a_vector_alone_means_nobody() -> None:
    assert not is_matched(replace(RECENT, likeness=Likeness("vector", 1.0), stage="certified", last_said=NOW))


def test_two_that_are_as_likely_are_a_question() -> None:
    other = replace(RECENT, task_id="tsk_b")
    assert match([RECENT, other], NOW) is None
    behind = replace(other, likeness=Likeness("lexical", 0.96))
    found = match([behind, RECENT], NOW)
    assert found is not None and found.known == RECENT and found.score == score(RECENT, NOW)


def test_other_names_of_one_task_are_no_rivals() -> None:
    assert match([RECENT, replace(RECENT, likeness=Likeness("lexical", 0.99))], NOW) is not None


def test_nobody_is_known() -> None:
    assert match([], NOW) is None


def test_a_claim_from_before_the_task_was_last_spoken_of_counts_as_recent() -> None:
    assert score(replace(RECENT, last_said=NOW + timedelta(days=900)), NOW) == score(RECENT, NOW)


@given(st.lists(known_tasks, max_size=4))
def test_the_order_of_the_candidates_does_not_matter(candidates: list[Known]) -> None:
    found = [match(order, NOW) for order in permutations(candidates)]
    assert len({None if one is None else (one.known.task_id, one.score) for one in found}) == 1
    best = found[0]
    if best is not None:
        assert best.score >= POLICY.strict and best.known.status not in ("cancelled", "done") and not best.known.contested
        assert all(best.score - score(one, NOW) >= POLICY.gap for one in candidates if one.task_id != best.known.task_id)


@given(known_tasks)
def test_a_score_is_a_share(known: Known) -> None:
    assert 0.0 <= score(known, NOW) <= 1.0
