import time
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.intents import (
    ASKED_WEIGHTS,
    DETECTED_WEIGHTS,
    NO_INTENT_WEIGHTS,
    IntentWeights,
    detect_intent,
    intent_weights,
    parse_intent,
)
from memory_assets.vocabulary import INTENTS, Intent

SHOWN: dict[Intent, list[str]] = {
    "how_to_do": [
        "How do I rotate the API key?",
        "how to set env vars",
        "What are the steps to release?",
        "how should we name branches",
        "배포 스크립트 어떻게 실행해?",
        "환경 변수 설정 방법",
        "useState 쓰는 법",
        "마이그레이션은 어떻게 적용하나요",
        "테스트를 돌리려면",
        "로그인 모듈 사용법 알려줘",
    ],
    "what_happened": [
        "What happened during the deploy?",
        "When did the deploy fail?",
        "what did we decide about retries",
        "how did the thing go last time we tried",
        "언제 배포했지",
        "지난번 회의에서 무슨 일이 있었어?",
        "그 이슈 어떻게 됐어?",
        "인증은 어떻게 하기로 했지",
        "어제 뭘 했지?",
        "언제 에러가 났지?",
        "누가 결정했어",
    ],
    "known_issues": [
        "Why did the build fail?",
        "KeyError in loader.py",
        "how do I fix the login error",
        "known issues with lancedb",
        "what went wrong with the migration",
        "테스트가 왜 실패하지",
        "에러 해결 방법",
        "빌드가 안 돼요",
        "락 오류",
        "인덱스 만들 때 주의할 점",
    ],
    "environment": [
        "Which Python version do we use?",
        "what is MEMORY_HOME set to",
        "production environment",
        "파이썬 버전",
        "환경변수 목록",
        "노드 버전이 뭐야",
        "어떤 환경에서 돌아가",
        "개발 환경",
    ],
    "code_structure": [
        "Where is parse_intent defined?",
        "which file contains the retry logic",
        "which class implements the index",
        "who calls search_text",
        "parse_intent 함수 어디 있어?",
        "이 클래스는 어느 파일에 있지",
        "클래스 구조",
        "설정 파일 어디 있어",
    ],
}
NOT_SHOWN = [
    "",
    "?!",
    "JWT란?",
    "What is DuckDB?",
    "민수가 좋아하는 음식",
    "What class did Maria take?",
    "Where does Caroline live?",
    "What does John do for the environment?",
    "환경 보호 활동",
    "친환경 제품",
    "디버그",
    "햄버그 스테이크",
    "언제나 행복한 사람",
    "왜곡된 이미지",
    "이력서",
    "방법론",
    "장애인 시설",
    "요가 클래스",
    "howl and terror",
    "the antibug",
]


@pytest.mark.parametrize(("intent", "query"), [(intent, query) for intent, some in SHOWN.items() for query in some])
def test_a_plain_question_shows_its_intent_and_why(intent: Intent, query: str) -> None:
    detected = detect_intent(query)
    assert detected.intent == intent
    assert detected.cues
    assert all(cue in query.casefold() for cue in detected.cues)


@pytest.mark.parametrize("query", NOT_SHOWN)
def test_nothing_is_forced(query: str) -> None:
    assert detect_intent(query).intent is None


def test_two_forms_of_asking_leave_it_open_and_say_so() -> None:
    detected = detect_intent("When did she learn how to play?")
    assert detected.intent is None
    assert {"when did", "how to"} <= set(detected.cues)


def test_a_hint_alone_is_not_enough_two_are() -> None:
    assert detect_intent("the problem").intent is None
    assert detect_intent("the flaky problem").intent == "known_issues"


def test_case_and_composition_do_not_count() -> None:
    assert detect_intent("HOW DO I deploy").intent == "how_to_do"
    assert detect_intent("언제").intent == "what_happened"


@pytest.mark.parametrize("intent", INTENTS)
def test_an_intent_is_parsed_by_its_name_in_any_spelling(intent: Intent) -> None:
    assert parse_intent(intent) == intent
    assert parse_intent(f"  {intent.upper().replace('_', '-')} ") == intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("how_to", "how_to_do"),
        ("How-To", "how_to_do"),
        ("howto", "how_to_do"),
        ("gotchas", "known_issues"),
        ("known issue", "known_issues"),
        ("history", "what_happened"),
        ("무슨 일", "what_happened"),
        ("env", "environment"),
        ("환경", "environment"),
        ("코드 구조", "code_structure"),
        ("symbols", "code_structure"),
        ("", None),
        ("everything", None),
        ("how to bake", None),
    ],
)
def test_aliases(text: str, intent: Intent | None) -> None:
    assert parse_intent(text) == intent


def most(weights: IntentWeights) -> float:
    """The most that the weights can give one unit; a stage's weight is 0.1 at most."""
    best_kind = max((z for _, z in weights.kinds), default=0.0)
    return best_kind + weights.names + weights.recency + weights.confidence + 0.1 * weights.stage


@pytest.mark.parametrize("intent", INTENTS)
def test_a_detected_intent_weighs_little_and_an_asked_one_more(intent: Intent) -> None:
    detected, asked = intent_weights(intent, asked=False), intent_weights(intent, asked=True)
    assert (detected, asked) == (DETECTED_WEIGHTS[intent], ASKED_WEIGHTS[intent])
    assert 0 < most(detected) <= 0.25 + 1e-9
    assert 3 * most(detected) < most(asked) <= 1.6 + 1e-9
    assert not detected.by_time
    for kind, z in detected.kinds:
        assert z < dict(asked.kinds)[kind]
    assert all(getattr(detected, name) <= getattr(asked, name) for name in ("names", "recency", "confidence", "stage"))


def test_without_an_intent_nothing_weighs() -> None:
    assert intent_weights(None, asked=True) is NO_INTENT_WEIGHTS
    assert all(not getattr(NO_INTENT_WEIGHTS, field.name) for field in fields(NO_INTENT_WEIGHTS))


def test_only_what_happened_is_put_in_the_order_of_time_and_only_when_asked() -> None:
    assert [intent for intent in INTENTS if ASKED_WEIGHTS[intent].by_time] == ["what_happened"]


@given(st.text(st.characters(), max_size=80) | st.text("how to 왜 실패 error어떻게언제파일?. ", max_size=60))
def test_any_text_is_read_the_same_way_twice(text: str) -> None:
    detected = detect_intent(text)
    assert detected == detect_intent(text)
    assert detected.cues or detected.intent is None
    assert parse_intent(text) in (None, *INTENTS)


@pytest.mark.parametrize(
    "unit", ["why ", "fix a ", "왜 ", "파일 ", "where is ", "가", "a", "함수 가나다 ", "what is a ", "function a"]
)
def test_cost_is_linear(unit: str) -> None:
    start = time.process_time()
    detect_intent(unit * (100_000 // len(unit)))
    assert time.process_time() - start < 1
