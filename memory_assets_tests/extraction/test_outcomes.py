"""How an agent's last message says that what was asked for is done: by its first word, by checks that pass, by a review."""

import pytest

from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.windows import window_hash, windows
from memory_assets.sessions.model import Role
from memory_assets_tests.extraction.talk import agent, message, user
from memory_assets_tests.extraction.test_requests import tasks, todos

F, K = "Please fix the login form.", "로그인 화면을 고쳐줘."
WORK = [agent(f"Let me look at part {n} of it.", uid=n) for n in "abcd"]


def status_of(asked: str, closing: str) -> str | None:
    return tasks(user(asked), *WORK, agent(closing, uid="last"))[0].entry.status


@pytest.mark.parametrize(
    ("asked", "closing"),
    [
        # A word at the beginning says it, and what follows says how it is now.
        (
            "Consider copying the factories under the lock before they are called.",
            "Done. The lock only covers the snapshot of the factories. They are called outside of it.",
        ),
        ("Please show the agent and the steps in the list.", "All done! Each row ends with the agent and its steps."),
        ("목록에 담당자를 표시해줘.", "완료되었습니다. 각 줄은 담당자의 이름으로 끝납니다."),
        ("목록에 담당자를 표시해줘.", "완료!\n\n각 줄은 담당자의 이름으로 끝납니다."),
        # Verbs of what was done.
        ("Can we cut the prompt so that the agent is shown?", "I've added width-aware truncation of the prompt."),
        (
            "Please normalize the path before the check.",
            "Adjusted the separator to the system's, so the check is portable.",
        ),
        (
            "Consider normalizing the separator before the prefix is checked.",
            'Clean. Used `string(filepath.Separator)` instead of the hardcoded `"/"`, so the prefix works there too.',
        ),
        ("Piece 1 and 2 of the plan need to be done, not 3.", "Both pieces are addressed. Piece 3 was left untouched."),
        ("Please add a check of the list.", "I've added list validation to the form."),
        # The checks pass.
        (
            "Can't we take the hash of each file from git and compare that instead?",
            "All tests pass and the linter is clean.\n\n## Summary\n\nThe hash is stored in the tree, no file is read twice.",
        ),
        # What is listed under what was done tells of nothing that is left.
        (
            "Consider logging these errors at debug level, attribution is missing without a trace.",
            "I've added debug logging to all the error paths. The changes include:\n\n**Added debug logs for each silent"
            " return:**\n\n- Shadow branch not found\n- Failed to get the shadow commit\n- Failed to get the worktree\n",
        ),
        ("Please log the skipped attribution.", "I added a log line. The function still fails gracefully, and now tells why."),
        # A plan of which the work is through.
        ("Please move the logs.", "All implementation work from the plan is complete. The logs are in their own folder."),
        ("Please fix the login form.", "I fixed the login form. All tests pass. Now let me know if anything looks off."),
        ("Please fix the login form.", "I fixed the login form. Let me be clear: nothing is left."),
        ("Please fix the login form.", "I fixed the login form. I'll update you when CI is green."),
        ("Please fix the login form.", "I fixed the login form.\n\nI'll add a regression test too if you want one."),
    ],
)
def test_a_turn_that_ends_with_a_report_is_done(asked: str, closing: str) -> None:
    assert status_of(asked, closing) == "done"


