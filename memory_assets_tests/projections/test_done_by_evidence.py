"""What bears out a claim of done: read from the session's own messages, and folded into tables that a replay gives again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
STANDS = """status := current_json ->> '$.status', basis := current_json ->> '$.done_basis',
named := current_json ->> '$.done_named'"""
STANDING = """SELECT current_json ->> '$.status', current_json ->> '$.done_basis', current_json ->> '$.done_named'
FROM entities WHERE entity_type = 'task'"""


Stand = tuple[str | None, ...]
IN_PROGRESS: Stand = ("in_progress", None, None)
PENDING: Stand = ("pending", None, None)


@dataclass(frozen=True)
class Talk:
    """A session of which the message ``at`` says a task's status, and how the task stands then."""

    texts: tuple[str, ...]
    stand: Stand
    at: int = 1
    status: str = "done"


def assert_they_stand(log: EventLog, database: Database, talks: Sequence[Talk]) -> None:
    """All in one fold, each in a project of its own: no two tasks are one, and none bears on another."""
    for number, talk in enumerate(talks):
        remark = Remark("Fix the login", talk.at, "task", status=talk.status)  # type: ignore[arg-type]
        log.append(Story(f"talk-{number}", project=f"project-{number}").tell(talk.texts, [remark]))
    catch_up(database, VERSIONS, resolve=True)
    stood = dict(rows(database, f"SELECT project, struct_pack({STANDS}) FROM entities WHERE entity_type = 'task'"))
    found = {talk.texts: tuple(stood[f"project-{number}"].values()) for number, talk in enumerate(talks)}
    assert found == {talk.texts: talk.stand for talk in talks}
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_evidence_settles_it_at_once(log: EventLog, database: Database) -> None:
    talks = [
        Talk((ASKED, "> I fixed the login, committed as `a6c2d1b0`."), ("done", "commit", "commit a6c2d1b0")),
        Talk((ASKED, "> 로그인을 고쳤습니다. PR #12 를 올렸습니다."), ("done", "commit", "PR #12")),
        Talk((ASKED, "> I fixed the login; all 34 tests pass."), ("done", "passing_test", None)),
        Talk((ASKED, "> 로그인을 고쳤고 테스트가 모두 통과했습니다."), ("done", "passing_test", None)),
        Talk((ASKED, REPORT, "Thanks!"), ("done", "thanks", None)),
        Talk((ASKED, REPORT, "고마워, 다음은 로그아웃"), ("done", "thanks", None)),
        Talk((ASKED, REPORT, "Now the logout page."), ("done", "report", None)),
    ]
    assert_they_stand(log, database, talks)


@pytest.mark.long
def test_a_claim_alone_a_guess_or_a_contradicted_report_does_not(log: EventLog, database: Database) -> None:
    talks = [
        Talk((ASKED, REPORT), IN_PROGRESS),
        Talk((ASKED, REPORT, "> What is next?"), IN_PROGRESS),
        Talk((ASKED, REPORT, "No, it still fails."), IN_PROGRESS),
        Talk((ASKED, REPORT, "아니 여전히 안 돼"), IN_PROGRESS),
        Talk((ASKED, "> I fixed the login; all tests pass.", "That's wrong, undo it."), IN_PROGRESS),
        # A plan or a guess is no claim at all.
        Talk((ASKED, "> The login should be done now.", "Now the logout page."), PENDING),
        Talk((ASKED, "> I'll fix the login; tests pass then.", "Go on."), PENDING),
        Talk((ASKED, "> 로그인은 아마 고쳐졌을 것 같습니다.", "다음"), PENDING),
    ]
    assert_they_stand(log, database, talks)


COMMITS, COMMITTED = "shell: git commit -am login", "printed: [main 313c1a3] Mend the login\n 2 files changed, 71 insertions(+)"

REVERTED = 'printed: [main 9c3a0de] Revert "Mend the login"\n 2 files changed, 71 deletions(-)'


