"""What tasks wait for and what entries name: edges, conditions with their candidates, artifacts and circles."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.task_words import ConditionAnswered, TaskBlockersSaid
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.projections.task_tables.candidates import LEAST_SHARED
from memory_assets.tasks.canonical import condition_id, condition_key, normalize, task_id, task_key
from memory_assets.tasks.likeness import CANDIDATE_FLOOR, STRICT_FLOOR, lexical_likeness, tokens
from memory_assets.vocabulary import TaskStatus
from memory_assets_tests.depth import IS_DEEP, cases
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows

pytestmark = pytest.mark.deep

WORDS = ["the", "review", "settlement", "api", "contract", "fix", "login", "db", "결제", "모듈", "리팩터링", "of", "정산"]

# Between them they leave edges, suggestions, conditions with candidates, artifacts and a circle behind.
REPLAYED = {
    "test_a_blocked_task_waits_for_tasks_conditions_and_artifacts",
    "test_suggestions_add_up_until_somebody_says_it_with_evidence",
    "test_a_person_says_what_a_condition_is",
    "test_candidates_come_and_go_with_the_tasks",
    "test_an_artifact_that_nobody_names_any_more_goes",
    "test_a_circle_is_kept_shown_and_told_once",
}

BLOCKERS = """
SELECT t.title, is_suggested, declared_kind, effective_title, is_cleared FROM v_task_blockers_effective b
JOIN entities t ON t.entity_id = b.task_id ORDER BY ALL
"""


def task(
    log: EventLog,
    day: int,
    title: str,
    status: TaskStatus | None = None,
    *blocked_by: str,
    critical: bool = False,
    text: str | None = None,
) -> Story:
    """A session that says something of one task."""
    story = Story(f"day-{day}", started=STARTED + timedelta(days=day))
    remark = Remark(title, 0, "task", status=status, blocked_by=blocked_by, critical=critical)
    log.append(story.tell([text or title], [remark]))
    return story


def fold(database: Database) -> None:
    """Fold and resolve."""
    catch_up(database, VERSIONS, resolve=True)


@pytest.fixture(autouse=True)
def replayed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test leaves behind, a replay gives the same: of all of it in `make slow`, of the richest with every change."""
    database = request.getfixturevalue("database") if "database" in request.fixturenames else None
    yield
    if database is not None and (IS_DEEP or request.node.name in REPLAYED):
        report = verify(database, VERSIONS)
        assert report.equal, report.differences


def current(database: Database, title: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rows(database, "SELECT current_json FROM entities WHERE title = ?", title)[0][0])
    return found


def id_of(title: str) -> str:
    return task_id(task_key("hourglass", normalize(title)))


def id_of_condition(title: str) -> str:
    return condition_id(condition_key("hourglass", normalize(title)))


@pytest.mark.long
def test_a_blocked_task_waits_for_tasks_conditions_and_artifacts(log: EventLog, database: Database) -> None:
    task(log, 0, "Write the parser", "in_progress")
    task(log, 1, "Release", "blocked", "Write the parser", "the legal review", "https://github.com/acme/app/pull/12")
    fold(database)
    assert rows(database, BLOCKERS) == [
        ("Release", False, "artifact", "acme/app#12", False),
        ("Release", False, "condition", "the legal review", False),
        ("Release", False, "task", "Write the parser", False),
    ]
    told = current(database, "Release")
    assert [(blocker["kind"], blocker["raw_text"], blocker["auto_placeholder"]) for blocker in told["blockers"]] == [
        ("task", "Write the parser", False),
        ("condition", "the legal review", False),
        ("artifact", "https://github.com/acme/app/pull/12", False),
    ]
    assert told["blocker_suggestions"] == []


