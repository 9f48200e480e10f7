"""The embedded extractor: what it keeps, what it leaves, and that every quote of it stands in its message."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.cues import LIMITS, built_in_rules, parse_rules
from memory_assets.extraction.errors import RulesInvalidError
from memory_assets.extraction.extractor import RuleExtractor
from memory_assets.extraction.rules import CODE_VERSION, extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.windows import Window, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.depth import depth
from memory_assets_tests.extraction.talk import agent, message, user

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def entries(*talk: Message) -> list[ExtractedEntry]:
    return [entry for window in windows(talk) for entry in extract_window(talk, window)]


@pytest.mark.parametrize(
    ("text", "entry_type"),
    [
        ("Let's go with DuckDB for the event log.", "decision"),
        ("We decided to keep the log append-only.", "decision"),
        ("We should store spans as code points instead of bytes.", "decision"),
        ("이벤트 로그는 DuckDB로 가자.", "decision"),
        ("임베딩은 로컬 모델을 쓰기로 했어.", "decision"),
        ("Always answer in Korean, whatever the question is.", "preference"),
        ("Never push to main without a review.", "preference"),
        ("커밋 메시지는 항상 한국어로 작성한다.", "preference"),
        ("테스트는 절대 건너뛰지 마.", "preference"),
        ("I prefer small modules with one idea each.", "preference"),
        ("Ask me before you drop a column of the orders table.", "preference"),
        ("테이블을 지울 경우 먼저 나한테 물어봐줘.", "preference"),
        ("no new deps in the web app, they rot", "preference"),
        ("센서 쓰지말자 우리 airflow에서는", "preference"),
        ("make it 90 seconds, disputes of the auditors come in late", "decision"),
        ("청크 크기는 1000으로 가자 5000에서는 메모리가 모자라", "decision"),
        ("can u add a test for the reader pls", "task"),
        ("6월 3일부터 11일까지 백필 돌려야지", "task"),
        ("Can you add a test for the reader?", "task"),
        ("fix the flaky sensor test", "task"),
        ("README에 설치 방법을 추가해줘.", "task"),
        ("Make sure that the parser rejects an empty header.", "task"),
        ("Let's fix the broken login form of the shop.", "task"),
        ("Look at the notes of the review and resolve what is open.", "task"),
        ("가격은 필수 항목으로 명시해줘.", "task"),
        ("민수한테 배포 일정을 물어봐줘.", "task"),
        ("I think there could be a race between our reader in shop/orders.py and its writer.", "insight"),
        ("Adding debug logs in shop/orders.py like those of the writer would improve what we see of a race.", "insight"),
        ("The root cause is a stale cursor in the sensor.", "insight"),
        ("원인은 잘못된 오프셋 계산이다.", "insight"),
        ("see https://github.com/dagster-io/dagster/issues/1234 about it", "reference"),
        ("ok, here's the log of the run that failed: ~/shop/logs/run-12/debug.log", "reference"),
    ],
)
def test_what_a_person_says(text: str, entry_type: str) -> None:
    found = entries(user(text))
    assert [entry.entry_type for entry in found] == [entry_type]
    assert found[0].evidence[0].quote == text
    assert found[0].title


@pytest.mark.parametrize(
    ("text", "entry_type"),
    [
        ("The issue is that `ingest` reads the file twice, which means every record is counted two times.", "insight"),
        ("`SessionState` is stored in `.git/sessions`, and it only keeps the untracked files of a session.", "fact"),
        ("원인은 `posMap`이 NFD 텍스트를 잘못 세기 때문입니다.", "insight"),
        ("`total_of_order` now uses the shared helper of the `shop` package.", "fact"),
        ("All three readers of the `shop` were calling `total_of_order` instead of going through the cache.", "fact"),
        ("Use `total_of_order` instead of `sum`, because it rounds as the `shop` does.", "decision"),
    ],
)
def test_what_an_agent_finds_out(text: str, entry_type: str) -> None:
    found = entries(user("how does it look"), agent(text))
    assert [entry.entry_type for entry in found] == [entry_type]


@pytest.mark.parametrize(
    "reported",
    [
        "상점의 `description` 필드는 한국어에서 영어로 변환되었습니다.",
        "- 상점의 `description` 필드: 한국어 → 영어로 변환 완료",
        "모든 상점 문서가 동일한 `front matter` 구조와 마크다운 형식을 따르고 있습니다.",
        "이 문서는 복잡한 XML 트리를 마크다운 계층 구조로 변환한 대표 사례입니다.",
    ],
)
def test_what_an_agent_reports_to_be_so_was_not_decided(reported: str) -> None:
    found = entries(user("어떻게 되어 있어"), agent(reported))
    assert all(entry.entry_type != "decision" for entry in found)


@pytest.mark.parametrize(
    ("about", "order"),
    [
        ("상점의 머리말이 한국어로 작성되어 있어.", "내가 명시한 부분을 제외하고서는 항상 영어로 작성해줘."),
        ("The header of the shop is in Korean.", "Always write it in English."),
    ],
)
def test_an_order_is_quoted_with_the_sentence_that_says_what_it_is_about(about: str, order: str) -> None:
    (found,) = [entry for entry in entries(user(f"{about} {order}"), agent("Fine.")) if entry.entry_type == "preference"]
    assert [quote.quote for quote in found.evidence][:2] == [order, about]
    assert found.title.startswith(about[:10]) and order[:10] in found.title


def test_what_a_plan_that_is_only_written_says_was_not_decided() -> None:
    plan = "플랜 작성이 완료되었습니다.\n\n- **상점의 XML 처리**: `<header>` 블록을 마크다운 섹션으로 변환\n"
    assert all(entry.entry_type != "decision" for entry in entries(user("상점을 이전할 계획을 세워줘."), agent(plan)))


def test_praise_before_an_order_says_nothing_of_it() -> None:
    order = "Never commit to main directly."
    (found,) = [
        entry for entry in entries(user(f"Great work on the new parser so far. {order}")) if entry.entry_type == "preference"
    ]
    assert found.evidence[0].quote == order and found.title == "Never commit to main directly."


@pytest.mark.parametrize(
    "text",
    [
        "We will use SQLite instead of Postgres for the queue.",
        "모든 응답은 camelCase로 통일되어야 합니다.",
        "Users of the shop should be able to export their orders.",
        "It should be possible to export the invoices of our shop as CSV.",
    ],
)
def test_what_is_to_be_is_decided(text: str) -> None:
    (found,) = entries(user(text))
    assert found.entry_type == "decision"


@pytest.mark.parametrize(
    ("heading", "entry_type"), [("Key design decisions", "decision"), ("Why it fails", "insight"), ("The reader", "fact")]
)
def test_a_heading_says_what_stands_below_it(heading: str, entry_type: str) -> None:
    said = f"## {heading}\n\n- **Loop breaking**: `--offline` on every child run of `reader/review.py` ends the review\n"
    assert [entry.entry_type for entry in entries(user("how does it look"), agent(said))] == [entry_type]


@pytest.mark.parametrize(
    ("asked", "report"),
    [
        ("Please add a --json flag.", "I've added the `--json` flag to every command and updated the README accordingly."),
        ("writing.md에 언어 정책을 추가해줘.", "`docs/guides/writing.md`에 언어 정책 섹션을 추가했습니다."),
    ],
)
def test_a_report_belongs_to_the_request_that_it_answers(asked: str, report: str) -> None:
    (found,) = entries(user(asked), agent(report))
    assert (found.entry_type, found.status) == ("task", "done")
    assert [quote.quote for quote in found.evidence] == [asked, report]
    assert not entries(user("how does it look"), agent(report))


@pytest.mark.parametrize(
    "text",
    [
        "Let me check the reader first.",
        "Now let me run the tests and always keep an eye on the log:",
        "I'll look at the configuration file next.",
        "확인해 보겠습니다.",
        "이제 테스트를 실행하겠습니다.",
        "All tests pass and the linter is clean.",
        "`go test ./...` — all 17 packages pass; `golangci-lint run` — 0 issues in `shop/cart.go`.",
        "The `prices` import was already removed when I replaced the imports of `shop/cart.py`.",
        "The diagnostic of `shop/cart.py` is stale — `prices` is used in the updated `containsUnknownField`.",
        "Great question!",
        "Would you like me to always use the new reader instead of the old one?",
        "```\nwe decided to always use tabs\n```",
        "> we decided to always use tabs",
    ],
)
def test_an_agent_s_narration_is_left_out(text: str) -> None:
    assert entries(user("how does it look"), agent(text)) == []


@pytest.mark.parametrize(
    "order", ["Commit all the changes and push.", "수정된 것들을 전부 커밋해줘.", "Run the tests again, please.", "Push it."]
)
def test_what_is_over_with_its_turn_is_no_memory(order: str) -> None:
    assert entries(user(order), agent("Fine.")) == []


def test_a_line_of_the_list_of_what_was_done_is_no_fact() -> None:
    did = "I've added the reader of prices to the shop."
    talk = [
        user("Please add a reader of prices to the shop."),
        agent(f"{did}\n\n- Prices and carts of the shop in `shop/prices.py`\n"),
    ]
    assert [entry.entry_type for entry in entries(*talk)] == ["task"]


def test_a_step_of_a_plan_is_no_decision() -> None:
    plan = (
        "Implement the following plan:\n\n# Move the reader\n\nThe reader lies in its own package instead of in `tools/`.\n\n"
        "- Move `tools/reader.py` to `reader/reading.py`\n- `tools/cart.py` → `shop/cart.py`\n"
        "- Update the imports of `shop/cart.py`\n"
    )
    found = [(entry.entry_type, entry.title) for entry in entries(user(plan), agent("I look at the reader."))]
    assert found == [
        ("task", "Move the reader"),
        ("decision", "The reader lies in its own package instead of in tools/."),
    ]


@pytest.mark.parametrize(("heading", "entry_type"), [("Context", "fact"), ("배경", "fact"), ("Design", "decision")])
def test_what_a_plan_tells_under_its_context_was_not_decided(heading: str, entry_type: str) -> None:
    told = "The reader of `shop/cart.py` and of `shop/prices.py` hardcodes the old paths, but none of our users sees it."
    plan = f"Implement the following plan:\n\n# Move the paths of the reader\n\n## {heading}\n\n{told}\n"
    talk = [user(plan), agent("I look at the paths of the reader in `shop/cart.py` and in `shop/prices.py`.")]
    assert [entry.entry_type for entry in entries(*talk) if entry.evidence[0].quote == told] == [entry_type]


def test_each_item_of_a_persons_list_is_kept_for_itself() -> None:
    said = (
        "I think we need to rework the list, what I want is:\n\n- keep the grouping by session (should be the default)\n"
        "- remove the vertical line of the session completely\n- keep all the color changes of the badges we made"
    )
    found = entries(user(said), agent("Let me look."))
    assert [(entry.title, entry.entry_type) for entry in found] == [
        ("keep the grouping by session (should be the default)", "decision"),
        ("remove the vertical line of the session completely", "task"),
        ("keep all the color changes of the badges we made", "decision"),
    ]
    titles = {entry.title for entry in found}
    assert all(quote.quote not in titles for entry in found for quote in entry.evidence[1:])


def test_what_went_another_way_was_not_decided() -> None:
    hit = "Three other workers in `shop/cart.py` all hit `Skipping refresh` instead of each keeping its own timeout."
    assert [entry.entry_type for entry in entries(user("how does it look"), agent(hit))] == ["fact"]
    use = "Use the `Skipping refresh` branch of `shop/cart.py` instead of the timeout of each worker."
    assert [entry.entry_type for entry in entries(user("how does it look"), agent(use))] == ["decision"]


def test_what_seems_so_is_no_decision_and_names_what_is_asked_for() -> None:
    seems, order = "metadata에서 내부 필드는 필수가 아니라 예제인데 들어간거같아.", "해당 부분은 제거해줘."
    did = "`metadata` 하위의 예시 필드를 제거했습니다."
    (found,) = entries(user(f"{seems} {order}"), agent(did))
    assert (found.entry_type, found.title, found.status) == ("task", f"{seems} {order}", "done")


def test_a_proposal_that_is_answered_is_remembered_by_its_answer_and_its_cause() -> None:
    options = "1. Clear the cache in a release\n2. Keep the prices in `shop.db` instead of the file\n\nWhich one do you want?"
    argued = "`cart.py` never reads what an operator writes into the table before the evening."
    cause = "The root cause is that the cart caches `prices.json`, which no deployment clears."

    def titles(said: str) -> list[str]:
        talk = (user("how does it look"), agent(f"{said}\n\n{options}"), user("2번으로 하자"))
        return [entry.title for entry in entries(*talk)]

    chosen = "Keep the prices in shop.db instead of the file"
    assert titles(argued) == [chosen]
    assert titles(cause) == [title_of(cause), chosen]


def test_what_was_done_of_a_decision_belongs_to_it() -> None:
    decided, did = "We should keep the prices in cents instead of euros.", "Changed the prices of the cart to cents everywhere."
    (found,) = entries(user("how does it look"), agent("Fine."), user(decided), agent(did))
    assert (found.entry_type, [quote.quote for quote in found.evidence]) == ("decision", [decided, did])


@pytest.mark.parametrize(
    "text",
    [
        *("thanks!", "ok", "네", "yes", "what does this function do?", "hello, how are you?"),
        "If we go with the second way, what will happen to the orders of last year?",
        "@shop/template.md 에서 우리 yaml 규칙에 맞지 않는게 있을까?",
    ],
)
def test_chatter_is_left_out(text: str) -> None:
    assert entries(user(text), agent("Fine.")) == []


def test_only_what_was_said_to_each_other_is_read() -> None:
    rule = "We decided to always use DuckDB for the log."
    assert entries(
        user(rule, kind="injected"),
        agent(rule, kind="thinking"),
        user(rule, sidechain=True),
        message("tool", rule, kind="tool_result"),
        message("tool", rule, kind="tool_result", is_error=True),
        message("system", rule),
        user("hm"),
    ) == []  # fmt: skip


def test_a_pasted_document_is_not_what_the_person_wants() -> None:
    filler = "## Part\nThe reader should be small. It has a name.\n" * 60
    document = filler + "Never ever delete an event, always append; make sure to keep the log.\n"
    assert not entries(user(document))
    (asked,) = entries(user(document + "\n이 문서를 docs 폴더로 옮겨줘"))
    assert (asked.entry_type, asked.title) == ("task", "이 문서를 docs 폴더로 옮겨줘")


def test_a_request_is_quoted_with_its_outcome() -> None:
    found = entries(
        user("please fix the flaky sensor test"),
        agent("Let me look."),
        agent("Fixed the flaky sensor test by waiting for the file to settle."),
        user("great, thanks"),
    )
    assert [(e.entry_type, e.status) for e in found] == [("task", "done")]
    assert [q.message_index for q in found[0].evidence] == [0, 2]


def test_of_two_requests_only_the_one_that_is_reported_is_done() -> None:
    found = entries(
        user("please fix the flaky sensor test"),
        user("please rename the uploader module"),
        agent("Fixed the flaky sensor test by waiting for the file to settle."),
        user("great, thanks"),
    )
    assert [(e.title, e.status) for e in found] == [
        ("please fix the flaky sensor test", "done"),
        ("please rename the uploader module", "pending"),
    ]


def test_a_request_in_korean_is_quoted_with_its_outcome() -> None:
    found = entries(
        user("README에 설치 방법을 추가해줘."),
        agent("먼저 README를 확인하겠습니다."),
        agent("README에 설치 방법 섹션을 추가했습니다."),
        user("고마워"),
    )
    assert [(e.entry_type, e.status) for e in found] == [("task", "done")]
    assert [q.message_index for q in found[0].evidence] == [0, 2]


@pytest.mark.parametrize(
    ("cause", "fix"),
    [
        (
            "The issue is that `getFlaggedRows` returns rows of the wrong tenant, which means the report counts them twice.",
            "Fixed `getFlaggedRows` so that it filters the rows by tenant.",
        ),
        (
            "원인은 `posMap`이 NFD 텍스트를 잘못 세기 때문입니다.",
            "`posMap`이 NFD 텍스트를 바르게 세도록 수정했습니다.",
        ),
    ],
)
def test_the_cause_of_an_error_is_quoted_with_its_fix(cause: str, fix: str) -> None:
    found = entries(
        user("hm, why"),
        message("tool", "Exit code 1: 3 tests failed", kind="tool_result", is_error=True),
        agent(cause),
        agent(fix),
    )
    (entry,) = [e for e in found if e.entry_type == "insight"]
    assert [(q.message_index, q.quote) for q in entry.evidence[:2]] == [(2, cause), (3, fix)]
    assert not any(q.quote == fix for e in found if e is not entry for q in e.evidence)


@pytest.mark.parametrize(
    ("decided", "taken_back"),
    [
        ("Let's store the vectors in SQLite.", "On second thought, let's go back to LanceDB for the vectors."),
        ("벡터는 SQLite에 저장하기로 했어.", "생각해 보니 벡터는 LanceDB로 되돌리자."),
    ],
)
def test_a_decision_that_is_taken_back_is_quoted_by_the_new_one(decided: str, taken_back: str) -> None:
    found = entries(user(decided), agent("ok"), user(taken_back), agent("ok"))
    assert [(e.entry_type, [q.quote for q in e.evidence]) for e in found] == [
        ("decision", [decided]),
        ("decision", [taken_back, decided]),
    ]


@pytest.mark.parametrize(
    ("who", "text"),
    [
        (user, "이슈는 https://github.com/dagster-io/dagster/issues/1234 에 있어"),
        (user, "The spec of the reader is at ./docs/reader/spec.md and it is the only one."),
        (agent, "Commit `a6c15dbe`: publish from the trusted workflow"),
        (agent, "커밋 `313c1a3`: 문서 템플릿과 가이드라인"),
        (agent, "PR #323: https://github.com/example/cli/pull/323"),
        (agent, "이슈 #323: https://github.com/example/cli/issues/323"),
        (agent, "원본 명세: `spec-design/common-template.md` 문서"),
    ],
)
def test_references(who: Callable[[str], Message], text: str) -> None:
    found = entries(user("hm"), who(text), user("hm"))
    assert [(e.entry_type, e.evidence[0].quote) for e in found] == [("reference", text)]


def test_what_is_said_again_is_evidence_and_no_second_entry() -> None:
    found = entries(
        user("We decided to keep the event log append-only for good."),
        agent("Let me look."),
        user("As decided: the event log stays append-only, we keep it for good."),
    )
    assert [sorted(q.message_index for q in e.evidence) for e in found] == [[0, 2]]


@pytest.mark.parametrize(
    ("asked", "answer", "option"),
    [
        ("Which store?\n\n1. **DuckDB** - one file\n2. **SQLite** - everywhere", "2번으로", "**SQLite** - everywhere"),
        ("어떤 방식으로 할까요?\n1. 로그를 그대로 둔다\n2. 매일 밤 압축한다", "응 첫 번째로", "로그를 그대로 둔다"),
        (
            "어떤 방식으로 할까요?\n### 방법 1: 로그를 그대로 둔다\n### 방법 2: 압축한다",
            "방법 1로 진행하자.",
            "로그를 그대로 둔다",
        ),
        ("Which one?\nA) Keep it append-only\nB) Compact it every night", "yes, do B", "Compact it every night"),
        ("Which one?\n- **Option 1**: keep it append-only\n- **Option 2**: compact it", "the second one", "compact it"),
        ("What do you prefer?\n1. keep the log\n2. drop the log", "1, but keep it small please", "keep the log"),
        ("어떤 방식으로 할까요?\n1. 로그를 둔다\n2. 압축한다", "1번 말고 2번으로", "압축한다"),
    ],
)
def test_an_answer_cites_the_option_that_it_takes(asked: str, answer: str, option: str) -> None:
    found = entries(user("how should we store it"), agent(asked), user(answer))
    (entry,) = [e for e in found if e.entry_type == "decision" and e.evidence[0].message_index == 2]
    assert entry.evidence[0].quote in answer
    assert (entry.evidence[1].message_index, entry.evidence[1].quote) == (1, option)


@pytest.mark.parametrize("answer", ["3 files are missing", "2개 파일이 남았어", "hm, none of them", "A quick question first"])
def test_what_takes_no_option_cites_none(answer: str) -> None:
    asked = "Which one?\nA) Keep it append-only\nB) Compact it every night"
    numbered = "Which one?\n1. Keep it append-only\n2. Compact it every night"
    for question in (asked, numbered):
        assert all(q.message_index != 1 for e in entries(user("so"), agent(question), user(answer)) for q in e.evidence)


def test_the_sentence_that_takes_an_option_is_quoted() -> None:
    found = entries(user("so"), agent("Which one?\n1. keep the log\n2. drop the log"), user("2 is out. Use 1."))
    assert ["Use 1.", "keep the log"] in [[quote.quote for quote in entry.evidence] for entry in found]


def test_an_option_of_the_window_before_is_cited() -> None:
    talk = [user("hm"), agent("Which?\n1. keep the log\n2. drop the log"), user("2번으로"), agent("Noted.")]
    (entry,) = extract_window(talk, Window(2, 4, 1))
    assert [(q.message_index, q.quote) for q in entry.evidence] == [(2, "2번으로"), (1, "drop the log")]


def todo_call(*items: tuple[str, str], uid: str = "call") -> Message:
    todos = [{"content": content, "status": status, "activeForm": "x"} for content, status in items]
    text = json.dumps({"todos": todos}, ensure_ascii=False, separators=(",", ":"))
    return Message(uid, "assistant", "tool_call", text, tool_name="TodoWrite")


def test_each_todo_once_with_its_latest_status() -> None:
    steps = ["pending", "in_progress", "completed"]
    calls = [
        todo_call(("센서 테스트 고치기", steps[min(n // 5, 2)]), ('Write the "guide"', "pending"), uid=f"call-{n}")
        for n in range(20)
    ]
    talk = [user("please start"), *calls]
    found = [e for e in entries(*talk) if e.evidence[0].message_index >= 1]
    assert [(e.entry_type, e.title, e.status) for e in found] == [
        ("task", "센서 테스트 고치기", "done"),
        ("task", 'Write the "guide"', "pending"),
    ]
    texts, aligner = [one.text for one in talk], Aligner()
    assert all(align_entry(aligner, texts, entry).aligned for entry in found)


def test_a_todo_is_quoted_with_what_is_said_of_it() -> None:
    talk = [user("hm"), todo_call(("Add a retry to the uploader", "completed")), agent("The uploader has a retry now.")]
    (found,) = [e for e in entries(*talk) if e.evidence[0].message_index == 1]
    assert (found.status, [q.message_index for q in found.evidence]) == ("done", [1, 2])


@pytest.mark.parametrize(
    ("tool", "call", "items"),
    [
        ("update_plan", '{"plan":[{"step":"설정 파일 나누기","status":"in_progress"}]}', [("설정 파일 나누기", "in_progress")]),
        ("TaskCreate", '{"subject":"Ship the {new} reader","description":"..."}', [("Ship the {new} reader", "pending")]),
        ("todo_write", '{"todos":[{"id":"1","status":"cancelled","content":"Drop it"}]}', [("Drop it", "cancelled")]),
        ("TodoWrite", '{"todos":[{"content":"cut off', []),
        ("TodoWrite", "no JSON at all", []),
        ("Bash", '{"todos":[{"content":"Not a todo tool","status":"pending"}]}', []),
    ],
)
def test_todo_tools(tool: str, call: str, items: list[tuple[str, str]]) -> None:
    found = entries(user("so"), Message("c", "assistant", "tool_call", call, tool_name=tool))
    assert [(e.title, e.status) for e in found if e.evidence[0].message_index == 1] == items


def test_tasks_that_are_updated_by_number() -> None:
    def call(tool: str, **told: str) -> Message:
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        return Message(text, "assistant", "tool_call", text, tool_name=tool)

    talk = [
        user("so"),
        call("TaskCreate", subject="리더 나누기", description="a"),
        call("TaskCreate", subject="Write the guide"),
        call("TaskUpdate", taskId="2", status="in_progress"),
        call("TaskUpdate", taskId="1", status="completed"),
        call("TaskUpdate", taskId="9", status="completed"),
        call("TaskUpdate", taskId="2", status="no such status"),
    ]
    assert [(e.title, e.status) for e in entries(*talk)] == [("리더 나누기", "done"), ("Write the guide", "in_progress")]
    later = extract_window([*talk, *talk], Window(7, 14, 7))
    assert [e.status for e in later] == ["pending", "pending"]


def test_a_long_window_gives_no_more_than_its_budget() -> None:
    names = [f"{first}{second}{first}{second}ax" for first in "bcdfghklmnprst" for second in "aeiouy"]
    talk = [user("let's begin")]
    talk += [agent(f"The root cause is {one}, {one[::-1]} and {one[2:] + one[:2]}y.") for one in names]
    (window,) = windows(talk, budget=1_000_000)
    assert 5 <= len(extract_window(talk, window)) <= 60


PART = depth(4, 1)
"""Of the length of each hostile text this part is read with every change."""
HOSTILE = {
    "prose": "We decided to always use the log, because it is safe. " * (6_000 // PART),
    "한국어": "원인은 잘못된 오프셋 계산이다. 로그는 항상 유지한다. " * (4_000 // PART),
    "one line": "가" * (1_000_000 // PART),
    "lines": "\n".join(f"- item {n} should be kept" for n in range(10_000 // PART)),
    "boxes": "\n".join(f"- [ ] write chapter {n} of the guide, blocked on the review" for n in range(10_000 // PART)),
    "short lines": "ok\n" * (100_000 // PART),
    "options": "which?\n" + "\n".join(f"{n % 9 + 1}. do it" for n in range(20_000 // PART)),
    "braces": '{"' * (300_000 // PART),
    "joiners": "\u200d" * (300_000 // PART),
    "combining": "e\u0301 " * (100_000 // PART),
    "separators": "\u2028\u0085\x1c" * (100_000 // PART),
    "odd": "".join(chr(0x10FF00 + n % 200) + chr(0x0E00 + n % 90) for n in range(100_000 // PART)),
}


@pytest.mark.long
@pytest.mark.deep
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_odd_and_huge_messages_end_in_time(text: str) -> None:
    call = Message("t", "assistant", "tool_call", text, tool_name="TodoWrite")
    started = time.process_time()
    for talk in ([user(text), agent("Noted.")], [agent(text), user("2번으로")], [user("so"), call]):
        assert all(q.quote in talk[q.message_index].text for e in entries(*talk) for q in e.evidence)
    assert time.process_time() - started < 15 / PART


@pytest.mark.slow
def test_ten_megabytes_cost_ten_times_one() -> None:
    def cost(size: int) -> float:
        talk = [user("We decided to keep the log, because the disk is cheap. " * (size // 55)), agent("ok")]
        started = time.process_time()
        entries(*talk)
        return time.process_time() - started

    small, large = cost(1_000_000), cost(10_000_000)
    assert large < 20 * small + 1


def test_a_request_without_an_outcome_is_pending() -> None:
    (found,) = entries(user("please fix the flaky sensor test"), agent("Let me look."))
    assert (found.entry_type, found.status) == ("task", "pending")


@pytest.mark.parametrize(
    ("text", "status", "blocker"),
    [
        ("- [ ] write the migration guide", "pending", None),
        ("- [x] write the migration guide", "done", None),
        ("The release is blocked on the npm token, we need to wait.", "blocked", "the npm token"),
        ("배포는 npm 토큰 발급에 막혀 있어서 진행 불가 상태야.", "blocked", "npm 토큰 발급"),
    ],
)
def test_task_status(text: str, status: str, blocker: str | None) -> None:
    (found,) = entries(user(text))
    assert (found.entry_type, found.status) == ("task", status)
    assert found.blocked_by == ((blocker,) if blocker else ())


def test_priority() -> None:
    (found,) = entries(user("please fix the login page, this is urgent"))
    assert found.priority == "high"


def test_conversation_between_people() -> None:
    talk = [
        user("Hey! How are you?", name="Mina"),
        user("I joined a pottery class last week, it's been lovely.", name="Jun"),
        user("Let's make a difference!", name="Mina"),
        user("My sister moved to Busan last month.", name="Jun"),
        user("Wow, that sounds great!", name="Mina"),
    ]
    assert [(e.entry_type, e.evidence[0].message_index) for e in entries(*talk)] == [("fact", 1), ("fact", 3)]


PIECES = st.sampled_from([". ", "\n", "- ", "we decided ", "항상 ", "원인은 ", "`x`", "TODO "])
TALK = st.lists(
    st.builds(
        lambda role, parts: message(role, "".join(parts)),
        st.sampled_from(["user", "assistant"]),
        st.lists(st.one_of(st.text(max_size=40), PIECES), max_size=8),
    ),
    max_size=6,
)  # fmt: skip


@given(TALK)
@settings(max_examples=80)
def test_any_talk_gives_entries_whose_quotes_are_verbatim(talk: list[Message]) -> None:
    texts = [one.text for one in talk]
    aligner = Aligner()
    for entry in entries(*talk):
        assert 1 <= len(entry.evidence) <= 4 and entry.title
        assert (entry.status is None) == (entry.entry_type != "task")
        for quote in entry.evidence:
            assert quote.quote in texts[quote.message_index]
        found = align_entry(aligner, texts, entry)
        assert all(isinstance(one, AlignedEvidence) or one.failure_reason == "not_found" for one in found.evidence)
    assert entries(*talk) == entries(*talk)


def test_a_window_reads_nothing_but_itself() -> None:
    """The answer is a function of the window's hash: what follows a window cannot change it."""
    talk = [user("please fix the flaky sensor test"), agent("Fixed the flaky sensor test by waiting.")]
    (window,) = windows(talk)
    assert extract_window(talk, window) == extract_window([*talk, agent("Added more."), user("ok")], window)


