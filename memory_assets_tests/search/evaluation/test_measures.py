"""The numbers of golden questions, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.log.payloads.question_result import METRICS, QuestionResult
from memory_assets.search.evaluation.golden import GoldenQuestion
from memory_assets.search.evaluation.measures import (
    Delivered,
    aggregate,
    below_the_bars,
    compare,
    measure,
    not_answered,
    not_asked,
    regressions,
)


def question(**wanted: Any) -> GoldenQuestion:
    names = ("expected", "contains", "must_contain", "forbidden")
    phrases = {name: tuple(wanted.pop(name, ())) for name in names}
    return GoldenQuestion(wanted.pop("id", "q"), wanted.pop("hash", "h"), "?", wanted.pop("k", 4), None, None, **phrases)


def hit(text: str = "", *places: str, memories: tuple[str, ...] = ()) -> Delivered:
    return Delivered(memories, places, text)


HITS = (
    hit("nothing of it", "session:a#m=1"),
    hit("We keep PostgreSQL 16", "session:a#m=2&c=10-30", memories=("mem:aaaaaa", "mem:bbbbbb")),
    hit("캐시를 Redis로 옮긴다", "session:b#m=0"),
)


def test_ranks_and_shares() -> None:
    found = measure(question(expected=["session:a#m=2", "mem:zzzzzz"], contains=["redis로"]), HITS)
    # Two of the four places hold a relevant hit, the first of them is the second; two of three targets are met.
    assert (found.hit, found.reciprocal_rank, found.recall, found.precision) == (1.0, 0.5, 2 / 3, 0.5)
    assert (found.delivered, found.must_contain, found.forbidden) == (3, None, 0)


def test_what_lies_behind_k_does_not_count() -> None:
    found = measure(question(k=1, contains=["redis"], must_contain=["nothing", "redis"], forbidden=["PostgreSQL"]), HITS)
    assert (found.hit, found.reciprocal_rank, found.recall, found.precision) == (0.0, 0.0, 0.0, 0.0)
    assert (found.must_contain, found.forbidden, found.delivered) == (0.5, 0, 1)


@pytest.mark.parametrize(
    ("address", "is_met"),
    [
        ("session:a#m=2", True),
        ("session:a#m=2&c=0-11", True),
        ("session:a#m=2&c=0-5,29-40", True),
        ("session:a#m=2&c=30-40", False),
        ("session:a#m=2&c=0-10", False),
        ("session:a#m=3", False),
        ("session:b#m=0&c=4-9", True),
        ("mem:bbbbbb", True),
        ("[mem:aaaaaa]", True),
        ("mem:cccccc", False),
    ],
)
def test_an_address_is_met_by_the_same_place_or_memory(address: str, is_met: bool) -> None:
    assert measure(question(expected=[address]), HITS).hit == float(is_met)


def test_phrases_are_found_whatever_their_spaces_case_and_composition() -> None:
    import unicodedata

    phrases = ["  POSTGRESQL\n16 ", unicodedata.normalize("NFD", "캐시를 redis로")]
    found = measure(question(must_contain=phrases, forbidden=[*phrases, "session:a#m=1"]), HITS)
    assert (found.must_contain, found.forbidden) == (1.0, 3)
    assert found.hit is None and found.precision is None


def test_means_are_of_the_questions_that_define_them() -> None:
    results = [
        measure(question(expected=["session:a#m=1"]), HITS),
        measure(question(must_contain=["zzz"]), HITS),
        not_answered(question(contains=["x"]), "model_unavailable"),
        not_asked(question()),
    ]
    assert aggregate(results) == {
        "hit_at_k": 0.5,
        "mrr": 0.5,
        "recall_at_k": 0.5,
        "precision_at_k": 0.125,
        "must_contain": 0.0,
        "forbidden_hits": 0.0,
        "questions": 4.0,
        "scored": 3.0,
        "skipped": 1.0,
        "failed": 1.0,
        "gone": 0.0,
    }
    assert "mrr" not in aggregate([not_asked(question())])


@given(
    st.lists(st.builds(hit, st.text(max_size=5)), max_size=8),
    st.integers(1, 10),
    st.lists(st.text("ab", min_size=1, max_size=2)),
)
def test_every_share_is_one(hits: list[Delivered], k: int, phrases: list[str]) -> None:
    found = measure(question(k=k, contains=phrases, must_contain=phrases, forbidden=phrases), hits)
    for value in map(found.metrics.get, METRICS):
        assert (value is None) if not phrases else 0 <= value <= 1  # type: ignore[operator]
    assert found.forbidden <= min(k, len(hits))


def test_bars() -> None:
    found = {"mrr": 0.5, "forbidden_hits": 1.0}
    assert below_the_bars(found, {"mrr": 0.5, "forbidden_hits": 1.0}) == []
    told = below_the_bars(found, {"mrr": 0.6, "recall_at_k": 0.1, "forbidden_hits": 0.0})
    assert [sentence.split(" ")[0] for sentence in told] == ["mrr", "recall_at_k", "1"]


def result(id: str, rank: float, hash: str = "h", forbidden: int = 0) -> QuestionResult:
    return QuestionResult(id, hash, 10, 10, 1.0 if rank else 0.0, rank, 1.0 if rank else 0.0, 0.1, None, forbidden)


def test_two_runs_are_compared_over_what_both_asked_alike() -> None:
    before = [result("a", 1.0), result("b", 0.5), result("c", 1.0), result("gone", 1.0), result("changed", 1.0, "x")]
    after = [result("a", 0.25), result("b", 1.0), result("c", 1.0), result("new", 0.0), result("changed", 0.0, "y")]
    found = compare(before, after)
    assert found.common == 3
    assert [(one.question_id, one.better) for one in found.questions] == [("a", False), ("b", True)]
    assert (found.only_before, found.only_after) == (("gone", "changed"), ("new", "changed"))
    # 2.5/3 before, 2.25/3 after.
    assert regressions(found, 0.05) == ["mrr fell from 0.833 to 0.750"]
    assert regressions(found, 0.09) == []


def test_of_forbidden_hits_each_one_counts() -> None:
    found = compare([result("a", 1.0)], [result("a", 1.0, forbidden=1)])
    assert regressions(found, 1.0) == ["1 forbidden hits, 0 before"]
    assert not found.questions[0].better
    back = compare([result("a", 1.0, forbidden=1)], [result("a", 1.0)])
    assert regressions(back, 0.0) == [] and back.questions[0].better


def test_a_run_is_as_good_as_itself() -> None:
    results = [result("a", 1 / 3), result("b", 0.0)]
    found = compare(results, results)
    assert found.questions == () and regressions(found, 0.0) == [] and all(not change.gain for change in found.changes)
