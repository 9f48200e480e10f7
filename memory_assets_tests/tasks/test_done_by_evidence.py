"""When a claim of done is taken, and what the task then says of why."""

from __future__ import annotations

from typing import get_args

import pytest

from memory_assets.tasks.model import Moved, StatusSaid
from memory_assets.vocabulary import DoneBasis
from memory_assets_tests.tasks.telling import claim, cluster, outcomes, tid, told, word

LOGIN = "로그인 고치기"
IN_A_SESSION: tuple[DoneBasis, ...] = ("todo_tool", "commit", "passing_test", "thanks", "report", "changed_files")


@pytest.mark.parametrize("basis", IN_A_SESSION)
def test_what_evidence_settles_is_done_when_it_is_first_spoken_of(basis: DoneBasis) -> None:
    board = told(claim(LOGIN, "done", done_basis=basis))
    assert board.history == [f"{LOGIN}: created in_progress", f"{LOGIN}: in_progress > done"]
    assert board.task(LOGIN).done_basis == basis


def test_every_step_between_is_taken() -> None:
    board = told(claim(LOGIN, "pending"), claim(LOGIN, "done", 1, done_basis="todo_tool"))
    assert board.history[-2:] == [f"{LOGIN}: pending > in_progress", f"{LOGIN}: in_progress > done"]
    blocked = told(claim(LOGIN, "blocked", waits=["열쇠"]), claim(LOGIN, "done", 1, done_basis="commit"))
    assert blocked.statuses() == {LOGIN: "done"} and blocked.waits_for(LOGIN) == []


def test_the_last_step_alone_says_what_settles_it() -> None:
    said = [claim(LOGIN, "pending"), claim(LOGIN, "done", 1, done_basis="commit", done_named="commit 1a2b3c4")]
    moves = [one.result for one in outcomes(cluster(said)) if isinstance(one.result, Moved)]
    assert [(move.to_status, move.done_basis, move.done_named) for move in moves] == [
        ("in_progress", None, None),
        ("done", "commit", "commit 1a2b3c4"),
    ]


def test_without_evidence_it_is_said_to_be_finished_until_it_is_said_again() -> None:
    board = told(claim(LOGIN, "done"))
    assert (board.task(LOGIN).status, board.task(LOGIN).requested) == ("in_progress", "done")
    again = told(claim(LOGIN, "done"), claim(LOGIN, "done", 1))
    assert (again.task(LOGIN).status, again.task(LOGIN).done_basis) == ("done", "said_again")
    refused = told(claim(LOGIN, "pending"), claim(LOGIN, "done", 1))
    assert refused.history[-1] == f"{LOGIN}: pending x done"


def test_what_is_cancelled_is_taken_up_by_a_person_alone() -> None:
    cancelled = claim(LOGIN, "in_progress"), claim(LOGIN, "cancelled", 1)
    assert told(*cancelled, claim(LOGIN, "done", 2, done_basis="commit")).statuses() == {LOGIN: "cancelled"}


def test_a_person_settles_anything() -> None:
    board = told(claim(LOGIN), word(StatusSaid(tid(LOGIN), "done"), 1))
    assert board.task(LOGIN).done_basis == "person"


def test_what_is_opened_again_forgets_what_settled_it() -> None:
    board = told(claim(LOGIN, "done", done_basis="report"), claim(LOGIN, "in_progress", 1))
    assert (board.task(LOGIN).status, board.task(LOGIN).done_basis) == ("in_progress", None)


def test_an_order_of_one_turn_is_passed_and_ends_no_work() -> None:
    order = claim("테스트 실행", "done", 1, done_basis="turn_ended")
    assert told(order).task("테스트 실행").done_basis == "turn_ended"
    # Whoever speaks of it as work has it on the board, before the order and behind it.
    assert told(claim("테스트 실행", "pending"), order).statuses() == {"테스트 실행": "pending"}
    behind = told(order, claim("테스트 실행", "pending", 2))
    assert behind.statuses() == {"테스트 실행": "pending"}
    assert behind.history[-2:] == ["테스트 실행: done > in_progress", "테스트 실행: in_progress > pending"]


def test_an_order_meets_no_condition() -> None:
    waiting = claim(LOGIN, "blocked", waits=["the tests"])
    board = told(waiting, claim("the tests", "done", 1, done_basis="turn_ended"))
    assert board.conditions and {one.status for one in board.conditions.values()} != {"satisfied"}


def test_the_list_of_what_settles_is_closed() -> None:
    assert set(get_args(DoneBasis)) == {*IN_A_SESSION, "turn_ended", "said_again", "person"}