def test_the_version_names_the_rules() -> None:
    assert RuleExtractor().version == f"rules-{CODE_VERSION}-{built_in_rules().version}"
    assert RuleExtractor().extract([user("Let's use DuckDB.")], windows([user("Let's use DuckDB.")])[0]).entries


def test_own_rules() -> None:
    text = """
[limits]
user = 1.0
assistant = 1.0
support = 9.0
reach = 1
alike = 1.0
per_message = 1
per_thousand = 0
pasted_length = 1000
per_pasted = 1
budget = 5
budget_growth = 0
budget_later = 1
[places]
[conversation]
[[cue]]
name = "magic"
type = "fact"
weight = 1.0
words = ["xyzzy"]
pattern = 'xyzzy'
"""
    rules = parse_rules(text)
    talk = [user("We decided on nothing. The word is xyzzy here.")]
    (entry,) = extract_window(talk, windows(talk)[0], rules)
    assert (entry.entry_type, entry.title) == ("fact", "The word is xyzzy here.")
    assert RuleExtractor(rules).version != RuleExtractor().version


LIMITED = "[limits]\n" + "".join(f"{name} = 1\n" for name in LIMITS) + "[places]\n[conversation]\n"


CUE = "[[cue]]\nname = 'magic'\nweight = 1\nwords = []\npattern = 'x'\n"


