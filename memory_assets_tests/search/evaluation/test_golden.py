"""The file of golden questions: what it may hold, and what is said of what it may not."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.evaluation.golden import parse_golden
from memory_assets.search.evaluation.golden_starter import Remembered, chosen, starter

FILE = """
suite: shop
k: 5
bars: {mrr: 0.5, forbidden_hits: 1}
questions:
  - id: cache
    query: 캐시는 어디로 옮기나
    mode: lexical
    project: shop
    expected: ["mem:a7Bc3x", "session:shop-1#m=1&c=21-44", "mem:a7Bc3x"]
    forbidden: [MySQL]
  - query: Which database do we keep?
    k: 3
    contains: [PostgreSQL 16]
    must_contain: [orders]
  - query: says nothing of what it wants
"""


def test_a_file_becomes_questions() -> None:
    suite = parse_golden(FILE)
    first, second, _ = suite.questions
    assert (suite.name, suite.bars) == ("shop", {"mrr": 0.5, "forbidden_hits": 1.0})
    assert (first.question_id, first.k, first.mode, first.project) == ("cache", 5, "lexical", "shop")
    assert first.expected == ("mem:a7Bc3x", "session:shop-1#m=1&c=21-44")
    assert (second.k, second.contains, second.must_contain) == (3, ("PostgreSQL 16",), ("orders",))
    assert second.question_id.startswith("q-") and [one.expects for one in suite.questions] == [True, True, False]


def test_the_hash_is_of_what_is_asked_and_wanted_in_any_order() -> None:
    suite = parse_golden(FILE)
    turned = parse_golden(
        FILE.replace(
            '"mem:a7Bc3x", "session:shop-1#m=1&c=21-44", "mem:a7Bc3x"',
            '"session:shop-1#m=1&c=21-44", "mem:a7Bc3x", "mem:a7Bc3x"',
        )
    )
    renamed = parse_golden(FILE.replace("id: cache", "id: other"))
    other = parse_golden(FILE.replace("orders", "carts"))
    assert turned.suite_hash == renamed.suite_hash == suite.suite_hash != other.suite_hash
    # The same Hangul, typed on another system.
    import unicodedata

    assert parse_golden(unicodedata.normalize("NFD", FILE)).suite_hash == suite.suite_hash


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("questions: [1]", "question 1: keys and values"),
        ("- 1", "the file: keys and values"),
        ("questions: [", "line [12]: "),
        ("questions: [{query: x, expectd: [a]}]", "question 1, expectd: there is no such key"),
        ("questions: [{query: x, contains: [a]}, {query: ' '}]", "question 2, query: "),
        ("questions: [{query: x, expected: ['session:foo']}]", "question 1: no address"),
        ("questions: [{query: x, expected: ['file:src/app.py']}]", "question 1: no address"),
        ("questions: [{query: x, forbidden: ['mem:no']}]", "question 1: no address"),
        ("questions: [{query: x, k: 0}]", "question 1, k: "),
        ("questions: [{query: x, mode: both}]", "question 1, mode: "),
        ("questions: [{id: 질문, query: x}]", "question 1: its id is none"),
        ("questions: [{id: a, query: x}, {id: a, query: y}]", "question 2: its id stands there twice: a"),
        ("bars: {mrr: 2}", "bars.mrr: "),
        ("questions: [{query: x, answer: 5}]", "question 1, answer: "),
        ("questions: [{query: x, answer: [a, ' ']}]", "question 1, answer, 1: "),
        ("questions: [{query: x, answer: a, unanswerable: true}]", "question 1: it is unanswerable, and"),
        ("questions: [{query: x, contains: [a], unanswerable: true}]", "question 1: it is unanswerable, and"),
        ("suite: 나의 질문", "suite: "),
        ("questions:\n  - query: x\n    contains: [a]\n    contains: [b]\n", "line 4: a key stands there twice"),
        ("questions: []\nquestions: [{query: x}]", "line 2: a key stands there twice"),
        ('{"k": 3, "k": 4}', "line 1: a key stands there twice"),
        ("questions: [{query: x, ? [a] : b, ? [a] : c}]", "line 1: "),
        ("suite: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("questions: " + "[" * 100_000, "nested so deep"),
        ("&a [*a]", "keys and values"),
        ("x" * 4_000_001, "too many"),
        ("a: \x00", "YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, told: str) -> None:
    with pytest.raises(GoldenInvalidError, match=told):
        parse_golden(text)


@pytest.mark.parametrize(
    "text",
    ["questions: [{query: x, contans: [amber key]}]", "questions: [amber key]", "k: amber key", "amber key", "- amber key"],
)
def test_no_text_of_its_author_is_in_what_is_said_of_a_file(text: str) -> None:
    with pytest.raises(GoldenInvalidError) as refused:
        parse_golden(text)
    # Dagster keeps the whole chain of what was raised.
    assert "amber" not in "".join(traceback.format_exception_only(refused.value.__cause__ or refused.value))
    assert "amber" not in str(refused.value)


def test_what_is_expected_of_an_answer_makes_another_question_and_nothing_of_it_the_same() -> None:
    plain, said, several, never = parse_golden(
        "questions: [{id: a, query: x, forbidden: [y]}, {id: b, query: x, forbidden: [y], answer: z},"
        "{id: c, query: x, forbidden: [y], answer: [z]}, {id: d, query: x, forbidden: [y], unanswerable: true}]"
    ).questions
    assert said.question_hash == several.question_hash and said.answers == ("z",)
    assert len({plain.question_hash, said.question_hash, never.question_hash}) == 3
    # As it was before answers could be expected: a run of then is compared with one of now.
    assert plain.question_hash == "9bb11ab19c5bdad285aadf2062cd6ff6"
    assert (plain.expects_answer, said.expects_answer, never.expects_answer, never.expects) == (False, True, True, True)


def test_questions_may_share_what_they_expect() -> None:
    suite = parse_golden("questions:\n  - {query: x, contains: &all [a, b]}\n  - {query: y, contains: *all}\n")
    assert [question.contains for question in suite.questions] == [("a", "b"), ("a", "b")]


def test_an_empty_file_asks_nothing() -> None:
    assert parse_golden("").questions == () == parse_golden("questions: []").questions


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_golden(text)
    except GoldenInvalidError as error:
        assert str(error)


@given(st.lists(st.text(min_size=1, max_size=40).filter(lambda title: title.strip()), max_size=6))
def test_a_starter_reads_back_whatever_titles_hold(titles: list[str]) -> None:
    memories = [Remembered(f"mem:a7Bc3{number}", title, f"session:s#m={number}") for number, title in enumerate(titles)]
    suite = parse_golden(starter(memories))
    assert [question.query for question in suite.questions] == [" ".join(title.split()) for title in titles]
    assert [question.expected for question in suite.questions] == [(memory.uri,) for memory in memories]
    assert suite.name == "golden" and suite.bars == {"forbidden_hits": 0.0}


def test_a_starter_asks_in_both_languages_and_nothing_twice() -> None:
    titles = ["One", "Two", "one ", "Three", "하나", "둘", "Four"]
    memories = [Remembered("mem:aaaaaa", title, "session:s#m=0") for title in titles]
    assert [memory.title for memory in chosen(memories, 4)] == ["하나", "One", "둘", "Two"]
    assert len(chosen(memories, 100)) == 6 and chosen(memories, 0) == []


def test_the_example_can_be_asked() -> None:
    example = Path(__file__).resolve().parents[3] / "examples" / "golden.yaml"
    suite = parse_golden(example.read_text(encoding="utf-8"))
    assert suite.name == "hourglass" and sum(question.expects for question in suite.questions) == 6
