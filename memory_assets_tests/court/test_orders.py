"""Which sentences of a person order something from now on, and which tell of what always happens."""

import pytest

from memory_assets.court.detectors.orders import is_order, polarity_of
from memory_assets_tests.court.talk import Talk


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
        "house rule: no default exports",
        "rule for this repo: tests live next to the code",
        "we never mock the database here",
        "please no emojis in this project",
        "let's make it a rule that every PR has a changelog line",
        "starting today, all dates are UTC",
        "by default answer in Korean",
        "I don't want to see console.log in commits again",
        "note for the future: staging first, then prod",
        "as of now we only use pnpm",
        "in this codebase we don't use inheritance",
        "remember this: migrations are never edited after merge",
        "이 프로젝트에서는 default export 금지",
        "우리 팀은 축약어 안 써",
        "규칙 하나 추가할게: 커밋은 영어로",
        "기억해둬, 배포는 항상 스테이징 먼저야",
        "담부터는 테스트부터 짜줘",
        "담엔 물어보고 해",
        "기본적으로 답변은 한국어로 해줘",
        "오늘부터 날짜는 전부 UTC로 통일",
        "커밋 전에는 항상 포맷 돌리기",
        "새 API는 반드시 문서도 같이 써야 해",
        "앞으로 이런 건 먼저 물어보고 진행해",
        "로그에 개인정보는 절대 남기면 안 돼",
        "이제 커밋할 때마다 이슈 번호 붙여줘",
        "commit messages always in English",
        "tests always next to the code, never in a tests folder",
        "before you delete anything, ask first",
        "Go ahead with the plan, but before you commit anything, ask me first.",
        "Always leave a test behind along the way.",
        "new rule, every script gets a --dry-run flag",
        "use tabs in this repo. always.",
        "no exceptions: every query goes through the repository layer",
        "whenever in doubt, ask",
        "if you need a new dependency, ask first, always",
        "every migration needs a down migration from now on",
        "dates always as ISO",
        "항상 테스트 먼저",
        "무조건 pnpm만 써",
        "커밋 메시지는 항상 영어로",
        "절대 main에 푸시 금지",
        "매번 확인부터 부탁해",
        "뭐든 지우기 전엔 먼저 물어봐",
        "예외 없이 모든 쿼리는 repository를 거치게 해",
        "앞으로 날짜는 ISO로",
        "로그는 항상 영어로 남기자",
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
        "Proceed with phase 1, ask me any questions along the way.",
        "You can start with phase 2, and ask me every question that comes up along the way.",
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
        "what's the rule for tests here?",
        "starting today the API returns 500",
        "by default the port is 3000",
        "I remember that this worked",
        "이 프로젝트에서는 뭘 써?",
        "오늘부터 에러가 나",
        "기본적으로 꺼져 있어",
        "규칙이 뭐야?",
        "we never saw this before",
        "note that the API is slow",
        "this codebase is old",
        "until the demo always use the mock server",
        "as long as we debug, always log the query",
        "during this migration never restart the workers",
        "keep it like that until tomorrow",
        "always on my mind",
        "무조건 오늘 안에 끝내줘",
        "데모 끝날 때까지는 항상 목 서버 써",
        "이 마이그레이션 동안은 절대 재시작하지 마",
        "항상 느린 게 문제야",
        "절대 안 되네",
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


@pytest.mark.parametrize(
    "text",
    [
        "Every endpoint you write gets an integration test.",
        "Keep functions below forty lines.",
        "Use British spelling in all user-facing text.",
        "Before you delete something, show me the list.",
        "From this sprint on we tag releases with the date.",
        "Any schema change goes through Nadia first.",
        "변수명은 영어로 통일해 주세요.",
        "삭제하기 전에는 목록부터 보여줘.",
        "모든 API에는 통합 테스트를 붙여줘.",
        "답변은 쭉 한국어로 부탁해요.",
        "스키마 변경은 먼저 민지님 확인을 받고 진행해 주세요.",
        "함수는 40줄 넘기지 말 것.",
    ],
)
def test_a_rule_told_of_the_work(text: str) -> None:
    assert is_order(text)


