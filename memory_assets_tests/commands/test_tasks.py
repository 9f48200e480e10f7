"""What a person says of tasks and conditions: checked, logged once, folded at once, and true after a replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.outcomes import ConditionSpoken, TaskSpoken
from memory_assets.commands.task_links import merge, resolve, unmerge
from memory_assets.commands.tasks import accept, new_task, set_blockers, set_priority, set_status
from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.memory import Memory
from memory_assets.projections.rebuild import verify
from memory_assets.queries.conditions import list_conditions
from memory_assets.queries.events import event_stats, newest_events, one_event
from memory_assets.results.tasks import ConditionView, TaskDetail, TaskView
from memory_assets.tasks.canonical import task_id, task_key
from memory_assets_tests.filled_store import Said, tell
from memory_assets_tests.filled_store import test_settings as settings_of

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class OfProject(Memory):
    """What one project sees. The tests share a store, which costs more to make than most of what they say in it."""

    project = ""

    def tasks(self, **how: Any) -> list[TaskView]:
        return super().tasks(**{"project": self.project, **how})

    def conditions(self, **how: Any) -> list[ConditionView]:
        return self.read(list_conditions, **{"project": self.project, **how})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfProject]:
    store = OfProject(settings_of(tmp_path_factory.mktemp("store")))
    with store.database.kept_open():
        yield store


@pytest.fixture
def memory(store: OfProject, request: pytest.FixtureRequest) -> OfProject:
    store.project = request.node.name
    return store


def made(memory: OfProject, title: str, **how: Any) -> TaskDetail:
    return new_task(memory.resources, title, project=memory.project, by="kim", **how).task


def words(memory: Memory) -> int:
    said = ("task_declared", "entity_merged", "entity_merge_reverted", "condition_answered", "task_move_accepted")
    said += ("task_status_said", "task_priority_said", "task_blockers_said")  # type: ignore[assignment]
    return sum(memory.read(event_stats).by_type.get(word, 0) for word in said)


def waits_for(detail: TaskDetail) -> list[str]:
    return [blocker.effective for blocker in detail.task.waits_for]


def one_condition(memory: OfProject, status: str = "open") -> ConditionView:
    (found,) = memory.conditions(status=status)
    return found


# -- new tasks ---------------------------------------------------------------------------------------------------------


def test_a_new_task_is_on_the_board(memory: OfProject) -> None:
    spoken = new_task(memory.resources, "TODO: 로그인 고치기", project=memory.project, priority="high", by="kim")
    task = spoken.task.task
    assert (task.status, task.priority, task.project, spoken.said) == ("pending", "high", memory.project, True)
    assert task.canonical_key == task_key(memory.project, "로그인 고치기")
    assert memory.task(f"task:{memory.project}:로그인  고치기").task == task
    (event,) = spoken.task.history
    assert (event.event_type, event.said_by, event.uri) == ("task_created", "kim", None)


@pytest.mark.long
def test_a_new_task_with_blockers_is_blocked_by_them(memory: OfProject) -> None:
    review = made(memory, "Review the change")
    found = made(memory, "Ship it", blockers=["Review the change", "acme/shop#12", "the weather", review.task.task_id])
    assert found.task.status == "blocked"
    kinds = {blocker.effective_kind for blocker in found.task.waits_for}
    assert kinds == {"task", "artifact", "condition"}
    assert waits_for(found).count("Review the change") == 1
    assert [name.title for name in memory.task(review.task.task_id).holds_up] == ["Ship it"]
    unknown = new_task(memory.resources, "Stuck", project=memory.project, status="blocked", by="kim")
    assert [blocker.placeholder for blocker in unknown.task.task.waits_for] == [True]
    assert "nobody knows" in unknown.remark
    assert [task.title for task in memory.tasks(which="unknown_blocker")] == ["Stuck"]


@pytest.mark.long
def test_what_no_new_task_can_be(memory: OfProject) -> None:
    made(memory, "Ship it")
    before = words(memory)
    for title, how, error, words_of_it in (
        ("x" * 10_000, {}, InvalidArgumentError, "a title of 10,000 characters is too long: 2,000"),
        ("?!", {}, InvalidArgumentError, "no letter and no digit"),
        ("", {}, InvalidArgumentError, "no letter and no digit"),
        ("a", {"status": "done"}, InvalidArgumentError, "no task is born done"),
        ("a", {"status": "finished"}, InvalidArgumentError, "no status 'finished'"),
        ("a", {"priority": "urgent"}, InvalidArgumentError, "no priority 'urgent'"),
        ("a", {"blockers": ["…"]}, InvalidArgumentError, "a blocker has no letter"),
        ("a thing", {"blockers": ["A thing!"]}, InvalidArgumentError, "cannot wait for itself"),
        ("a", {"blockers": ["tsk_0123456789"]}, NotFoundError, "there is no task"),
        ("a", {"blockers": ["cnd_0123456789"]}, InvalidArgumentError, "named in words"),
        ("a", {"blockers": ["art:jira:SHOP-7"]}, InvalidArgumentError, "named in words"),
        ("ship  IT", {}, NotPossibleError, "there is this task already: tsk_"),
    ):
        with pytest.raises(error, match=words_of_it):
            made(memory, title, **how)
    with pytest.raises(NotPossibleError) as refused:
        made(memory, "Ship it")
    assert "--again" in refused.value.hint
    assert words(memory) == before


@pytest.mark.long
def test_a_task_that_comes_again_is_another_one(memory: OfProject) -> None:
    first = made(memory, "Weekly report")
    set_status(memory.resources, first.task.task_id, "done", by="kim")
    second = made(memory, "Weekly report", again=True)
    assert second.task.task_id == task_id(task_key(memory.project, "weekly report", 2))
    assert [memory.task(one.task.task_id).task.status for one in (first, second)] == ["done", "pending"]
    assert memory.task(f"task:{memory.project}:weekly report#2").task.task_id == second.task.task_id


@pytest.mark.long
def test_what_a_person_types_is_masked(memory: OfProject) -> None:
    found = new_task(
        memory.resources,
        f"Rotate {SECRET} now",
        project=memory.project,
        blockers=[f"the owner of {SECRET}"],
        by=f"kim {SECRET}",
    ).task
    set_priority(memory.resources, found.task.task_id, "low", by="kim", note=f"said <private>he</private> {SECRET}")
    told = str([memory.read(one_event, event.event_id).payload for event in memory.read(newest_events, limit=6)]) + str(
        memory.task(found.task.task_id)
    )
    assert SECRET not in told and "[SECRET:github]" in told and "[PRIVATE]" in told


# -- how it stands -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_status_takes_the_legal_path_and_the_same_is_said_back(memory: OfProject) -> None:
    task = made(memory, "Ship it").task.task_id
    done = set_status(memory.resources, task[:10], "done", by="Mina", note="on Friday")
    moves = [event for event in done.task.history if event.event_type == "task_status_changed"]
    assert [(move.details["from_status"], move.details["to_status"]) for move in moves] == [
        ("pending", "in_progress"),
        ("in_progress", "done"),
    ]
    assert {(move.said_by, move.note) for move in moves} == {("Mina", "on Friday")}
    before = words(memory)
    again = set_status(memory.resources, task, "done", by="Mina")
    assert (again.said, again.remark) == (False, "it is done already")
    assert words(memory) == before
    assert set_status(memory.resources, task, "pending", by="Mina").task.task.status == "pending"


@pytest.mark.long
def test_unknown_words_and_ids_are_named(memory: OfProject) -> None:
    task = made(memory, "Ship it").task.task_id
    with pytest.raises(InvalidArgumentError, match="no status 'finished'") as wrong:
        set_status(memory.resources, task, "finished", by="kim")
    assert wrong.value.hint == "one of pending, in_progress, blocked, done, cancelled"
    with pytest.raises(InvalidArgumentError, match="no priority 'urgent'"):
        set_priority(memory.resources, task, "urgent", by="kim")
    with pytest.raises(NotFoundError, match="no task 'tsk_ffff'"):
        set_status(memory.resources, "tsk_ffff", "done", by="kim")
    with pytest.raises(NotFoundError):
        memory.task("")
    assert set_priority(memory.resources, task, "critical", by="kim").task.task.priority == "critical"
    assert set_priority(memory.resources, task, "critical", by="kim").said is False


@pytest.mark.long
def test_what_a_task_waits_for_is_replaced_and_taken_away(memory: OfProject) -> None:
    task = made(memory, "Ship it").task.task_id
    set_status(memory.resources, task, "in_progress", by="kim")
    first = set_blockers(memory.resources, task, ["the review", "the budget"], by="kim")
    assert sorted(waits_for(first.task)) == ["the budget", "the review"]
    assert first.task.task.status == "in_progress" and "set-status" in first.remark
    set_status(memory.resources, task, "blocked", by="kim")
    replaced = set_blockers(memory.resources, task, ["the weather"], by="kim")
    assert waits_for(replaced.task) == ["the weather"]
    freed = set_blockers(memory.resources, task, [], by="kim")
    assert (freed.task.task.status, freed.task.task.blockers, freed.remark) == ("in_progress", (), "it is in progress again")
    assert set_blockers(memory.resources, task, [], by="kim").said is False
    for blocker in (task, task[:12], "Ship it", "waiting for ship it", f"task:{memory.project}:ship it"):
        with pytest.raises(InvalidArgumentError, match="cannot wait for itself"):
            set_blockers(memory.resources, task, [blocker], by="kim")
    set_status(memory.resources, task, "done", by="kim")
    with pytest.raises(NotPossibleError, match="the task is done"):
        set_blockers(memory.resources, task, ["the weather"], by="kim")


@pytest.mark.long
def test_a_claim_that_was_refused_waits_and_can_be_accepted_or_let_be(memory: OfProject) -> None:
    talk = (("user", "We have to fix the login soon."), ("user", "Then paint the boat."))
    said = (
        Said("task", "Fix the login", ((0, "We have to fix the login soon."),)),
        Said("task", "Paint the boat", ((1, "Then paint the boat."),)),
    )
    tell(memory.settings, "talk-1", talk, said)
    tasks = {task.title: task.task_id for task in memory.tasks(project="shop")}
    with pytest.raises(NotPossibleError, match="no refused move"):
        accept(memory.resources, tasks["Fix the login"], by="kim")
    with pytest.raises(NotFoundError, match="no event of this task 'ev_0'"):
        accept(memory.resources, tasks["Fix the login"], event="ev_0", by="kim")
    (created,) = memory.task(tasks["Fix the login"]).history
    with pytest.raises(NotFoundError, match="refused the task nothing"):
        accept(memory.resources, tasks["Fix the login"], event=created.event_id, by="kim")
    assert (created.uri, created.quote) == ("session:talk-1#m=0&c=0-30", "We have to fix the login soon.")


# -- what is what ------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_condition_is_met_is_something_and_is_open_after_all(memory: OfProject) -> None:
    made(memory, "Ship it", blockers=["the weather"])
    review = made(memory, "Review the change")
    condition = one_condition(memory)
    assert [task.title for task in condition.tasks] == ["Ship it"]
    met = resolve(memory.resources, condition.condition_id[:10], satisfied=True, by="Mina", note="sun")
    assert (met.condition.status, met.condition.settled_by) == ("satisfied", "Mina")
    assert resolve(memory.resources, condition.condition_id, satisfied=True, by="Mina").remark == "it is met already"
    assert memory.tasks(which="blocked")[0].waits_for == ()
    found = resolve(memory.resources, f"cond:{memory.project}:the weather", to=review.task.task_id[:12], by="Mina")
    assert (found.condition.status, found.condition.resolved_to) == ("resolved", "Review the change")
    assert resolve(memory.resources, condition.condition_id, to=review.task.task_id, by="Mina").said is False
    (waiting,) = memory.tasks(which="blocked")
    assert [(blocker.effective, blocker.cleared) for blocker in waiting.blockers] == [("Review the change", False)]
    set_status(memory.resources, review.task.task_id, "done", by="kim")
    assert memory.tasks(which="blocked")[0].waits_for == ()
    opened = resolve(memory.resources, condition.condition_id, by="Mina")
    assert (opened.condition.status, opened.condition.resolved_to) == ("open", None)
    assert resolve(memory.resources, condition.condition_id, by="Mina").said is False


@pytest.mark.long
def test_what_a_condition_cannot_be(memory: OfProject) -> None:
    ship = made(memory, "Ship it", blockers=["the weather", "the budget"]).task.task_id
    weather, budget = sorted(memory.conditions(), key=lambda condition: condition.title, reverse=True)
    with pytest.raises(InvalidArgumentError, match="cannot be itself"):
        resolve(memory.resources, weather.condition_id, to=weather.condition_id, by="kim")
    with pytest.raises(NotPossibleError, match="would wait for itself"):
        resolve(memory.resources, weather.condition_id, to=ship, by="kim")
    resolve(memory.resources, weather.condition_id, to=budget.condition_id, by="kim")
    with pytest.raises(NotPossibleError, match="in a circle"):
        resolve(memory.resources, budget.condition_id, to=weather.condition_id, by="kim")
    with pytest.raises(InvalidArgumentError, match="is a task, not a condition"):
        resolve(memory.resources, ship, satisfied=True, by="kim")


@pytest.mark.long
def test_two_tasks_become_one_and_two_again(memory: OfProject) -> None:
    one, other = made(memory, "Fix the login").task.task_id, made(memory, "문이 안 열림").task.task_id
    merged = merge(memory.resources, one[:12], other, by="kim", note="same")
    assert isinstance(merged, TaskSpoken)
    assert merged.task.task.task_id == other
    assert [(merge.from_id, merge.name, merge.note) for merge in merged.task.merges] == [(one, "fix the login", "same")]
    assert [task.task_id for task in memory.tasks()] == [other]
    # Its former id stays an address.
    assert memory.task(one).task.task_id == memory.task(f"task:{memory.project}:fix the login").task.task_id == other
    with pytest.raises(NotPossibleError, match="are one task already"):
        merge(memory.resources, one, other, by="kim")
    apart = unmerge(memory.resources, one[:12], by="kim")
    assert isinstance(apart, TaskSpoken)
    assert apart.task.task.task_id == one and len(memory.tasks()) == 2
    for given in (one, "tsk_", ""):
        with pytest.raises(NotPossibleError, match="was merged into anything"):
            unmerge(memory.resources, given, by="kim")


@pytest.mark.long
def test_what_cannot_be_one(memory: OfProject) -> None:
    ship = made(memory, "Ship it", blockers=["the weather", "the budget"]).task.task_id
    alien = new_task(memory.resources, "Ship it", project="docs", by="kim").task.task.task_id
    weather, budget = memory.conditions()
    before = words(memory)
    with pytest.raises(NotPossibleError, match="a task cannot be merged with itself"):
        merge(memory.resources, ship, ship, by="kim")
    with pytest.raises(NotPossibleError, match="they belong to two projects"):
        merge(memory.resources, ship, alien, by="kim")
    with pytest.raises(InvalidArgumentError, match="a task and a condition cannot be one"):
        merge(memory.resources, ship, weather.condition_id, by="kim")
    with pytest.raises(NotFoundError, match="no task or condition 'nothing'"):
        merge(memory.resources, "nothing", ship, by="kim")
    assert words(memory) == before
    merged = merge(memory.resources, weather.condition_id, budget.condition_id, by="kim")
    assert isinstance(merged, ConditionSpoken) and merged.condition.condition_id == budget.condition_id
    assert [condition.condition_id for condition in memory.conditions()] == [budget.condition_id]
    assert isinstance(unmerge(memory.resources, weather.condition_id, by="kim"), ConditionSpoken)


@pytest.mark.long
def test_all_that_was_said_is_true_after_a_replay(memory: OfProject) -> None:
    report = verify(memory.database, Resources(memory.settings).configured_versions)
    assert report.equal, report.differences
    assert report.tables["task_words"] > 20