def limited(name: str, value: str) -> str:
    return LIMITED.replace(f"\n{name} = 1\n", f"\n{name} = {value}\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no toml [", "not valid TOML"),
        ("x = " + "[" * 20_000, "not valid TOML"),
        ("cue = []", "[limits] is missing; expected: a table of numbers"),
        ("limits = 3", "[limits] is 3; expected: a table of numbers"),
        ("[limits]\nuser = 1\n[places]\n[conversation]", "[limits] has no assistant"),
        (limited("user", "'x'"), "user of [limits] is 'x'; expected: a number"),
        (limited("user", "true"), "user of [limits] is True; expected: a number"),
        (limited("reach", "nan"), "reach of [limits] is nan; expected: a finite number"),
        (limited("per_message", "inf"), "per_message of [limits] is inf; expected: a finite number"),
        (limited("budget", "1" * 400), "expected: a finite number"),
        (LIMITED.replace("user = 1", "user = 1\nusers = 1"), "[limits] has the unknown key 'users'; expected: one of user,"),
        (LIMITED.replace("[conversation]\n", "[conversation]\nenuf = 1\n"), "[conversation] has the unknown key 'enuf'"),
        (LIMITED.replace("[places]\n", "[places]\n'user first' = nan\n"), "user first of [places] is nan"),
        ("cues = 1\n" + LIMITED, "the rules has the unknown key 'cues'"),
        ("cue = 3\n" + LIMITED, "cue is 3; expected: a [[cue]] for each cue"),
        ("cue = [3]\n" + LIMITED, "cue 1 is 3; expected: a table under [[cue]]"),
        (LIMITED + CUE.replace("[[cue]]", "[cue]"), "expected: a [[cue]] for each cue"),
        (LIMITED + CUE.replace("'magic'", "3"), "the name of cue 1 is 3; expected: text"),
        (LIMITED + CUE + "[[cue]]\nweight = 1", "the name of cue 2 is missing"),
        (LIMITED + "[[cue]]\nname = 'a'", "weight of the cue 'a' is missing; expected: a number from -5 to 5"),
        (LIMITED + CUE.replace("= 1", "= 50"), "weight of the cue 'magic' is 50; expected: a number from -5 to 5"),
        (LIMITED + CUE.replace("= 1", "= nan"), "weight of the cue 'magic' is nan"),
        (LIMITED + CUE + "vote = inf", "vote of the cue 'magic' is inf; expected: a finite number"),
        (LIMITED + CUE + "typ = 'fact'", "the cue 'magic' has the unknown key 'typ'; expected: one of name, type,"),
        (LIMITED + CUE + "type = 'rumour'", "type of the cue 'magic' is 'rumour'; expected: one of decision,"),
        (LIMITED + CUE + "type = []", "type of the cue 'magic' is []"),
        (LIMITED + CUE + "roles = 'user'", "roles of the cue 'magic' is 'user'; expected: a list of texts"),
        (LIMITED + CUE + "roles = ['tool']", "a role of the cue 'magic' is 'tool'; expected: one of user, assistant"),
        (LIMITED + CUE + "heading = 1", "heading of the cue 'magic' is 1; expected: true or false"),
        (LIMITED + CUE.replace("[]", "'decide'"), "words of the cue 'magic' is 'decide'; expected: a list of texts"),
        (LIMITED + CUE.replace("[]", "[1]"), "words of the cue 'magic' is [1]; expected: a list of texts"),
        (LIMITED + CUE.replace("words = []\n", ""), "words of the cue 'magic' is missing"),
        (LIMITED + CUE.replace("'x'", "'('"), "pattern of the cue 'magic' cannot be used"),
        (LIMITED + CUE.replace("'x'", "'x{99999999999999}'"), "pattern of the cue 'magic' cannot be used"),
        (LIMITED + CUE.replace("'x'", "3"), "pattern of the cue 'magic' is 3; expected: a regular expression"),
    ],
)
def test_unusable_rules_say_what_is_wrong_where(text: str, told: str) -> None:
    assert parse_rules(LIMITED + CUE).cues[0].name == "magic"
    with pytest.raises(RulesInvalidError) as refused:
        parse_rules(text)
    assert told in str(refused.value) and len(str(refused.value)) < 400 and "rules.toml" in refused.value.hint


