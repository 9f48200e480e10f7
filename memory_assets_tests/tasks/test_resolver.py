"""What became of a task: a function of its claims in the order of the sessions' clocks."""

from datetime import datetime, timedelta
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.schema import TaskStatus
from memory_assets.tasks.resolver import Created, Moved, Outcome, Rejected, TaskClaim, resolve, task_id
from memory_assets.tasks.transitions import ALLOWED

START = datetime(2026, 3, 1, 9, 0)
statuses = st.none() | st.sampled_from(get_args(TaskStatus))


def claim(
    status: TaskStatus | None, minute: int = 0, *, session: str = "a", index: int = 0, ordinal: int = 0, aligned: bool = True
) -> TaskClaim:
    return TaskClaim(
        claim_id=f"ent_{session}_{minute}_{index}_{ordinal}",
        canonical_key="task:default:fix the login",
        project=None,
        title="Fix the login",
        status=status,
        priority=None,
        evidence_aligned=aligned,
        occurred_at=START + timedelta(minutes=minute),
        session_id=session,
        message_index=index,
        ordinal=ordinal,
    )


claims = st.lists(
    st.builds(
        claim,
        statuses,
        st.integers(0, 4),
        session=st.sampled_from("abc"),
        index=st.integers(0, 3),
        ordinal=st.integers(0, 3),
        aligned=st.booleans(),
    ),
    max_size=12,
    unique_by=lambda told: told.order,
)


def statuses_of(outcomes: list[Outcome]) -> list[str]:
    found = []
    for outcome in outcomes:
        match outcome:
            case Created(initial_status=status):
                found.append(f"created {status}")
            case Moved(from_status=before, to_status=after):
                found.append(f"{before} > {after}")
            case Rejected(from_status=before, requested_status=after):
                found.append(f"{before} x {after}")
    return found


def test_no_claims_no_task() -> None:
    assert resolve([]) == []


def test_a_task_lives_through_its_claims() -> None:
    told = [claim(status, minute) for minute, status in enumerate(("pending", "in_progress", None, "blocked", "done"))]
    assert statuses_of(resolve(told)) == [
        "created pending",
        "pending > in_progress",
        "in_progress > blocked",
        "blocked > done",
    ]


def test_a_task_that_nobody_saw_at_work_is_not_done() -> None:
    assert statuses_of(resolve([claim("done"), claim("done", 1)])) == ["created in_progress", "in_progress > done"]
    assert statuses_of(resolve([claim("pending"), claim("done", 1)])) == ["created pending", "pending x done"]


def test_a_refused_move_leaves_the_task_as_it_was() -> None:
    told = [claim("pending"), claim("done", 1), claim("in_progress", 2), claim("done", 3), claim("blocked", 4)]
    assert statuses_of(resolve(told)) == [
        "created pending",
        "pending x done",
        "pending > in_progress",
        "in_progress > done",
        "done x blocked",
    ]


def test_claims_of_one_moment_are_ordered_by_session_message_and_ordinal() -> None:
    told = [claim("blocked", session="b"), claim("in_progress", index=1), claim("pending", ordinal=0), claim(None, ordinal=1)]
    assert statuses_of(resolve(told)) == ["created pending", "pending > in_progress", "in_progress > blocked"]


@given(claims, st.randoms(use_true_random=False))
def test_the_order_in_which_claims_are_heard_of_changes_nothing(told: list[TaskClaim], chance: object) -> None:
    heard = list(told)
    chance.shuffle(heard)  # type: ignore[attr-defined]
    assert resolve(heard) == resolve(told)


@given(claims)
def test_every_history_keeps_to_the_table(told: list[TaskClaim]) -> None:
    outcomes = resolve(told)
    assert len(outcomes) <= len(told)
    if not told:
        return
    created = outcomes[0]
    assert isinstance(created, Created) and created.claim == min(told, key=lambda one: one.order)
    assert created.initial_status not in ("done", "cancelled")
    status: TaskStatus = created.initial_status
    for outcome in outcomes[1:]:
        match outcome:
            case Moved(from_status=before, to_status=after):
                assert before == status and after in ALLOWED[before] and (before, after) != ("pending", "done")
                status = after
            case Rejected(from_status=before, requested_status=after, rule=rule):
                assert before == status and after != before and rule
            case Created():
                raise AssertionError("a task is created once")


@given(claims)
def test_a_later_claim_never_changes_what_came_before(told: list[TaskClaim]) -> None:
    ordered = sorted(told, key=lambda one: one.order)
    for length in range(len(ordered)):
        assert resolve(ordered)[: len(resolve(ordered[:length]))] == resolve(ordered[:length])


def test_a_task_s_id_comes_from_its_key() -> None:
    assert task_id("task:default:fix") == task_id("task:default:fix") != task_id("task:shop:fix")
    assert task_id("task:default:fix").startswith("tsk_")
