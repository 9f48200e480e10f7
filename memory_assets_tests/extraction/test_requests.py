"""A request and what becomes of it are one task; the items of its list are its steps."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.evidence.aligner import Aligner
from memory_assets.extraction.aligned_entries import AlignedEntry, align_entry
from memory_assets.extraction.cues import built_in_rules
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.outcomes import is_left_open
from memory_assets.extraction.requests import asks_for_work, request_in
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.scoring import score_window
from memory_assets.extraction.windows import window_hash, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user

PLAN = user(
    "Implement the following plan:\n\n# Split the session reader\n\n## Context\n\n"
    + "The reader knows every format of every agent, and nobody dares to touch it. " * 12
    + "\n\n## Steps\n\n- [ ] Move the parser into its own module\n- [ ] Run the tests\n"
)


def todos(*items: tuple[str, str], uid: str = "call") -> Message:
    told = {"todos": [{"content": content, "status": status} for content, status in items]}
    return Message(uid, "assistant", "tool_call", json.dumps(told, ensure_ascii=False), tool_name="TodoWrite")


def tasks(*talk: Message, budget: int = 24_000) -> list[AlignedEntry]:
    texts, aligner = [message.text for message in talk], Aligner()
    aligned = [align_entry(aligner, texts, e) for w in windows(talk, budget=budget) for e in extract_window(talk, w)]
    assert all(item.aligned for item in aligned)
    return [item for item in merge_entries(aligned) if item.entry.entry_type == "task"]


def test_the_items_of_a_list_are_steps_of_the_request() -> None:
    (task,) = tasks(
        user("로그인 화면을 고쳐줘."),
        todos(("Read the form", "in_progress"), ("Add a test", "pending")),
        todos(("Read the form", "completed"), ("Add a test", "completed"), uid="last"),
        agent("로그인 화면을 수정했습니다."),
    )
    assert (task.entry.title, task.entry.status) == ("로그인 화면을 고쳐줘.", "done")
    assert [step.status for step in task.entry.history] == ["pending", "in_progress", "done"]
    quoted = {quote.quote for quote in task.entry.evidence}
    assert {"로그인 화면을 고쳐줘.", "로그인 화면을 수정했습니다.", "Read the form", "Add a test"} <= quoted


def test_an_open_step_keeps_the_request_open() -> None:
    (task,) = tasks(user("Please fix the login form."), todos(("Read the form", "completed"), ("Add a test", "in_progress")))
    assert task.entry.status == "in_progress"


def test_what_is_asked_for_is_a_task_whatever_else_is_kept() -> None:
    decided = [
        agent(f"We decided to keep {name} because MySQL loses the time zone of `{name}_created_at`.", uid=name)
        for name in ("orders", "carts", "users", "invoices", "refunds", "baskets", "prices", "stocks", "labels", "parcels")
    ]
    found = tasks(user("The reader package wants to be sources."), *decided)
    assert [item.entry.title for item in found] == ["The reader package wants to be sources."]


@pytest.mark.parametrize(("answers", "count"), [(1, 0), (4, 1)])
@pytest.mark.parametrize("before", [[], [user("hello there"), agent("Hello.", uid="hello")]])
def test_what_begins_a_turn_is_its_task_where_an_agent_works_on_it(before: list[Message], answers: int, count: int) -> None:
    asked = user("I tried the shop this morning with my phone. The start of the program is very slow when the cloud is down.")
    talk = [agent(f"Let me look at file {number}.", uid=f"a{number}") for number in range(answers)]
    found = tasks(*before, asked, *talk)
    assert [item.entry.title for item in found] == ["The start of the program is very slow when the cloud is down."] * count


@pytest.mark.parametrize(
    "said",
    [
        "yes, let's do that with the login form",
        "1, 2 and 3",
        "B, please do",
        "응 2번으로 로그인 화면을 수정해줘",
        "Run the tests again, please.",
        "Can you push it and run the workflow for me?",
        "Update from our parent branch.",
        "지금까지 수정한 내용에 대해서 정리해서 커밋해줘.",
        "Perfect, the login form works now.",
        "hello there",
        "Why does the login form need the cart?",
        "Is there a reason for the login form to be slow?",
        "Where's the config file of the login stored?",
        "Who calls this function of the login form?",
        "Where exactly is the token of the login stored?",
        "What happens on add, update and remove of a user?",
        "What is the status of the release, please?",
        "왜 추가 주문이 로그인 뒤에 안 되나요?",
        "왜 로그인 화면을 삭제해 주셨나요?",
    ],
)
def test_an_answer_a_question_or_an_order_of_one_turn_opens_no_task(said: str) -> None:
    talk = [agent(f"Let me look at file {number}.", uid=f"a{number}") for number in range(6)]
    (window,) = windows([user(said), *talk])
    scored = score_window([user(said), *talk], window, built_in_rules())
    request = request_in([one for one in scored if one.spot.voice == "user"])
    assert request is not None and not asks_for_work(request, len(talk), opens=True)


@pytest.mark.parametrize(
    "said",
    [
        "2. fix the tests of the parser",
        "3 things: add a parser, rename the reader, and remove the old one.",
        "A new endpoint for the cart, please add it.",
        "ok, now add a test to the parser",
        "no, instead please rename the parser",
        "Yes. Please also add a test to the parser.",
        "Why does the login fail, please fix it?",
        "How about we move the parser to its own module? Please do it for the reader, too.",
        "What about adding a dark mode to the settings page?",
        "When the user logs out, clear the cache, ok?",
        "왜 실패하는지 확인하고 고쳐주실 수 있나요?",
    ],
)
def test_an_order_in_other_words_is_a_task(said: str) -> None:
    talk = [user(said), *(agent(f"Let me look at file {number}.", uid=f"a{number}") for number in range(6))]
    assert len(tasks(*talk)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "We decided to use Postgres instead of MySQL for the orders.",
        "세션 쿠키는 한 시간 유지하기로 결정했다.",
        "We decided to keep the session cookie for an hour, not for a day.",
        "The database of the shop is Postgres 15 on RDS.",
        "운영 서버는 노드 18을 씁니다.",
        "That looks much better than the page we had before.",
    ],
)
def test_what_a_person_only_tells_is_no_task_of_a_later_turn(said: str) -> None:
    talk = [agent(f"Let me look at file {number}.", uid=f"a{number}") for number in range(6)]
    assert tasks(user("hello there"), agent("Hello.", uid="hello"), user(said), *talk) == []


def test_a_list_that_is_ticked_off_in_the_next_window_takes_no_report_away() -> None:
    ticked = todos(("Rename it", "completed"), uid="last")
    talk = [user("Please rename the reader package to sources."), agent("It is long. " * 40)]
    talk += [agent("I've renamed the reader package to sources.", uid="end"), ticked, user("thanks")]
    for budget in (24_000, 570, 600, 640):
        (task,) = tasks(*talk, budget=budget)
        assert (task.entry.title, task.entry.status) == ("Please rename the reader package to sources.", "done"), budget


def test_an_open_end_of_another_kind_leaves_a_request_done_that_is_reported() -> None:
    (task, left) = tasks(
        user("Can you publish the reader for me?"),
        agent("I published the reader.\n\nThe branch still needs to be merged to make this permanent."),
    )
    assert (task.entry.title, task.entry.status) == ("Can you publish the reader for me?", "done")
    assert left.entry.status == "pending"
    (same,) = tasks(user("Please fix the login form."), agent("I fixed the style.\n\nThe login form is still failing."))
    assert same.entry.status == "pending"


def test_what_was_to_be_found_out_is_done_with_what_was_found() -> None:
    (task,) = tasks(
        user("Investigate why the release failed."), agent("Root cause: the token of npm is missing, because it had expired.")
    )
    assert task.entry.status == "done"
    assert task.entry.evidence[-1].quote.startswith("Root cause")
    (renamed,) = tasks(
        user("Rename the release workflow."), agent("Root cause: the token of npm is missing, because it had expired.")
    )
    assert renamed.entry.status == "pending"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Investigate why the release failed.", "The root cause is unclear, because the log has no time."),
        ("Investigate why the release failed.", "I could not find the root cause, because the log is gone."),
        ("Investigate why the release failed.", "The root cause isn't clear, because the log has no time."),
        ("Investigate why the release failed.", "I don't know the root cause, because the log has no time."),
        ("릴리스가 왜 실패했는지 조사해줘.", "원인은 아직 파악되지 않았습니다, 로그에 시각이 없기 때문입니다."),
        ("Review the parser, it needs a rewrite.", "Root cause: the parser reads a file twice, because the cache is off."),
        ("Investigate why the release failed.", "It might be the token of npm, because it had expired."),
        ("릴리스가 왜 실패했는지 조사해줘.", "원인은 아마 npm 토큰이 만료되었기 때문입니다."),
        ("Review the parser and refactor it.", "Root cause: the parser reads a file twice, because the cache is off."),
        ("Verify the button does nothing, fix it.", "Root cause: the handler is missing, because it was renamed."),
        ("Check in the new schema.", "Root cause: the schema is old, because nobody renamed it."),
        ("로그인 오류를 확인하고 고쳐줘.", "원인은 토큰이 만료되었기 때문입니다."),
    ],
)
def test_what_was_not_found_or_not_changed_ends_no_request(asked: str, told: str) -> None:
    assert "done" not in [item.entry.status for item in tasks(user(asked), agent(told))]


@pytest.mark.parametrize(
    ("asked", "said", "status"),
    [
        ("Please fix the cart test.", "I updated the cart test. It still fails on CI.", "pending"),
        ("Please fix the cart test.", "I fixed the cart test. The pipeline could not be made stable.", "pending"),
        ("Please fix the cart test.", "I fixed the cart test. I was unable to reproduce the race.", "pending"),
        ("장바구니 테스트를 고쳐줘.", "장바구니 테스트를 수정했습니다. 아직 CI에서 실패합니다.", "pending"),
        ("Please fix the cart test.", "I fixed the cart test, which failed to close a file.", "done"),
        ("Please fix the cart.", "I fixed the cart. I leave the parser tests as they are.", "done"),
        ("Please fix the cart test.", "I fixed the cart test. It doesn't work on CI.", "pending"),
        ("Please fix the cart test.", "I fixed the cart test. It isn't working on CI.", "pending"),
        ("Please add an error message for a missing config.", "Added an error message when the config is missing.", "done"),
        ("Please fix the tests.", "I fixed the tests. No tests are failing anymore.", "done"),
        ("Please fix the login form.", "Fixed the login form: the server couldn't read the cookie.", "done"),
        ("Please fix the login form.", "I fixed the login form. The old code failed to close the session.", "done"),
        ("장바구니를 고쳐줘.", "장바구니를 수정했습니다. 이제 중복으로 저장되지 않습니다.", "done"),
        ("장바구니를 고쳐줘.", "장바구니를 수정했습니다. 예상하지 못했던 오류도 함께 수정했습니다.", "done"),
        ("장바구니를 고쳐줘.", "장바구니를 수정했습니다. 같은 값을 두 번 저장하면 안 됩니다.", "done"),
        ("로그인을 고쳐줘.", "로그인을 수정했습니다. 토큰이 만료되면 로그인이 실패했던 문제입니다.", "done"),
        ("장바구니를 고쳐줘.", "장바구니를 수정했습니다. 남은 작업을 모두 처리했습니다.", "done"),
    ],
)
def test_an_end_that_says_it_failed_leaves_a_request_open(asked: str, said: str, status: str) -> None:
    task, *_ = tasks(user(asked), agent(said))
    assert task.entry.status == status


@pytest.mark.parametrize("budget", [400, 900, 24_000])
@pytest.mark.parametrize(
    ("asked", "closing", "status"),
    [
        ("Please rename the reader package to sources.", "Renamed the reader package to sources.", "done"),
        ("Please rename the reader package to sources.", "Renamed the reader package. It still fails on CI.", "pending"),
        ("Please rename the reader package to sources.", "I could not rename the reader package.", "pending"),
        ("Investigate why the release failed.", "Root cause: the token of npm is missing, because it had expired.", "done"),
        ("Investigate why the release failed.", "The root cause is unclear, because the log has no time.", "pending"),
        ("The release is blocked on the npm token, we need to wait.", "Renamed the reader package to sources.", "blocked"),
        ("The start of the program is very slow when the cloud is down.", "Fixed the start of the program.", "done"),
        ("The start of the program is very slow when the cloud is down.", "Let me look once more.", "pending"),
    ],
)
def test_what_becomes_of_a_request_does_not_depend_on_the_windows(asked: str, closing: str, status: str, budget: int) -> None:
    work = [agent(f"Let me look at {n}. " + "It is long. " * 20, uid=n) for n in "abcde"]
    work[1:1] = [agent("I've fixed the name of a folder."), agent("Renamed the reader package in one folder.", uid="f")]
    (task,) = [
        item for item in tasks(user(asked), *work, agent(closing, uid="last"), budget=budget) if item.entry.title == asked
    ]
    assert task.entry.status == status


def test_a_request_that_is_said_again_has_its_own_turn() -> None:
    talk = [user("Fix the login form."), agent("Fixed the login form."), user("Fix the login form."), agent("I look at it.")]
    (window,) = windows(talk)
    found = [entry for entry in extract_window(talk, window) if entry.entry_type == "task"]
    assert [entry.evidence[0].message_index for entry in found] == [0, 2]
    assert [entry.status for entry in found] == ["done", "pending"]


def test_people_among_themselves_give_no_request_beside_their_words() -> None:
    talk = [
        Message("1", "user", "said", "We were at the sea.", name="Bob"),
        Message("2", "user", "said", "Could you please send me the photos of the trip?", name="Ann"),
    ]
    (window,) = windows(talk)
    scored = score_window(talk, window, built_in_rules())
    assert scored[-1].entry_type == "task" and scored[-1].score < 0
    assert "task" not in [entry.entry_type for entry in extract_window(talk, window)]


def test_a_task_that_is_blocked_is_not_borne_out_by_a_report() -> None:
    (task,) = tasks(user("The release is blocked on the npm token, we need to wait."), agent("That is done, as you said."))
    assert [quote.message_index for quote in task.entry.evidence] == [0]


def test_a_request_that_goes_on_in_another_window_is_reported_there() -> None:
    talk = [
        user("Please rename the reader package to sources."),
        *(agent(f"Let me look. {n} " * 60, uid=str(n)) for n in "abc"),
    ]
    (task,) = tasks(*talk, agent("Renamed the reader package to sources."), budget=600)
    assert task.entry.status == "done"


def test_a_note_or_a_lead_in_is_not_the_request() -> None:
    talk = [user("Rename the reader.\n\nNOTE: we need to keep the old name for a week.\n\nNow handle:")]
    (window,) = windows(talk)
    request = request_in(score_window(talk, window, built_in_rules()))
    assert request is not None and request.spot.sentence.text == "Rename the reader."


def test_a_request_that_says_why_it_is_blocked_is_blocked() -> None:
    (task,) = tasks(user("The release is blocked on the npm token, we need to wait."))
    assert (task.entry.status, task.entry.blocked_by) == ("blocked", ("the npm token",))


def test_a_word_to_go_on_is_no_name_of_a_task() -> None:
    found = tasks(user("please continue"), todos(("Write the guide", "pending")))
    assert [item.entry.title for item in found] == ["Write the guide"]


def test_a_plan_is_one_task_and_its_boxes_are_none() -> None:
    (task,) = tasks(PLAN, agent("Implemented the split of the session reader."))
    assert task.entry.title == "Split the session reader"
    assert task.entry.status == "done"


def test_a_request_goes_on_in_the_next_window() -> None:
    talk = [
        user("Please fix the login form of the shop."),
        todos(("Read the form", "in_progress"), ("Add a test", "pending")),
        agent("It is long. " * 40),
        todos(("Read the form", "completed"), ("Add a test", "completed"), uid="last"),
        agent("Short."),
    ]
    assert len(windows(talk, budget=500)) > 1
    (task,) = tasks(*talk, budget=500)
    assert task.entry.title == "Please fix the login form of the shop."
    assert task.entry.status == "done"


def test_a_window_tells_which_request_it_goes_on_with() -> None:
    def second(asked: str) -> tuple[int | None, str]:
        talk = [user(asked), agent("x" * 400), todos(("Read the form", "completed"))]
        *_, window = windows(talk, budget=300)
        return window.asked, window_hash(talk, window)

    (one, first), (other, changed) = second("Please fix the login."), second("Please fix the logout.")
    assert one == other == 0
    assert first != changed


STATUSES = st.sampled_from(["pending", "in_progress", "completed", "cancelled"])
CALLS = st.lists(
    st.lists(st.tuples(st.sampled_from(["Read it", "Test it", "Ship it"]), STATUSES), min_size=1, max_size=3), max_size=4
)


@given(CALLS)
def test_every_step_of_the_history_stands_in_a_quoted_message(calls: list[list[tuple[str, str]]]) -> None:
    talk = [user("Please fix the login form."), *(todos(*items, uid=f"call-{n}") for n, items in enumerate(calls))]
    for item in tasks(*talk):
        quoted = {quote.message_index for quote in item.entry.evidence}
        assert {step.message_index for step in item.entry.history} <= quoted
        if item.entry.history:
            assert item.entry.history[-1].status == item.entry.status


def test_a_task_that_a_reply_asks_for_is_called_by_what_the_reply_takes() -> None:
    options = "어떤 방식으로 할까요?\n\n1. 모델을 바꾼 뒤 직접 실행\n2. subagent로 병렬 처리"
    talk = [
        user("so"),
        agent(options),
        user("2번 방식으로 해줘."),
        todos(("Read it", "completed")),
        agent("모두 수정했습니다."),
    ]
    (task,) = tasks(*talk)
    assert (task.entry.title, task.entry.status) == ("subagent로 병렬 처리", "done")
    assert [quote.quote for quote in task.entry.evidence][:2] == ["2번 방식으로 해줘.", "subagent로 병렬 처리"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Please add login with OAuth to the shop.", "I could not get OAuth to work. I fixed a typo in the README."),
        ("로그인에 OAuth를 추가해줘.", "OAuth 추가에 실패했습니다. 대신 README 오타를 수정했습니다."),
        ("Please migrate the schema and add tests.", "I migrated the schema to the new tables. The tests are still missing."),
    ],
)
def test_a_report_beside_a_failure_ends_no_request(asked: str, said: str) -> None:
    (task,) = tasks(user(asked), agent(said))
    assert task.entry.status == "pending"


def test_of_several_requests_the_one_that_is_spoken_of_is_left_open() -> None:
    talk = [user("Please fix the rounding of the cart. Please add a dark toggle."), agent("The dark toggle is still open.")]
    (window,) = windows(talk)
    rounding, toggle, said = score_window(talk, window, built_in_rules())
    assert is_left_open(toggle, [said], only_request=False)
    assert not is_left_open(rounding, [said], only_request=False)
    assert is_left_open(rounding, [said], only_request=True)


@pytest.mark.parametrize("budget", [300, 24_000])
def test_a_list_that_nobody_began_is_open_in_however_many_windows(budget: int) -> None:
    talk = [
        user("Please migrate the schema of the shop."),
        agent("I look at it first. " * 20),
        todos(("Write the migration", "pending"), ("Run it", "pending")),
        agent("I've fixed the lint errors."),
    ]
    assert [item.entry.status for item in tasks(*talk, budget=budget)] == ["pending"]


def test_what_one_call_says_of_all_items_is_one_step() -> None:
    (task,) = tasks(user("Please fix the login form."), todos(("Read it", "completed"), ("Test it", "completed")))
    assert [step.status for step in task.entry.history] == ["pending", "done"]


def test_a_message_that_is_appended_changes_no_window_before_it() -> None:
    talk = [user("Please fix the login form."), agent("x" * 400)]
    talk += [todos(("Read the form", "in_progress"), uid=str(number)) for number in range(9)]

    def hashes(*more: Message) -> list[str]:
        told = [*talk, *more]
        return [window_hash(told, window) for window in windows(told, budget=300)]

    before, after = hashes(), hashes(user("and the logout form"))
    assert after[: len(before) - 1] == before[:-1]
