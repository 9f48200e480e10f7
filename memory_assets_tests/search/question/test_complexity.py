import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.complexity import WEIGHTS, complexity, dynamic_k, strategy
from memory_assets.search.question.entities import MAX_ENTITIES, Entity, query_entities

LONG = "이 프로젝트의 인증 시스템 전체 아키텍처와 최근 3개월간 변경 이력"


def test_the_seeds_simple_question_by_its_own_formula() -> None:
    """One word and one entity: 0.06, where the seed says 0.1 (finding F12)."""
    found = complexity("JWT란?")
    assert (found.score, found.words, found.entities) == (0.06, 1, ("JWT",))
    assert (found.temporal, found.multi_hop, found.broad) == ((), (), ())
    assert strategy(found.score) == "simple"


def test_the_seeds_complex_question() -> None:
    found = complexity(LONG)
    assert found.score == 0.8
    assert found.words == 10
    assert found.entities == ("이 프로젝트", "인증 시스템", "전체 아키텍처")
    assert found.temporal[0] == "최근 3개월간"
    assert found.multi_hop == ("변경 이력",)
    assert found.broad == ("전체",)
    assert strategy(found.score) == "complex"
    assert dynamic_k(found.score) == 34
    assert found.why[0] == "+0.10 10 words"
    assert len(found.why) == 5


def test_the_same_question_in_english_is_complex_too() -> None:
    found = complexity("the whole architecture of this project's auth system and its change history over the last three months")
    assert strategy(found.score) == "complex"


@pytest.mark.parametrize(
    ("factor", "query", "cue"),
    [
        ("temporal", "지난주 회의", "지난주"),
        ("temporal", "what changed yesterday", "yesterday"),
        ("temporal", "언제 만났지", "언제"),
        ("multi_hop", "왜 바꿨지", "왜"),
        ("multi_hop", "A와 B 비교", "비교"),
        ("multi_hop", "둘의 관계", "관계"),
        ("multi_hop", "그래서 뭐가 남았지", "그래서"),
        ("multi_hop", "compared with the old one", "compared"),
        ("multi_hop", "Why not", "why"),
        ("broad", "전체 목록", "전체"),
        ("broad", "everything about it", "everything"),
    ],
)
def test_cues(factor: str, query: str, cue: str) -> None:
    assert cue in getattr(complexity(query), factor)


@pytest.mark.parametrize("query", ["왜곡된 그림", "the wholesale ally", "discovery", "아침 식사", "install the shallow copy"])
def test_words_that_look_like_cues_are_none(query: str) -> None:
    found = complexity(query)
    assert (found.temporal, found.multi_hop, found.broad) == ((), (), ())


def test_given_entities_stand_in_the_place_of_those_read() -> None:
    assert complexity("JWT란?", entities=()).score == 0.01
    assert complexity("JWT란?", entities=["a"] * 9).score == 0.26


@pytest.mark.parametrize(("score", "k"), [(0.0, 10), (0.1, 13), (0.7, 31), (0.8, 34), (1.0, 40)])
def test_dynamic_k_of_the_seed(score: float, k: int) -> None:
    assert dynamic_k(score) == k


def test_the_bounds_guard_other_settings() -> None:
    assert dynamic_k(0.0, base=2) == 5
    assert dynamic_k(1.0, base=40) == 50


@given(st.integers(0, 1000))
def test_k_is_the_floor_of_the_exact_decimal(thousandths: int) -> None:
    assert dynamic_k(thousandths / 1000) == (10_000 + 30 * thousandths) // 1000


@pytest.mark.parametrize(
    ("score", "name"), [(0.0, "simple"), (0.29, "simple"), (0.3, "standard"), (0.69, "standard"), (0.7, "complex")]
)
def test_strategies(score: float, name: str) -> None:
    assert strategy(score) == name


QUESTIONS = st.text(st.characters(), max_size=120) | st.text("왜 전체 지난주 all why JWT v1.2 a_b/\"'`#. ", max_size=80)


@given(QUESTIONS)
def test_the_score_is_the_formula(query: str) -> None:
    found = complexity(query)
    factors = (
        min(found.words / 20, 1),
        min(len(found.entities) / 5, 1),
        bool(found.temporal),
        bool(found.multi_hop),
        bool(found.broad),
    )
    assert found.score == pytest.approx(sum(weight * factor for weight, factor in zip(WEIGHTS, factors, strict=True)))
    assert 0 <= found.score <= 1
    assert len(found.why) == sum(map(bool, factors))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did Caroline Smith say in New York?", [("Caroline Smith", "name"), ("New York", "name")]),
        ("Caroline left", []),
        ("He left. Then he came back", []),
        (
            "parse_intent in src/app/main.py v1.5.2",
            [("parse_intent", "symbol"), ("src/app/main.py", "path"), ("v1.5.2", "version")],
        ),
        ("useState를 redis 캐시에서", [("useState", "symbol"), ("redis", "name")]),
        (
            '"exact words" and `foo bar` at https://a.b/c?d=1.',
            [("exact words", "quoted"), ("foo bar", "symbol"), ("https://a.b/c?d=1", "url")],
        ),
        ("ABC-123, #42 and 4f3a2b1c", [("ABC-123", "id"), ("#42", "id"), ("4f3a2b1c", "id")]),
        ("the API is up", [("API", "acronym")]),
        ("C++ or C#", [("C++", "symbol"), ("C#", "symbol")]),
        ("std::vector and os.path.join()", [("std::vector", "symbol"), ("os.path.join()", "symbol")]),
        ("Caroline이랑 Melanie는", [("Caroline", "name"), ("Melanie", "name")]),
        ("and/or he/she on Monday in May", []),
        ("main.py를 고쳤다", [("main.py", "path")]),
        ("인증 서버의 로그", [("인증 서버", "system")]),
        ("서버실 청소", []),
        ("JWT, jwt and JWT", [("JWT", "acronym")]),
    ],
)
def test_what_a_question_names(query: str, expected: list[tuple[str, str]]) -> None:
    assert [(entity.text, entity.kind) for entity in query_entities(query)] == expected


@given(QUESTIONS)
def test_entities_are_few_each_once_and_never_empty(query: str) -> None:
    found = query_entities(query)
    assert len(found) <= MAX_ENTITIES
    assert len({entity.text.casefold() for entity in found}) == len(found)
    assert all(entity.text.strip() for entity in found)


def test_no_more_than_so_many_entities() -> None:
    assert len(query_entities(" ".join(f"a_{n}" for n in range(100)))) == MAX_ENTITIES
    assert query_entities("a_1")[0] == Entity("a_1", "symbol")


@pytest.mark.parametrize(
    "unit", ["a.b", "a-", "/a", "A ", "가", "가나 시", "'a ", "`a", "1.2.", "0a", "a_", "~./", "A a", "why ", '"a']
)
def test_cost_is_linear(unit: str) -> None:
    start = time.process_time()
    complexity(unit * (100_000 // len(unit)))
    assert time.process_time() - start < 1
