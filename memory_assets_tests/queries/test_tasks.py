"""What is asked of tasks, over tables that are filled by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_assets.errors import AmbiguousIdError, InvalidArgumentError, NotFoundError
from memory_assets.log.database import Database
from memory_assets.memory import as_plain
from memory_assets.queries.artifacts import list_artifacts
from memory_assets.queries.conditions import list_conditions
from memory_assets.queries.task_detail import get_task_detail
from memory_assets.queries.task_review import possible_duplicates, refused_blockers, refused_moves, task_review
from memory_assets.queries.tasks import (
    list_tasks,
    tasks_by_status,
)
from memory_assets.results.tasks import TaskView
from memory_assets.search.entity_ids import merges, one_entity
from memory_assets.tasks.canonical import task_id, task_key
from memory_assets_tests.queries.task_tables import TaskTables

DONE = {"from_status": "pending", "requested_status": "done", "rule": "pending-to-done-is-no-transition"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return Database(tmp_path_factory.mktemp("store"))


class UndoneError(Exception):
    """Ends a test's transaction without a trace."""


@contextmanager
def undone(store: Database) -> Iterator[TaskTables]:
    try:
        with store.writing() as connection:
            yield TaskTables(connection)
            raise UndoneError
    except UndoneError:
        pass


@pytest.fixture
def tables(store: Database) -> Iterator[TaskTables]:
    """Tables of one test's own, in a transaction that is rolled back."""
    with undone(store) as filled:
        yield filled


def titles(found: list[TaskView]) -> list[str]:
    return [task.title for task in found]


# -- the board ---------------------------------------------------------------------------------------------------------


def test_the_board_is_ordered_by_state_weight_and_time(tables: TaskTables) -> None:
    tables.task("old", days=1)
    tables.task("new", days=2)
    tables.task("minor", priority="low", days=9)
    tables.task("major", priority="critical")
    tables.task("gone", "cancelled")
    tables.task("over", "done")
    tables.task("going", "in_progress", project="docs")
    tables.task("stuck", "blocked")
    found = list_tasks(tables.connection)
    assert titles(found) == ["going", "stuck", "major", "new", "old", "minor", "over", "gone"]
    assert titles(list_tasks(tables.connection, status="pending", limit=2)) == ["major", "new"]
    assert titles(list_tasks(tables.connection, project="docs")) == ["going"]
    assert tasks_by_status(tables.connection) == {"in_progress": 1, "blocked": 1, "pending": 4, "done": 1, "cancelled": 1}
    assert list(tasks_by_status(tables.connection, project="docs")) == ["in_progress"]
    with pytest.raises(InvalidArgumentError, match="no status 'finished'"):
        list_tasks(tables.connection, status="finished")


def test_what_later_sessions_of_its_project_do_not_speak_of_is_quiet(tables: TaskTables) -> None:
    tables.task("long ago", days=1)
    tables.task("lately", "in_progress", days=4)
    tables.task("over", "done", days=1)
    tables.task("elsewhere", days=1, project="docs")
    for number in range(5):
        tables.session(f"shop-{number}", 2 + number)
    tables.session("shop-before", 0.5)
    tables.session("docs-1", 9, project="docs")
    assert {task.title: task.quiet for task in list_tasks(tables.connection)} == {
        "lately": False,
        "long ago": True,
        "over": False,
        "elsewhere": False,
    }
    assert titles(list_tasks(tables.connection, which="quiet")) == ["long ago"]
    assert titles(list_tasks(tables.connection, which="quiet", quiet_after=2)) == ["lately", "long ago"]
    assert titles(list_tasks(tables.connection, which="quiet", quiet_after=2, limit=1)) == ["lately"]
    assert titles(list_tasks(tables.connection, which="quiet", quiet_after=2, project="docs")) == []
    assert titles(list_tasks(tables.connection, which="quiet", quiet_after=6)) == []


def test_what_is_done_says_by_what(tables: TaskTables) -> None:
    tables.task("merged", "done", done_basis="commit", done_named="PR #12")
    tables.task("run the tests", "done", done_basis="turn_ended")
    found = {task.title: (task.done_basis, task.done_named, task.passed) for task in list_tasks(tables.connection)}
    assert found == {"merged": ("commit", "PR #12", False), "run the tests": ("turn_ended", None, True)}


