"""How an agent's last message says that what was asked for is done: by its first word, by checks that pass, by a review."""

import pytest

from memory_assets.extraction.windows import windows
from memory_assets_tests.extraction.talk import agent, user
from memory_assets_tests.extraction.test_requests import tasks, todos

WORK = [agent(f"Let me look at part {n} of it.", uid=n) for n in "abcd"]


def status_of(asked: str, closing: str) -> str | None:
    found = [task.entry.status for task in tasks(user(asked), *WORK, agent(closing, uid="last")) if task.entry.evidence[0]]
    return found[0]


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
        ("Please normalize the path before the check.", "Switched to the separator of the system, so the check is portable."),
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
        (
            "Please fix the login form.",
            "I've fixed two issues:\n\n- The form still fails without a cookie\n- The token is missing",
        ),
        ("Please log the skipped attribution.", "I added a log line. The function still fails gracefully, and now tells why."),
        # A plan of which the work is through.
        ("Please move the logs.", "All implementation work from the plan is complete. The logs are in their own folder."),
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
        ("Please fix the login form.", "Used space on the disk is 90 %, so the build fails."),
        ("Please fix the login form.", "Installed versions differ: which one shall I use for the form?"),
        ("Please fix the login form.", "All tests pass, but I have not touched the login form yet."),
        ("Please fix the login form.", "Before I change anything: all tests pass today. Which form do you mean?"),
        ("Please fix the login form.", "All tests pass. Shall I fix the form now?"),
        ("로그인 화면을 고쳐줘.", "테스트가 모두 통과합니다. 이제 로그인 화면을 고칠까요?"),
        ("로그인 화면을 고쳐줘.", "완료!\n\n다만 로그인 화면은 아직 고치지 못했습니다."),
        ("Review the parser.", "I have questions first:\n\n" + "- Which of the parsers shall I read?\n" * 9),
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


def test_a_review_that_fills_several_windows_ends_the_command_that_asked_for_it() -> None:
    command = user("- Current branch: main\n- Current git status: clean\n\n## Your task\n\nReview the pull request.")
    talk = [command, agent("I'll review the pull request line by line.", uid="first"), *WORK, agent(REVIEW, uid="last")]
    assert len(windows(talk, budget=300)) > 1
    found = [task.entry for task in tasks(*talk, budget=300) if "review the pull" in task.entry.title]
    assert [(entry.title, entry.status) for entry in found] == [("I'll review the pull request line by line.", "done")]


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


def test_a_request_that_points_back_is_called_by_what_it_points_at_as_well() -> None:
    told = "The log line is at INFO for every missing folder. We need to change that at a minimum."
    (task,) = tasks(user(told), *WORK)
    assert task.entry.title == told
    pasted = "# Guide\n\n" + "The guide says what a page is made of. " * 20 + "\n\n## See also\n\n- Security: the principles\n"
    (moved,) = tasks(user(f"{pasted}\n해당 파일도 이동해줘."), *WORK)
    assert moved.entry.title == "해당 파일도 이동해줘."