@pytest.mark.long
def test_a_commit_that_git_shows_bears_out_what_is_reported_behind_it(log: EventLog, database: Database) -> None:
    named: Stand = ("done", "commit", "commit 313c1a3")
    stands = {
        (ASKED, "> I fixed the login.\n\n```\n[fix/login 313c1a3] Mend the login\n```"): named,
        (ASKED, COMMITS, COMMITTED, REPORT): named,
        (ASKED, COMMITS, COMMITTED, REPORT, "No, it still fails."): IN_PROGRESS,
        (ASKED, COMMITS, COMMITTED.replace("Mend the login", "로그인을 고치다"), REPORT): named,
        # Of something else, taken back, or beside tests that fail.
        (ASKED, COMMITS, COMMITTED.replace("Mend the login", "Add dark mode"), REPORT): IN_PROGRESS,
        (ASKED, COMMITS, COMMITTED, COMMITS, REVERTED, REPORT): IN_PROGRESS,
        (ASKED, COMMITS, COMMITTED, "> I fixed the login, but 2 tests fail."): IN_PROGRESS,
        # Of another turn, or of what was done behind the report.
        ("First the logout.", COMMITS, COMMITTED, ASKED, REPORT): IN_PROGRESS,
        (ASKED, REPORT, COMMITS, COMMITTED): IN_PROGRESS,
        (ASKED, COMMITS, "failed: [main 313c1a3] no\n 2 files changed", REPORT): IN_PROGRESS,
        (ASKED, "read: log", "printed: see [main 313c1a3] above", REPORT): IN_PROGRESS,
    }
    at = {texts: next(place for place, text in enumerate(texts) if text.startswith("> I fixed")) for texts in stands}
    assert_they_stand(log, database, [Talk(texts, stand, at=at[texts]) for texts, stand in stands.items()])


EDITS = "edit: src/login.py"


@pytest.mark.long
def test_a_report_that_ends_a_session_is_borne_out_by_the_files_that_were_changed(log: EventLog, database: Database) -> None:
    stands = {
        (ASKED, EDITS, REPORT): ("done", "changed_files", None),
        (ASKED, "read: src/login.py", REPORT): IN_PROGRESS,
        (ASKED, EDITS, "failed: no such file", REPORT): IN_PROGRESS,
        # What was changed in another turn bears out nothing.
        ("First the logout.", EDITS, ASKED, REPORT): IN_PROGRESS,
        (ASKED, EDITS, REPORT, "No, it still fails."): IN_PROGRESS,
        (ASKED, REPORT, EDITS): IN_PROGRESS,
        (ASKED, EDITS, REPORT, "read: src/login.py"): IN_PROGRESS,
        (ASKED, EDITS, REPORT, EDITS, "> The rest is still to be written."): IN_PROGRESS,
        (ASKED, 'shell: ["apply_patch", "*** Begin Patch"]', REPORT): ("done", "changed_files", None),
        (ASKED, "read: how apply_patch works", REPORT): IN_PROGRESS,
        (ASKED, "slack_edit_message: hello", REPORT): IN_PROGRESS,
    }
    assert_they_stand(log, database, [Talk(texts, stand, at=texts.index(REPORT)) for texts, stand in stands.items()])


