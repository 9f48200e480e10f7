import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.ranking.fusion import Candidate, Leg, fuse, good_score
from memory_assets.vocabulary import FusionMethod

METHODS: tuple[FusionMethod, ...] = ("weighted", "zscore", "rrf")


def leg(name: str, *pairs: tuple[str, float], weight: float = 1.0, scale: float = 1.0, missing: float = 0.0) -> Leg:
    return Leg(name, "bm25", tuple(Candidate(unit_id, score) for unit_id, score in pairs), weight, scale, missing)


def test_by_ranks_the_first_in_both_is_one_and_one_channel_gives_a_half() -> None:
    hits = fuse([leg("lexical", ("a", 9.0)), leg("vector", ("a", 0.9), ("b", 0.8))], "rrf")
    assert [(hit.unit_id, hit.score_kind) for hit in hits] == [("a", "rrf"), ("b", "rrf")]
    assert hits[0].score == pytest.approx(1.0)
    assert hits[1].score == pytest.approx((1 / 62) / (2 / 61))
    only_one = fuse([leg("lexical", ("a", 9.0)), leg("vector")], "rrf")
    assert only_one[0].score == pytest.approx(0.5)


def test_weights_scales_and_what_is_missing_decide_between_legs() -> None:
    lexical = leg("lexical", ("a", 10.0), ("b", 5.0), scale=10.0)
    vector = leg("vector", ("c", 0.9), ("a", 0.2), weight=0.5, missing=0.2)
    hits = fuse([lexical, vector])
    assert {hit.unit_id: pytest.approx(hit.score) for hit in hits} == {"a": 1.1, "b": 0.6, "c": 0.45}
    assert [hit.unit_id for hit in hits] == ["a", "b", "c"]
    assert hits[0].parts == {"lexical": pytest.approx(1.0), "vector": pytest.approx(0.1)}
    assert hits[1].places.keys() == {"lexical"} and hits[1].parts["vector"] == pytest.approx(0.1)


def test_standard_scores_are_taken_over_everything_that_was_found() -> None:
    hits = fuse([leg("lexical", ("a", 4.0)), leg("vector", ("b", 1.0), weight=0.5)], "zscore")
    # Each leg has one of two: one deviation above its mean for its own, one below for the other's.
    assert {hit.unit_id: pytest.approx(hit.score) for hit in hits} == {"a": 0.5, "b": -0.5}


def test_a_leg_alone_keeps_its_scores() -> None:
    for method in METHODS:
        hits = fuse([leg("lexical", ("a", 9.0), ("b", 5.0))], method)
        assert [(hit.unit_id, hit.score, hit.score_kind) for hit in hits] == [("a", 9.0, "bm25"), ("b", 5.0, "bm25")]
    assert fuse([leg("lexical")]) == []
    assert fuse([leg("lexical"), leg("vector")], "zscore") == []


LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(LISTS, LISTS, st.sampled_from(METHODS))
def test_every_unit_once_ordered_by_score(one: list[str], other: list[str], method: FusionMethod) -> None:
    legs = [
        leg("one", *((unit_id, 10.0 - place) for place, unit_id in enumerate(one))),
        leg("other", *((unit_id, 1.0 / (place + 1)) for place, unit_id in enumerate(other)), weight=0.5),
    ]
    hits = fuse(legs, method)
    assert sorted(hit.unit_id for hit in hits) == sorted({*one, *other})
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(hit.score == pytest.approx(sum(hit.parts.values())) for hit in hits)
    assert hits == fuse(legs, method)


@given(LISTS, st.sampled_from(METHODS))
def test_two_legs_of_one_mind_change_nothing(one: list[str], method: FusionMethod) -> None:
    pairs = [(unit_id, 10.0 - place) for place, unit_id in enumerate(one)]
    assert [hit.unit_id for hit in fuse([leg("a", *pairs), leg("b", *pairs)], method)] == one


@given(LISTS)
def test_a_leg_that_tells_nothing_apart_changes_nothing(one: list[str]) -> None:
    lexical = leg("lexical", *((unit_id, 10.0 - place) for place, unit_id in enumerate(one)), scale=5.0)
    flat = leg("vector", *((unit_id, 0.7) for unit_id in one), weight=0.5, missing=0.7)
    assert [hit.unit_id for hit in fuse([lexical, flat])] == one


def test_what_a_good_score_is() -> None:
    assert good_score(fuse([leg("lexical", *((str(n), 20.0 - n) for n in range(20)))])) == pytest.approx(15.5)
    assert good_score([]) == 1.0
    assert good_score(fuse([leg("lexical", ("a", -1.0))])) == 1.0
