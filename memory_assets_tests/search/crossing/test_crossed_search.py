"""Searches of a store that speaks two languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.maintenance.indexing import write_words
from memory_assets.memory import Memory, SearchRequest
from memory_assets.results.search import SearchResponseV1
from memory_assets.vectors.units import LexicalHits
from memory_assets.vectors.words import WordIndex
from memory_assets_tests.filled_store import fill_one, tell, tell_each

ENGLISH = (
    ("user", "Caroline adopted two turtles last week and they love the garden."),
    ("user", "The migration was postponed because the database ran out of disk space."),
    ("user", "We ordered pizza after the meeting."),
)
KOREAN = (
    ("user", "로그인 오류는 만료된 토큰 때문이었고 어제 고쳤습니다."),
    ("user", "주말에는 가족과 함께 바닷가로 여행을 다녀왔어요."),
    ("user", "점심에는 김치찌개를 먹었다."),
)
SESSIONS = {"english": ENGLISH, "korean": KOREAN}


def store(home: Path, *order: str) -> Memory:
    settings = fill_one(home, order[0], SESSIONS[order[0]], ())
    for session_id in order[1:]:
        tell(settings, session_id, SESSIONS[session_id], ())
    write_words(Resources(settings))
    return Memory(settings)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return store(tmp_path_factory.mktemp("two"), "english", "korean")


def ask(memory: Memory, query: str) -> SearchResponseV1:
    return memory.search_for(SearchRequest(query, mode="lexical", k=5, log=False))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("거북이를 입양한 사람은?", "adopted two turtles"),
        ("마이그레이션은 왜 미뤄졌어?", "migration was postponed"),
        ("where did the family travel on the weekend", "바닷가로 여행"),
        ("what caused the login error", "로그인 오류"),
    ],
)
def test_a_question_finds_the_text_of_the_other_language(memory: Memory, query: str, text: str) -> None:
    answer = ask(memory, query)
    assert text in answer.hits[0].snippet
    assert answer.crossed and answer.hits[0].relevance < 1


@pytest.mark.parametrize("query", ["로그인 오류 만료된 토큰", "pizza after the meeting"])
def test_where_the_own_language_answers_nothing_is_crossed(memory: Memory, query: str) -> None:
    answer = ask(memory, query)
    assert answer.crossed == () and answer.hits[0].relevance >= 0.9


def test_a_store_of_one_language_answers_as_if_there_were_no_other(tmp_path: Path) -> None:
    only = store(tmp_path, "english")
    answer = ask(only, "who adopted something unheard of")
    assert answer.crossed == () and "adopted" in answer.hits[0].snippet


def test_an_english_word_in_a_korean_question_hides_nothing_of_a_store_without_korean(tmp_path: Path) -> None:
    """``disk`` has a Korean word that no text has; the other words have English ones all the same."""
    answer = ask(store(tmp_path, "english"), "거북이를 입양한 disk")
    assert "adopted two turtles" in answer.hits[0].snippet and answer.crossed


EXPLAINING = (
    ("user", "화면 찢김(tearing)이 보이면 함수(arg)를 부른다."),
    ("user", "The tearing went away with double buffering."),
    ("user", "열의 구분자(separator)는 쉼표다."),
)


@pytest.mark.parametrize(
    ("query", "said", "way"),
    [("찢김은 어떻게 없앴지", "찢김은", "tear"), ("which separators in columns", "separators", "구분자")],
)
def test_what_a_text_explains_is_crossed_and_shown(query: str, said: str, way: str, tmp_path: Path) -> None:
    settings = fill_one(tmp_path, "talk", EXPLAINING, ())
    write_words(Resources(settings))
    answer = ask(Memory(settings), query)
    (shown,) = [one for one in answer.crossed if one.by == "texts"]
    assert (shown.said, shown.ways) == (said, (way,)) and shown.weight < 0.6
    assert any("double buffering" in hit.snippet or "구분자" in hit.snippet for hit in answer.hits[:2])


def test_where_nothing_is_crossed_no_word_is_a_name(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WordIndex, "speakers", lambda index: frozenset(("Caroline", "Roger")))
    assert ask(memory, "캐롤라인이 입양한 거북이").speakers == ("Caroline",)
    # A Korean text answers by itself, though 가족과 may be the sound of a name.
    monkeypatch.setattr(WordIndex, "speakers", lambda index: frozenset(("Gajok",)))
    answer = ask(memory, "주말에는 가족과 바닷가로")
    assert answer.crossed == () and answer.hits[0].relevance >= 0.9 and answer.speakers == ()


def test_what_a_store_without_korean_cannot_answer_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    search = WordIndex.lexical_search

    def counted(self: WordIndex, query: str, *others: Any) -> LexicalHits:
        asked.append(query)
        return search(self, query, *others)

    english = store(tmp_path, "english")
    ask(english, "warm")
    monkeypatch.setattr(WordIndex, "lexical_search", counted)
    assert ask(english, "거북이를 입양한 사람은?").crossed
    assert len(asked) == 1


@pytest.mark.long
def test_the_order_of_the_sessions_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    other = store(tmp_path, "korean", "english")
    for query in ("거북이를 입양한 사람은?", "what caused the login error", "마이그레이션은 왜 미뤄졌어?"):
        one, two = ask(memory, query), ask(other, query)
        assert one.crossed == two.crossed
        assert [(hit.unit_id, hit.score) for hit in one.hits] == [(hit.unit_id, hit.score) for hit in two.hits]


def test_what_was_crossed_is_shown(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    from memory_assets.cli.search import print_response

    print_response(ask(memory, "거북이를 입양한 사람은?"), explain=True)
    shown = capsys.readouterr().out
    assert "거북이를 → turtle" in shown and "by the glossary" in shown


def test_a_question_that_is_crossed_is_answered_while_the_store_is_kept_open(memory: Memory) -> None:
    """It opens the store once: a second time it would wait for itself, until it may wait no longer."""
    with memory.database.kept_open():
        found = memory.search("거북이를 입양한 사람은 누구야", log=False)
        assert [hit for hit in found.hits if "turtles" in hit.snippet]
    assert found.crossed


PROMPT = (
    "<context ref='deploy.md'>\nDeploy the billing service: roll back the migration when the health check fails.\n</context>"
)


@pytest.mark.long
def test_a_prompt_that_stands_in_every_session_is_found_once_and_drives_nothing_out(tmp_path: Path) -> None:
    said = ("assistant", "The billing deploy failed on Tuesday: its health check timed out, and we had to roll back.")
    settings = fill_one(tmp_path, "said", (("user", "Why did it fail?"), said), ())
    tell_each(settings, {f"prompt-{number}": (("user", PROMPT), ("user", "Thanks.")) for number in range(80)})
    write_words(Resources(settings))
    found = Memory(settings).search("roll back the billing deploy health check", k=5, mode="lexical", log=False)
    assert said[1] in found.hits[0].snippet
    assert sum(hit.origin == "template" for hit in found.hits) == 1