def test_a_report_of_something_else_is_not_borne_out_by_changed_files(log: EventLog, database: Database) -> None:
    reports = {REPORT: ("done", "changed_files", None), "> I corrected a typo in the README.": IN_PROGRESS}
    for number, report in enumerate(reports):
        texts = (ASKED, EDITS, report)
        told = Story(f"talk-{number}", project=f"project-{number}").tell(
            texts, [Remark("Fix the login", 0, "task", status="done")]
        )
        log.append(with_history(told, "Fix the login", [], [(0, ASKED), (2, report)]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, f"{STANDING} ORDER BY project") == list(reports.values())


@pytest.mark.long
def test_what_tools_are_called_for_is_in_progress(log: EventLog, database: Database) -> None:
    stands = {
        (ASKED, "read: src/login.py", "> Let me look."): IN_PROGRESS,
        (ASKED, "read: src/login.py", "failed: no such file", "> Let me look."): PENDING,
        ("Later we should fix the login.", "read: src/login.py", "> Noted."): PENDING,
        ("로그인은 나중에 고치자.", "read: src/login.py", "> Noted."): PENDING,
        (ASKED, "> Which login?", "The one of the shop.", "read: src/shop.py"): PENDING,
        (ASKED, "> Which login?"): PENDING,
    }
    assert_they_stand(log, database, [Talk(texts, stand, at=0, status="pending") for texts, stand in stands.items()])


@pytest.mark.long
def test_a_todo_tool_is_evidence_of_every_step(log: EventLog, database: Database) -> None:
    texts = ["todo: Fix the login, pending", "todo: Fix the login, completed"]
    told = Story("talk").tell(texts, [Remark("Fix the login", 0, "task", status="done")])
    log.append(with_history(told, "Fix the login", [("pending", 0), ("done", 1)], list(enumerate(texts))))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "todo_tool", None)]
    moves = "SELECT payload_json ->> '$.to_status' FROM v_task_history WHERE event_type = 'task_status_changed' ORDER BY place"
    assert rows(database, moves) == [("in_progress",), ("done",)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_session_that_goes_on_bears_out_what_it_reported(log: EventLog, database: Database) -> None:
    story, remark = Story("talk"), Remark("Fix the login", 1, "task", status="done")
    log.append(story.tell([ASKED, REPORT], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("in_progress", None, None)]
    log.append(story.tell([ASKED, REPORT, "Now the logout page."], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "report", None)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_an_order_of_one_turn_is_passed_when_the_turn_ends(log: EventLog, database: Database) -> None:
    orders = ["Run the tests.", "커밋해줘", "한글로 답변해줘", "proceed"]
    stories = [Story(f"talk-{number}", project=f"project-{number}") for number in range(len(orders))]
    remark = Remark("An order", 0, "task", status="pending")
    for story, order in zip(stories, orders, strict=True):
        log.append(story.tell([order], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [PENDING] * len(orders)
    for story, order in zip(stories, orders, strict=True):
        log.append(story.tell([order, "> There you are."], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "turn_ended", None)] * len(orders)
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_an_order_of_one_turn_stays_one_where_the_agent_reports_it(log: EventLog, database: Database) -> None:
    texts = ["Can you run that example to show the output?", "> I ran the example: it prints the greeting.", "Great, thanks!"]
    remark = Remark("run that example", 0, "task", status="done")
    told = Story("talk").tell(texts, [remark])
    log.append(with_history(told, "run that example", [("pending", 0), ("done", 1)], list(enumerate(texts[:2]))))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, STANDING) == [("done", "turn_ended", None)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_work_and_standing_orders_stay_open(log: EventLog, database: Database) -> None:
    orders = ["Run the tests and fix what fails.", "앞으로 한글로 답변해줘", "로그인 고쳐줘"]
    talks = [Talk((order, "> There you are.", "Next"), PENDING, at=0, status="pending") for order in orders]
    assert_they_stand(log, database, talks)


def test_what_is_blocked_names_a_cause_from_outside(log: EventLog, database: Database) -> None:
    told = {
        ("> Waiting for the other three", "the other three"): "pending",
        ("> Still waiting on parser.py and the resend.", "parser.py and the resend"): "pending",
        ("> Presumably it is blocked by the budget.", "the budget"): "pending",
        ("It's blocked because the call is waiting for the timeout.", "the timeout"): "pending",
        ("> Waiting for PR #12", "PR #12"): "blocked",
        ("> 김 대리의 승인을 기다리는 중", "김 대리의 승인"): "blocked",
        ("> It is blocked by the budget.", "the budget"): "blocked",
    }
    for number, (text, waits_for) in enumerate(told):
        remark = Remark("Fix the login", 1, "task", status="blocked", blocked_by=(waits_for,))
        log.append(Story(f"talk-{number}", project=f"project-{number}").tell([ASKED, text], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    stood = dict(rows(database, "SELECT project, task_status FROM v_tasks"))
    assert {one: stood[f"project-{number}"] for number, one in enumerate(told)} == told
    assert rows(database, "SELECT 1 FROM v_tasks_unknown_placeholder") == []


@pytest.mark.long
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
