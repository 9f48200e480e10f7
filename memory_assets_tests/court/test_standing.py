"""What follows across cases, whatever the order: support, repetition, replacement, contradiction, budget, a person's word."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.court.lessons import Accepted, Lesson, PersonsWord, Use, lesson_id_of
from memory_assets.court.likeness import Alike, likeness, words_of
from memory_assets.court.policy import policy
from memory_assets.court.standing import Standing, confidence_of, standing
from memory_assets.court.support import told_once
from memory_assets_tests.court.findings import ordered

DAY = datetime(2026, 3, 1, tzinfo=UTC)


def accepted(text: str, day: int = 0, **other: Any) -> Accepted:
    finding = ordered(0, text)
    told: dict[str, Any] = {
        "claim_id": f"clm_{text} {day}",
        "lesson_id": lesson_id_of(finding),
        "case_id": f"case_{day}",
        "session_id": f"session {day}",
        "project": "hourglass",
        "kind": finding.kind,
        "role": "coder",
        "polarity": finding.polarity,
        "severity": "medium",
        "title": text,
        "rule": text,
        "trigger": "",
        "exceptions": (),
        "confidence": 0.8,
        "at": DAY + timedelta(days=day),
    }
    return Accepted(**(told | other))


def by_title(found: Standing) -> dict[str, Lesson]:
    return {lesson.told.title: lesson for lesson in found.lessons}


def test_the_same_lesson_of_another_case_is_support() -> None:
    text = "Always run the tests before a commit"
    (lesson,) = standing([accepted(text, 0), accepted(text, 3, project="shop")], policy()).lessons
    assert (lesson.support_cases, lesson.support_sessions, lesson.project) == (2, 2, None)
    assert (lesson.first_at, lesson.last_at) == (DAY, DAY + timedelta(days=3))
    (alone,) = standing([accepted(text, 0)], policy()).lessons
    assert alone.confidence == 0.8 and lesson.confidence == 0.9


def test_what_says_the_same_is_merged_into_the_newer() -> None:
    older, newer = "Always run all of the unit tests before any commit", "Always run all of the unit tests before any commits"
    found = standing([accepted(older, 0), accepted(newer, 1)], replace(policy(), same=0.8))
    lessons = by_title(found)
    assert lessons[newer].status == "active" and lessons[newer].support_cases == 2
    assert (lessons[older].status, lessons[older].by) == ("merged", lessons[newer].told.lesson_id)
    assert [(link.link, link.lesson_id) for link in found.links] == [("merges", lessons[newer].told.lesson_id)]


def test_the_newer_of_two_that_are_near_replaces_the_older() -> None:
    older, newer = "Always run the slow tests before a commit", "Always run the slow tests and the linter before a commit"
    lessons = by_title(standing([accepted(newer, 1), accepted(older, 0)], policy()))
    assert (lessons[newer].status, lessons[older].status) == ("active", "superseded")
    assert lessons[older].reason == "both speak of the same; the newer evidence holds"
    lessons = by_title(standing([accepted(newer, 0), accepted(older, 1)], policy()))
    assert (lessons[newer].status, lessons[older].status) == ("superseded", "active")


def test_two_that_differ_in_a_fact_both_stand() -> None:
    one, other = "Always run pytest with -n 2 on this machine", "Always run pytest with -n 4 on that machine"
    found = standing([accepted(one, 0), accepted(other, 1)], replace(policy(), near=0.5))
    assert {lesson.status for lesson in found.lessons} == {"active"} and [link.link for link in found.links] == ["coexists"]


def test_what_was_found_in_another_way_stands_beside_it() -> None:
    one, other = "Always run the slow tests before a commit", "Always run the slow tests and the linter before a commit"
    found = standing([accepted(one, 0, kind="changed_input"), accepted(other, 1)], policy())
    assert {lesson.status for lesson in found.lessons} == {"active"} and [link.link for link in found.links] == ["coexists"]


def test_the_newest_evidence_wins_a_contradiction() -> None:
    do, dont = "Always push to main after the tests", "Never push to main after the tests"
    for newer, older in ((do, dont), (dont, do)):
        found = standing([accepted(newer, 1), accepted(older, 0)], policy())
        lessons = by_title(found)
        assert (lessons[newer].status, lessons[older].status) == ("active", "contested")
        assert lessons[older].by == lessons[newer].told.lesson_id and [link.link for link in found.links] == ["conflicts"]


def test_a_role_keeps_its_strongest_lessons() -> None:
    few = replace(policy(), active_lessons_of_a_role=2)
    told = [
        accepted("Always answer in Korean", 0),
        accepted("Never edit generated files", 1),
        accepted("Always write a test", 2),
    ]
    told.append(accepted("Always answer in Korean", 5))
    lessons = by_title(standing(told, few))
    assert {title for title, lesson in lessons.items() if lesson.status == "active"} == {
        "Always answer in Korean",
        "Always write a test",
    }
    assert lessons["Never edit generated files"].reason == "the role has its 2 strongest lessons"
    # Another role has a budget of its own; what a person wants kept goes before what is stronger.
    other = standing([*told, accepted("Never edit generated files", 1, role="reviewer", lesson_id="les_other")], few)
    assert [lesson.status for lesson in other.lessons if lesson.told.role == "reviewer"] == ["active"]
    kept = {lessons["Never edit generated files"].told.lesson_id: PersonsWord(True, "kim", "", DAY)}
    assert by_title(standing(told, few, words=kept))["Never edit generated files"].status == "active"


def test_a_persons_word_holds_for_what_says_the_same() -> None:
    older, newer = "Always run all of the unit tests before any commit", "Always run all of the unit tests before any commits"
    two = [accepted(older, 0), accepted(newer, 1)]
    easy = replace(policy(), same=0.8)
    retired = {two[0].lesson_id: PersonsWord(False, "kim", "we have CI", DAY)}
    lessons = by_title(standing(two, easy, words=retired))
    assert (lessons[newer].status, lessons[newer].reason) == ("retired", "kim: we have CI")
    kept = retired | {two[1].lesson_id: PersonsWord(True, "kim", "", DAY + timedelta(days=1))}
    assert by_title(standing(two, easy, words=kept))[newer].status == "active"


def test_what_a_person_retired_replaces_nothing() -> None:
    older, newer = "Always run the slow tests before a commit", "Always run the slow tests and the linter before a commit"
    two = [accepted(older, 0), accepted(newer, 1)]
    lessons = by_title(standing(two, policy(), words={two[1].lesson_id: PersonsWord(False, "kim", "", DAY)}))
    assert (lessons[newer].status, lessons[older].status) == ("retired", "active")


def test_what_a_persons_word_retires_by_way_of_another_replaces_nothing() -> None:
    """The word is on the older of two that say the same; both are retired, and what the newer had replaced stands again."""
    oldest = "Always run the slow unit tests and the linter before a push"
    older = "Always run all of the slow unit tests and the linter before a commit"
    newer = "Always run all of the slow unit tests and the linter before a commits"
    three = [accepted(oldest, 0), accepted(older, 1), accepted(newer, 2)]
    easy = replace(policy(), same=0.8)
    lessons = by_title(standing(three, easy))
    assert (lessons[older].status, lessons[oldest].status) == ("merged", "superseded")
    lessons = by_title(standing(three, easy, words={three[1].lesson_id: PersonsWord(False, "kim", "", DAY)}))
    assert (lessons[newer].status, lessons[older].status, lessons[oldest].status) == ("retired", "retired", "active")


def test_what_the_budget_retires_replaces_and_contests_nothing() -> None:
    """The newer is too weak to be kept: what it had set aside does not vanish with it."""
    older, newer = "Always run the slow tests before a commit", "Always run the slow tests and the linter before a commit"
    do, dont = "Always push to main after the tests", "Never push to main after the tests"
    strong = [accepted("Always answer in Korean", 0, confidence=0.9), accepted("Never edit generated files", 0, confidence=0.9)]
    for first, second in ((older, newer), (do, dont)):
        told = [*strong, accepted(first, 0, confidence=0.8), accepted(second, 1, confidence=0.6)]
        lessons = by_title(standing(told, replace(policy(), active_lessons_of_a_role=4)))
        assert lessons[first].status in ("superseded", "contested")
        weaker = [*told, accepted("Always write a test", 2, confidence=0.7)]
        found = standing(weaker, replace(policy(), active_lessons_of_a_role=3))
        lessons = by_title(found)
        assert (lessons[second].status, lessons[first].status, lessons["Always write a test"].status) == (
            "retired",
            "active",
            "retired",
        )
        assert found.links == ()


def test_a_session_that_was_heard_twice_is_counted_once() -> None:
    """A bundle that was made of a session has an id of its own; the words that it quotes were said at the same moment."""
    text = "Always run the tests before a commit"
    mine = accepted(text, 0, said="a")
    bundle = accepted(text, 0, session_id="bundle", case_id="case_bundle", claim_id="clm_bundle", said="a")
    bundle = replace(bundle, at=mine.at.replace(microsecond=1))
    (lesson,) = standing([mine, bundle], policy()).lessons
    assert (lesson.support_cases, lesson.support_sessions, lesson.confidence) == (2, 1, 0.8)
    (lesson,) = standing([mine, replace(bundle, said="b")], policy()).lessons
    assert (lesson.support_sessions, lesson.confidence) == (2, 0.9)
    (lesson,) = standing([mine, replace(bundle, at=mine.at + timedelta(seconds=1))], policy()).lessons
    assert lesson.support_sessions == 2
    # One moment that both tell joins them, whatever other lesson it is of.
    other = [accepted("Always answer in Korean", 0, said="k"), replace(bundle, said="b")]
    also = replace(other[0], session_id="bundle", case_id="case_bundle", claim_id="clm_k")
    lessons = by_title(standing([mine, *other, also], policy()))
    assert lessons[text].support_sessions == 1


def test_one_moment_joins_two_sessions_whatever_role_it_is_a_lesson_for() -> None:
    """The same words may be told to two roles: that the sessions are one is so for the lessons of either."""
    text, words = "Always run the tests before a commit", "Always answer in Korean"
    told = [accepted(text, 0, said="a"), accepted(text, 0, session_id="bundle", claim_id="clm_bundle", said="b")]
    same = [
        accepted(words, 0, said="k", role="coder"),
        accepted(words, 0, said="k", role="reviewer", session_id="bundle", claim_id="clm_other"),
    ]
    assert by_title(standing(told, policy()))[text].support_sessions == 2
    found = by_title(standing([*told, *same], policy()))[text]
    assert (found.support_cases, found.support_sessions, found.confidence) == (1, 1, 0.8)


@given(st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 5)), max_size=20), st.randoms(use_true_random=False))
def test_sessions_are_joined_in_any_order(told: list[tuple[str, int]], chance: Random) -> None:
    moments = [(session, (DAY + timedelta(days=day), "x" if day else "")) for session, day in told]
    other = list(moments)
    chance.shuffle(other)
    counted = told_once(moments)
    assert told_once(other) == counted and set(counted) == {session for session, _ in told}
    for session, moment in moments:
        for beside, same in moments:
            assert moment != same or not moment[1] or counted[session] == counted[beside]
    assert all(one <= session and counted[one] == one for session, one in counted.items())


def test_confidence_grows_with_support_and_falls_with_harm() -> None:
    text = "Always run the tests before a commit"
    one, other = accepted(text, 0), accepted(text, 1)
    assert confidence_of([one], Use(), 1) == 0.8 < confidence_of([one, other], Use(), 2)
    assert confidence_of([accepted(text, 0, severity="critical")], Use(), 1) > confidence_of([one], Use(), 1)
    assert confidence_of([accepted(text, 0, severity="low")], Use(), 1) < confidence_of([one], Use(), 1)
    assert confidence_of([one], Use(harmful=1), 1) == 0.4 < confidence_of([one], Use(helpful=2, harmful=1), 1) < 0.8
    assert confidence_of([one], Use(helpful=9), 1) == 0.8


WORDS = st.sampled_from(
    [
        "always",
        "never",
        "run",
        "push",
        "the",
        "slow",
        "fast",
        "unit",
        "tests",
        "linter",
        "before",
        "after",
        "a",
        "commit",
        "main",
        "테스트",
        "먼저",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)


@given(st.lists(st.tuples(TEXTS, st.integers(0, 3)), max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_cases_decides_nothing(told: list[tuple[str, int]], chance: Random) -> None:
    lessons = list({one.claim_id: one for one in (accepted(text, day) for text, day in told)}.values())
    other = list(lessons)
    chance.shuffle(other)
    found = standing(lessons, replace(policy(), active_lessons_of_a_role=4))
    assert standing(other, replace(policy(), active_lessons_of_a_role=4)) == found
    # Of those that stand no two are near, but where a link says that both stand.
    active = [lesson.told for lesson in found.lessons if lesson.status == "active"]
    near = {
        frozenset((one.lesson_id, two.lesson_id))
        for place, one in enumerate(active)
        for two in active[:place]
        if likeness(words_of(one.rule, one.trigger), words_of(two.rule, two.trigger)) >= policy().near
    }
    assert near <= {frozenset((link.lesson_id, link.other_lesson_id)) for link in found.links if link.link == "coexists"}


@pytest.mark.parametrize("least", [0.5, 0.6, 0.85])
@given(st.lists(TEXTS, max_size=30))
def test_nobody_alike_is_missed(least: float, texts: list[str]) -> None:
    words = {f"{place}": words_of(text, "") for place, text in enumerate(texts)}
    alike = Alike(words, least)
    for place in words:
        expected = {other for other in words if int(other) < int(place) and likeness(words[place], words[other]) >= least}
        assert {other for other, _ in alike.found(place)} == expected
        alike.add(place)
