import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.retrieval.fusion import Candidate, Leg, reciprocal_rank_fusion, weighted_fusion
from memory_assets.retrieval.search import LegUnavailable, leg_depth, legs_of, lexical_leg, rank, vector_leg


def leg(name: str, *pairs: tuple[str, float], weight: float = 1.0) -> Leg:
    return Leg(name, "bm25", tuple(Candidate(unit_id, score) for unit_id, score in pairs), weight)


def test_first_in_both_is_one_and_one_channel_gives_a_half() -> None:
    hits = reciprocal_rank_fusion([leg("lexical", ("a", 9.0)), leg("vector", ("a", 0.9), ("b", 0.8))])
    assert [(hit.unit_id, hit.score_kind) for hit in hits] == [("a", "rrf"), ("b", "rrf")]
    assert hits[0].score == pytest.approx(1.0)
    assert hits[1].score == pytest.approx((1 / 62) / (2 / 61))
    only_one = reciprocal_rank_fusion([leg("lexical", ("a", 9.0)), leg("vector")])
    assert only_one[0].score == pytest.approx(0.5)


def test_weights_decide_between_legs() -> None:
    lexical = leg("lexical", ("a", 10.0), ("b", 5.0), ("c", 0.0))
    vector = leg("vector", ("c", 0.9), ("a", 0.1), weight=0.5)
    hits = weighted_fusion([lexical, vector])
    # b and c are equal: c is the first of a leg.
    assert [hit.unit_id for hit in hits] == ["a", "c", "b"]
    assert hits[0].score == pytest.approx(1 / 1.5)
    assert hits[1].score == hits[2].score == pytest.approx(0.5 / 1.5)
    assert hits[1].places["vector"].rank == 1
    assert hits[1].places["lexical"].rank == 3


LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


@given(LISTS, LISTS)
def test_fusion_keeps_every_unit_once_and_orders_by_score(one: list[str], other: list[str]) -> None:
    legs = [
        leg("one", *((unit_id, 10.0 - place) for place, unit_id in enumerate(one))),
        leg("other", *((unit_id, 1.0 / (place + 1)) for place, unit_id in enumerate(other))),
    ]
    for hits in (reciprocal_rank_fusion(legs), weighted_fusion(legs)):
        assert {hit.unit_id for hit in hits} == {*one, *other}
        assert len(hits) == len({*one, *other})
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores)


@given(LISTS)
def test_two_legs_of_one_mind_change_nothing(one: list[str]) -> None:
    pairs = [(unit_id, 10.0 - place) for place, unit_id in enumerate(one)]
    for hits in (
        reciprocal_rank_fusion([leg("a", *pairs), leg("b", *pairs)]),
        weighted_fusion([leg("a", *pairs), leg("b", *pairs)]),
    ):
        assert [hit.unit_id for hit in hits] == one


def test_a_ranking_names_its_channels_and_what_was_left_out() -> None:
    ranking = rank([lexical_leg([("a", 3.0), ("b", 2.0)]), LegUnavailable("vector", "no model")], k=1)
    assert [hit.unit_id for hit in ranking.hits] == ["a"]
    assert ranking.hits[0].score == 3.0
    assert (ranking.score_kind, ranking.channels) == ("bm25", ("lexical",))
    assert ranking.notes == ("vector search left out: no model",)


def test_hybrid_follows_the_lexical_leg_where_the_vectors_tell_nothing_apart() -> None:
    lexical = lexical_leg([("a", 9.0), ("b", 5.0), ("c", 1.0)])
    ranking = rank([lexical, vector_leg([("c", 0.5), ("b", 0.5), ("a", 0.5)])], k=10)
    assert [hit.unit_id for hit in ranking.hits] == ["a", "b", "c"]
    assert ranking.score_kind == "weighted"
    assert rank([lexical, vector_leg([])], k=10, method="rrf").score_kind == "rrf"


def test_no_leg_and_no_place() -> None:
    assert rank([], k=10).hits == ()
    assert rank([lexical_leg([("a", 1.0)])], k=0).hits == ()
    assert rank([lexical_leg([("a", 1.0)])], k=-1).hits == ()


def test_legs_and_depth() -> None:
    assert legs_of("hybrid") == ("lexical", "vector")
    assert legs_of("lexical") == ("lexical",)
    assert [leg_depth(k) for k in (1, 50, 10_000)] == [100, 150, 1000]
