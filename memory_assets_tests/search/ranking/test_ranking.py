from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.intents import intent_weights
from memory_assets.search.question.terms import query_terms
from memory_assets.search.question.time_cues import time_window
from memory_assets.search.ranking.ranking import Cues, raised, ranking
from memory_assets.search.ranking.retrievers import lexical_leg, vector_leg
from memory_assets.search.ranking.weights import FEEDBACK_Z, SPEAKER_Z, Z_IN_GOOD_SCORES
from memory_assets.vectors.units import UnitHit
from memory_assets.vocabulary import Origin
from memory_assets_tests.search.ranking.found_units import DAY, hit, lexical

NOW = datetime(2026, 3, 20, tzinfo=UTC)
CUES = Cues(now=NOW)


def ranked(*hits: UnitHit, cues: Cues = CUES) -> list[tuple[str, float]]:
    legs = [lexical_leg(lexical(*hits), query_terms("cache"))]
    return [(one.hit.unit_id, one.score) for one in ranking(legs, {one.unit_id: one for one in hits}, cues)]


def test_who_is_named_comes_first_among_likes() -> None:
    one, other = hit("a", 5.0, speaker="Mina"), hit("b", 4.9, speaker="Jun", session_id="s2")
    plain = dict(ranked(one, other))
    named = dict(ranked(one, other, cues=replace(CUES, speakers=frozenset({"Jun"}))))
    assert named["a"] == plain["a"]
    good = sum(plain.values()) / 2
    assert named["b"] == pytest.approx(plain["b"] + SPEAKER_Z * Z_IN_GOOD_SCORES * good, abs=1e-5)
    assert max(named, key=named.__getitem__) == "b"


def test_no_bonus_makes_up_for_another_topic() -> None:
    far = hit("far", 1.0, speaker="Mina", session_id="s2")
    cues = replace(CUES, speakers=frozenset({"Mina"}), weights=intent_weights("environment", asked=False))
    assert ranked(hit("near", 9.0, speaker="Jun"), far, cues=cues)[0][0] == "near"


def test_what_lies_in_the_time_asked_for_is_lifted() -> None:
    inside, outside = hit("in", 5.0, occurred_at=DAY), hit("out", 5.2, occurred_at=DAY - timedelta(days=300), session_id="s2")
    assert ranked(inside, outside)[0][0] == "out"
    assert ranked(inside, outside, cues=replace(CUES, window=time_window("on 2 March 2026", NOW)))[0][0] == "in"
    assert ranked(inside, outside, cues=replace(CUES, window=time_window("최근에 뭐 했지", NOW)))[0][0] == "in"


def test_a_contested_memory_stands_behind_its_like() -> None:
    contested = hit("a", 5.0, unit_kind="entry", place=None, stage="verified", status="contested")
    plain = hit("b", 4.9, unit_kind="entry", place=None, stage="verified", session_id="s2")
    assert [unit_id for unit_id, _ in ranked(contested, plain)] == ["b", "a"]


@given(
    st.sampled_from(["typed", "said", "pasted", "tool", None]),
    st.sampled_from(["raw", "certified"]),
    st.sampled_from(["active", "contested"]),
    st.floats(1.0, 30.0),
)
def test_what_a_program_wrote_stands_behind_all_else_that_says_as_much(
    origin: Origin | None, stage: str, status: str, score: float
) -> None:
    template = hit("a", score, "moved the cache", origin="template", place=None)
    of_memory = {"unit_kind": "entry", "place": None, "status": status} if origin is None else {"place": None, "origin": origin}
    other = hit("b", score, "moved the cache", stage=stage, session_id="s2", **of_memory)
    assert [unit_id for unit_id, _ in ranked(template, other)] == ["b", "a"]


def test_what_a_program_wrote_comes_first_where_nothing_else_says_as_much() -> None:
    template = hit("template", 9.0, "the cache", origin="template", place=None)
    assert [unit_id for unit_id, _ in ranked(template, hit("typed", 5.0, "a list", session_id="s2"))] == ["template", "typed"]


