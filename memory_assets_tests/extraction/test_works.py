"""A request goes on in the turns in which the person only agrees; a reply that takes something asks for it."""

import pytest

from memory_assets.extraction.cues import built_in_rules
from memory_assets.extraction.requests import is_standing_order
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.scoring import score_window
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, message, user
from memory_assets_tests.extraction.test_requests import tasks, todos

OFFER = "The form and the session disagree. Want me to add a check of the token to the login form?"


def told(*talk: Message) -> list[tuple[str, str | None]]:
    return [(task.entry.title, task.entry.status) for task in tasks(*talk)]


@pytest.mark.parametrize(
    ("request_", "proposal", "yes", "report"),
    [
        ("Please fix the login form.", OFFER, "Yeah let's do this", "I added a check of the token to the login form."),
        (
            "로그인 화면을 고쳐줘.",
            "로그인 화면에 토큰 검사를 추가할까요?",
            "어 그렇게 해줘",
            "로그인 화면에 토큰 검사를 추가했습니다.",
        ),
    ],
)
def test_what_is_done_behind_a_yes_is_done_for_the_request(request_: str, proposal: str, yes: str, report: str) -> None:
    assert told(user(request_), agent(proposal)) == [(request_, "pending")]
    (task,) = tasks(user(request_), agent(proposal), user(yes), agent(report))
    assert (task.entry.title, task.entry.status) == (request_, "done")
    assert {request_, report} <= {quote.quote for quote in task.entry.evidence}


def test_another_request_does_not_go_on_with_it() -> None:
    asked, other = "Please fix the login form.", "Please add the export of invoices."
    found = told(user(asked), agent(OFFER), user(other), agent("I added the export of invoices."))
    assert found == [(asked, "pending"), (other, "done")]


def test_a_question_between_is_no_request_and_the_work_goes_on() -> None:
    asked = "Please add the export of invoices."
    talk = [
        user(asked),
        agent("I read the writer of the reports first."),
        user("the reports worked fine last week, is it because we changed the writer"),
        agent("Yes, the writer was changed on Monday."),
        user("why did we change it"),
        agent("It was slow. I added the export of invoices, too."),
    ]
    assert told(*talk) == [(asked, "done")]
    assert told(*talk[:4]) == [(asked, "pending")]


def test_words_that_the_agent_answers_nothing_to_end_no_work() -> None:
    asked = "Please add the export of invoices."
    ways = "Which way do you want?\n\n1. One file for each month\n2. One file for all of it"
    done = agent("I added the export of invoices.")
    talk = [user(asked), agent(ways), user("the sonnet model"), agent("OK.", uid="ok"), user("Use 2."), done]
    assert told(*talk) == [(asked, "done")]


def test_a_korean_question_for_a_yes_ends_no_work() -> None:
    asked = "위와 같은 작업을 docs/guides/ 에 있는 파일들도 전부 수정해줘."
    talk = [user(asked), agent("나눠서 처리할 수 있습니다. 진행할까요?"), user("모델은 내가 바꿔서 명령을 내려야하지?")]
    answered = [agent("네, 맞습니다."), user("어 진행해줘"), agent("docs/guides/ 파일들을 모두 수정했습니다.")]
    assert told(*talk, *answered) == [(asked, "done")]


@pytest.mark.parametrize("order", ["왜 자꾸 로그인이 풀리는지 확인해서 고쳐줘.", "왜 이렇게 느린지 찾아서 캐시 추가해줘."])
def test_who_asks_for_something_else_finds_no_fault(order: str) -> None:
    asked = "Please add the export of invoices."
    talk = [
        user(asked),
        agent("I read the writer of the reports first."),
        user(order),
        agent("확인해서 고쳤습니다.", uid="end"),
    ]
    assert (asked, "pending") in told(*talk) and order in [title for title, _ in told(*talk)]


@pytest.mark.parametrize("scolded", ["Why so many returns! Don't you read @CLAUDE.md ?", "왜 이렇게 return이 많아!"])
def test_who_finds_fault_with_the_work_goes_on_with_it(scolded: str) -> None:
    asked = "Please add the export of invoices."
    talk = [
        user(asked),
        agent("I read the writer of the reports first."),
        user(scolded),
        agent("I added the export of invoices."),
    ]
    assert told(*talk) == [(asked, "done")]


def test_of_several_requests_the_one_for_work_names_the_task() -> None:
    said = "1. 어떤 내용인지 정리해줘. 기억이 안나.\n2. yaml frontmatter에 대해서 수정해줘."
    assert told(user(said), agent("yaml frontmatter를 수정했습니다.")) == [("yaml frontmatter에 대해서 수정해줘.", "done")]
    assert told(user("이 문서가 어떤 내용인지 정리해줘."), agent("표준을 정의하는 문서입니다.")) == []