@pytest.mark.parametrize("cue", built_in_rules().cues, ids=lambda cue: cue.name)
def test_a_literal_of_each_cue_can_be_found_by_its_pattern(cue) -> None:  # type: ignore[no-untyped-def]
    """Literals are a pre-filter: they are lower case, as the sentence is when they are looked for."""
    assert all(word == word.lower() for word in cue.words)
    for hostile in ("a" * 3000, " " * 3000, "`a" * 1500, "가" * 3000, "1," * 1500, "/a" * 1500):
        cue.pattern.search(hostile)  # ends in time, whatever the text


@pytest.mark.shared_data
def test_everyday_conversations() -> None:
    """Over LoCoMo's conversations: something is kept, not everything, and every quote aligns exactly."""
    path = SHARED / "data" / "locomo" / "locomo_dev.json"
    if not path.is_file():
        pytest.skip("../shared/data/locomo is not here")
    spoken = kept = 0
    talk_of = json.loads(path.read_text())[0]["conversation"]
    for name, turns in talk_of.items():
        if not name.startswith("session_") or not isinstance(turns, list):
            continue
        talk = [user(turn["text"], uid=turn["dia_id"], name=turn["speaker"]) for turn in turns]
        aligner, texts = Aligner(), [one.text for one in talk]
        found = entries(*talk)
        assert all(align_entry(aligner, texts, entry).aligned for entry in found)
        spoken, kept = spoken + len(talk), kept + len(found)
    assert 0.05 * spoken < kept < 0.4 * spoken