def test_a_task_as_json_has_what_is_promised_of_it(tables: TaskTables) -> None:
    task = tables.task("배포하기", "blocked", priority="high", days=3, status_days=2)
    waits = tables.condition("리뷰")
    is_task = tables.task("Review the change", "done")
    tables.resolves(waits, is_task)
    tables.blocked(task, waits, raw="김 대리의 리뷰", days=2)
    entry = tables.quote(task, "talk-1", 4, "배포가 리뷰에 막혀 있다", start=7, days=2)
    (found,) = [one for one in as_plain(list_tasks(tables.connection)) if one["task_id"] == task]
    (blocker,), (quote,) = found["blockers"], found["evidence"]
    assert (found["canonical_key"], found["status"], found["priority"], found["project"]) == (
        task_key("shop", "배포하기"),
        "blocked",
        "high",
        "shop",
    )
    assert blocker == {
        "kind": "condition",
        "title": "리뷰",
        "effective": "Review the change",
        "cleared": True,
        "suggested": False,
        "placeholder": False,
        "blocker_id": waits,
        "called": "김 대리의 리뷰",
        "effective_id": is_task,
        "effective_kind": "task",
        "effective_status": "done",
        "since": "2025-01-04T03:04:05Z",
    }
    assert {name: quote[name] for name in ("entry_id", "session_id", "message_index", "span_start", "span_end")} == {
        "entry_id": entry,
        "session_id": "talk-1",
        "message_index": 4,
        "span_start": 7,
        "span_end": 20,
    }
    assert (quote["uri"], quote["quote"]) == ("session:talk-1#m=4&c=7-20", "배포가 리뷰에 막혀 있다")
    assert (found["status_since"], found["last_said_at"]) == ("2025-01-04T03:04:05Z", "2025-01-05T03:04:05Z")


def test_what_was_asked_for_at_birth_shows_until_it_is_so(tables: TaskTables) -> None:
    tables.task("claimed", "in_progress", requested="done")
    tables.task("reached", "done", requested="done")
    assert {task.title: task.requested_status for task in list_tasks(tables.connection)} == {"claimed": "done", "reached": None}


def test_blocked_tasks_by_what_is_known_of_their_blockers(tables: TaskTables) -> None:
    pull = tables.artifact("art:gh_pr:acme/shop:12", "acme/shop#12", status="settled")
    unknown = tables.condition("(unknown blocker)", placeholder=True)
    told, guessed, both, nobody, free = (
        tables.task("told", "blocked"),
        tables.task("guessed"),
        tables.task("both", "blocked"),
        tables.task("nobody knows", "blocked"),
        tables.task("free"),
    )
    tables.blocked(told, pull, raw="PR 12")
    tables.blocked(guessed, free, raw="free", suggested=True)
    tables.blocked(both, unknown, raw="(unknown blocker)")
    tables.blocked(both, free, raw="free", suggested=True)
    tables.blocked(nobody, unknown, raw="(unknown blocker)")
    connection = tables.connection
    assert sorted(titles(list_tasks(connection, which="blocked"))) == ["both", "nobody knows", "told"]
    # A placeholder says nothing, so what is suggested beside it is all that is known.
    assert sorted(titles(list_tasks(connection, which="only_suggested"))) == ["both", "guessed"]
    assert sorted(titles(list_tasks(connection, which="unknown_blocker"))) == ["both", "nobody knows"]
    by_title = {task.title: task for task in list_tasks(connection, which="blocked")}
    assert by_title["told"].waits_for == () and by_title["told"].blockers[0].cleared
    assert [blocker.placeholder for blocker in by_title["both"].waits_for] == [True]
    assert list_tasks(connection, which="blocked", project="docs") == []


def test_a_chain_of_conditions_is_followed_and_a_circle_of_them_ends(tables: TaskTables) -> None:
    task, last = tables.task("ship", "blocked"), tables.task("write")
    chain = [tables.condition(f"step {number}", "resolved") for number in range(3)]
    for one, other in zip(chain, [*chain[1:], last], strict=True):
        tables.resolves(one, other)
    tables.blocked(task, chain[0], raw="step")
    circle = [tables.condition(f"round {number}", "resolved") for number in range(2)]
    tables.resolves(circle[0], circle[1])
    tables.resolves(circle[1], circle[0])
    tables.blocked(task, circle[0], raw="round")
    (found,) = list_tasks(tables.connection, which="blocked")
    effective = {blocker.title: blocker.effective for blocker in found.blockers}
    assert effective["step 0"] == "write"
    assert effective["round 0"] in ("round 0", "round 1")


