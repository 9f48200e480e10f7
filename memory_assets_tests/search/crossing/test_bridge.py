"""Words of a question in the other language."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from memory_assets.search.crossing import bridge
from memory_assets.search.crossing.bridge import MOST_TOKENS, MOST_WAYS, Crossed, Known
from memory_assets.search.crossing.glossary import Glossary, parsed, shipped_glossary
from memory_assets.search.question.terms import query_terms
from memory_assets.vectors.words import by_first_letter

WORDS = by_first_letter(("caroline", "migration", "kubernetes", "vivaldi", "turtle", "jon", "join", "careline"))
KNOWN = Known(lambda: WORDS, frozenset(("Caroline", "Jon", "Gina", "민수")))


def crossed(query: str, known: Known = KNOWN, glossary: Glossary | None = None) -> Crossed:
    return bridge.crossed(query_terms(query), known, glossary)


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
        ("중복을 어떤 함수로 뽑았지", "뽑았지", "extract"),
        ("커밋을 둘로 쪼갠 까닭", "쪼갠", "split"),
        ("무엇을 걷어냈어", "걷어냈어", "remove"),
        ("which helper was extracted from it", "extracted", "뽑다"),
        ("살을 빼는 방법", "살을 빼는", "lose weight"),
        ("입양했던 아이", "입양했던", "adopt"),
        ("감동적인 편지", "감동적인", "touching"),
        ("요리수업", "요리수업", "cooking"),
        ("5월의 여행", "5월의", "may"),
        ("캐롤라인이 말한 것", "캐롤라인이", "Caroline"),
        ("지나는 언제 왔어", "지나는", "Gina"),
        ("비발디 음악", "비발디", "vivaldi"),
        ("why did we postpone it", "postpone", "미루다"),
        ("deployed the children's app", "deployed", "배포"),
        ("deployed the children's app", "children's", "아이"),
        ("who went to the ice cream shop", "ice cream", "아이스크림"),
        ("on 8 June", "June", "6월"),
        ("in March 2023", "March", "3월"),
        ("빈 파일", "빈", "empty"),
        ("지난 회의", "지난", "last"),
        ("보고 내용", "보고", "report"),
        ("사고 원인", "사고", "accident"),
        ("시도 횟수", "시도", "try"),
        ("배포 주기", "주기", "cycle"),
        ("선물을 주고 떠났어", "주고", "give"),
        ("자는 시간", "자는", "sleep"),
        ("가지고 온 책", "가지고", "own"),
    ],
)
def test_a_word_is_said_in_the_other_language(query: str, said: str, way: str) -> None:
    assert way in ways(query)[said]


@pytest.mark.parametrize("query", ["왜", "what did they do", "?", "ㅋㅋㅋ", "🙂", "\ud800", "x", "가나다라마바사" * 400])
def test_what_tells_nothing_is_not_crossed(query: str) -> None:
    assert crossed(query, KNOWN).crossings == ()


@pytest.mark.parametrize(
    ("query", "said", "way"),
    [
        ("보고 내용", "보고", "see"),
        ("사고 원인", "사고", "buy"),
        ("지난 회의", "지난", "lose"),
        ("시도 횟수", "시도", "sour"),
        ("자기 소개", "자기", "sleep"),
        ("주기 설정", "주기", "give"),
        ("in March 2023", "March", "행진"),
        ("빈 파일", "빈", "vienna"),
        ("석사 과정", "석사", "master"),
        ("다음 주", "주", "state"),
        ("고양이 세 마리", "마리", "pet"),
        ("단점 목록", "단점", "con"),
    ],
)
def test_a_word_is_not_said_by_another_one_that_looks_alike(query: str, said: str, way: str) -> None:
    assert way not in ways(query).get(said, ())


@pytest.mark.parametrize(
    ("verb", "noun"), [("see", "보고"), ("buy", "사고"), ("go", "가지"), ("give", "주기"), ("sleep", "자기")]
)
def test_no_form_of_a_verb_is_looked_for_that_is_a_noun(verb: str, noun: str) -> None:
    tokens = {token for token, _ in crossed(verb).weighted_tokens()}
    assert tokens and noun not in tokens


def test_a_word_of_two_syllables_is_told_by_its_sound_only_for_a_name() -> None:
    assert ways("지나는", Known(lambda: by_first_letter(("gina", "jean", "china")))) == {}
    assert ways("지나는") == {"지나는": {"Gina"}}


@pytest.mark.parametrize(
    "query", ["수는 몇 개야", "안 되는 이유", "밥 먹은 사람", "개는 몇 마리", "존은 언제 왔어", "사라지는 메시지"]
)
def test_a_word_of_one_syllable_or_one_that_is_known_names_nobody(query: str) -> None:
    names = frozenset(("Sue", "Ann", "Bob", "Mary", "Jon", "Sarah", "Gay"))
    assert crossed(query, Known(names=names)).speakers == frozenset()


def test_a_word_of_many_senses_weighs_less_and_is_never_a_flood() -> None:
    ship = crossed("배").crossings
    (family,) = crossed("가족").crossings
    assert all(sense.weight < family.weight == 1.0 for sense in ship)
    assert sum(len(sense.ways) for sense in ship) <= MOST_WAYS


@pytest.mark.parametrize(
    ("word", "senses"),
    [
        ("시장", ({"market"}, {"mayor"})),
        ("눈", ({"eye"}, {"snow"})),
        ("시", ({"poem", "poetry"}, {"city"}, {"hour"})),
        ("말", ({"horse"}, {"word", "talk", "say", "speech"}, {"end"})),
        ("쓰다", ({"bitter"}, {"write", "wrote", "written"}, {"use"}, {"wear"}, {"spend"})),
    ],
)
def test_the_senses_of_a_word_are_apart(word: str, senses: tuple[set[str], ...]) -> None:
    found = crossed(word).crossings
    told = [{way.text for way in sense.ways} for sense in found]
    assert sorted(map(sorted, told)) == sorted(map(sorted, senses))
    # The same number of senses for all; each of many ways weighs less than the only one.
    assert {len(sense.ways): sense.weight for sense in found} == {len(sense.ways): sense.weight for sense in reversed(found)}
    assert [sense.weight for sense in sorted(found, key=lambda one: len(one.ways))] == sorted(
        (sense.weight for sense in found), reverse=True
    )


def test_what_texts_explain_weighs_less_than_the_glossary_and_names_nobody() -> None:
    told = {"담당": ["jon"], "찢김": ["tear", "jon"], "배포": ["rollout"], "tear": ["찢김"], "rollout": ["배포"]}
    known = Known(names=frozenset(("Jon",)), explained=lambda: told)
    (tear,) = crossed("찢김을", known).crossings
    assert ([way.text for way in tear.ways], tear.by, tear.weight) == (["tear"], "texts", 0.5)
    # What the glossary has is not learned: a bracket behind it is as often a remark.
    assert all(one.by == "glossary" for one in crossed("배포를", known).crossings)
    assert crossed("rollout", known).crossings == ()
    minji = Known(names=frozenset(("Minji Kim",)), explained=lambda: {"민지": ["minji"]})
    assert crossed("민지가", minji).speakers == {"Minji Kim"}


def test_no_words_of_the_texts_are_read_before_a_sound_is_to_be_told() -> None:
    def read() -> Mapping[str, str]:
        raise AssertionError("the words of all texts were read")

    known = Known(read, frozenset(("Caroline",)))
    assert crossed("캐롤라인은 배포를 왜 미뤘어", known).crossings
    with pytest.raises(AssertionError):
        crossed("쿠버플로우를 쓰나", known)


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
    first = crossed("캐롤라인과 존과 지나의 여행", Known(lambda: WORDS, frozenset(names)))
    assert first == crossed("캐롤라인과 존과 지나의 여행", Known(lambda: WORDS, frozenset(reversed(names))))
    assert first.speakers == {"Caroline", "Gina"}


def test_a_crossed_word_counts_less_than_a_said_one() -> None:
    glossary = parsed("거북이\tturtle\n", "g.tsv")
    (term,) = crossed("거북이", KNOWN, glossary).terms
    assert term.held_by(frozenset(("거북", "북이"))) == 1.0
    assert 0 < term.held_by(frozenset(("turtl",))) < 1
    assert term.held_by(frozenset(("cat",))) == 0.0
