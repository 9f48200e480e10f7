"""Which sentences of a person order something from now on, and which tell of what always happens."""

import pytest

from memory_assets.court.detectors.orders import is_order, polarity_of


@pytest.mark.parametrize(
    "text",
    [
        "Please never use any in TypeScript here.",
        "always squash before merging",
        "don't ever commit .env files",
        "When you write tests, always use table tests.",
        "In this repo we use pnpm, not npm.",
        "For every bug fix add a regression test.",
        "After each change, run the full suite.",
        "From now on, ask me before you delete anything.",
        "Going forward keep functions under 50 lines.",
        "Whenever you add an endpoint, update the OpenAPI file too.",
        "Make sure you always run lint before pushing.",
        "Every commit must reference a ticket from now on.",
        "I want you to always explain migrations before running them.",
        "Remember: never push directly to main.",
        "next time run the type checker before you tell me it's done",
        "In future, use uv instead of pip.",
        "Every time you finish a task, update CHANGELOG.md",
        "You should always prefer composition here.",
        "never again use sleep in tests, poll instead",
        "앞으로 PR 설명은 영어로 써줘",
        "앞으로는 테스트 없이 커밋하지 마",
        "이제부터 브랜치 이름은 feature/로 시작해",
        "다음부터는 물어보고 지워",
        "항상 타입 힌트 달아줘",
        "매번 커밋하기 전에 포맷터 돌려",
        "절대 프로덕션 DB에 직접 접속하지 마세요",
        "반드시 커밋 전에 테스트를 돌려라",
        "API 바꿀 때마다 문서도 같이 고쳐줘",
        "앞으로 로그는 한국어 말고 영어로",
        "이제부터는 존댓말로 답해줘",
        "항상 한국어로 대답해 주세요",
        "새 파일 만들 때는 꼭 라이선스 헤더를 넣어줘",
        "앞으로 마이그레이션은 항상 down도 같이 만들 것",
        "무조건 배포 전에는 나한테 확인받아",
        "커밋 메시지는 앞으로 이모지 빼고 써",
        "의존성 추가할 땐 항상 먼저 물어봐줘",
        "앞으로는 rm 쓰지 말고 trash 써줘.",
        "변수명은 앞으로 snake_case로 통일하자",
        "다음에 이런 작업 할 때는 백업부터 해줘",
        "매번 설명하지 말고 결과만 알려줘",
        "앞으로는 PR 하나에 한 가지만 담아주세요",
    ],
)
def test_an_order(text: str) -> None:
    assert is_order(text)


@pytest.mark.parametrize(
    "text",
    [
        "It has always worked before.",
        "this always returns the same id",
        "why do we never close the socket?",
        "I never saw that error.",
        "The job never finishes.",
        "tests always pass locally but never on CI",
        "The user must always be logged in to see this page.",
        "does it always do that?",
        "As always, thanks!",
        "We never got an answer from them.",
        "Just this once, skip the tests.",
        "for now always return true",
        "always print the exit code here while we debug",
        "앱이 항상 켜질 때 멈춰",
        "이 값은 항상 0이야",
        "왜 매번 빌드가 느려?",
        "절대 경로로 바꿔줘",
        "앞으로 3일 남았어",
        "앞으로 뭐 할까?",
        "항상 고마워",
        "로그가 매번 두 번씩 찍혀",
        "이번에는 항상 켜둬",
        "사용자가 로그인할 때마다 토큰이 갱신돼",
        "매번 같은 에러가 나네",
        "모든 테스트가 통과했어",
        "꼭 확인해줘",
        "반드시 오늘 안에 끝내줘",
        "항상 이 버튼이 비활성화되어 있어야 해?",
        "서버가 늘 이 시간에 죽어요",
        "모든 파일을 src로 옮겨줘",
        "모든 테스트를 돌려줘",
        "함수가 호출될 때마다 카운터를 올려줘",
        "For each row print the id.",
        "After every request the counter should go up.",
        "every user has always one role",
        "Use a for loop for each item in the list.",
    ],
)
def test_no_order(text: str) -> None:
    assert not is_order(text)


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Always run the linter.", "do"),
        ("Never push to main.", "dont"),
        ("앞으로는 물어보고 지워줘", "do"),
        ("절대 푸시하지 마", "dont"),
    ],
)
def test_what_is_ordered_or_forbidden(text: str, polarity: str) -> None:
    assert polarity_of(text) == polarity