@pytest.mark.long
def test_what_is_done_waits_for_nothing_and_its_blockers_do_not_come_back(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "blocked", "the legal review")
    task(log, 1, "Release", "done")
    fold(database)
    assert (rows(database, BLOCKERS), current(database, "Release")["blockers"]) == ([], [])
    task(log, 2, "Release", "in_progress")
    fold(database)
    assert rows(database, BLOCKERS) == []


@pytest.mark.long
def test_suggestions_add_up_until_somebody_says_it_with_evidence(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "in_progress")
    task(log, 1, "Release", None, "the legal review", critical=True)
    task(log, 2, "Release", None, "the budget", critical=True)
    task(log, 3, "Release", None, "the legal review", critical=True)
    fold(database)
    assert rows(database, BLOCKERS) == [
        ("Release", True, "condition", "the budget", False),
        ("Release", True, "condition", "the legal review", False),
    ]
    assert [told["raw_text"] for told in current(database, "Release")["blocker_suggestions"]] == [
        "the legal review",
        "the budget",
    ]
    task(log, 4, "Release", "blocked", "the budget")
    fold(database)
    assert rows(database, BLOCKERS) == [("Release", False, "condition", "the budget", False)]


def test_a_placeholder_takes_no_suggestions_place(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "blocked", "the legal review", critical=True)
    fold(database)
    assert rows(database, BLOCKERS) == [
        ("Release", False, "condition", "(unknown blocker)", False),
        ("Release", True, "condition", "the legal review", False),
    ]
    assert rows(database, "SELECT title FROM v_tasks_only_suggested") == [("Release",)]
    assert rows(database, "SELECT title FROM v_tasks_unknown_placeholder") == [("Release",)]


def test_a_condition_turns_out_to_be_a_task_or_is_met(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "blocked", "the legal review", "the new logo")
    task(log, 1, "the legal review", "in_progress")
    task(log, 2, "the new logo", "done")
    fold(database)
    assert rows(database, BLOCKERS) == [
        ("Release", False, "condition", "the legal review", False),
        ("Release", False, "condition", "the new logo", True),
    ]
    assert rows(
        database, "SELECT title, status, resolved_to_kind, resolved_to_title FROM v_conditions_resolved ORDER BY 1"
    ) == [
        ("the legal review", "resolved", "task", "the legal review"),
        ("the new logo", "satisfied", None, None),
    ]
    assert (
        rows(
            database,
            "SELECT src_id, meta_json ->> '$.message_index' FROM edges WHERE rel_type = 'evidence_of'"
            f" AND dst_id = '{id_of_condition('the new logo')}'",
        )[0][1]
        == "0"
    )


@pytest.mark.long
def test_a_person_says_what_a_condition_is(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "blocked", "what Kim said")
    task(log, 1, "Write the parser", "in_progress")
    answer = ConditionAnswered(
        condition_id=id_of_condition("what Kim said"), to_kind="task", to_id=id_of("Write the parser"), said_by="kim"
    )
    log.append([said(answer)])
    fold(database)
    assert rows(database, BLOCKERS) == [("Release", False, "condition", "Write the parser", False)]


# -- candidates


@pytest.mark.long
def test_candidates_come_and_go_with_the_tasks(log: EventLog, database: Database) -> None:
    waited_for, title = "the review of the settlement API contract", "Settlement API contract draft review"
    task(log, 0, "Release", "blocked", waited_for)
    fold(database)
    assert current(database, waited_for)["candidates"] == []
    other = task(log, 1, title, "in_progress")
    fold(database)
    likeness = lexical_likeness(normalize(waited_for), normalize(title))
    assert CANDIDATE_FLOOR <= likeness < STRICT_FLOOR
    assert current(database, waited_for)["candidates"] == [
        {"method": "lexical", "score": round(likeness, 4), "task_id": id_of(title), "title": title}
    ]
    # Another title of the same task is shown once it has it, and none once nobody speaks of the task.
    log.append([other.forget()])
    fold(database)
    assert current(database, waited_for)["candidates"] == []


