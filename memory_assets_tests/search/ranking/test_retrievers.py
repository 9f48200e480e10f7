import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.terms import query_terms
from memory_assets.search.ranking.retrievers import (
    COVERAGE_DEPTH,
    NEIGHBOUR_WEIGHT,
    OWN_WEIGHT,
    SESSION_WEIGHT,
    best_said,
    leg_depth,
    lexical_leg,
    vector_leg,
)
from memory_assets.search.ranking.weights import COVERAGE_WEIGHT
from memory_assets_tests.search.ranking.found_units import hit, lexical


def order(found: object) -> list[str]:
    return [candidate.unit_id for candidate in found.leg.candidates]  # type: ignore[attr-defined]


def test_the_parts_of_a_lexical_score() -> None:
    first, second = hit("a", 8.0, "배포는 금요일"), hit("b", 4.0, "회의는 월요일", place=1)
    scores = lexical_leg(lexical(first, second, own=(hit("a", 6.0, "배포는 금요일"),)), query_terms("배포"))
    session = (8.0 + 4.0) / 3
    assert scores.steps["a"] == {"context": 8.0, "own": 6.0, "session": pytest.approx(session), "coverage": 1.0}
    of_a = (8.0 + OWN_WEIGHT * 6.0 + SESSION_WEIGHT * session) * (1 + COVERAGE_WEIGHT)
    of_b = 4.0 + SESSION_WEIGHT * session
    assert [candidate.score for candidate in scores.leg.candidates] == [pytest.approx(of_a), pytest.approx(of_b)]
    assert scores.leg.scale == pytest.approx((of_a + of_b) / 2)
    assert scores.raw == {"a": 1.0, "b": 0.0}


def test_what_has_all_words_comes_before_what_has_one_of_them_often() -> None:
    repeats = hit("repeats", 9.0, "cache cache cache cache", session_id="s2")
    both = hit("both", 8.0, "the cache was moved to Redis")
    assert order(lexical_leg(lexical(repeats, both), query_terms("moving caches to redis"))) == ["both", "repeats"]


def test_a_korean_word_is_covered_under_another_particle() -> None:
    scores = lexical_leg(lexical(hit("a", 5.0, "로그에서 원인을 찾았다")), query_terms("로그는 원인이"))
    assert scores.raw["a"] == 1.0


def test_a_session_that_speaks_of_it_much_lifts_its_passages_alone() -> None:
    talk = [hit(f"t{n}", 5.0 - n / 100, session_id="s2", place=n) for n in range(3)]
    lone = hit("lone", 5.2, session_id="s3")
    memory = hit("memory", 5.1, unit_kind="entry", session_id="s4", place=None)
    assert order(lexical_leg(lexical(lone, memory, *talk), query_terms("x")))[0] == "t0"
    # What is no passage says nothing of how much its session speaks of it.
    assert lexical_leg(lexical(memory), query_terms("x")).steps["memory"]["session"] == 0.0


def test_a_unit_that_only_its_own_words_found_is_there_behind() -> None:
    scores = lexical_leg(lexical(hit("a", 3.0), own=(hit("b", 9.0),)), query_terms("x"))
    assert order(scores) == ["a", "b"]
    assert scores.steps["b"]["context"] == 0.0


def test_only_the_best_are_compared_word_by_word() -> None:
    hits = [hit(f"u{n:04}", 1000.0 - n, "cache", session_id=f"s{n}") for n in range(COVERAGE_DEPTH + 5)]
    assert len(lexical_leg(lexical(*hits), query_terms("cache")).raw) == COVERAGE_DEPTH