def test_an_answer_to_the_agent_is_no_request_and_the_work_goes_on() -> None:
    asked = "Let's adjust the README of the shop."
    talk = [
        user(asked),
        agent("That page holds the words of last year. Would you like me to keep them?"),
        user("Sure, put them in the appendix."),
        agent("I updated the README and moved the words of last year to the appendix."),
    ]
    assert told(*talk) == [(asked, "done")]
    assert told(*talk[:3]) == [(asked, "pending")]


@pytest.mark.parametrize(
    "before",
    [
        [message("user", "[Request interrupted by user]", kind="injected")],
        [
            message(
                "assistant",
                "**Which pieces?**\n\nOptions:\n- **All** - each\n- **Some** - two",
                kind="tool_call",
                tool_name="AskUserQuestion",
            )
        ],
    ],
)
def test_what_a_person_says_into_the_work_belongs_to_it(before: list[Message]) -> None:
    asked = "Please address the first finding of the review."
    talk = [user(asked), agent("It has three pieces."), *before, user("piece 1 & 2 only, not 3")]
    assert (asked, "done") in told(*talk, agent("The first finding of the review is addressed."))
    taken_back = [*talk[:-1], user("never mind, not worth it"), agent("I reverted the first piece.")]
    assert told(*taken_back) == [(asked, "cancelled")]
    other = told(*talk[:-1], user("Please add the export of invoices."), agent("I added the export of invoices."))
    assert other == [(asked, "pending"), ("Please add the export of invoices.", "done")]


def test_something_else_that_is_broken_is_no_answer() -> None:
    asked, broken = "Please add a retry policy to the upload client.", "The dashboard crashes when I open the settings tab."
    talk = [
        user(asked),
        agent("The client has no hook for it. Which limit do you want?"),
        user(broken),
        *(agent(f"I look into part {n} of the settings tab.", uid=n) for n in "abcd"),
        agent("I fixed the crash of the dashboard in settings.tsx."),
    ]
    assert told(*talk) == [(asked, "pending"), (broken, "done")]


@pytest.mark.parametrize(
    "between",
    [
        [agent("There is none yet. Which OAuth provider do you want, Google or GitHub?")],
        [agent("There is none yet."), message("user", "[Request interrupted by user]", kind="injected")],
    ],
)
def test_something_else_that_is_needed_is_no_answer(between: list[Message]) -> None:
    asked = "Please add a login page with OAuth to the web app."
    talk = [user(asked), *between, user("The invoice export should contain the VAT column.")]
    done = agent("I implemented the VAT column in the invoice export. All tests pass.")
    assert (asked, "pending") in told(*talk, *(agent(f"I look at part {n}.", uid=n) for n in "abcd"), done)


def test_a_question_with_a_list_of_its_own_is_worked_on_for_itself() -> None:
    asked = "Please add a login page with OAuth to the web app."
    talk = [
        user(asked),
        agent("The page is not written yet."),
        user("Could it show the date in the header?"),
        todos(("Show the date in the header", "in_progress"), uid="one"),
        todos(("Show the date in the header", "completed"), uid="two"),
        agent("The date is shown in the header now."),
    ]
    assert (asked, "pending") in told(*talk)


def test_why_something_is_needed_is_no_guess_of_a_cause() -> None:
    asked = "Please fix the login redirect loop."
    talk = [
        user(asked),
        agent("The loop is still failing in Safari."),
        user("Why is there no footer on the login page? I need it because legal asked."),
        agent("I added the footer back to the login page."),
    ]
    assert (asked, "pending") in told(*talk)


def test_what_was_done_for_a_question_ends_no_other_request() -> None:
    asked = "Please add a toggle for sounds to the settings page."
    talk = [
        user(asked),
        agent("I could not find the settings page, it is still missing."),
        user("Is it possible to add a dark mode toggle?"),
        agent("I look.", uid="a"),
        agent("I added a dark mode toggle to the header."),
    ]
    assert (asked, "pending") in told(*talk)


def test_the_cause_of_something_else_ends_no_search() -> None:
    asked = "Please investigate why the upload times out."
    talk = [
        user(asked),
        agent("I could not reproduce the timeout yet."),
        user("Why does the login page redirect twice?"),
        agent("The root cause is that the session cookie is set twice by the proxy."),
    ]
    assert told(*talk) == [(asked, "pending")]


def test_what_answers_a_question_between_ends_no_request() -> None:
    asked = "Please add the export of invoices."
    talk = [
        user(asked),
        agent("I read the writer first."),
        user("why did you read the writer"),
        agent("I fixed the reader with it."),
    ]
    assert told(*talk) == [(asked, "pending")]


