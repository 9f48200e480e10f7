"""Tasks across sessions: outcomes rest on what was said up to them, whoever read it first."""

import json
from datetime import timedelta

import pytest

from memory_assets.identifiers import typed_id
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.task_words import EntityMerged, EntityMergeReverted, TaskDeclared, TaskStatusSaid
from memory_assets.projections import fold as module
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets.tasks.canonical import normalize, task_id, task_key
from memory_assets.vocabulary import TaskStatus
from memory_assets_tests.log.samples import build
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows, tables

LINKED = "evidence_linked"


def claim(log: EventLog, name: str, day: int, status: TaskStatus | None, *, title: str = "Fix the login") -> Story:
    story = Story(name, started=STARTED + timedelta(days=day))
    log.append(story.tell(["We fix it."], [Remark(title, 0, "task", status=status)]))
    return story


def state(database: Database) -> list[tuple[str, str]]:
    return rows(database, "SELECT title, task_status FROM v_tasks ORDER BY title")


def outcomes(log: EventLog) -> list[str]:
    told = [event for event in log.replay() if event.event_type.startswith("task_")]
    return [event.event_type.removeprefix("task_") for event in told]


def id_of(title: str, project: str = "hourglass") -> str:
    return task_id(task_key(project, normalize(title)))


@pytest.mark.long
def test_a_task_moves_with_its_claims(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "pending")]
    claim(log, "b", 1, "in_progress")
    claim(log, "c", 2, "done")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "done")]
    # Nothing is said twice: the second and third claim add what follows from them.
    assert outcomes(log) == ["created", LINKED, "status_changed", LINKED, "status_changed"]
    assert rows(database, "SELECT event_type, place, session_id, message_index FROM v_task_history ORDER BY place") == [
        ("task_created", 0, "a", 0),
        ("task_evidence_linked", 1, "b", 0),
        ("task_status_changed", 2, "b", 0),
        ("task_evidence_linked", 3, "c", 0),
        ("task_status_changed", 4, "c", 0),
    ]
    assert rows(database, "SELECT count(*) FROM edges WHERE rel_type = 'evidence_of'") == [(3,)]
    assert rows(database, "SELECT body FROM memory_units WHERE unit_kind = 'task'") == [
        ("Fix the login\nstatus: done\nWe fix it.",)
    ]


@pytest.mark.long
def test_a_late_claim_of_an_earlier_day_changes_what_came_of_it(log: EventLog, database: Database) -> None:
    claim(log, "late", 5, "done")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "in_progress")]
    claim(log, "early", 1, "in_progress")
    catch_up(database, VERSIONS)
    # What was said behind it rests on it now. Until that is resolved nobody knows the task.
    assert state(database) == []
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "done")]
    assert verify(database, VERSIONS).equal


def test_a_move_that_is_not_allowed_is_kept_as_an_event(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    claim(log, "b", 1, "done")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "pending")]
    rejected = list(log.replay(["task_transition_rejected"]))
    assert json.loads(rejected[0].payload_json)["rule"] == "pending-to-done-is-no-transition"


def test_projects_do_not_share_tasks(log: EventLog, database: Database) -> None:
    for project in ("hourglass", "shop", None):
        log.append(Story(f"in-{project}", project=project).tell(["x"], [Remark("Fix", 0, "task")]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT canonical_key FROM entities ORDER BY 1") == [
        ("task:default:fix",),
        ("task:hourglass:fix",),
        ("task:shop:fix",),
    ]


@pytest.mark.long
def test_claims_that_a_reader_folded_first_get_their_outcomes_all_the_same(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS)  # a search, say, between two stages of a run
    assert state(database) == []
    assert catch_up(database, VERSIONS, resolve=True).outcomes is not None
    assert state(database) == [("Fix the login", "pending")]
    assert rows(database, "SELECT count(*) FROM memory_units WHERE unit_kind = 'task'") == [(1,)]
    assert verify(database, VERSIONS).equal


def test_nothing_is_resolved_twice(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    assert catch_up(database, VERSIONS, resolve=True, build=build("b1")).outcomes is not None
    events = log.last_seq()
    assert catch_up(database, VERSIONS, resolve=True, build=build("b2")).outcomes is None
    assert log.last_seq() == events
    assert [event.event_type for event in log.replay(since=events - 2)] == ["build_started", "task_created"]


@pytest.mark.long
def test_outcomes_are_made_of_all_claims_however_many_sessions_are_folded_at_a_time(
    log: EventLog, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SCOPE_SIZE", 1)
    for day, status in enumerate(("pending", "in_progress", "done")):
        claim(log, f"talk-{day}", day, status)  # type: ignore[arg-type]
    catch_up(database, VERSIONS, resolve=True)
    assert outcomes(log) == ["created", LINKED, "status_changed", LINKED, "status_changed"]
    rebuild(database, VERSIONS)
    assert len(outcomes(log)) == 5
    assert state(database) == [("Fix the login", "done")]


@pytest.mark.long
def test_a_claim_that_is_taken_back_leaves_no_stub(log: EventLog, database: Database) -> None:
    story = claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS, resolve=True)
    log.append(story.tell(["Never mind."]))
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == []
    for table in ("entities", "entity_aliases", "edges", "task_claims", "task_names", "task_outcomes", "task_names_due"):
        assert rows(database, f"SELECT count(*) FROM {table}") == [(0,)], table
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_an_entity_is_shown_as_far_as_the_log_tells_of_it(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS, resolve=True)
    claim(log, "b", 1, "in_progress")
    claim(log, "c", 2, "done")
    catch_up(database, VERSIONS)
    assert state(database) == [("Fix the login", "pending")]
    assert rows(database, "SELECT name, missing FROM task_names_due") == [("fix the login", 4)]
    assert verify(database, VERSIONS).equal
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "done")]
    assert rows(database, "SELECT * FROM task_names_due") == []


