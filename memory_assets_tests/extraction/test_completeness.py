"""What can carry a memory, and what is a part of a sentence."""

from time import process_time

import pytest

from memory_assets.extraction.completeness import asks_to_know, can_carry, is_torn, points_back
from memory_assets.extraction.cues import built_in_rules
from memory_assets.extraction.findings import asks_how_it_is
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.scoring import score_window
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user


def carries(*talk: Message) -> bool:
    (window,) = windows(talk)
    *_, last = score_window(talk, window, built_in_rules())
    return can_carry(last)


@pytest.mark.parametrize(
    "text",
    [
        "- `docs/guides/monitoring.md` (140 lines)",
        "- **monitoring.md** (140 lines) - 모니터링 표준",
        "- Lines 21-23 (modified): a new import",
        "15개 파일 모두 완료되었습니다.",
        "12/15 완료, 3개 진행 중입니다.",
        "/home/someone/project/utils/file_utils.py",
        "https://github.com/acme/shop/pull/12",
        "- Updated the README of the reader.",
        "and the second half of it, which nobody reads",
        "## The root cause in one sentence",
        "### 원인과 해결",
        "Good challenge — let me verify the project file before reasoning about it, since your proposal hinges on it.",
        "`sst/opencode` redirects to another repository, so I\u2019ll read its workflows instead of relying on the name.",
        "**Tests added** (`pkg/cmd/resume_test.go`): the content survives a round trip",
        "- Con: changes the ID scheme, existing ids would shift",
        "- **장점:** 해시 방식이 그대로다",
        "**Root-cause fix (`pkg/utils/project_identity.go`):**",
        "### Task 2: Populate `StartedAt` during condensation and checkpoint writes",
        "## Step 3 — the cursor of the sensor is not read",
        "### 작업 4: `resume` 경로를 함수로 옮긴다",
    ],
)
def test_what_carries_nothing_when_an_agent_says_it(text: str) -> None:
    assert not carries(user("so"), agent(text))


@pytest.mark.parametrize(
    "text",
    [
        "`SessionState` is stored in `.git/sessions`, one file for each session.",
        "The root cause is a stale cursor in the sensor.",
        "원인은 `posMap`이 NFD 텍스트를 잘못 세기 때문입니다.",
        "docs/tasks.md says that a task is never born done.",
        "Node.js (v20) is required because the tests use its own runner.",
        "`asyncio.run()` must not be called twice: the second call finds a closed loop.",
        "2 tests are flaky on the main branch.",
        "## Root cause: the cursor of the sensor is stale",
        "## `docs/guides` → `guides`",
        "## The cache is on Redis",
        "## 캐시를 Redis로 옮기기로 했다",
        "Let me be clear: the cursor of the sensor is stale.",
        "**Root cause:** the cursor of the sensor is stale.",
        "The tests added last week are flaky on the main branch.",
        "## Task 2 is not done: the cursor of the sensor is stale",
        "## The cursor of the sensor is stale whenever two runs of the same job end at once",
    ],
)
def test_what_can_carry_a_memory(text: str) -> None:
    assert carries(user("so"), agent(text))


def test_a_person_may_be_short() -> None:
    assert carries(user("and only on macOS"))
    assert not carries(user("./src/app.py"))
    assert not carries(user("--verbose --output /srv/run.log"))
    for said in ("--dry-run should be what it does by default", "--no-verify 금지", "--force never", "-Rename parser"):
        assert carries(user(said)), said


def test_hyphens_are_read_in_linear_time() -> None:
    started = process_time()
    said = "-Users-kim-dev-work-main-repo-memory-assets-src-app-test-foo-bar-baz-old-copy-two-now-the-end is where we keep it"
    assert carries(user(said)) and carries(user(said.replace("-src", "-src-lib-one-more-of-each-of-them-here")))
    assert process_time() - started < 5  # with each hyphen as a place to begin anew it doubles with each


@pytest.mark.parametrize(
    "text",
    [
        "Early Return (manual_hooks.go:936",
        "**Bold without an end",
        ") - the rest of it",
        "a `b",
        "because of it",
        "rather than comparing against the parent commit",
        "→ `<...>` 변경",
        "(comparing the results of the glob) does not seem justified",
    ],
)
def test_parts_of_sentences(text: str) -> None:
    assert is_torn(text)


@pytest.mark.parametrize(
    "text",
    [
        "Keep it (for now).",
        "a) keep the log",
        "`f(x` is a call.",
        "**Bold** and plain",
        "1) one",
        "It is x ** 2 now.",
        "It works :) again",
    ],
)
def test_whole_sentences(text: str) -> None:
    assert not is_torn(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is never called.",
        "But that breaks the tests",
        "이건 원인이 아니다",
        "즉, 두 번 읽는다",
        "하지만 느리다",
        "위와 같은 작업을 다시 해줘",
        "해당 파일도 옮겨줘",
        "Without this, a session keeps its stale id.",
        "More importantly, nobody reads it.",
        "원인은 두 가이드가 서로 충돌하기 때문이다.",
        "연관된 문서가 있으면 삭제해줘.",
    ],
)
def test_words_that_point_back(text: str) -> None:
    assert points_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "Italy is warm",
        "The log is append-only",
        "이것저것 다 해봤다",
        "즉시 배포한다",
        "So far the log grows",
        "Without a lock two writers meet",
        "원인이 된 커밋은 되돌렸다",
        "결과물은 그대로 둔다",
        "해당되는 파일이 없다",
    ],
)
def test_words_that_do_not(text: str) -> None:
    assert not points_back(text)