def test_ten_thousand_tasks_are_a_handful_of_statements(tables: TaskTables) -> None:
    class Counting:
        count = 0

        def execute(self, *arguments: object) -> object:
            self.count += 1
            return tables.connection.execute(*arguments)  # type: ignore[arg-type]

    for number in range(20):
        tables.blocked(tables.task(f"task {number}", "blocked"), tables.condition(f"reason {number}"), raw="reason")
    counting = Counting()
    assert len(list_tasks(counting)) == 20  # type: ignore[arg-type]
    assert counting.count == 4
    tables.connection.execute("SET memory_limit = '500MB'")
    tables.connection.execute(
        """INSERT INTO entities BY NAME
           SELECT e.* REPLACE (e.entity_id || i AS entity_id, e.canonical_key || i AS canonical_key)
           FROM entities e, range(200) r(i) WHERE e.entity_type = 'task'"""
    )
    tables.connection.execute(
        """INSERT INTO edges BY NAME SELECT e.* REPLACE (e.edge_id || i AS edge_id, e.src_id || i AS src_id)
           FROM edges e, range(200) r(i)"""
    )
    # Correlated, this asked for more memory than any machine has.
    assert list_tasks(tables.connection, which="only_suggested") == []
    assert len(list_tasks(tables.connection, which="blocked", limit=10_000)) == 4_020


# -- which is meant ----------------------------------------------------------------------------------------------------


def test_a_task_is_named_by_id_beginning_former_id_and_key(tables: TaskTables) -> None:
    task = tables.task("Fix the login", "in_progress")
    former = tables.alias(task, "repair the login")
    connection = tables.connection
    for given in (
        task,
        task[:9],
        task[4:12],
        f" {task} ",
        former,
        former[:12],
        "task:shop:fix the login",
        "task:shop:Fix the Login!",
        "task:shop:repair the login",
    ):
        assert one_entity(connection, given, "task").entity_id == task, given
    again = tables.task("other")
    recurring = task_id(task_key("shop", "fix the login", 2))
    connection.execute(
        "INSERT INTO entity_aliases VALUES ('task', ?, ?, false, now()::TIMESTAMP)",
        [task_key("shop", "fix the login", 2), again],
    )
    assert one_entity(connection, "task:shop:fix the login#2", "task").entity_id == again
    assert one_entity(connection, recurring, "task").entity_id == again


def test_what_names_nothing_or_too_much_is_said(tables: TaskTables) -> None:
    connection = tables.connection
    task = tables.task("one")
    condition = tables.condition("the weather")
    for number in range(40):
        tables.task(f"task {number}")
    with pytest.raises(NotFoundError, match="there is no task 'tsk_0000'"):
        one_entity(connection, "tsk_0000", "task")
    with pytest.raises(NotFoundError):
        one_entity(connection, "tsk_", "task")
    with pytest.raises(NotFoundError):
        one_entity(connection, "", "task")
    with pytest.raises(NotFoundError, match="no task or condition"):
        one_entity(connection, "zzz", "task", "condition")
    with pytest.raises(InvalidArgumentError, match="is a condition, not a task"):
        one_entity(connection, condition, "task")
    begins = {task_id(task_key("shop", f"task {number}"))[:5] for number in range(40)}
    shared = next(begin for begin in begins if sum(one.startswith(begin) for one in _ids(tables)) > 1)
    with pytest.raises(AmbiguousIdError):
        one_entity(connection, shared, "task")
    assert one_entity(connection, condition[4:14], "task", "condition").kind == "condition"
    assert get_task_detail(connection, task).task.task_id == task


def _ids(tables: TaskTables) -> list[str]:
    return [row[0] for row in tables.connection.execute("SELECT entity_id FROM entities").fetchall()]


# -- one task ----------------------------------------------------------------------------------------------------------


def test_a_task_with_its_past(tables: TaskTables) -> None:
    task, waiting, twin = tables.task("Fix the login"), tables.task("Ship", "blocked"), tables.task("Repair the login")
    tables.blocked(waiting, task, raw="the login")
    entry = tables.quote(task, "talk-1", 2, "we must fix the login", days=1)
    tables.outcome(task, "task_transition_rejected", DONE, source=entry, session=("talk-1", 2), days=2)
    word = tables.word("task_status_said", task, by="김", note="끝", days=3)
    tables.outcome(task, "task_status_changed", {"from_status": "pending", "to_status": "in_progress"}, source=word, days=3)
    tables.cycle(task, waiting)
    former = tables.alias(task, "the login")
    tables.word("entity_merged", former, other=task, by="kim", note="the same")
    tables.word("entity_merged", twin, other=task, days=1)
    tables.word("entity_merge_reverted", twin, other=task, days=2)
    found = get_task_detail(tables.connection, task[:10])
    assert found.also_called == ("the login",)
    assert [(one.task_id, one.status) for one in found.holds_up] == [(waiting, "blocked")]
    assert [(merge.from_id, merge.name, merge.said_by, merge.note) for merge in found.merges] == [
        (former, "the login", "kim", "the same")
    ]
    assert [len(cycle.tasks) for cycle in found.cycles] == [2]
    created, refused, moved = found.history
    assert (created.event_type, created.details["title"], created.uri) == ("task_created", "Fix the login", None)
    assert (refused.uri, refused.quote, refused.said_by) == ("session:talk-1#m=2&c=0-21", "we must fix the login", None)
    assert refused.details == DONE
    assert (moved.said_by, moved.note, moved.uri, moved.details["to_status"]) == ("김", "끝", None, "in_progress")
    assert len(merges(tables.connection)) == 1


