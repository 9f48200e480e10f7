"""What a task is called, whatever a title says of how far it has come."""

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.tasks.naming import LONGEST_TITLE, blocker_title, task_title

PARTS = [
    *(
        "TODO:",
        "[x]",
        "- [ ]",
        "완료:",
        "나중에",
        "we need to",
        "let's",
        "fix the login",
        "로그인 버그 수정",
        "버그를 고쳐야 함",
        "끝냄",
    ),
    *(
        "is done",
        "(in progress)",
        ", blocked on the review",
        "막혀 있음",
        "대기 중",
        "할 것",
        "해야 함",
        "필요",
        "until",
        "is merged",
        "later",
    ),
    *("~~a~~", "때문에", "PR 12에", "고쳤습니다", "하기로 함", ".", " - ", "?", "✅", "working on", "finished", "done"),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PARTS), max_size=7).map(" ".join))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "로그인 버그 수정 끝냄",
            "로그인 버그 수정할 것",
            "[ ] 로그인 버그 수정",
            "로그인 버그 수정했음",
            "로그인 버그 수정했습니다.",
        ),
        *("로그인 버그 수정하기로 함", "로그인 버그 수정 진행 중", "로그인 버그 수정 중", "로그인 버그 수정이 막혀 있음"),
        *(
            "나중에 로그인 버그 수정",
            "로그인 버그 수정은 나중에",
            "완료: 로그인 버그 수정",
            "로그인 버그 수정 완료",
            "[완료] 로그인 버그 수정",
        ),
        *(
            "로그인 버그 수정이 끝났습니다",
            "로그인 버그 수정 필요",
            "할 일: 로그인 버그 수정",
            "로그인 버그 수정 - 진행 중",
            "✅ 로그인 버그 수정",
        ),
        *(
            "로그인 버그 수정, 리뷰 대기 중",
            "로그인 버그 수정 (PR 12에 막혀 있음)",
            "로그인 버그 수정은 PR 12에 막혀 있음",
            "로그인 버그 수정하기",
        ),
        *("PR 리뷰 때문에 로그인 버그 수정이 막혀 있음", "로그인 버그 수정 다 했음", "로그인 버그 수정해 주세요"),
    ],
)
def test_korean_status_is_no_part_of_the_name(text: str) -> None:
    assert task_title(text) == "로그인 버그 수정"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("로그인 버그를 수정해야 함", "로그인 버그를 수정"),
        ("로그인 버그를 수정해야겠다", "로그인 버그를 수정"),
        ("로그인 버그를 고쳐야 합니다", "로그인 버그를 고치기"),
        ("로그인 버그를 고쳤습니다", "로그인 버그를 고치기"),
        ("로그인 버그를 고칠 것", "로그인 버그를 고치기"),
        ("로그인 버그는 나중에 고치자", "로그인 버그는 고치기"),
        ("문서를 써야 함", "문서를 쓰기"),
        ("테스트를 만들 것", "테스트를 만들기"),
        ("로그 넣을 것", "로그 넣기"),
        ("설정 화면을 바꾸기로 했다", "설정 화면을 바꾸기"),
        ("파일을 지울 것", "파일을 지우기"),
        ("주소를 알려줄 것", "주소를 알려주기"),
        ("배포하지 말 것", "배포하지 말기"),
        ("로그인 버그를 고치지 못했음", "로그인 버그를 고치기"),
        ("로그인 버그 수정하지 못했습니다", "로그인 버그 수정"),
        ("로그인 버그 수정해야 하는데 막힘", "로그인 버그 수정"),
        ("로그인은 되는데 배포가 막혀 있음", "배포"),
        ("요금제 페이지 번역은 법무팀 검토를 기다리고 있어서 진행 불가 상태입니다.", "요금제 페이지 번역"),
        ("결제 서버는 준비 상태입니다", "결제 서버는 준비 상태입니다"),
        ("배포 가능한 상태여야 함", "배포 가능한 상태여야 함"),
        ("라벨을 붙입니다", "라벨을 붙이기"),
        ("디자인은 좋은데 리뷰를 기다리는 중", "디자인"),
        ("도와주세요", "돕기"),
    ],
)
def test_a_korean_verb_stays_readable(text: str, title: str) -> None:
    assert task_title(text) == title