@pytest.mark.parametrize(
    ("asked", "closing"),
    [
        ("Please fix the login form.", "Done with the reading. The form still fails without a cookie."),
        ("Please fix the login form.", "Done? Not yet. The form needs another field."),
        ("Please move the logs.", "The plan is complete. Shall I start with it?"),
        ("Please fix the login form.", "Still failing:\n\n- The form fails without a cookie"),
        ("Please fix the login form.", "I've fixed the style.\n\nStill failing:\n\n- The login form is still failing on CI"),
        ("Please fix the login form.", "The tests do not pass yet. The form needs a field."),
        ("Please fix the login form.", "All tests should pass once the form has a field."),
        ("Let's address the first point of the review.", "I now have the full picture of the first point."),
        ("로그인 화면을 고쳐줘.", "완료하려면 토큰이 필요합니다. 화면은 그대로입니다."),
        ("Please fix the login form.", "Used by three pages, the form reads the cookie twice."),
        ("Please fix the login form.", "Used `login.html` in three pages, but the form reads the cookie instead."),
        ("Please fix the login form.", "Used space on the disk is 90 %, so the build fails."),
        ("Please fix the login form.", "Installed versions differ: which one shall I use for the form?"),
        ("Please fix the login form.", "All tests pass, but I have not touched the login form yet."),
        ("Please fix the login form.", "Before I change anything: all tests pass today. Which form do you mean?"),
        ("Please fix the login form.", "All tests pass. Shall I fix the form now?"),
        ("로그인 화면을 고쳐줘.", "테스트가 모두 통과합니다. 이제 로그인 화면을 고칠까요?"),
        ("로그인 화면을 고쳐줘.", "완료!\n\n다만 로그인 화면은 아직 고치지 못했습니다."),
        # What is listed may be what is left, and what is silent is not mended.
        (F, "I've pushed the fix. Results of CI are now in:\n\n- lint: ok\n- login form: still failing"),
        (F, "I've fixed the style, these are left:\n\n- The login form is still failing\n- The token is missing"),
        (F, "I've updated the login form. I've added the open points to TODO.md:\n\n- The form still fails without a cookie"),
        (F, "## Work completed\n\n- I changed the style\n- Login form is still failing, I could not find out why"),
        (F, "Checklist done so far:\n\n- Style fixed\n- Login form: could not fix it, the server is unreachable"),
        (K, "로그인 화면을 수정했습니다. 남은 문제를 정리했습니다:\n\n- 로그인 화면이 사파리에서 아직 깨집니다"),
        (K, "수정했습니다. 결과를 정리했습니다:\n\n- 단위 테스트 통과\n- 로그인 화면 테스트는 아직 실패합니다"),
        (F, "I've updated the handler, but the form still fails as before."),
        (F, "I've changed the cookie. The login form still fails silently when I submit it."),
        (F, "I've changed the handler. The login form still fails fast with a 500."),
        # A word at the beginning is not the end.
        (F, "Done. The login form has two bugs. Which one do you want me to tackle first?"),
        (F, "Complete.\n\nThe root cause is in the cookie parser. Want me to patch it?"),
        (F, "Done. But the login form crashes on submit now."),
        (F, "Done! Ready for your review before I touch the code."),
        (K, "작업 완료\n\n원인은 쿠키입니다. 고칠까요?"),
        (K, "수정 완료\n\n로그인 화면은 그대로입니다. 서버 쪽이 원인입니다."),
        (K, "끝! 이제 로그인 화면을 고치면 됩니다."),
        (F, "All checks pass on main, so the bug is environmental. I need your logs."),
        (F, "The build passes a flag to the form. I need to know which one you want."),
        (K, "테스트는 통과합니다. 로그인 화면의 원인을 모르겠습니다. 로그를 보내 주세요."),
        # What is complete, used or switched is something else.
        (F, "My analysis of the login form is complete. The cookie is dropped by the proxy. Shall I fix it?"),
        (F, "The form is complete, so the bug in the login must be elsewhere. What do you see?"),
        (F, "Used the debugger to look at the login form. The handler is never called."),
        (F, "Introduced in March, the bug in the login form comes from the cookie. Shall I revert it?"),
        (F, "Switched to the branch of the login form. Shall I begin?"),
        (F, "Installed the dependencies. Now I need the password of the login form."),
        ("Can you simplify the login form?", "I could write it simplified. Shall I?"),
        ("Please move the logs.", "I've added notes. A draft of the plan is ready for you."),
        ("Please move the logs.", "The draft of the plan has been written. I've created PLAN.md with the steps."),
        (
            "Please review the pull request.",
            "I have reviewed the first half. The parser is small. It has tests. The cache is odd. It is never emptied."
            " The writer is fine. I could not finish the review. The second half is still open. I will go on tomorrow.",
        ),
        (
            "Please review the pull request.",
            "I'm sorry. I can't open the pull request. The host refuses. My token is too old. I tried twice. I tried with"
            " curl. I tried with gh. Please give me a new token. Then I will start.",
        ),
        ("Review the parser.", "I have questions first:\n\n" + "- Which of the parsers shall I read?\n" * 9),
        # A first step of several, behind which the turn is broken off.
        ("로그인 화면이 왜 안 되는지 파악해서 수정해줘.", "원인을 파악했습니다. 이제 계획을 작성하겠습니다."),
        ("Find out why the login form fails and fix it.", "I found the cause: the token is stale. Now I'll write the fix."),
        (
            "Investigate why the login fails in Safari.",
            "The root cause is still under investigation because the logs of the login are truncated.",
        ),
    ],
)
def test_a_turn_that_ends_otherwise_is_open(asked: str, closing: str) -> None:
    assert status_of(asked, closing) != "done"