# -- what waits for a word ---------------------------------------------------------------------------------------------


def test_a_refused_move_waits_until_the_task_moves_or_somebody_says(tables: TaskTables) -> None:
    task = tables.task("Fix the login")
    entry = tables.quote(task, "talk-1", 2, "the login is fixed", days=1)
    for day in (1, 2):
        last = tables.outcome(task, "task_transition_rejected", DONE, source=entry, session=("talk-1", 2), days=day)
    (move,) = refused_moves(tables.connection)
    assert (move.task.title, move.requested_status, move.rule, move.times, move.event_id) == (
        "Fix the login",
        "done",
        "pending-to-done-is-no-transition",
        2,
        last,
    )
    assert (move.uri, move.quote) == ("session:talk-1#m=2&c=0-18", "the login is fixed")
    assert refused_moves(tables.connection, project="docs") == ()
    tables.word("task_status_said", task, days=1.5)
    assert len(refused_moves(tables.connection)) == 1
    tables.word("task_status_said", task, days=3)
    assert refused_moves(tables.connection) == ()
    tables.outcome(task, "task_transition_rejected", DONE, source=entry, session=("talk-1", 2), days=4)
    # Claimed again since, it is asked again.
    assert [move.times for move in refused_moves(tables.connection, task_id=task)] == [1]
    tables.outcome(task, "task_status_changed", {"from_status": "pending", "to_status": "in_progress"}, source=entry, days=5)
    assert refused_moves(tables.connection) == ()


def test_a_task_that_was_claimed_done_at_its_birth_waits(tables: TaskTables) -> None:
    tables.task("claimed", "in_progress", requested="done")
    tables.task("asked for what it is", "in_progress", requested="in_progress")
    (move,) = refused_moves(tables.connection)
    assert (move.task.title, move.requested_status, move.rule) == ("claimed", "done", None)


def test_a_refused_blocker_waits_until_something_else_is_said_of_them(tables: TaskTables) -> None:
    task, over = tables.task("Fix the login", "blocked"), tables.task("over", "done")
    refusal = {"raw_text": "the login fix", "rule": "blocks-itself"}
    entry = tables.quote(task, "talk-1", 2, "it waits for the login fix", days=1)
    tables.outcome(task, "task_blockers_set", {"mode": "replace", "blockers": []}, source=entry, days=1)
    tables.outcome(task, "task_blocker_rejected", refusal, source=entry, session=("talk-1", 2), days=1)
    tables.outcome(over, "task_blocker_rejected", {"raw_text": "x", "rule": "done-has-no-blockers"}, source=entry, days=1)
    # What the same claim says beside it settles nothing.
    tables.outcome(task, "task_blockers_set", {"mode": "replace", "blockers": []}, source=entry, days=1)
    (blocker,) = refused_blockers(tables.connection)
    assert (blocker.task.title, blocker.called, blocker.rule) == ("Fix the login", "the login fix", "blocks-itself")
    tables.outcome(task, "task_blockers_set", {"mode": "replace", "blockers": []}, source="later", days=2)
    assert refused_blockers(tables.connection) == ()


def test_conditions_that_may_be_a_task_wait_while_somebody_waits_for_them(tables: TaskTables) -> None:
    likely = tables.task("Review the change")
    idle = tables.condition("nobody waits", candidates=[(likely, "Review the change", 0.8)])
    asked = tables.condition("the review", candidates=[(likely, "Review the change", 0.85)])
    plain = tables.condition("the weather")
    task, over = tables.task("ship", "blocked"), tables.task("paint the boat", "done")
    tables.blocked(task, asked, raw="the review")
    tables.blocked(task, plain, raw="the weather")
    tables.blocked(over, idle, raw="nobody waits")
    review = task_review(tables.connection)
    assert [(one.title, one.candidates[0].task_id) for one in review.conditions] == [("the review", likely)]
    assert review.total == 1 and task_review(tables.connection, project="docs").total == 0


