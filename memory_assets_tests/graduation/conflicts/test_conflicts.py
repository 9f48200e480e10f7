"""Which statements contradict each other, in Korean as in English, and which only look so."""

import time
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.graduation.conflicts.contradictions import MOST_FORMS, Contradiction, conflict_forms, contradiction
from memory_assets.graduation.conflicts.values import Number, number
from memory_assets.text.equivalence import say_the_same
from memory_assets.text.opposites import RULES, STATES, sides
from memory_assets.text.statements import statement_of
from memory_assets_tests.graduation.conflicts import conflict_pairs as pairs

any_text = st.text(st.characters(exclude_categories=()), max_size=80)
WORDS = """
the api server listens on port 8080 9090 30 60 seconds minutes 1 MB 1024 KB use PostgreSQL MySQL never always not don't
enabled disabled for event store is are cache timeout we deploy Fridays 캐시 만료 시간은 30분으로 한다 60초 우리는
Redis를 쓴다 쓰지
않는다 로그는 영어로 한국어로 남긴다 기본 포트는 8080이다 prefer tabs over spaces instead of 허용한다 금지한다 공개로 비공개로
"""
spoken = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=9).map(" ".join)
EVERY_CLASH = (*pairs.CLASH, *pairs.HELD_OUT_CLASH, *pairs.LATER_CLASH, *pairs.RULES_CLASH, *pairs.WHICH_CLASH)
EVERY_OTHER = (*pairs.NO_CLASH, *pairs.HELD_OUT_NO_CLASH, *pairs.LATER_NO_CLASH, *pairs.RULES_NO_CLASH, *pairs.WHICH_NO_CLASH)
known = st.sampled_from(
    [text for pair in (*pairs.CLASH, *pairs.HELD_OUT_CLASH, *pairs.LATER_CLASH, *pairs.RULES_CLASH) for text in pair]
)
texts = st.one_of(any_text, spoken, known)


@pytest.mark.parametrize(("one", "other"), [*pairs.CLASH, *pairs.RULES_CLASH, *pairs.WHICH_CLASH])
def test_they_contradict_each_other(one: str, other: str) -> None:
    assert contradiction(one, other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [*pairs.NO_CLASH, *pairs.HELD_OUT_NO_CLASH, *pairs.LATER_NO_CLASH, *pairs.RULES_NO_CLASH, *pairs.WHICH_NO_CLASH],
)
def test_they_do_not(one: str, other: str) -> None:
    assert contradiction(one, other) is None


@pytest.mark.parametrize(
    ("clashing", "others"),
    [(pairs.HELD_OUT_CLASH, pairs.HELD_OUT_NO_CLASH), (pairs.LATER_CLASH, pairs.LATER_NO_CLASH)],
    ids=["held out", "later"],
)
def test_few_are_missed_and_nearly_none_is_false(clashing: list[tuple[str, str]], others: list[tuple[str, str]]) -> None:
    found = sum(contradiction(*pair) is not None for pair in clashing)
    false = sum(contradiction(*pair) is not None for pair in others)
    assert found / (found + false) >= 0.97
    assert found / len(clashing) >= 0.75


def test_statements_of_different_pairs_do_not_contradict_each_other() -> None:
    """Each statement against all the others: 99 % of these thousands of pairs have another subject."""
    ours = list(dict.fromkeys(text for pair in (*pairs.HELD_OUT_CLASH, *pairs.LATER_CLASH) for text in pair))
    meant = {frozenset(pair) for pair in (*pairs.HELD_OUT_CLASH, *pairs.LATER_CLASH)}
    found = {frozenset((one, other)) for one in ours for other in ours if one < other and contradiction(one, other) is not None}
    assert found <= meant


@pytest.mark.parametrize(
    ("one", "other", "kind", "values"),
    [
        ("The API listens on port 8080", "The API listens on port 9090", "different_value", ("8080", "9090")),
        ("캐시 만료 시간은 30분으로 한다", "캐시 만료는 60분으로 합니다", "different_value", ("30 분", "60 분")),
        ("Use PostgreSQL for the event store", "Use MySQL for the event store", "different_value", ("postgresql", "mysql")),
        ("우리는 Redis를 쓴다", "Redis는 쓰지 않는다", "negation", ("", "not")),
        ("Always rebase before merging", "Never rebase before merging", "opposite", ("always", "never")),
        ("Strict mode is enabled", "Strict mode is disabled", "opposite", ("enable", "disable")),
        ("I prefer tabs over spaces", "I prefer spaces over tabs", "different_value", ("tabs", "spaces")),
    ],
)
def test_a_clash_says_how(one: str, other: str, kind: str, values: tuple[str, str]) -> None:
    found = contradiction(one, other)
    assert found is not None
    assert (found.kind, found.one, found.other) == (kind, *values)


def test_a_reason_holds_nothing_of_what_was_said() -> None:
    every = [contradiction(*pair) for pair in EVERY_CLASH]
    assert {found.reason for found in every if found} == {
        "another number",
        "another name",
        "one denies what the other says",
        "opposite words",
    }