def test_what_points_back_is_quoted_with_what_names_it() -> None:
    talk = [user("so"), agent("`parse_time` drops the zone. That is the root cause of the wrong dates.")]
    (window,) = windows(talk)
    (found,) = extract_window(talk, window)
    assert found.evidence[0].quote == "That is the root cause of the wrong dates."
    assert found.evidence[1].quote == "`parse_time` drops the zone."
    assert found.title == "parse_time drops the zone. That is the root cause of the wrong dates."


@pytest.mark.parametrize(
    "text",
    [
        "Is there any reason why we need a separate release workflow?",
        "so why do we use MySQL here?",
        "What happens with the existing project files?",
        "do you think this follows the best practices",
        "can we tell whether those changes came before the hook ran?",
        "왜 배포가 두 번 실행되지?",
        "question: for a manual commit the branch is read when the commit is made?",
        "follow up: what does the reader do with a half line?",
        "how long do we keep rows in that table",
        "ok so what is the limit of the export",
        "can u tell me why it runs twice?",
    ],
)
def test_a_question_for_something_to_be_told_carries_nothing(text: str) -> None:
    assert not carries(user(text))


@pytest.mark.parametrize(
    "text",
    [
        "Revert the change to the Dockerfile, why did you touch it?",
        "Why did you delete the tests, put them back.",
        "Once the migration is done, drop the legacy table, which nobody reads anymore, ok?",
        "Implement the retry logic in client.py, is it because the server closes the socket that it fails?",
        "Refactor the parser into two modules, why did we put all of it in one file",
        "Could you update the docs, why did we drop it",
        "로그인 버튼 색을 바꿔줄수있어?",
        "Can you tell the linter to ignore the generated folder?",
        "Can you detect the operating system and pick the right shell?",
        "Could we tell users that their session is expired?",
        "Can you tell which rows are stale and delete them?",
        "왜 있는지 모르는 이미지 정리해줘",
        "어떻게 배포하는지 정리해줘 그리고 README에 넣어줘",
        "캐시를 Redis로 옮기자, 괜찮지?",
        "에러는 500 말고 400으로 내려야 하는 거 맞지?",
    ],
)
def test_an_order_with_a_question_behind_it_is_an_order(text: str) -> None:
    assert not asks_to_know(text)


@pytest.mark.parametrize("text", ["Can you move the release into its own workflow?", "Should we not use PostgreSQL instead?"])
def test_a_question_that_asks_for_work_or_proposes_can_carry(text: str) -> None:
    assert carries(user(text))


@pytest.mark.parametrize("text", ["**1. `docs/guides/monitoring.md`**", "**File:** `reader/common_test.go`"])
def test_a_numbered_file_carries_nothing(text: str) -> None:
    assert not carries(user("so"), agent(text))


@pytest.mark.parametrize(
    "text", ["[06/24/26 16:32 shop ~/code/shop/cli]", "setup_test.go:364: runEnable() error = no agents installed"]
)
def test_what_a_terminal_prints_carries_nothing(text: str) -> None:
    assert not carries(user(text))


@pytest.mark.parametrize(
    ("text", "entry_type"),
    [
        ("The function `readCart` in src/cart.ts iterates through all files of both trees.", "fact"),
        ("readCart() in src/cart.ts returns early.", "fact"),
        ("Additionally, readCartOfUser returns early in src/cart.ts.", "fact"),
        ("OK, I ran `go env` in src/cart.ts of the shop.", "fact"),
        ("OK, here's a run of `readCart` in src/cart.ts, where the cloud is down.", "fact"),
        ("src/export.ts 의 CSV 내보내기를 엑셀에서 열면 한글이 깨져.", "fact"),
        ("src/table.ts 의 예전 행이 UTC로 묶여 있거든.", "fact"),
        ("Width of the table of providers in src/table.go 12, nothing else.", "decision"),
        ("why is it showing such a high number in src/table.go: 50,000 lines [4 checkpoints]", "insight"),
    ],
)
def test_what_a_person_describes_is_not_decided(text: str, entry_type: str) -> None:
    talk = [user(f"{text} Nobody knows why.")]
    (window,) = windows(talk)
    assert [entry.entry_type for entry in extract_window(talk, window)] == [entry_type]


@pytest.mark.parametrize(
    "text",
    [
        "Can you check: what would happen when the token of the login expires?",
        "Check whether the cart survives a restart?",
        "Can you help me if the login form breaks again?",
    ],
)
def test_a_question_for_something_to_be_told_or_promised_carries_nothing(text: str) -> None:
    assert not carries(user(text))
    assert carries(user("Can you check whether the cart survives a restart, and fix it if it does not?"))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("why is it showing such a high number:", True),
        ("ok, so why does the import stop there", True),
        ("왜 숫자가 이렇게 높게 나오는지 모르겠어", True),
        ("why don't we use the cache instead", False),
        ("why not drop the column", False),
        ("Where would this need to be added, like we know the agent", True),
        ("ok, how are the steps counted", True),
        ("어디에 저장되는지 모르겠어", True),
        ("which is why we keep the rows of the old table", False),
        ("How about the cache of the session", False),
        ("when it is done, drop the column", False),
        ("the reason why is it in the table is the audit", False),
        ("왜냐하면 캐시가 낡았기 때문이야", False),
    ],
)
def test_who_asks_how_it_is_decides_nothing(text: str, asks: bool) -> None:
    assert asks_how_it_is(text) is asks