@pytest.mark.parametrize(
    ("steps", "closing", "status"),
    [
        (("completed", "in_progress"), "All work from the plan is complete.", "done"),
        (("completed", "in_progress"), "계획한 작업을 모두 완료했습니다.", "done"),
        (("completed", "in_progress"), "I moved the reader. All tests pass.", "done"),
        (("completed", "in_progress"), "I moved the reader.", "in_progress"),
        (("completed", "in_progress"), "All work is complete. One test is still failing.", "in_progress"),
        (("completed", "pending"), "All work from the plan is complete.", "in_progress"),
        (("completed", "in_progress"), "All but the last step are done.", "in_progress"),
        (("completed", "in_progress"), "Almost all of the work is done, the docs remain.", "in_progress"),
        (("completed", "in_progress"), "All tests pass so far. The docs come next.", "in_progress"),
        (("completed", "in_progress"), "I moved the reader. All tests pass. Running the slow suite now.", "in_progress"),
        (("completed", "in_progress"), "I've updated all the callers, a complete run takes an hour.", "in_progress"),
        (("completed", "in_progress"), "전체 구조를 파악했습니다.", "in_progress"),
        (("completed", "in_progress"), "모든 로그를 분석했습니다. 문서는 내일 쓰겠습니다.", "in_progress"),
        (("in_progress", "in_progress"), "All work from the plan is complete.", "in_progress"),
    ],
)
def test_a_tick_that_was_forgotten_leaves_nothing_open(steps: tuple[str, str], closing: str, status: str) -> None:
    call = todos(("Move the reader", steps[0]), ("Run the tests", steps[1]))
    (task,) = tasks(user("Please move the reader."), call, *WORK, agent(closing, uid="last"))
    assert task.entry.status == status


REVIEW = """# Review of the pull request

## Summary

The pull request adds a reader of archives. It is small and well tested.

## Findings

- The reader keeps the whole archive in memory, which is slow for large ones.
- The name of an entry is not checked, so a path may lead out of the folder.
- The cache is never emptied.
- The tests cover the happy path and two errors.
- The page of the command names the option.
- The change log has a line.
"""


def test_a_command_that_asks_for_a_review_is_done_with_the_review() -> None:
    template = "- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request."
    (task, *_) = tasks(user(template), agent("I'll review the pull request line by line.", uid="first"), *WORK, agent(REVIEW))
    assert (task.entry.title, task.entry.status) == ("I'll review the pull request line by line.", "done")


def test_what_a_command_was_given_says_nothing_more() -> None:
    template = "- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request."
    begun = "I'll review the pull request line by line."
    (task, *_) = tasks(user(template), user("244"), agent(begun, uid="first"), *WORK, agent(REVIEW))
    assert task.entry.evidence[0].quote == begun


def test_a_review_that_fills_several_windows_ends_the_command_that_asked_for_it() -> None:
    command = user("- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request.")
    talk = [command, agent("I'll review the pull request line by line.", uid="first"), *WORK, agent(REVIEW, uid="last")]
    for before in ([], [user("244")]):  # what the command was given
        assert len(windows([*before, *talk], budget=300)) > 1
        found = [task.entry for task in tasks(*before, *talk, budget=300) if "review the pull" in task.entry.title]
        assert [(entry.title, entry.status) for entry in found] == [("I'll review the pull request line by line.", "done")]