@pytest.mark.long
def test_what_is_forgotten_and_comes_back_is_said_again(log: EventLog, database: Database) -> None:
    first = claim(log, "a", 0, "pending")
    second = claim(log, "b", 1, "in_progress")
    catch_up(database, VERSIONS, resolve=True)
    before = rows(database, "SELECT entity_id, title, current_json FROM entities")
    for story in (first, second):
        log.append([story.forget()])
        catch_up(database, VERSIONS, resolve=True)
        story.begin_anew()
    assert rows(database, "SELECT count(*) FROM entities") == [(0,)]
    for story, status in ((second, "in_progress"), (first, "pending")):
        log.append(story.tell(["We fix it."], [Remark("Fix the login", 0, "task", status=status)]))  # type: ignore[arg-type]
        catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT entity_id, title, current_json FROM entities") == before
    assert rows(database, "SELECT count(*) FROM task_outcomes JOIN visible_events USING (event_id)") == [(3,)]
    assert rows(database, "SELECT count(*) FROM task_outcomes") == [(3,)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_history_that_begins_anew_takes_its_outcomes_along(log: EventLog, database: Database) -> None:
    story = claim(log, "a", 0, "pending")
    claim(log, "b", 1, "in_progress")
    catch_up(database, VERSIONS, resolve=True)
    story.begin_anew()
    log.append(story.tell(["We fix it."], [Remark("Fix the login", 0, "task", status="pending")]))
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "in_progress")]
    assert rows(database, "SELECT count(*) FROM task_outcomes JOIN visible_events USING (event_id)") == [(3,)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_what_a_person_says_moves_a_task(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    log.append([said(TaskStatusSaid(task_id=id_of("Fix the login"), status="done", said_by="kim"))])
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "done")]
    moves = list(log.replay(["task_status_changed"]))
    assert [(event.actor, json.loads(event.payload_json)["to_status"]) for event in moves] == [
        ("person", "in_progress"),
        ("person", "done"),
    ]
    assert verify(database, VERSIONS).equal


def test_a_task_of_a_persons_own_needs_no_claim(log: EventLog, database: Database) -> None:
    log.append(
        [said(TaskDeclared(task_id=id_of("Call Kim"), title="Call Kim", project="hourglass", priority="high", said_by="kim"))]
    )
    catch_up(database, VERSIONS, resolve=True)
    assert rows(
        database, "SELECT title, project, current_json ->> '$.priority', current_json ->> '$.claims' FROM entities"
    ) == [("Call Kim", "hourglass", "high", "0")]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_merge_is_one_history_and_can_be_taken_apart(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "in_progress", title="Fix the login")
    claim(log, "b", 1, "done", title="Repair signing in")
    catch_up(database, VERSIONS, resolve=True)
    apart = tables(database)
    ids = {"from_id": id_of("Fix the login"), "into_id": id_of("Repair signing in")}
    log.append([said(EntityMerged(entity_type="task", **ids, said_by="kim"))])
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT task_id, task_status FROM v_tasks") == [(ids["into_id"], "done")]
    # The former id stays an address, by the key that it is made of.
    assert rows(database, "SELECT canonical_key, is_primary FROM entity_aliases ORDER BY 1") == [
        ("task:hourglass:fix the login", False),
        ("task:hourglass:repair signing in", True),
    ]
    assert rows(database, "SELECT source_id FROM memory_units WHERE unit_kind = 'task'") == [(ids["into_id"],)]
    assert verify(database, VERSIONS).equal
    log.append([said(EntityMergeReverted(entity_type="task", **ids, said_by="kim"))])
    catch_up(database, VERSIONS, resolve=True)
    again = tables(database)
    for table in ("entities", "entity_aliases", "edges", "task_outcomes", "memory_units"):
        assert again[table] == apart[table], table
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_key_of_words_that_another_session_said_goes_with_that_session(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "in_progress", title="Fix the login")
    other = claim(log, "b", 1, "done", title="Repair signing in")
    ids = {"from_id": id_of("Fix the login"), "into_id": id_of("Repair signing in")}
    log.append([said(EntityMerged(entity_type="task", **ids, said_by="kim"))])
    catch_up(database, VERSIONS, resolve=True)
    log.append([other.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert (
        "repair" not in repr(rows(database, "SELECT payload_json FROM visible_events WHERE event_type LIKE 'task_%'")).lower()
    )
    assert state(database) == [("Fix the login", "in_progress")]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_what_another_version_made_and_nobody_makes_again_goes(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS, resolve=True)
    with database.writing() as connection:
        connection.execute("UPDATE projection_offsets SET projector_version = 'older'")
        connection.execute(
            """INSERT INTO entities SELECT 'tsk_old', entity_type, 'task:hourglass:old', title, stage, status, current_json,
                 title_norm, search_text, created_at, updated_at, project, last_occurred_at, basis FROM entities"""
        )
        connection.execute(
            "INSERT INTO memory_units SELECT * REPLACE (? AS unit_id, 'tsk_old' AS source_id) FROM memory_units"
            " WHERE unit_kind = 'task'",
            [typed_id("unt", "task", "tsk_old")],
        )
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT canonical_key FROM entities") == [("task:hourglass:fix the login",)]
    assert verify(database, VERSIONS).equal
