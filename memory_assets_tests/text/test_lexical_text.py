import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.lexical_text import MAX_QUERY_TOKENS, MAX_TOKEN, query_text, search_text


def tokens(text: str) -> set[str]:
    return set(search_text(text).split())


def finds(query: str, document: str) -> bool:
    """Every token of the question stands in the document: what an index of whole tokens needs for a full match."""
    return bool(query_text(query)) and set(query_text(query).split()) <= tokens(document)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World", "hello world"),
        ("블로커를", "블로 로커 커를"),
        ("로그", "로그"),
        ("값 하나", "값 값하 하나"),
        ("데이터 베이스", "데이 이터 터베 베이 이스"),
        ("데이터  베이스", "데이 이터 베이 이스"),
        ("키를", "키를 키"),
        ("useState를", "usestate use state"),
        ("C++로", "c++"),
        ("API에서는 안", "api 안"),
        ("GPU를이", "gpu 를이 를"),
        ("snake_case_name", "snake_case_name snake case name"),
        ("__init__", "init"),
        ("src/app/main.py", "src/app/main.py main.py src app main py"),
        ("v1.5.5", "v1.5.5 1.5.5"),
        ("duckdb==1.5.5", "duckdb 1.5.5"),
        ("HTTPServer2", "httpserver2 http server2"),
        ("2026-02-09", "2026-02-09 2026 02 09"),
        ("10:30", "10:30"),
        ("1,000,000원", "1000000 원"),
        ("30초", "30 초"),
        ("C++ and C#", "c++ and c#"),
        ("Caroline's don’t", "caroline dont"),
        ("std::vector", "std::vector std vector"),
        ("データベース", "デー ータ タベ ベー ース"),
        ("数据库", "数据 据库"),
        ("ｆｕｌｌ Ｗｉｄｔｈ", "full width"),
        ("हिन्दी", "हिन्दी"),
        ("", ""),
        ("?!… -- ///", ""),
    ],
)
def test_what_a_text_becomes(text: str, expected: str) -> None:
    assert search_text(text) == expected


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("로그", "서버로그를 지웠다"),
        ("블로커", "이번 주의 블로커는 배포다"),
        ("키", "키를 바꿨다"),
        ("값", "값이 없다"),
        ("큐에서", "큐에서 꺼낸다"),
        ("1.5.5", "duckdb를 v1.5.5로 올렸다"),
        ("main.py", "src/app/main.py 를 고쳤다"),
        ("state", "useState를 쓰자"),
        ("배포 timeout", "timeout이 배포에서 난다"),
        ("1000원", "1,000원을 냈다"),
        (unicodedata.normalize("NFD", "저장소"), "저장소가 크다"),
        ("What is DuckDB?", "DuckDB는 빠르다"),
        ("데이터베이스", "데이터 베이스를 옮겼다"),
        ("마이그레이션 계획", "마이그레이션계획을 세우자"),
    ],
)
def test_a_question_finds_the_text(query: str, document: str) -> None:
    assert finds(query, document)


SYLLABLES = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=2, max_size=2)
PARTICLES = st.sampled_from(["을", "를", "이", "가", "은", "는", "에서", "으로", "까지", "부터", "처럼", "이라고"])


@given(SYLLABLES, PARTICLES)
def test_a_word_of_two_syllables_is_found_under_any_particle(word: str, particle: str) -> None:
    assert word in query_text(word).split()
    assert word in tokens(f"먼저 {word}{particle} 본다")


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=1), PARTICLES)
def test_a_word_of_one_syllable_is_found_under_common_particles(word: str, particle: str) -> None:
    assert particle == "이라고" or finds(word, f"{word}{particle} 본다")


ANYTHING = st.text(st.characters(), max_size=80) | st.text("aA1_-./:,'’ 가나키를漢カ\u0300\n", max_size=80)


@given(ANYTHING)
def test_any_text_becomes_encodable_short_tokens(text: str) -> None:
    result = search_text(text)
    result.encode()
    assert result == " ".join(result.split())
    assert all(len(token) <= MAX_TOKEN for token in result.split())


@given(ANYTHING)
def test_a_text_finds_itself(text: str) -> None:
    assert not search_text(text) or finds(text, text)


@given(st.text("abcXYZ019_-./: 가나키를로그漢字カナ", max_size=60))
def test_tokens_are_tokens_of_themselves(text: str) -> None:
    again = tokens(search_text(text))
    assert tokens(text) <= again
    # Pairs of syllables side by side look like words with a particle, or a space apart; nothing else is cut any further.
    assert all(len(token) <= 2 and token >= "가" for token in again - tokens(text))


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_latin_text_is_cut_alike_beside_other_scripts(text: str) -> None:
    assert search_text(f"{text} 가") == f"{search_text(text)} 가".strip()


@pytest.mark.long
@pytest.mark.parametrize(
    "unit", ["a", "a.", "가", "가 ", "_", "a'", "://", "漢", "\u0300", "a\u0300", "1,000", "aB", "C++", "ﷺ", "\x00", "\ud800"]
)
def test_cost_is_linear(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    start = time.process_time()
    search_text(text)
    # A tenth of this is normal; a second pass over each run would take minutes.
    assert time.process_time() - start < 5


def test_a_pasted_document_becomes_a_short_question() -> None:
    question = query_text(" ".join(f"word{n}" for n in range(100_000)))
    assert len(question.split()) == MAX_QUERY_TOKENS
    assert question.startswith("word0 word1 ")


def test_question_words_go_unless_they_are_all_there_is() -> None:
    assert query_text("When did Caroline move?") == "caroline move"
    assert query_text("what is") == "what is"
    assert search_text("what is") == "what is"