@pytest.mark.parametrize(
    ("behind", "status"),
    [
        ("Good, no test of it exists. Let me run the linter to confirm the error.", "done"),
        ("리뷰에 쓴 오류를 확인하기 위해 빌드를 실행해 보겠습니다.", "done"),
        ("I could not read the second half: the diff was cut. I will go on with it.", "pending"),
        ("I can't open the other file, so this is the first half.", "pending"),
        ("That was the first half. I'll go on with the second half.", "pending"),
        ("Now let me read the other three files.", "pending"),
        ("Shall I continue with the writer?", "pending"),
        ("나머지 파일은 이어서 검토하겠습니다.", "pending"),
        ("계속 검토할까요?", "pending"),
        ("다른 파일은 읽을 수 없습니다.", "pending"),
    ],
)
@pytest.mark.parametrize("budget", [900, 10_000])
def test_a_review_behind_which_a_turn_is_broken_off_is_the_review(behind: str, status: str, budget: int) -> None:
    command = user("- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request.")
    talk = [command, agent("I'll review the pull request line by line.", uid="first"), *WORK, agent(REVIEW, uid="review")]
    found = tasks(*talk, *WORK, agent(behind, uid="last"), budget=budget)
    (task,) = [one.entry for one in found if "review the pull" in one.entry.title]
    assert task.status == status


@pytest.mark.parametrize(
    ("asked", "long"),
    [
        ("Review the parser of archives.", REVIEW.replace("# Review of the pull request", "# Plan of the review")),
        ("Investigate why the review page hangs.", REVIEW),
        ("왜 리뷰 화면이 안 열리는지 확인해줘.", REVIEW),
        ("요약 카드가 왜 비는지 확인해줘.", REVIEW),
    ],
)
def test_a_long_message_that_is_no_review_or_was_not_asked_for_ends_nothing(asked: str, long: str) -> None:
    found = tasks(user(asked), *WORK, agent(long, uid="long"), *WORK, agent("Let me reproduce it.", uid="last"))
    assert [one.entry.status for one in found if one.entry.status == "done"] == []


@pytest.mark.parametrize("head", ["Here's what changed:", "Here's a summary of the changes made:"])
def test_what_a_list_is_announced_with_is_proved_by_its_item(head: str) -> None:
    listed = "- Tests in a folder of their own\n- A check of the token in the login form"
    (task,) = tasks(user(F), *WORK, agent(f"All done. {head}\n\n{listed}", uid="last"))
    assert task.entry.status == "done"
    assert task.entry.evidence[-1].quote == "A check of the token in the login form"


@pytest.mark.parametrize(
    ("closing", "told"),
    [
        (
            "Here's what was added:\n\n**`form.py`** — the token of the login is checked\n\n**`test_form.py`** — three cases",
            ["**`form.py`** — the token of the login is checked"],
        ),
        (
            "Here's a summary of what was done:\n\n## Summary\n\n### Fixes\n\n- The token of the login is checked",
            ["The token of the login is checked"],
        ),
        (
            "Both points of the login form are fixed:\n\n- **Rows** (`rows.py:10`): a stable sort\n"
            "- **Token** (`form.py:12`): the login form holds it in memory",
            [
                "Both points of the login form are fixed:",
                "**Token** (`form.py:12`): the login form holds it in memory",
            ],
        ),
    ],
)
def test_a_list_that_is_announced_says_what_was_done(closing: str, told: list[str]) -> None:
    (task,) = tasks(user(F), *WORK, agent(closing, uid="last"))
    assert task.entry.status == "done"
    quoted = [quote.quote for quote in task.entry.evidence if quote.message_index == len(WORK) + 1]
    assert quoted[: len(told)] == told


@pytest.mark.parametrize(
    "head", ["다음과 같이 수정했습니다:", "변경 내용은 다음과 같습니다:", "남은 메모리 누수까지 고쳤습니다:"]
)
def test_a_list_that_is_announced_in_korean_says_what_was_done(head: str) -> None:
    talk = [user("로그인 화면을 고쳐줘."), *WORK, agent(f"{head}\n\n- **로그인 화면**: 쿠키를 한 번만 읽음", uid="last")]
    (task,) = tasks(*talk)
    assert task.entry.status == "done" and "**로그인 화면**: 쿠키를 한 번만 읽음" in [q.quote for q in task.entry.evidence]


