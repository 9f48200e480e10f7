"""What bears out a claim of done: read from the session's own messages, and folded into tables that a replay gives again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets_tests.projections.claimed import with_history
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows

ASKED = "Please fix the login."
REPORT = "> I fixed the login."
STANDING = """SELECT current_json ->> '$.status', current_json ->> '$.done_basis', current_json ->> '$.done_named'
FROM entities WHERE entity_type = 'task'"""


def stands(log: EventLog, database: Database, *texts: str, at: int = 1, status: str | None = "done") -> tuple[str, ...]:
    """How a task stands of which the message ``at`` says its status."""
    log.append(Story("talk").tell(texts, [Remark("Fix the login", at, "task", status=status)]))  # type: ignore[arg-type]
    catch_up(database, VERSIONS, resolve=True)
    assert verify(database, VERSIONS).equal
    return rows(database, STANDING)[0]


@pytest.mark.parametrize(
    ("texts", "basis", "named"),
    [
        ((ASKED, "> I fixed the login, committed as `a6c2d1b0`."), "commit", "commit a6c2d1b0"),
        ((ASKED, "> 로그인을 고쳤습니다. PR #12 를 올렸습니다."), "commit", "PR #12"),
        ((ASKED, "> I fixed the login; all 34 tests pass."), "passing_test", None),
        ((ASKED, "> 로그인을 고쳤고 테스트가 모두 통과했습니다."), "passing_test", None),
        ((ASKED, REPORT, "Thanks!"), "thanks", None),
        ((ASKED, REPORT, "고마워, 다음은 로그아웃"), "thanks", None),
        ((ASKED, REPORT, "Now the logout page."), "report", None),
    ],
)
def test_evidence_settles_it_at_once(
    log: EventLog, database: Database, texts: tuple[str, ...], basis: str, named: str | None
) -> None:
    assert stands(log, database, *texts) == ("done", basis, named)


@pytest.mark.parametrize(
    ("texts", "status"),
    [
        ((ASKED, REPORT), "in_progress"),
        ((ASKED, REPORT, "> What is next?"), "in_progress"),
        ((ASKED, REPORT, "No, it still fails."), "in_progress"),
        ((ASKED, REPORT, "아니 여전히 안 돼"), "in_progress"),
        ((ASKED, "> I fixed the login; all tests pass.", "That's wrong, undo it."), "in_progress"),
        # A plan or a guess is no claim at all.
        ((ASKED, "> The login should be done now.", "Now the logout page."), "pending"),
        ((ASKED, "> I'll fix the login; tests pass then.", "Go on."), "pending"),
        ((ASKED, "> 로그인은 아마 고쳐졌을 것 같습니다.", "다음"), "pending"),
    ],
)
def test_a_claim_alone_a_guess_or_a_contradicted_report_does_not(
    log: EventLog, database: Database, texts: tuple[str, ...], status: str
) -> None:
    assert stands(log, database, *texts) == (status, None, None)


EDITS = "edit: src/login.py"


@pytest.mark.parametrize(
    ("texts", "stand"),
    [
        ((ASKED, EDITS, REPORT), ("done", "changed_files", None)),
        ((ASKED, "read: src/login.py", REPORT), ("in_progress", None, None)),
        ((ASKED, EDITS, "failed: no such file", REPORT), ("in_progress", None, None)),
        # What was changed in another turn bears out nothing.
        (("First the logout.", EDITS, ASKED, REPORT), ("in_progress", None, None)),
        ((ASKED, EDITS, REPORT, "No, it still fails."), ("in_progress", None, None)),
        ((ASKED, REPORT, EDITS), ("in_progress", None, None)),
        ((ASKED, EDITS, REPORT, "read: src/login.py"), ("in_progress", None, None)),
        ((ASKED, EDITS, REPORT, EDITS, "> The rest is still to be written."), ("in_progress", None, None)),
        ((ASKED, 'shell: ["apply_patch", "*** Begin Patch"]', REPORT), ("done", "changed_files", None)),
        ((ASKED, "read: how apply_patch works", REPORT), ("in_progress", None, None)),
        ((ASKED, "slack_edit_message: hello", REPORT), ("in_progress", None, None)),
    ],
)
def test_a_report_that_ends_a_session_is_borne_out_by_the_files_that_were_changed(
    log: EventLog, database: Database, texts: tuple[str, ...], stand: tuple[str, ...]
) -> None:
    assert stands(log, database, *texts, at=texts.index(REPORT)) == stand


@pytest.mark.parametrize(
    ("report", "stand"),
    [(REPORT, ("done", "changed_files", None)), ("> I corrected a typo in the README.", ("in_progress", None, None))],
)
def test_a_report_of_something_else_is_not_borne_out_by_changed_files(
    log: EventLog, database: Database, report: str, stand: tuple[str, ...]
) -> None:
    texts = (ASKED, EDITS, report)
    told = Story("talk").tell(texts, [Remark("Fix the login", 0, "task", status="done")])
    log.append(with_history(told, "Fix the login", [], [(0, ASKED), (2, report)]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [stand]


@pytest.mark.parametrize(
    ("texts", "status"),
    [
        ((ASKED, "read: src/login.py", "> Let me look."), "in_progress"),
        ((ASKED, "read: src/login.py", "failed: no such file", "> Let me look."), "pending"),
        (("Later we should fix the login.", "read: src/login.py", "> Noted."), "pending"),
        (("로그인은 나중에 고치자.", "read: src/login.py", "> Noted."), "pending"),
        ((ASKED, "> Which login?", "The one of the shop.", "read: src/shop.py"), "pending"),
        ((ASKED, "> Which login?"), "pending"),
    ],
)
def test_what_tools_are_called_for_is_in_progress(
    log: EventLog, database: Database, texts: tuple[str, ...], status: str
) -> None:
    assert stands(log, database, *texts, at=0, status="pending") == (status, None, None)


def test_a_todo_tool_is_evidence_of_every_step(log: EventLog, database: Database) -> None:
    texts = ["todo: Fix the login, pending", "todo: Fix the login, completed"]
    told = Story("talk").tell(texts, [Remark("Fix the login", 0, "task", status="done")])
    log.append(with_history(told, "Fix the login", [("pending", 0), ("done", 1)], list(enumerate(texts))))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "todo_tool", None)]
    moves = "SELECT payload_json ->> '$.to_status' FROM v_task_history WHERE event_type = 'task_status_changed' ORDER BY place"
    assert rows(database, moves) == [("in_progress",), ("done",)]
    assert verify(database, VERSIONS).equal


def test_a_session_that_goes_on_bears_out_what_it_reported(log: EventLog, database: Database) -> None:
    story, remark = Story("talk"), Remark("Fix the login", 1, "task", status="done")
    log.append(story.tell([ASKED, REPORT], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("in_progress", None, None)]
    log.append(story.tell([ASKED, REPORT, "Now the logout page."], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "report", None)]
    assert verify(database, VERSIONS).equal


@pytest.mark.parametrize("order", ["Run the tests.", "커밋해줘", "한글로 답변해줘", "proceed"])
def test_an_order_of_one_turn_is_passed_when_the_turn_ends(log: EventLog, database: Database, order: str) -> None:
    story, remark = Story("talk"), Remark("An order", 0, "task", status="pending")
    log.append(story.tell([order], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("pending", None, None)]
    log.append(story.tell([order, "> There you are."], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "turn_ended", None)]
    assert verify(database, VERSIONS).equal


@pytest.mark.parametrize("order", ["Run the tests and fix what fails.", "앞으로 한글로 답변해줘", "로그인 고쳐줘"])
def test_work_and_standing_orders_stay_open(log: EventLog, database: Database, order: str) -> None:
    assert stands(log, database, order, "> There you are.", "Next", at=0, status="pending") == ("pending", None, None)


@pytest.mark.parametrize(
    ("text", "waits_for", "status"),
    [
        ("> Waiting for the other three", "the other three", "pending"),
        ("> Still waiting on parser.py and the resend.", "parser.py and the resend", "pending"),
        ("> Presumably it is blocked by the budget.", "the budget", "pending"),
        ("It's blocked because the call is waiting for the timeout.", "the timeout", "pending"),
        ("> Waiting for PR #12", "PR #12", "blocked"),
        ("> 김 대리의 승인을 기다리는 중", "김 대리의 승인", "blocked"),
        ("> It is blocked by the budget.", "the budget", "blocked"),
    ],
)
def test_what_is_blocked_names_a_cause_from_outside(
    log: EventLog, database: Database, text: str, waits_for: str, status: str
) -> None:
    remark = Remark("Fix the login", 1, "task", status="blocked", blocked_by=(waits_for,))
    log.append(Story("talk").tell([ASKED, text], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT task_status FROM v_tasks") == [(status,)]
    assert rows(database, "SELECT 1 FROM v_tasks_unknown_placeholder") == []


def test_the_order_in_which_sessions_are_read_changes_nothing(log: EventLog, database: Database) -> None:
    asked = Story("asked", started=STARTED).tell([ASKED], [Remark("Fix the login", 0, "task", status="pending")])
    ended = Story("ended", started=STARTED + timedelta(days=1)).tell(
        [REPORT, "Thanks!"], [Remark("Fix the login", 0, "task", status="done")]
    )
    log.append(ended)
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "thanks", None)]
    log.append(asked)
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "thanks", None)]
    history = "SELECT event_type FROM v_task_history ORDER BY place"
    assert [row[0] for row in rows(database, history)] == [
        "task_created",
        "task_evidence_linked",
        "task_status_changed",
        "task_status_changed",
    ]
    assert verify(database, VERSIONS).equal
