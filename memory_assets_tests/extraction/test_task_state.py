"""What sentences say of the status and the priority of a task, and what they only seem to say."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.task_state import priority_said, standing
from memory_assets.vocabulary import Priority, TaskStatus

SAID: dict[TaskStatus, list[str]] = {
    "pending": [
        "로그인 버그 고칠 것",
        "로그인 버그를 고쳐야 함",
        "테스트도 써야 합니다",
        "이건 나중에 처리",
        "남은 일은 문서뿐",
        "TODO: fix the login",
        "We need to migrate the database",
        "I'll do the docs later",
        "This is a follow-up for next week",
        "완료되면 배포할 것",
        "The legacy cart should be dropped once nobody uses it.",
        "온콜 런북 작성이 아직 안 됐네요. 다음 주에 합시다.",
    ],
    "in_progress": [
        "결제 모듈 리팩터링은 진행 중입니다",
        "로그인 화면 작업 중",
        "문서를 정리하고 있음",
        "I'm working on the exporter",
        "WIP: new parser",
        "I started the migration yesterday",
        "정산 API 작업을 제가 맡아서 시작했습니다.",
        "거의 끝남",
        "It is almost done",
        "아직 진행 중",
        "로그인 버그가 다시 나타나서 작업 중입니다.",
        "The importer is in progress",
    ],
    "blocked": [
        "배포가 막혀 있음",
        "릴리스 막힘",
        "보안 리뷰 대기 중",
        "권한 때문에 배포 못 하고 있어요",
        "The release is blocked on the npm token",
        "We're waiting for the security review",
        "The deploy depends on the migration",
        "We can't ship until PR #41 is merged.",
        "PR #12가 머지되어야 진행 가능",
        "보안 리뷰가 끝나야 배포 가능",
        "The importer is blocked.",
        "디자인 확정 전까지 진행 불가",
        "리뷰 끝날 때까지 대기",
        "Stuck on the certificate",
    ],
    "done": [
        "설정 파일 나누기 끝냄",
        "마이그레이션 완료",
        "테스트를 추가했습니다",
        "리팩터링을 마쳤어요",
        "The exporter is done",
        "I finished the docs",
        "Fixed the login bug",
        "The exporter is fixed now.",
        "로그인 버그 수정이 이번에는 정말 끝났습니다.",
        "The runbook is written and published.",
        "Kim's review is done, two small comments only.",
        "완료했습니다!",
        "다 끝냈지만 문서는 짧음",
    ],
    "cancelled": [
        "이 작업은 취소",
        "대시보드는 안 하기로 했습니다",
        "The legacy importer was dropped",
        "We won't do the dark mode",
        "The cache is no longer needed",
        "하지 않기로 했어요",
        "이제 필요 없어졌음",
        "Cancelled: the dark mode",
        "마이그레이션은 취소했습니다",
    ],
}

NOT_SAID: dict[TaskStatus, list[str]] = {
    "done": [
        "아직 안 끝남",
        "not done yet",
        "if it is done, tell me",
        "끝나면 알려줘",
        "완료되면 배포할 것",
        "배포가 완료되지 않았습니다",
        "테스트를 추가하지 못했습니다",
        "It isn't finished",
        "is it done?",
        "다 끝났나요?",
        "it should be fixed",
        "needs to be merged",
        "Fix the fixed-width font",
        "once the migration is done we can start",
        "끝냈으니 배포해줘",
        "mark it as done",
        "When the tests are done, merge it",
        "거의 끝남",
        "almost done",
        "쓰기로 했습니다",
        "the definition of done",
        "끝났으면 좋겠다",
        "끝내지 못했음",
        "the finished report lies in docs/",
        "실패했습니다",
        "안 했습니다",
        "끝났는지 확인",
        "can you get this done",
        "None of the tests are fixed",
        "Half of it is done",
        "50% done",
        "일부만 완료됐습니다",
        "반만 완료됨",
        "It could have been fixed",
        "I want it done",
        "couldn't get it done",
        "I thought it was fixed",
        "I can't say it's done",
        "It is far from done",
        "It was fixed but broke again",
        "수정했지만 안 됨",
        "완료했었는데 다시 깨짐",
        "수정할 뻔했습니다",
        "완료됐다고 할 수 없음",
        "끝났다고 볼 수 없음",
        "오류가 발생했습니다",
        "서버가 다운됐습니다",
        "포기했습니다",
        "반려됐습니다",
        "로그인 수정이 연기됐습니다",
    ],
    "blocked": [
        "The work is no longer blocked by the token",
        "We are not waiting for anyone",
        "막히지 않았음",
        "더 이상 막혀 있지 않음",
        "I was blocked on the token but it works now",
        "unblocked by the new token",
        "Is it blocked on anything?",
        "if it is blocked by CI",
        "기다릴 필요 없음",
        "왜 막혔나요?",
        "막혔던 배포",
        "막혀 있었는데 풀림",
        "막힘 없음",
        "리뷰 대기 중이 아님",
        "막혔을 때 표시",
        "It might be blocked by the review",
        "Stop waiting for the review",
        "Fix the page where the user is blocked",
    ],
    "in_progress": [
        "진행 중이던 작업",
        "not working on it",
        "is it in progress?",
        "if we started on it",
        "작업 중단",
        "시작했으면",
        "진행 중이 아님",
    ],
    "cancelled": [
        "Add a cancel button",
        "취소 버튼 추가해줘",
        "the cancelled orders page",
        "it was not dropped",
        "취소하지 않음",
        "if it is cancelled",
        "should it be dropped?",
        "필요 없는 파일 목록",
        "Handle cancelled orders",
        "Fix the mail when an order is cancelled",
        "취소하지 않기로 함",
    ],
    "pending": ["is there a todo list for later?"],
}


@pytest.mark.parametrize(("status", "text"), [(status, text) for status, texts in SAID.items() for text in texts])
def test_what_is_said(status: TaskStatus, text: str) -> None:
    assert standing(text).status == status


@pytest.mark.parametrize(("status", "text"), [(status, text) for status, texts in NOT_SAID.items() for text in texts])
def test_what_is_denied_awaited_or_asked_is_not_said(status: TaskStatus, text: str) -> None:
    assert standing(text).status != status


def test_the_last_word_stands_and_what_is_open_yields() -> None:
    assert standing("It was done, but now it is blocked on the token.").status == "blocked"
    assert standing("Blocked on the token for a week, fixed now.").status == "done"
    assert standing("나중에 하려던 정리 작업은 취소했습니다").status == "cancelled"
    assert standing("배포를 끝냈고 지금은 리뷰 대기 중").status == "blocked"
    assert standing("TODO: the importer (in progress)").status == "in_progress"


def test_letters_that_are_taken_apart_say_the_same() -> None:
    assert standing(unicodedata.normalize("NFD", "마이그레이션 완료")).status == "done"


def test_a_curly_apostrophe_is_an_apostrophe() -> None:
    assert standing("It isn’t done").status is None
    assert standing("We can’t ship until the review").status == "blocked"


PRIORITIES: dict[Priority | None, list[str]] = {
    "critical": [
        "P0: fix the login",
        "최우선으로 처리",
        "this is critical",
        "Fix it (critical)",
        "critical priority",
        "top priority",
    ],
    "high": [
        "P1 bug",
        "급함",
        "긴급 배포",
        "중요한 작업",
        "this is urgent",
        "high priority",
        "우선순위 높음",
        "please, asap",
        "중요!",
    ],
    "medium": ["P2", "medium priority", "우선순위는 중간"],
    "low": [
        "(P3)",
        "nice to have",
        "나중에 해도 됨",
        "low priority",
        "급하지 않음",
        "not urgent",
        "isn't critical",
        "중요하지 않음",
        "우선순위: 낮음",
        "no rush",
        "선택사항",
    ],
    None: [
        "Fixed Critical Attribution Bug",
        "Phase P14",
        "the critical path",
        "path/P1/x",
        "the P1.5 release",
        "fix the login",
        "로그인 수정",
    ],
}


@pytest.mark.parametrize(("priority", "text"), [(priority, text) for priority, texts in PRIORITIES.items() for text in texts])
def test_priorities(priority: Priority | None, text: str) -> None:
    assert priority_said(text) == priority


PIECES = st.sampled_from(
    [
        "not",
        "if",
        "done",
        "blocked",
        "on",
        "until",
        "the",
        "안",
        "못",
        "아직",
        "완료",
        "끝냈",
        "지",
        "않",
        "대기 중",
        "때문에",
        "can't",
        "won't",
        "be",
        "?",
        ",",
        "되어야",
        "가능",
        "P0",
        ".",
    ]
)
WORDS = st.lists(PIECES, max_size=30).map(" ".join)


@given(st.one_of(WORDS, st.text(max_size=200)))
def test_any_text_is_read(text: str) -> None:
    found = standing(text)
    assert found.status not in found.denied
    assert standing(text) == found
    priority_said(text)


@pytest.mark.parametrize(
    "piece", ["a ", "can't a ", "not be ", "완료 ", "때문에 가 ", "되어야 가 ", "없어서 ", "if ", "- ", "가", "P", "\n"]
)
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    for text in (piece * 3_000, "blocked on " + piece * 3_000, piece * 3_000 + "done"):
        standing(text)
        priority_said(text)
    assert time.process_time() - started < 0.5
