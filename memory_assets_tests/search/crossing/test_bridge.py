"""Words of a question in the other language."""

from __future__ import annotations

import random

import pytest

from memory_assets.search.crossing.bridge import MOST_TOKENS, MOST_WAYS, Known, crossed
from memory_assets.search.crossing.glossary import parsed, shipped_glossary

WORDS = "\n".join(sorted(("caroline", "migration", "kubernetes", "vivaldi", "turtle", "jon", "join", "careline")))
KNOWN = Known(lambda: WORDS, frozenset(("Caroline", "Jon", "민수")))


def ways(query: str, known: Known = KNOWN) -> dict[str, set[str]]:
    """By what the question says: how the other language does."""
    told: dict[str, set[str]] = {}
    for crossing in crossed(query, known).crossings:
        told.setdefault(crossing.said, set()).update(way.text for way in crossing.ways)
    return told


@pytest.mark.parametrize(
    ("query", "said", "way"),
    [
        ("배포를 왜 미뤘어", "미뤘어", "postpone"),
        ("배포를 왜 미뤘어", "배포를", "deploy"),
        ("일정 미뤄줘", "미뤄줘", "delay"),
        ("살을 빼는 방법", "살을 빼는", "lose weight"),
        ("입양했던 아이", "입양했던", "adopt"),
        ("감동적인 편지", "감동적인", "touching"),
        ("요리수업", "요리수업", "cooking"),
        ("5월의 여행", "5월의", "may"),
        ("캐롤라인이 말한 것", "캐롤라인이", "Caroline"),
        ("존은 언제 왔어", "존은", "Jon"),
        ("비발디 음악", "비발디", "vivaldi"),
        ("why did we postpone it", "postpone", "미루다"),
        ("deployed the children's app", "deployed", "배포"),
        ("deployed the children's app", "children's", "아이"),
        ("who went to the ice cream shop", "ice cream", "아이스크림"),
        ("on 8 June", "June", "6월"),
    ],
)
def test_a_word_is_said_in_the_other_language(query: str, said: str, way: str) -> None:
    assert way in ways(query)[said]


@pytest.mark.parametrize("query", ["왜", "what did they do", "?", "ㅋㅋㅋ", "🙂", "\ud800", "x", "가나다라마바사" * 400])
def test_what_tells_nothing_is_not_crossed(query: str) -> None:
    assert crossed(query, KNOWN).crossings == ()


def test_a_short_word_is_told_by_its_sound_only_for_a_name() -> None:
    assert ways("존은", Known(lambda: "jon\njoin\nzone")) == {}
    assert ways("존은") == {"존은": {"Jon"}}


def test_a_word_of_many_senses_weighs_less_and_is_never_a_flood() -> None:
    (ship,) = crossed("배", KNOWN).crossings
    (family,) = crossed("가족", KNOWN).crossings
    assert ship.weight < family.weight == 1.0
    assert len(ship.ways) <= MOST_WAYS


def test_the_tokens_of_a_long_question_are_bounded() -> None:
    every = " ".join(word for ours, _ in shipped_glossary().senses for word in ours)
    assert len(crossed(every, KNOWN).weighted_tokens()) <= MOST_TOKENS


def test_pairs_are_crossed_both_ways() -> None:
    """Of every sense whose words have few others: what a Korean word is crossed to is crossed back to it."""
    glossary = shipped_glossary()
    few = {word for word, places in glossary.korean.items() if sum(len(glossary.senses[one][1]) for one in places) <= MOST_WAYS}
    tried = lost = 0
    for ours, theirs in random.Random(7).sample(glossary.senses, 600):
        for word, other in ((word, other) for word in ours for other in theirs):
            places = glossary.english[other]
            if " " in word + other or word not in few or sum(len(glossary.senses[one][0]) for one in places) > MOST_WAYS:
                continue
            there, back = ways(word, Known()), ways(other, Known())
            if there and back:
                tried += 1
                lost += other not in there.get(word, ()) or word not in back.get(other, ())
    assert tried > 500 and lost == 0


def test_nothing_depends_on_the_order_of_the_names() -> None:
    names = ["Caroline", "Carolina", "Jon", "John", "Gina"]
    first = crossed("캐롤라인과 존과 지나", Known(lambda: WORDS, frozenset(names)))
    assert first == crossed("캐롤라인과 존과 지나", Known(lambda: WORDS, frozenset(reversed(names))))
    assert first.speakers == {"Caroline", "John", "Jon", "Gina"}


def test_a_crossed_word_counts_less_than_a_said_one() -> None:
    glossary = parsed("거북이\tturtle\n", "g.tsv")
    (term,) = crossed("거북이", KNOWN, glossary).terms
    assert term.held_by(frozenset(("거북", "북이"))) == 1.0
    assert 0 < term.held_by(frozenset(("turtl",))) < 1
    assert term.held_by(frozenset(("cat",))) == 0.0