def test_titles_that_are_alike_are_possible_duplicates(tables: TaskTables) -> None:
    one = tables.task("Write the migration guide for the shop", tokens_of=[1, 2, 3, 4])
    other = tables.task("Write the migration guides for the shop", tokens_of=[1, 2, 3, 5])
    tables.task("Write the release notes", tokens_of=[1, 9, 10])
    tables.task("Write the migration guide for the shop too", "cancelled", tokens_of=[1, 2, 3, 4])
    pairs = possible_duplicates(tables.connection)
    assert [{pair.one.task_id, pair.other.task_id} for pair in pairs] in ([{one, other}], [])
    tables.connection.execute(
        """INSERT INTO name_likenesses SELECT 'shop', least(a.name_hash, b.name_hash), greatest(a.name_hash, b.name_hash),
             'vector', 0.93 FROM task_names a, task_names b WHERE a.task_id = ? AND b.task_id = ?""",
        [one, other],
    )
    (pair,) = possible_duplicates(tables.connection, task_id=one)
    assert {pair.one.task_id, pair.other.task_id} == {one, other} and pair.similarity >= 0.93
    assert possible_duplicates(tables.connection, project="docs") == ()


# -- conditions and artifacts ------------------------------------------------------------------------------------------


def test_conditions_with_who_waits_and_what_they_turned_out_to_be(tables: TaskTables) -> None:
    task, found = tables.task("ship", "blocked"), tables.task("Review the change", "done")
    opened = tables.condition("the weather")
    known = tables.condition("the review", "resolved")
    met = tables.condition("the budget", "satisfied")
    for condition in (opened, known, met):
        tables.blocked(task, condition, raw="x")
    tables.resolves(known, found)
    entry = tables.quote(found, "talk-1", 3, "the change is reviewed", days=1)
    tables.outcome(
        known, "condition_resolved_to", {"to_kind": "task", "to_id": found}, source=entry, session=("talk-1", 3), days=1
    )
    word = tables.word("condition_answered", met, by="Mina", days=2)
    tables.outcome(met, "condition_satisfied", {"satisfied_by": "person"}, source=word, days=2)
    assert list_conditions(tables.connection)[0].title == "the weather"
    assert [one.title for one in list_conditions(tables.connection, status="open")] == ["the weather"]
    last, first = list_conditions(tables.connection, status="settled")
    assert (last.title, last.status, last.settled_by, last.uri) == ("the budget", "satisfied", "Mina", None)
    assert (first.title, first.resolved_to, first.resolved_to_kind, first.resolved_to_status) == (
        "the review",
        "Review the change",
        "task",
        "done",
    )
    assert (first.settled_by, first.uri) == (None, "session:talk-1#m=3&c=0-22")
    assert [one.title for one in first.tasks] == ["ship"]
    with pytest.raises(InvalidArgumentError, match="no status 'closed'"):
        list_conditions(tables.connection, status="closed")


def test_artifacts_with_where_they_were_named_and_who_waits(tables: TaskTables) -> None:
    key = "art:gh_pr:acme/shop:12"
    pull = tables.artifact(key, "acme/shop#12")
    issue = tables.artifact("art:jira:SHOP-7", "SHOP-7", kind="jira", status="settled")
    tables.names(pull, key, "talk-1", 2, (4, 16), days=1)
    tables.names(pull, key, "talk-2", 5, (0, 12), days=3)
    tables.names(issue, "art:jira:SHOP-7", "talk-2", 6, None, days=2)
    condition, task = tables.condition("the fix", "resolved"), tables.task("ship", "blocked")
    tables.resolves(condition, pull)
    tables.blocked(task, condition, raw="the fix")
    found = list_artifacts(tables.connection)
    assert [(one.title, one.kind, one.status, one.entries, one.sessions) for one in found] == [
        ("acme/shop#12", "gh_pr", "open", 2, 2),
        ("SHOP-7", "jira", "settled", 1, 1),
    ]
    assert [one.uri for one in found] == ["session:talk-2#m=5&c=0-12", "session:talk-2#m=6"]
    assert [[task.title for task in one.tasks] for one in found] == [["ship"], []]
    assert [one.title for one in list_artifacts(tables.connection, kind="jira")] == ["SHOP-7"]
    with pytest.raises(InvalidArgumentError, match="no kind 'gitlab'"):
        list_artifacts(tables.connection, kind="gitlab")


def test_an_empty_store_has_nothing(tmp_path: Path) -> None:
    with Database(tmp_path / "empty").reading() as connection:
        assert not [*list_tasks(connection), *list_conditions(connection), *list_artifacts(connection)]
        assert task_review(connection).total == 0