@given(texts, texts)
@settings(max_examples=400)
def test_it_is_symmetric_and_shares_a_form_and_is_never_a_repetition(one: str, other: str) -> None:
    found, turned = contradiction(one, other), contradiction(other, one)
    assert (found is None) == (turned is None)
    if found is not None:
        assert turned == Contradiction(found.kind, found.reason, found.other, found.one)
        assert set(conflict_forms(one)) & set(conflict_forms(other))
        assert not say_the_same(statement_of(one), statement_of(other))


@given(texts)
@settings(max_examples=400)
def test_nothing_contradicts_itself_and_forms_are_few(text: str) -> None:
    assert contradiction(text, text) is None
    forms = conflict_forms(text)
    assert len(forms) == len(set(forms)) <= MOST_FORMS


@given(known, st.sampled_from(["{}?", "If so, {}", "For example, {}", 'He said "{}"', "Maybe {}", "만약 {}", "예를 들어 {}"]))
def test_a_question_an_example_and_a_quotation_contradict_nothing(text: str, frame: str) -> None:
    assert conflict_forms(frame.format(text)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "not " * 2_500,
        "캐시 " * 3_333,
        "1 " * 5_000,
        "keep " * 2_000,
        "use x over y " * 700,
        "\ufdfa" * 600,
        "the " + "port of " * 80 + "is 5",
        "is not " * 85,
        "[" * 600,
        "=" * 600,
        "a-" * 300,
        "we deploy " + "a " * 280 + "only on ",
        "users " * 90 + "may not",
        "meeting " * 70 + "is on monday",
        "사용자는 " + "가 " * 250 + "수 없다",
        "월요일마다 " * 80 + "배포한다",
    ],
)
def test_long_and_odd_texts_take_no_time(text: str) -> None:
    started = time.process_time()
    contradiction(text, text[:-1] + "z")
    assert time.process_time() - started < 0.3


@pytest.mark.parametrize(
    ("one", "other", "another"),
    [
        ("=60 second", "=1 minute", False),
        ("=90 second", "=1 minute", True),
        ("=1024 mb", "=1 gb", False),
        ("=1000mb ", "=1 gb", False),
        ("=2 gb", "=1 gb", True),
        ("=50% ", "=0.5 ", False),
        ("=3.11 ", "=3.11.4 ", False),
        ("=3.11 ", "=3.12 ", True),
        ("=2.7.1 ", "=2.7.1 ", False),
        ("=2.7.1 ", "=2.8.1 ", True),
        ("=30 ", "=30 second", False),
        ("=60 초", "=1 분", False),
    ],
)
def test_numbers_are_another_only_where_their_units_say_so(one: str, other: str, another: bool) -> None:
    mine, theirs = (_number(*text.split(" ")) for text in (one, other))
    assert mine.is_another(theirs) == theirs.is_another(mine) == another


def _number(word: str, following: str) -> Number:
    read = number(word, following)
    assert read is not None
    return read[0]


def test_opposites_of_one_word_lie_on_one_side() -> None:
    placed = sides(RULES, str)
    assert placed["keep"][0] == placed["delete"][0] == placed["remove"][0]
    assert placed["keep"][1] != placed["delete"][1] == placed["remove"][1]
    for pair in (RULES + STATES).split():
        one, other = pair.split("/")
        both = sides(RULES + STATES, str)
        assert both[one][0] == both[other][0]
        assert both[one][1] != both[other][1]


@pytest.mark.slow
def test_forms_join_and_clash_grow_linearly() -> None:
    spent = [_spent(count) for count in (4_000, 16_000)]
    assert spent[1] < 6.5 * spent[0] + 0.5


def _spent(count: int) -> float:
    started = time.process_time()
    shared = defaultdict(list)
    for place in range(count):
        text = synthetic(place)
        for form in conflict_forms(text):
            shared[form].append(text)
    compared = found = 0
    for group in shared.values():
        for place, text in enumerate(group):
            compared += place
            found += sum(contradiction(text, earlier) is not None for earlier in group[:place])
    assert compared < count
    assert found > count / 100
    return time.process_time() - started


def synthetic(place: int) -> str:
    """One of any number of memories: every twentieth is contradicted by another."""
    name, value = f"service {_name(place // 20 * 10 + place % 10)}", 1000 + place % 20 // 10
    match place % 10:
        case 0:
            return f"The {name} listens on port {value}"
        case 1:
            return f"{name} 만료 시간은 {value}분으로 한다"
        case 2:
            return f"Use {('PostgreSQL', 'MySQL')[value % 2]} for the {name} store"
        case 3:
            return f"{name} 로그는 {('영어', '한국어')[value % 2]}로 남긴다"
        case 4:
            return f"We {('', 'do not ')[value % 2]}deploy the {name} on Fridays"
        case 5:
            return f"Always check the {name} before release"
        case 6:
            return f"We fixed the login of the {name}"
        case 7:
            return f"The {name} supports JSON export of all its records"
        case 8:
            return f"{name}의 배포는 담당자가 검토한다"
        case _:
            return f"Caching is {('enabled', 'disabled')[value % 2]} for the {name}"


def _name(number_: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number_)) + "ora"