@pytest.mark.long
def test_the_best_candidates_are_kept_whatever_came_first(log: EventLog, database: Database) -> None:
    names = [f"Settlement API contract {word} review" for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")]
    for day, name in enumerate(names[:4]):
        task(log, day, name, "in_progress")
    catch_up(database, VERSIONS, resolve=True)
    task(log, 10, "Release", "blocked", "the review of the settlement API contract")
    catch_up(database, VERSIONS, resolve=True)
    for day, name in enumerate(names[4:], start=20):
        task(log, day, name, "in_progress")
    fold(database)
    found = current(database, "the review of the settlement API contract")["candidates"]
    assert len(found) == 5 and {told["title"] for told in found} < set(names)
    assert [told["score"] for told in found] == sorted((told["score"] for told in found), reverse=True)


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True),
)
def test_names_that_share_too_few_words_are_no_candidates(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    shared = len(set(tokens(first)) & set(tokens(second)))
    if 2 * shared < LEAST_SHARED * (len(tokens(first)) + len(tokens(second))):
        assert lexical_likeness(first, second) < CANDIDATE_FLOOR


# -- artifacts


@pytest.mark.long
def test_an_artifact_is_declared_by_who_names_it_first_and_settled_once(log: EventLog, database: Database) -> None:
    pull = "https://github.com/acme/app/pull/12"
    task(log, 3, "Look at it", "pending", text=f"We look at {pull} tomorrow.")
    catch_up(database, VERSIONS, resolve=True)
    task(log, 0, "Release", "blocked", pull, text=f"The release is blocked by {pull}.")
    fold(database)
    declared = list(log.replay(["artifact_declared"]))
    assert len(declared) == 2
    assert rows(
        database,
        "SELECT created_at, last_occurred_at, current_json ->> '$.status' FROM entities WHERE entity_type = 'artifact'",
    ) == [(STARTED.replace(tzinfo=None), (STARTED + timedelta(days=3)).replace(tzinfo=None), "open")]
    mentions = rows(database, "SELECT meta_json ->> '$.span' FROM edges WHERE rel_type = 'mentions' ORDER BY 1")
    assert mentions == [("[11,46]",), ("[26,61]",)]
    settled = task(log, 5, "Tidy up", "in_progress", text=f"{pull} was merged.")
    fold(database)
    assert rows(database, "SELECT is_cleared FROM v_task_blockers_effective") == [(True,)]
    assert len(list(log.replay(["artifact_settled"]))) == 1
    log.append([settled.forget()])
    fold(database)
    assert rows(database, "SELECT is_cleared FROM v_task_blockers_effective") == [(False,)]


@pytest.mark.long
def test_an_artifact_that_nobody_names_any_more_goes(log: EventLog, database: Database) -> None:
    story = task(log, 0, "Look", "pending", text="We look at https://github.com/acme/app/pull/12 now.")
    fold(database)
    assert rows(database, "SELECT entity_type FROM entities ORDER BY 1") == [("artifact",), ("task",)]
    log.append([story.forget()])
    fold(database)
    for table in ("entities", "entity_aliases", "edges"):
        assert rows(database, f"SELECT * FROM {table}") == [], table


def test_what_a_persons_word_alone_names_is_there_as_long_as_a_task_waits_for_it(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "in_progress")
    fold(database)
    word = {"task_id": id_of("Release"), "said_by": "kim"}
    log.append([said(TaskBlockersSaid(blockers=["https://github.com/acme/app/pull/12"], **word))])  # type: ignore[arg-type]
    fold(database)
    assert rows(database, BLOCKERS) == [("Release", False, "artifact", "acme/app#12", False)]
    log.append([said(TaskBlockersSaid(blockers=[], **word))])  # type: ignore[arg-type]
    fold(database)
    assert rows(database, "SELECT title FROM entities") == [("Release",)]


@pytest.mark.long
def test_two_tasks_wait_for_what_peoples_words_alone_name(log: EventLog, database: Database) -> None:
    for day, title in enumerate(("Release", "Ship the shop")):
        task(log, day, title, "in_progress")
    fold(database)
    for day, title in ((4, "Ship the shop"), (3, "Release")):
        word = TaskBlockersSaid(task_id=id_of(title), blockers=["https://github.com/acme/app/pull/12"], said_by="kim")
        log.append([said(word, STARTED + timedelta(days=day))])
        fold(database)
        assert verify(database, VERSIONS).equal
    artifacts = "SELECT created_at FROM entities WHERE entity_type = 'artifact'"
    assert rows(database, artifacts) == [((STARTED + timedelta(days=3)).replace(tzinfo=None),)]
    log.append([said(TaskBlockersSaid(task_id=id_of("Release"), blockers=[], said_by="kim"), STARTED + timedelta(days=5))])
    fold(database)
    assert rows(database, artifacts) == [((STARTED + timedelta(days=4)).replace(tzinfo=None),)]
    assert verify(database, VERSIONS).equal


# -- circles


def circle(log: EventLog) -> None:
    task(log, 0, "Write the parser", "in_progress")
    task(log, 1, "Design the grammar", "blocked", "Write the parser")
    task(log, 2, "Write the parser", "blocked", "the examples")
    task(log, 3, "the examples", "blocked", "Design the grammar")


@pytest.mark.long
def test_a_circle_is_kept_shown_and_told_once(log: EventLog, database: Database) -> None:
    circle(log)
    fold(database)
    members = sorted(id_of(title) for title in ("Write the parser", "Design the grammar", "the examples"))
    assert rows(database, "SELECT task_ids, event_id IS NOT NULL FROM blocker_cycles") == [(members, True)]
    assert len(rows(database, "SELECT * FROM v_task_blockers_effective")) == 3
    assert len(list(log.replay(["blocker_cycle_detected"]))) == 1
    events = log.last_seq()
    task(log, 4, "Something else", "pending")
    fold(database)
    assert len(list(log.replay(["blocker_cycle_detected"], since=events))) == 0
    task(log, 5, "Design the grammar", "done")
    fold(database)
    assert rows(database, "SELECT * FROM blocker_cycles") == []


def test_a_circle_is_not_told_before_the_stage_resolves(log: EventLog, database: Database) -> None:
    circle(log)
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT * FROM blocker_cycles") == []
    fold(database)
    assert rows(database, "SELECT event_id IS NOT NULL FROM blocker_cycles") == [(True,)]


def test_a_task_does_not_wait_for_itself(log: EventLog, database: Database) -> None:
    task(log, 0, "Release", "blocked", "Release")
    fold(database)
    assert rows(database, BLOCKERS) == [("Release", False, "condition", "(unknown blocker)", False)]
    rejected = list(log.replay(["task_blocker_rejected"]))
    assert [json.loads(event.payload_json)["rule"] for event in rejected] == ["blocks-itself"]
    assert rows(database, "SELECT * FROM blocker_cycles") == []


@pytest.mark.parametrize("length", cases([3], [12]))
def test_a_chain_of_conditions_ends_in_the_view(log: EventLog, database: Database, length: int) -> None:
    """Each condition is said to be the next one; the last one the first again."""
    names = [f"approval {number}" for number in range(length)]
    task(log, 0, "Release", "blocked", *names)
    ids = [id_of_condition(name) for name in names]
    log.append(
        [
            said(ConditionAnswered(condition_id=one, to_kind="condition", to_id=other, said_by="kim"))
            for one, other in zip(ids, ids[1:] + ids[:1], strict=True)
        ]
    )
    fold(database)
    ends = rows(database, "SELECT declared_blocker_id, effective_blocker_id FROM v_task_blockers_effective")
    assert {declared for declared, _ in ends} == set(ids) and len(ends) == length
    assert rows(database, "SELECT * FROM blocker_cycles") == []
