"""The table of moves: closed, without a shortcut from pending to done."""

from typing import get_args

import pytest

from memory_assets.tasks.transitions import ALLOWED, initial_status, path, refusal
from memory_assets.vocabulary import InitialStatus, TaskStatus

STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)
# The table of moves, written down a second time.
MOVES = {
    ("pending", "in_progress"),
    ("pending", "blocked"),
    ("pending", "cancelled"),
    ("in_progress", "pending"),
    ("in_progress", "blocked"),
    ("in_progress", "done"),
    ("in_progress", "cancelled"),
    ("blocked", "pending"),
    ("blocked", "in_progress"),
    ("blocked", "done"),
    ("blocked", "cancelled"),
    ("done", "in_progress"),
    ("cancelled", "in_progress"),
}


def test_the_table_is_closed() -> None:
    assert ALLOWED.keys() == set(STATUSES)
    assert {(current, after) for current, allowed in ALLOWED.items() for after in allowed} == MOVES


@pytest.mark.parametrize("current", STATUSES)
@pytest.mark.parametrize("requested", STATUSES)
def test_every_other_move_is_refused_by_name(current: TaskStatus, requested: TaskStatus) -> None:
    rule = refusal(current, requested, evidence_aligned=True)
    if (current, requested) not in MOVES:
        assert rule == f"{current}-to-{requested}-is-no-transition"
    elif current == "cancelled":
        assert rule == "reopening-a-cancelled-task-needs-a-person"
    else:
        assert rule is None


def test_reopening_needs_evidence_that_was_found() -> None:
    assert refusal("done", "in_progress", evidence_aligned=False) == "reopening-needs-aligned-evidence"
    assert refusal("done", "in_progress", evidence_aligned=True) is None
    assert refusal("in_progress", "done", evidence_aligned=False) is None


def test_nothing_is_born_finished() -> None:
    born = {requested: initial_status(requested) for requested in (None, *STATUSES)}
    assert born == {
        None: "pending",
        "pending": "pending",
        "in_progress": "in_progress",
        "blocked": "blocked",
        "done": "in_progress",
        "cancelled": "in_progress",
    }
    assert set(born.values()) == set(get_args(InitialStatus))


@pytest.mark.parametrize("current", STATUSES)
@pytest.mark.parametrize("wanted", STATUSES)
def test_a_person_s_path_is_legal_and_as_short_as_can_be(current: TaskStatus, wanted: TaskStatus) -> None:
    moves = path(current, wanted)
    assert set(zip((current, *moves), moves, strict=False)) <= MOVES
    assert moves[-1:] == (() if current == wanted else (wanted,))
    assert len(moves) == (0 if current == wanted else 1 if (current, wanted) in MOVES else 2)


def test_whoever_does_a_task_has_it_in_progress_first() -> None:
    assert path("pending", "done") == ("in_progress", "done")
    assert path("cancelled", "done") == ("in_progress", "done")
    assert path("done", "blocked") == ("in_progress", "blocked")