def test_what_was_decided_on_the_way_proves_no_work() -> None:
    decided = "### Key design decisions\n\n- **Login**: we decided to keep the token of the login form in memory"
    closing = f"Here's a summary of what was done:\n\n## Files\n\n{decided}\n"
    talk = [user(F), *WORK, agent(closing, uid="last")]
    (window,) = windows(talk)
    found = {entry.entry_type: [quote.quote for quote in entry.evidence] for entry in extract_window(talk, window)}
    assert found["decision"][0].startswith("**Login**: we decided")
    assert not any(quote.startswith("**Login**") for quote in found["task"])


@pytest.mark.parametrize(
    ("closing", "left"),
    [
        (
            "## Fixed the login form\n\n## Known limitations\n\n- The token of the login form expires after an hour\n",
            "The token of the login form expires after an hour",
        ),
        (
            "Here is what was changed:\n\n## Next steps\n\n- Add a rate limit to the login form\n",
            "Add a rate limit to the login form",
        ),
        (
            "Here is what was changed:\n\n**Remaining**: the token of the login form needs a test\n",
            "**Remaining**: the token of the login form needs a test",
        ),
        (
            "I fixed the login form, these points are left:\n\n- the token of the login form is not rotated\n",
            "the token of the login form is not rotated",
        ),
        ("Here's what changed:\n\n## Deferred\n\n- The login form on mobile\n", "The login form on mobile"),
        ("Here's what changed:\n\n**Skipped**: the login form on mobile\n", "**Skipped**: the login form on mobile"),
        ("Here's what changed:\n\n- ❌ the login form on mobile\n", "❌ the login form on mobile"),
        ("Here's what changed:\n\n- TODO the login form on mobile\n", "TODO the login form on mobile"),
        ("수정했습니다. 변경 내용:\n\n## 보류\n\n- the login form on mobile\n", "the login form on mobile"),
    ],
)
def test_what_is_left_proves_no_work(closing: str, left: str) -> None:
    talk = [user(F), *WORK, agent(closing, uid="last")]
    (window,) = windows(talk)
    found = [entry for entry in extract_window(talk, window) if entry.title == F]
    assert found and all(left not in [quote.quote for quote in entry.evidence] for entry in found)


def test_a_second_order_that_names_its_own_is_a_task_of_its_own() -> None:
    asked = "Please deploy the release to staging. Since these settings changed, please add a retry to the billing client."
    found = tasks(user(asked), *WORK, agent("I deployed the release to staging.", uid="last"))
    assert [(one.entry.title.split()[-1], one.entry.status) for one in found] == [("staging.", "done"), ("client.", "pending")]


@pytest.mark.parametrize(
    "last", ["For example, fields are left empty until then.", "Or rows are left out by the `--all` flag."]
)
def test_an_example_behind_a_report_leaves_nothing_open(last: str) -> None:
    asked = "Please validate the login form."
    assert status_of(asked, f"The validation of the login form is done. {last}") == "done"


@pytest.mark.parametrize("head", ["What I fixed in the login form:", "## The login form", "(The login form was fixed.)"])
def test_the_proof_of_what_was_done_is_a_sentence_that_says_it(head: str) -> None:
    (task,) = tasks(user(F), *WORK, agent(f"{head}\n\nI fixed the check of the token.", uid="last"))
    assert task.entry.evidence[-1].quote == "I fixed the check of the token."


def test_a_request_is_not_ended_by_the_words_that_announce_it() -> None:
    command = user("- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request.")
    parts = "".join(f"\n{number}. Read the file {number} of the pull request" for number in range(1, 10))
    announced = agent(f"I'll review the pull request in parts.\n{parts}", uid="first")
    found = tasks(command, announced, *WORK, agent("Let me look at the diff.", uid="last"))
    assert [one.entry.status for one in found if "review the pull" in one.entry.title] == ["pending"]