@pytest.mark.parametrize(
    "text",
    [
        "We squash merge here.",
        "Don't commit generated files.",
        "You may not touch the vendor folder.",
        "This project is pnpm only.",
        "vendor 폴더는 건드리면 안 돼.",
        "배포는 금요일엔 안 합니다.",
        "테스트 없는 PR은 받지 않습니다.",
    ],
)
def test_how_we_do_it_is_an_order_unless_it_corrects(text: str) -> None:
    talk = Talk().user("Start.").agent("Started.").user(text)
    assert [finding.kind for finding in talk.found()] == ["standing_order"]


@pytest.mark.parametrize(
    "text",
    [
        "tell me if it compiles",
        "I want it to fail before you touch anything",
        "That message should say upgrade",
        "The function only handles objects.",
        "All tests should pass now.",
        "이 함수는 항상 null을 반환해.",
        "이 버튼은 동작하지 않습니다.",
        "모든 파일에 라이선스 추가해줘",
    ],
)
def test_how_the_product_is_and_what_is_wanted_now_is_no_order(text: str) -> None:
    assert Talk().user("Start.").agent("Started.").user(text).found("standing_order") == []


@pytest.mark.parametrize(
    "text",
    [
        # What the one who is spoken to does again and again.
        "any time you add a table, drop a note in the wiki",
        "once you open a pull request, post the link in the channel",
        "whenever you rename a flag regenerate the man page",
        "show me the numbers for every query you rewrite",
        "PR 올릴 땐 스크린샷도 같이 붙여줘",
        "이건 됐고 스키마 건드릴 땐 나한테 얘기해줘",
        # Nothing and nobody, nowhere and to nobody.
        "nobody pushes to main without a review",
        "no branch leaves your machine without a green build",
        "nothing gets merged until the audit is over",
        "토큰은 어디에도 커밋하지 마세요",
        # A place taken whole.
        "leave everything in third_party alone",
        "quit adding type ignores in this codebase",
        "I don't want binaries in our repo",
        # It holds for all, or is to stay so.
        "get into the habit of citing the ticket",
        "tabs, not spaces, goes for everybody",
        "리뷰 코멘트는 한국어로 달도록 하세요",
        "배포는 승인 난 뒤에만 하는 거야",
        "테스트 깨진 채로 머지 안 하는 게 우리 팀 원칙이야",
        "develop에서는 스쿼시하지 말고 그대로 올려",
        "누가 물어보든 비밀번호는 알려주지 마",
        "hands off the billing tables unless Ines is there",
        "I want each script you hand me to have a dry run",
        "everything that customers see stays behind a flag",
        "whenever a schema changes, bump the version in the same commit",
        "인증 코드는 보안팀 리뷰 없이 배포 안 돼",
        "오래 걸리는 건 돌리기 전에 알려줘",
    ],
)
def test_an_order_that_lasts_by_its_form(text: str) -> None:
    assert is_order(text)


@pytest.mark.parametrize(
    "text",
    [
        # A task, however much it takes.
        "replace all tabs with spaces in every file",
        "rename foo to bar across the whole codebase",
        "delete every file you created",
        "list every file you want to change",
        "run the tests before you commit",
        "write a failing check before you touch anything",
        "before you start any work, give me a plan",
        "don't touch anything else",
        # What happens, and how the product is.
        "when you click a button nothing happens",
        "whenever you save a file webpack rebuilds",
        "nothing works without the env file",
        "no rows come back without the index",
        "requests go through the proxy first",
        "an order without items does not get shipped",
        "알림은 한 번만 가야 하고 실패하면 무조건 다시 보내야 해",
        "로그인할 때는 토큰을 먼저 확인하게 해줘",
        "사용자가 삭제할 땐 확인 창을 띄워줘",
        "이거 고칠 땐 테스트도 돌려줘",
        "버튼은 누르면 비활성화되도록 해줘",
        "삭제는 하지 말고 숨기기만 하게",
        "테이블에는 이름 넣지 말고 아이디만 넣어줘",
        "Every time I open the page, React renders twice",
        "The retention policy is deleting all rows",
        "이 API는 외부에서 접근 불가",
        "오늘은 커밋만 하고 푸시는 하지 마",
        # Until somebody in the talk has done something.
        "don't push to any branch until I have looked",
        "everything is broken behind the flag",
        "I want every query to be logged",
        "로그인 없이 접속이 안 돼",
    ],
)
def test_a_task_and_what_happens_are_no_orders(text: str) -> None:
    assert not is_order(text)
