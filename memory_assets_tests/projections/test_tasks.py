"""Tasks across sessions: outcomes rest on all the claims there are, whoever read them first."""

import json
from datetime import timedelta

import pytest

from memory_assets.extraction.schema import TaskStatus
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections import fold as module
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets_tests.log.samples import build
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows


def claim(log: EventLog, name: str, day: int, status: TaskStatus | None, *, title: str = "Fix the login") -> Story:
    story = Story(name, started=STARTED + timedelta(days=day))
    log.append(story.tell(["We fix it."], [Remark(title, 0, "task", status=status)]))
    return story


def state(database: Database) -> list[tuple[str, str]]:
    return rows(database, "SELECT title, task_status FROM v_tasks ORDER BY title")


def outcomes(log: EventLog) -> list[str]:
    told = log.fetch_since(0, ["task_created", "task_status_changed", "task_transition_rejected"])
    return [event.event_type.removeprefix("task_") for event in told]


def test_a_task_moves_with_its_claims(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "pending")]
    claim(log, "b", 1, "in_progress")
    claim(log, "c", 2, "done")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "done")]
    assert outcomes(log) == ["created", "created", "status_changed", "status_changed"]
    assert rows(database, "SELECT count(*) FROM edges WHERE rel_type = 'evidence_of'") == [(3,)]
    assert rows(database, "SELECT body FROM memory_units WHERE unit_kind = 'task'") == [
        ("Fix the login\nstatus: done\nWe fix it.",)
    ]


def test_a_late_claim_of_an_earlier_day_changes_what_came_of_it(log: EventLog, database: Database) -> None:
    claim(log, "late", 5, "done")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "in_progress")]
    claim(log, "early", 1, "in_progress")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "done")]
    assert verify(database, VERSIONS).equal


def test_a_move_that_is_not_allowed_is_kept_as_an_event(log: EventLog, database: Database) -> None:
    claim(log, "a", 0, "pending")
    claim(log, "b", 1, "done")
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == [("Fix the login", "pending")]
    rejected = log.fetch_since(0, ["task_transition_rejected"])
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
    assert [event.event_type for event in log.fetch_since(events - 2)] == ["build_started", "task_created"]


def test_outcomes_are_made_of_all_claims_however_many_sessions_are_folded_at_a_time(
    log: EventLog, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SCOPE_SIZE", 1)
    for day, status in enumerate(("pending", "in_progress", "done")):
        claim(log, f"talk-{day}", day, status)  # type: ignore[arg-type]
    catch_up(database, VERSIONS, resolve=True)
    assert outcomes(log) == ["created", "status_changed", "status_changed"]
    rebuild(database, VERSIONS)
    assert len(outcomes(log)) == 3
    assert state(database) == [("Fix the login", "done")]


def test_a_claim_that_is_taken_back_leaves_no_stub(log: EventLog, database: Database) -> None:
    story = claim(log, "a", 0, "pending")
    catch_up(database, VERSIONS, resolve=True)
    log.append(story.tell(["Never mind."]))
    catch_up(database, VERSIONS, resolve=True)
    assert state(database) == []
    for table in ("entities", "entity_aliases", "edges", "task_claims"):
        assert rows(database, f"SELECT count(*) FROM {table}") == [(0,)], table
    assert verify(database, VERSIONS).equal