@pytest.mark.parametrize(
    ("why", "cause"),
    [
        ("investigate why CI failed.", "Root cause: npm trusts `publish.yml` only, so the call from `release.yml` is refused."),
        (
            "CI가 왜 실패했는지 조사해줘.",
            "원인은 npm이 `publish.yml`만 신뢰하기 때문에 `release.yml`의 호출이 거부된 것입니다.",
        ),
    ],
)
def test_the_cause_that_is_found_behind_a_question_ends_the_search_for_it(why: str, cause: str) -> None:
    talk = [
        user(why),
        agent("I read the log of the job."),
        user("is it because we left it out of the release"),
        agent(f"No. {cause}"),
    ]
    (task,) = tasks(*talk)
    assert (task.entry.title, task.entry.status) == (why, "done")
    assert cause in {quote.quote for quote in task.entry.evidence}


def test_a_yes_to_an_offer_asks_for_it_where_no_request_is_open() -> None:
    talk = [user("Where is the token checked?"), agent(OFFER), user("Yes, do it."), agent("I added a check of the token.")]
    (window,) = windows(talk)
    entries = [entry for entry in extract_window(talk, window) if entry.evidence[0].message_index == 2]
    assert [(entry.entry_type, entry.status) for entry in entries] == [("task", "done")]
    assert entries[0].evidence[1].quote == "Want me to add a check of the token to the login form?"


def test_a_choice_among_ways_is_a_decision_and_asks_for_it() -> None:
    asked = "Which way do you want?\n\n1. Check the token in the form\n2. Check the token in the store"
    talk = [
        user("Where is the token checked?"),
        agent(asked),
        user("2번으로 해줘."),
        agent("I moved the check of the token to the store."),
    ]
    (window,) = windows(talk)
    entries = [entry for entry in extract_window(talk, window) if entry.evidence[0].message_index == 2]
    assert {entry.entry_type for entry in entries} == {"decision", "task"}


def test_a_list_behind_a_bare_yes_is_of_what_was_asked_before() -> None:
    asked = "Does it make sense to test the token of the login form directly?"
    work = todos(("Write the test", "completed"), ("Run the test", "completed"))
    assert told(user(asked), agent(OFFER), user("yes"), work) == [(asked, "done")]


TEMPLATE = user("## Your task\n\n- Current branch: main\n\nReview the changes.", uid="template").text
COMMAND = Message(
    "command", "user", "said", "- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request."
)


@pytest.mark.parametrize(
    ("announced", "is_task"),
    [
        ("I'll review the pull request line by line.", True),
        ("풀 리퀘스트를 한 줄씩 리뷰하겠습니다.", True),
        ("I'll commit the changes.", False),
        ("The pull request changes four files.", False),
    ],
)
def test_a_command_is_known_by_what_the_agent_says_that_it_will_do(announced: str, is_task: bool) -> None:
    found = told(COMMAND, agent(announced), agent("Let me look at the reader.", uid="on"))
    assert [title for title, _ in found] == ([announced] if is_task else [])


def test_a_message_that_tells_what_is_wrong_is_a_request_where_the_agent_says_that_it_is_mended() -> None:
    wrong = "The export of invoices is missing the column of the tax."
    opening = (user("Where are invoices stored?"), agent("In a table of their own.", uid="first"))
    assert told(*opening, user(wrong), agent("This was already fixed with the export of the tax column.")) == [(wrong, "done")]
    assert told(*opening, user(wrong), agent("Where do you see the export of invoices?")) == []


def test_a_plan_is_quoted_with_its_goal() -> None:
    goal = "**Goal**: Move every format of the reader into a module of its own."
    plan = f"Implement the following plan:\n\n# Split the reader\n\n{goal}\n\n" + "The reader knows every format. " * 30
    (task,) = tasks(user(plan), agent("The reader is split into modules now."))
    assert goal in {quote.quote for quote in task.entry.evidence}


def test_what_a_request_takes_up_is_quoted_with_it() -> None:
    point = "필드 전부가 필수 항목인 건지 문서에 명시되어 있지 않습니다."
    *_, task = tasks(
        user("문서를 살펴봐줄래?"), agent(point), user("필드 전부 필수 항목이라고 명시해줘."), agent("문서에 명시했습니다.")
    )
    assert point in {quote.quote for quote in task.entry.evidence}


def test_what_must_be_is_a_request_where_it_is_asked_for_once() -> None:
    once, each = "필드 전부 필수에 대한 항목을 명시해줘.", "필드를 추가할 경우 필수에 대한 항목을 명시해줘."
    assert told(user(once), agent("필수 항목을 명시했습니다.")) == [(once, "done")]
    assert (each, "done") not in told(user(each), agent("필수 항목을 명시했습니다."))