@pytest.mark.parametrize(
    "text",
    [
        *("Fix login bug", "[x] Fix login bug", "- [~] Fix login bug", "* [ ] TODO: Fix login bug", "TODO(kim): Fix login bug"),
        *(
            "We still need to Fix login bug",
            "Let's Fix login bug",
            "Fix login bug is done",
            "Fix login bug - done",
            "Fix login bug finished.",
        ),
        *(
            "Fix login bug (in progress)",
            "Fix login bug, blocked on the review of PR 12",
            "Fix login bug is blocked by PR 12",
            "1. Fix login bug",
        ),
        *(
            "Fix login bug later",
            "Fix login bug — WIP",
            "Could you please Fix login bug?",
            "~~Fix login bug~~",
            "Fix login bug ✅",
        ),
        *(
            "Fix login bug (waiting for design)",
            "DONE: Fix login bug",
            "Fix login bug is still in progress",
            "I'll Fix login bug",
        ),
    ],
)
def test_english_status_is_no_part_of_the_name(text: str) -> None:
    assert task_title(text) == "Fix login bug"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "완료 버튼 추가",
            "Add a done state",
            "TODO 앱 만들기",
            'Fix "in progress" label',
            'Fix label "in progress"',
            "Mark a todo as done",
        ),
        *(
            "Show orders that are in progress",
            "Resume the upload",
            "Check if the build is done",
            "나중에 보기 기능 추가",
            "알림 보관함",
        ),
        *(
            "Fix requests blocked by CORS",
            "Completed tasks should be hidden",
            "TODO list view",
            "할 일 목록 화면 만들기",
            "진행 중 상태 추가",
        ),
        *(
            "AWS 람다",
            "WIP limit for the board",
            "Fix a test waiting for the server",
            "완료",
            "DONE",
            "TODO",
            "Finish",
            "결제 결함",
            "사용자",
        ),
        *(
            "Verify the migration is done",
            "We must not deploy on Friday",
            "Later",
            "끝",
            "Filter todos by done",
            "Set the state to done",
        ),
        *(
            "Save items for later",
            "Implement buy now, pay later",
            "Add column: done",
            "Document states: pending, in progress, done",
            "Bug: the job is stuck",
            "Fix: orders remain pending",
            "재고 있음",
            "버그가 있습니다",
        ),
    ],
)
def test_the_task_itself_is_never_taken_away(text: str) -> None:
    assert task_title(text) == text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("waiting for the review of PR 12", "the review of PR 12"),
        ("blocked on the schema migration", "the schema migration"),
        ("until the schema migration is merged", "the schema migration"),
        ("the login fix to land", "the login fix"),
        ("after the release", "the release"),
        ("the API key", "the API key"),
        ("디자인 리뷰 대기", "디자인 리뷰"),
        ("디자인 리뷰를 기다리는 중", "디자인 리뷰"),
        ("디자인 리뷰가 끝나야 함", "디자인 리뷰"),
        ("스키마 변경이 머지될 때까지 대기", "스키마 변경"),
        ("스키마 리뷰에 막혀 있음", "스키마 리뷰"),
        ("보안 팀 승인 필요", "보안 팀 승인"),
        ("법무 검토 이후", "법무 검토"),
        ("DB 이전 완료 후", "DB 이전"),
        ("waiting", "waiting"),
        ("대기", "대기"),
    ],
)
def test_what_is_waited_for(text: str, title: str) -> None:
    assert blocker_title(text) == title


def test_deferring_is_a_status() -> None:
    assert task_title("Read the docs later") == "Read the docs"
    assert task_title("Fix: login page is done") == "Fix: login page"


@pytest.mark.parametrize(
    "text", ["로그인 버그 수정 끝냄", "디자인 리뷰를 기다리는 중", "로그인 버그를 고쳐야 함", "Café is done"]
)
def test_letters_that_are_taken_apart_are_the_same(text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert task_title(apart) == task_title(text)
    assert blocker_title(apart) == blocker_title(text)


@given(texts)
@example("TODO: TODO")
@example("done done done is done")
@example("버그를 고쳐야 함 끝냄")
def test_naming_is_idempotent_and_never_empty(text: str) -> None:
    for named in (task_title, blocker_title):
        once = named(text)
        assert named(once) == once
        assert bool(once) == bool(text.strip())


@pytest.mark.parametrize(
    "unit",
    [
        "[x] ",
        "TODO: ",
        "막혀 있음 ",
        "is done ",
        "- ",
        "때문에 ",
        "해야 ",
        "~~",
        "blocked on ",
        "대기 중 ",
        "가",
        " ",
        "(in progress",
        "야 함 ",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    started = time.process_time()
    for length in (LONGEST_TITLE - 10, 100_000):
        text = unit * (length // len(unit))
        task_title(text)
        blocker_title(text)
        task_title("버그 " + text + " 끝냄")
    assert time.process_time() - started < 2.0
