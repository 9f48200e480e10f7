from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.intents import NO_INTENT_WEIGHTS, intent_weights
from memory_assets.search.question.time_cues import TimeWindow
from memory_assets.search.ranking.rerank import UnitFacts, adjustments, nearness, recency
from memory_assets.search.ranking.weights import CONTESTED_PENALTY, STAGE_WEIGHTS
from memory_assets.vocabulary import STAGES

NOW = datetime(2024, 5, 15, tzinfo=UTC)
AGES = st.timedeltas(timedelta(0), timedelta(days=20_000))


@pytest.mark.parametrize(("age_days", "left"), [(0, 1.0), (30, 0.5), (60, 0.25), (-5, 1.0)])
def test_recency_halves(age_days: int, left: float) -> None:
    assert recency(NOW - timedelta(days=age_days), NOW) == left
    assert recency(NOW - timedelta(days=age_days), NOW, half_life_days=60) == pytest.approx(left**0.5)


def test_what_has_no_time_is_not_recent() -> None:
    assert recency(None, NOW) == 0
    assert nearness(None, TimeWindow(None, None, "", "recency")) == 0


@given(AGES, AGES)
def test_the_newer_is_never_less_recent(one: timedelta, other: timedelta) -> None:
    assert (recency(NOW - one, NOW) >= recency(NOW - other, NOW)) or one > other


@pytest.mark.parametrize(("day", "near"), [(7, 0.5**0.5), (10, 1.0), (16, 1.0), (17, 1.0), (24, 0.5)])
def test_nearness_falls_on_both_sides(day: int, near: float) -> None:
    window = TimeWindow(datetime(2024, 5, 10, 12, tzinfo=UTC), datetime(2024, 5, 17, tzinfo=UTC), "", "date")
    assert nearness(datetime(2024, 5, day, 12 if day in (10, 16) else 0, tzinfo=UTC), window) == pytest.approx(near, abs=1e-9)


def test_an_open_window_is_near_on_its_open_side() -> None:
    window = TimeWindow(NOW, None, "", "date")
    assert nearness(NOW + timedelta(days=900), window) == 1
    assert nearness(NOW - timedelta(days=14), window) == 0.25


def test_a_better_stage_adds_more_and_less_than_a_speaker() -> None:
    steps = [STAGE_WEIGHTS[stage] for stage in STAGES]
    assert steps == sorted(set(steps))
    assert steps[-1] - steps[0] < 0.5
    assert steps[0] > CONTESTED_PENALTY


def parts(unit: UnitFacts, **given_: object) -> dict[str, float]:
    return {one.why: round(one.z, 6) for one in adjustments(unit, **{"weights": NO_INTENT_WEIGHTS, "now": NOW, **given_})}  # type: ignore[arg-type]


def test_a_plain_passage_gets_nothing() -> None:
    assert parts(UnitFacts("passage", NOW)) == {}


def test_a_contested_memory() -> None:
    unit = UnitFacts("entry", NOW, stage="verified", confidence=0.9, contested=True)
    assert parts(unit) == {"stage verified": 0.05, "contested": -0.5}


def test_every_part_of_an_intent_is_told() -> None:
    unit = UnitFacts("entry", NOW, stage="certified", confidence=0.5)
    assert parts(unit, weights=intent_weights("how_to_do", asked=True)) == {
        "stage certified": 0.1,
        "intent: stage certified": 0.3,
        "intent: entry": 0.3,
        "intent: confidence 0.50": 0.3,
    }


def test_names_meet_by_their_last_part_and_in_any_case() -> None:
    weights = intent_weights("code_structure", asked=True)
    unit = UnitFacts("passage", NOW, names=frozenset({"src/app/main.py", "parse_intent"}))
    assert parts(unit, weights=weights, asked_names=["Main.py"]) == {"intent: names main.py": 1.0}
    assert parts(unit, weights=weights, asked_names=["parse_intent()"]) == {"intent: names parse_intent": 1.0}
    assert parts(unit, weights=weights, asked_names=["other.py", ""]) == {}
    assert parts(unit, asked_names=["main.py"]) == {}


def test_the_environment_asks_for_what_is_new() -> None:
    weights = intent_weights("environment", asked=True)
    assert parts(UnitFacts("passage", NOW - timedelta(days=30)), weights=weights) == {"intent: newer first": 0.5}
    assert parts(UnitFacts("passage"), weights=weights) == {}