def test_a_neighbour_counts_and_a_missing_one_is_no_better_than_the_last() -> None:
    hits = [hit("a", 0.6, place=3), hit("b", 0.5, place=4), hit("c", 0.1, place=9)]
    scores = vector_leg(hits, 0.5)
    assert scores.steps["a"] == {"cosine": 0.6, "neighbour": 0.5}
    assert scores.steps["c"] == {"cosine": 0.1, "neighbour": 0.1}
    assert scores.leg.candidates[0].score == pytest.approx(0.6 + NEIGHBOUR_WEIGHT * 0.5)
    assert scores.leg.missing == pytest.approx(0.1 * (1 + NEIGHBOUR_WEIGHT))
    assert scores.raw == {"a": 0.6, "b": 0.5, "c": 0.1}


def test_a_memory_stands_beside_the_passage_of_its_message() -> None:
    hits = [hit("passage", 0.7, message_index=5), hit("memory", 0.4, unit_kind="entry", place=None, message_index=5)]
    assert vector_leg(hits).steps["memory"]["neighbour"] == 0.7


def test_neighbours_are_of_the_same_session() -> None:
    hits = [hit("a", 0.6, place=3), hit("b", 0.5, place=4, session_id="s2")]
    assert vector_leg(hits).steps["a"]["neighbour"] == 0.5  # the last that was found, not the neighbour
    assert vector_leg([*hits, hit("c", 0.2, place=8)]).steps["a"]["neighbour"] == 0.2


def test_nothing_found_is_an_empty_leg() -> None:
    assert lexical_leg(lexical(), query_terms("x")).leg.candidates == ()
    assert vector_leg([]).leg.candidates == ()


SCORES = st.lists(st.floats(0.1, 20, allow_nan=False), min_size=1, max_size=30)


@given(SCORES, st.randoms())
def test_the_order_in_which_hits_come_changes_nothing_but_the_best_of_a_session(scores: list[float], random: object) -> None:
    hits = [hit(f"u{n:02}", score, session_id=f"s{n}") for n, score in enumerate(scores)]
    shuffled = list(hits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert lexical_leg(lexical(*hits), query_terms("x")).leg == lexical_leg(lexical(*shuffled), query_terms("x")).leg
    near = [hit(f"u{n:02}", score / 20, session_id=f"s{n}") for n, score in enumerate(scores)]
    assert vector_leg(near).leg == vector_leg([near[int(one.unit_id[1:])] for one in shuffled]).leg


def test_depth() -> None:
    assert [leg_depth(k, alone=False) for k in (1, 50, 200, 10_000)] == [200, 300, 1200, 3000]
    assert [leg_depth(k, alone=True) for k in (1, 50, 200, 10_000)] == [60, 200, 800, 3000]


def test_what_a_program_wrote_does_not_say_a_question() -> None:
    terms = query_terms("cache settings")
    assert best_said(lexical(hit("a", 5.0, "cache settings", origin="template"), hit("b", 4.0, "cache")), terms) == 0.5
    assert best_said(lexical(hit("a", 5.0, "cache settings", origin="typed")), terms) == 1.0


def test_what_speaks_of_what_the_question_names_comes_before_what_has_its_other_words() -> None:
    others = [hit(f"o{n}", 8.2, "명령을 해제하는 방법", session_id=f"s{n}") for n in range(2)]
    named = [hit(f"n{n}", 8.0, "GOPRIVATE is unset with go env", session_id=f"t{n}") for n in range(3)]
    ranked = order(lexical_leg(lexical(*others, *named), query_terms("GOPRIVATE를 해제하는 명령")))
    assert ranked[:3] == ["n0", "n1", "n2"]


def test_a_rare_word_of_the_question_does_not_lose_to_common_ones() -> None:
    common = [hit(f"c{n:02}", 10.0, "the status of the session before", session_id=f"s{n}") for n in range(40)]
    rare = hit("rare", 9.0, "dimicheck runs at night", session_id="other")
    scores = lexical_leg(lexical(*common, rare), query_terms("dimicheck status session before"))
    assert order(scores)[0] == "rare"
    # How sure a hit is counts every word alike.
    assert scores.raw["rare"] < scores.raw["c00"]