def test_another_long_message_ends_no_other_request() -> None:
    found = tasks(
        user("Please fix the reader of archives."), *WORK, agent(REVIEW, uid="review"), agent("Let me look on.", uid="last")
    )
    assert [one.entry.status for one in found if "fix the reader" in one.entry.title] == ["pending"]


def test_who_says_what_a_window_goes_on_with_is_part_of_its_hash() -> None:
    command = user(
        "- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request.", uid="command"
    )
    said = "I will fix the login form and push the branch."
    work = [agent(f"Let me look at part {n} of it. " + "It is long. " * 20, uid=n) for n in "abcd"]
    roles: tuple[Role, ...] = ("assistant", "user")
    talks = [[command, message(role, said, uid="first"), *work] for role in roles]
    last = [(talk, windows(talk, budget=500)[-1]) for talk in talks]
    assert [window.asked for _, window in last] == [1, 1]
    assert len({window_hash(talk, window) for talk, window in last}) == 2


@pytest.mark.parametrize("bare", ["네", "yes", "2"])
def test_what_an_agent_says_behind_a_bare_word_names_no_request(bare: str) -> None:
    work = [agent(f"Let me look at part {n} of it. " + "It is long. " * 20, uid=n) for n in "abcd"]
    begun = [user("Where is the token checked?"), agent("In the form. Want me to add a check of the token?", uid="offer")]
    talk = [*begun, user(bare), agent("I'll add a check of the token to the store.", uid="first"), *work]
    cut = windows(talk, budget=500)[-1]
    assert cut.asked == 2, "the person's own word began the turn"


def test_an_agent_that_waits_for_its_helpers_leaves_no_task() -> None:
    talk = [user("Please read the whole branch."), agent("Waiting on the other three helpers and the reader.", uid="w"), *WORK]
    assert [task.entry.title for task in tasks(*talk, agent("The branch is read."))] == ["Please read the whole branch."]


def test_a_guess_of_a_person_is_no_task() -> None:
    told = (
        "The log is full of the same line, that needs to be fixed. Presumably because it is waiting for an event of the file."
    )
    assert [task.entry.title for task in tasks(user(told), *WORK)] == [
        "The log is full of the same line, that needs to be fixed."
    ]


@pytest.mark.parametrize(
    ("told", "title"),
    [
        (
            "Apparently the login page crashes on Safari, please fix it. I will be back after lunch with the others.",
            "Apparently the login page crashes on Safari, please fix it.",
        ),
        ("The page crashes with a 500 when I save. Thanks for yesterday. Please fix that.", "Please fix that."),
        ("Good morning! Please fix it.", "Please fix it."),
        ("Hi there. This login form must be fixed, please.", "This login form must be fixed, please."),
        ("The review says:\n- the parser is slow\n- the cache is never emptied\nPlease address both.", "Please address both."),
    ],
)
def test_what_a_request_is_called_by_is_what_it_asks_for(told: str, title: str) -> None:
    assert title in [task.entry.title for task in tasks(user(told), *WORK)]


def test_a_typed_request_behind_which_a_command_runs_stays_the_request() -> None:
    command = user("- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request.")
    work = [agent(f"Let me look at part {n} of it. " + "It is long. " * 20, uid=n) for n in "abcd"]
    first = agent("I'll fix the form on the branch main.", uid="first")
    talk = [user(F), command, first, *work, agent("I've fixed the login form.", uid="last")]
    for budget in (500, 24_000):
        assert [(task.entry.title, task.entry.status) for task in tasks(*talk, budget=budget)] == [(F, "done")]


def test_a_request_that_points_back_is_called_by_what_it_points_at_as_well() -> None:
    told = "The log line is at INFO for every missing folder. We need to change that at a minimum."
    (task,) = tasks(user(told), *WORK)
    assert task.entry.title == told
    pasted = "# Guide\n\n" + "The guide says what a page is made of. " * 20 + "\n\n## See also\n\n- Security: the principles\n"
    (moved,) = tasks(user(f"{pasted}\n해당 파일도 이동해줘."), *WORK)
    assert moved.entry.title == "해당 파일도 이동해줘."