def test_of_two_that_say_the_same_what_was_pasted_stands_behind_and_says_why() -> None:
    pasted, typed = hit("a", 5.0, origin="pasted", place=None), hit("b", 5.0, origin="typed", place=None, session_id="s2")
    legs = [lexical_leg(lexical(pasted, typed), query_terms("cache"))]
    order = ranking(legs, {one.unit_id: one for one in (pasted, typed)}, CUES)
    assert [(one.hit.unit_id, [bonus.why for bonus in one.bonuses]) for one in order] == [("b", []), ("a", ["origin pasted"])]


def test_of_three_that_say_as_much_the_reply_comes_first_and_the_question_last_and_each_says_why() -> None:
    asks, plain, replies = (
        hit("a", 5.0, turn="asks"),
        hit("b", 5.0, session_id="s2"),
        hit("c", 5.0, session_id="s3", turn="replies"),
    )
    legs = [lexical_leg(lexical(asks, plain, replies), query_terms("cache"))]
    order = ranking(legs, {one.unit_id: one for one in (asks, plain, replies)}, CUES)
    told = [(one.hit.unit_id, [bonus.why for bonus in one.bonuses]) for one in order]
    assert told == [("c", ["turn: replies"]), ("b", []), ("a", ["turn: asks"])]


def test_a_reply_about_something_else_stays_behind_the_question_that_has_the_words() -> None:
    asks, replies = hit("a", 9.0, turn="asks"), hit("b", 3.0, turn="replies", session_id="s2")
    assert [unit_id for unit_id, _ in ranked(asks, replies)] == ["a", "b"]


def test_the_better_proved_of_two_likes_comes_first() -> None:
    candidate = hit("a", 5.0, unit_kind="entry", place=None, stage="candidate")
    certified = hit("b", 5.0, unit_kind="entry", place=None, stage="certified", session_id="s2")
    assert [unit_id for unit_id, _ in ranked(candidate, certified)] == ["b", "a"]


def test_every_bonus_says_why_and_the_parts_make_the_score() -> None:
    found = hit("a", 5.0, "moved the cache", speaker="Mina")
    legs = [lexical_leg(lexical(found), query_terms("cache")), vector_leg([found._replace(score=0.4)], 0.5)]
    one = ranking(legs, {"a": found}, replace(CUES, speakers=frozenset({"Mina"}), window=time_window("2 March 2026", NOW)))[0]
    assert {bonus.why for bonus in one.bonuses} == {"Mina is named", "time: 2 March 2026"}
    assert one.score == pytest.approx(sum(one.legs.values()) + sum(bonus.z for bonus in one.bonuses))
    assert one.steps["lexical"]["coverage"] == 1.0 and one.steps["vector"]["cosine"] == 0.4
    assert one.places["lexical"].rank == one.places["vector"].rank == 1


def test_what_people_said_moves_a_unit() -> None:
    hits = [hit("a", 5.0), hit("b", 4.9, session_id="s2"), hit("c", 4.8, session_id="s3")]
    legs = [lexical_leg(lexical(*hits), query_terms("cache"))]
    order = ranking(legs, {one.unit_id: one for one in hits}, CUES)
    assert raised(order, {}) == order
    moved = raised(order, {"a": -1.0, "c": 1.0})
    assert [one.hit.unit_id for one in moved] == ["c", "b", "a"]
    assert moved[0].bonuses[-1].why == "feedback"
    good = sum(one.score for one in order) / 3
    assert moved[0].score - order[2].score == pytest.approx(FEEDBACK_Z * Z_IN_GOOD_SCORES * good, abs=1e-5)


def test_without_hits_there_is_no_ranking() -> None:
    assert ranking([lexical_leg(lexical(), query_terms("x"))], {}, CUES) == []
    assert raised([], {"a": 1.0}) == []
