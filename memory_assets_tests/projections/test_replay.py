"""Whether the board is what a replay of the tasks gives, asked without a second store."""

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.task_words import EntityMerged, TaskBlockersSaid, TaskDeclared
from memory_assets.projections.fold import catch_up
from memory_assets.projections.replay import replayed
from memory_assets.tasks.canonical import normalize, task_id, task_key
from memory_assets_tests.depth import cases
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows, tables


def id_of(title: str) -> str:
    return task_id(task_key("hourglass", normalize(title)))


@pytest.fixture
def board(log: EventLog, database: Database) -> Database:
    """Tasks of two sessions and a person, with blockers of every kind, and a merge."""
    pull, contract = "PR https://github.com/acme/app/pull/12", "the contract"
    for day, remarks in enumerate(
        (
            [Remark("Fix the login", 0, "task", status="blocked", blocked_by=(pull, contract)), Remark("Release", 1, "task")],
            [Remark("Repair signing in", 0, "task", status="in_progress"), Remark("The contract", 1, "task", status="done")],
        )
    ):
        log.append(Story(f"day-{day}").tell([f"PR https://github.com/acme/app/pull/12 was merged on {day}", "so"], remarks))
    for word in (
        TaskDeclared(task_id=id_of("Call Kim"), title="Call Kim", project="hourglass", said_by="kim"),
        TaskBlockersSaid(task_id=id_of("Call Kim"), blockers=["acme/app#77", "her answer"], said_by="kim"),
        EntityMerged(entity_type="task", from_id=id_of("Fix the login"), into_id=id_of("Repair signing in"), said_by="kim"),
    ):
        log.append([said(word, STARTED)])
    catch_up(database, VERSIONS, resolve=True)
    return database


def test_a_replay_gives_the_board_again_and_changes_nothing(board: Database) -> None:
    before, events = tables(board), EventLog(board).last_seq()
    waiting = rows(board, "SELECT * FROM vector_outbox ORDER BY ALL")
    assert {row["entity_type"] for row in before["entities"]} == {"task", "condition", "artifact"}
    assert replayed(board, VERSIONS) == 0
    assert (tables(board), EventLog(board).last_seq()) == (before, events)
    assert rows(board, "SELECT * FROM vector_outbox ORDER BY ALL") == waiting


@pytest.mark.long
@pytest.mark.parametrize(
    ("damage", "expected"),
    cases(
        [
            ("UPDATE entities SET current_json = '{}' WHERE title = 'Release'", 2),
            ("DELETE FROM edges WHERE rel_type = 'blocked_by'", 2),
            ("DELETE FROM task_names", 0),
        ],
        [
            ("DELETE FROM entities WHERE entity_type = 'artifact' AND title = 'acme/app#12'", 1),
            ("DELETE FROM task_outcomes WHERE entity_type = 'condition'", 3),
            ("UPDATE entity_aliases SET is_primary = NOT is_primary WHERE canonical_key = 'task:hourglass:release'", 2),
        ],
    ),
)
def test_whatever_is_not_so_counts(board: Database, damage: str, expected: int) -> None:
    with board.writing() as connection:
        connection.execute(damage)
    assert replayed(board, VERSIONS) == expected
    assert replayed(board, VERSIONS) == expected


@pytest.mark.long
def test_what_was_said_since_the_last_fold_is_no_difference(board: Database) -> None:
    word = TaskDeclared(task_id=id_of("Ask Lee"), title="Ask Lee", project="hourglass", said_by="kim")
    EventLog(board).append([said(word, STARTED)])
    assert replayed(board, VERSIONS) == 0