def test_a_plan_that_is_ready_is_nothing_done() -> None:
    ready = "새 문서를 옮길 계획 작성이 완료되었습니다. 이제 실행 준비가 되었습니다."
    assert told(user("이 문서도 옮겨줘."), agent(ready)) == [("이 문서도 옮겨줘.", "pending")]
    assert told(user("이 문서를 옮길 계획을 작성해줘."), agent(ready)) == [("이 문서를 옮길 계획을 작성해줘.", "done")]


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        (
            "그 문서의 머리말을 수정해줘. 참고의 위치는 항상 맨 마지막으로 써줘. 작업을 하기 전 필요한 것은 모두 물어봐줘.",
            ["참고의 위치는 항상 맨 마지막으로 써줘.", "작업을 하기 전 필요한 것은 모두 물어봐줘."],
        ),
        (
            "Please fix the header of the page. Work in small steps, stopping at each one for me to review the code.",
            ["Work in small steps, stopping at each one for me to review the code."],
        ),
    ],
)
def test_what_a_person_wants_from_now_on_is_kept_beside_the_request(said: str, standing: list[str]) -> None:
    loud = [
        agent(f"We decided to use `store_{n}` because `old_{n}` silently loses the time zone.", uid=f"a{n}") for n in range(9)
    ]
    talk = [user(said), *loud, agent("머리말을 수정했습니다. I fixed the header.", uid="end")]
    found = [entry for window in windows(talk) for entry in extract_window(talk, window)]
    kept = [entry for entry in found if entry.entry_type == "preference"]
    assert [(entry.title, [quote.quote for quote in entry.evidence]) for entry in kept] == [(one, [one]) for one in standing]
    assert [entry.status for entry in found if entry.entry_type == "task"] == ["done"]


@pytest.mark.parametrize(
    "said", ["Add a dialog to warn me about unsaved changes.", "Write a script to notify me of new releases of the shop."]
)
def test_something_to_be_built_that_tells_a_person_is_no_standing_order(said: str) -> None:
    talk = [user(said), agent("I added it to the shop.", uid="end")]
    found = [entry for window in windows(talk) for entry in extract_window(talk, window)]
    assert [entry.entry_type for entry in found if entry.evidence[0].message_index == 0] == ["task"]


def test_what_always_fails_is_no_standing_order() -> None:
    talk = [user("로그인이 항상 실패하는 문제를 해결해줘."), agent("Let me look.")]
    assert all(not is_standing_order(one) for one in score_window(talk, windows(talk)[0], built_in_rules()))


@pytest.mark.parametrize("order", ["수정해줘.", "작업해줘", "Please migrate this one too."])
def test_a_document_that_is_handed_over_without_a_word_is_called_by_what_the_agent_will_do(order: str) -> None:
    rules = "".join(f"- Log the step {number} of the order with its id and its level.\n" for number in range(24))
    document = f"# Monitoring & Logging\n\n<meta>\nDocument: monitoring.md\n</meta>\n\n## Standards\n\n{rules}"
    begun = "네, monitoring.md를 마이그레이션하겠습니다." if "줘" in order else "I'll migrate monitoring.md to the new format."
    report = (
        "monitoring.md 마이그레이션이 완료되었습니다.\n\n- ✓ 아직 옮기지 않은 참조는 주석 처리"
        if "줘" in order
        else "I migrated monitoring.md.\n\n- ✓ what is still missing is commented out"
    )
    talk = [user(f"{document}\n\n{order}"), agent(begun, uid="begun"), agent(report, uid="end")]
    (task,) = tasks(*talk)
    assert (task.entry.status, begun.endswith(task.entry.title)) == ("done", True)
    assert task.entry.evidence[0].quote == begun
    # What it looks at first says nothing of it.
    looks = "기존 계획 파일을 먼저 확인하겠습니다." if "줘" in order else "Let me look at the guide first."
    called = [task.entry.title for task in tasks(talk[0], agent(looks, uid="begun"), talk[2])]
    assert called == ([] if "줘" in order else [f"Monitoring & Logging — {order}"])
    # An order that says of what is its own name.
    talk[0] = user(f"{document}\n\nPlease add the levels of the importer to it.")
    assert [task.entry.title for task in tasks(*talk)] == ["Please add the levels of the importer to it."]


def test_further_words_for_a_request_that_point_back_at_it_are_no_task_of_their_own() -> None:
    talk = [user("guides/modes.md 는 삭제해줘. 연관된 문서가 있으면 삭제해줘."), agent("modes.md와 모든 참조를 삭제했습니다.")]
    (task,) = tasks(*talk)
    assert task.entry.status == "done" and task.entry.title.startswith("guides/modes.md")
