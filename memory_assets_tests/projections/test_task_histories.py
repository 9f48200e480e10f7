"""Tasks of random histories: whatever order sessions and words come in, the same board; and it keeps what it promises."""

import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.task_words import (
    ConditionAnswered,
    EntityMerged,
    EntityMergeReverted,
    TaskBlockersSaid,
    TaskDeclared,
    TaskPrioritySaid,
    TaskStatusSaid,
)
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.tasks.canonical import condition_id, condition_key, normalize, task_id, task_key
from memory_assets_tests.depth import depth
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import APPEND_TIMES, STARTED, VERSIONS, Remark, Story, folded, rows, shuffled, tables

# Spellings of one title, titles that are alike, and one that is like nothing.
TITLES = [
    "Fix the login bug",
    "fix the LOGIN bug!",
    "Login bug fix",
    "로그인 버그 수정",
    "로그인 버그를 고친다",
    "Release 1.4",
    "Draft the login review",
]
BLOCKERS = [*TITLES, "the login review", "PR https://github.com/acme/app/pull/12", "Kim's answer"]
# The person may go on by contradicting what the agent said; with another revision the session says more.
GOES_ON = ["No, that is wrong", "> Done at last", "Thanks, now the next one"]
STATUSES = ["pending", "in_progress", "blocked", "done", "cancelled"]

remarks = st.lists(
    st.builds(
        Remark,
        st.sampled_from(TITLES),
        st.integers(0, 2),  # every revision has so many messages
        st.just("task"),
        status=st.sampled_from([None, *STATUSES]),
        promoted=st.sampled_from(["verified", None]),
        critical=st.sampled_from([False, False, True]),
        priority=st.sampled_from([None, "low", "high"]),
        blocked_by=st.lists(st.sampled_from(BLOCKERS), max_size=2, unique=True).map(tuple),
    ),
    max_size=3,
    unique_by=lambda remark: (remark.title, remark.message_index),
)
sessions = st.tuples(st.integers(0, 5), st.lists(remarks, min_size=1, max_size=2))


def ids(title: str) -> str:
    return task_id(task_key("hourglass", normalize(title)))


def condition_ids(title: str) -> str:
    return condition_id(condition_key("hourglass", normalize(title)))


titles = st.sampled_from(TITLES)
by = {"said_by": st.just("kim")}
words = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.one_of(
            st.builds(TaskStatusSaid, task_id=titles.map(ids), status=st.sampled_from(STATUSES), **by),
            st.builds(TaskPrioritySaid, task_id=titles.map(ids), priority=st.just("critical"), **by),
            st.builds(
                TaskBlockersSaid, task_id=titles.map(ids), blockers=st.lists(st.sampled_from(BLOCKERS), max_size=2), **by
            ),
            titles.flatmap(
                lambda title: st.builds(
                    TaskDeclared, task_id=st.just(ids(title)), title=st.just(title), project=st.just("hourglass"), **by
                )
            ),
            st.builds(EntityMerged, entity_type=st.just("task"), from_id=titles.map(ids), into_id=titles.map(ids), **by),
            st.builds(EntityMergeReverted, entity_type=st.just("task"), from_id=titles.map(ids), into_id=titles.map(ids), **by),
            st.builds(
                ConditionAnswered,
                condition_id=st.sampled_from(BLOCKERS).map(condition_ids),
                to_kind=st.just("condition"),
                to_id=st.sampled_from(BLOCKERS).map(condition_ids),
                **by,
            ),
            st.builds(
                ConditionAnswered, condition_id=st.sampled_from(BLOCKERS).map(condition_ids), satisfied=st.booleans(), **by
            ),
        ),
    ),
    max_size=4,
)


def batches_of(told: Sequence[tuple[int, list[list[Remark]]]], spoken: Sequence[tuple[int, Any]]) -> list[list[list[NewEvent]]]:
    """For each session the batches of its revisions, and each word as one of its own."""
    found = []
    for number, (day, revisions) in enumerate(told):
        story = Story(f"talk-{number}", started=STARTED + timedelta(days=day))
        found.append(
            [
                story.tell(
                    ["Run the tests", "> PR https://github.com/acme/app/pull/12 was merged", *GOES_ON[: revision + 1]],
                    remarks,
                )
                for revision, remarks in enumerate(revisions)
            ]
        )
    return [*found, *([[said(word, STARTED + timedelta(days=day, hours=number))]] for number, (day, word) in enumerate(spoken))]


def assert_invariants(database: Database) -> None:
    """Blocked waits for something, done for nothing; every task rests on something; no edge twice, none to nowhere."""
    waiting = {row[0] for row in rows(database, "SELECT src_id FROM edges WHERE rel_type = 'blocked_by'")}
    for entity_id, status in rows(database, "SELECT task_id, task_status FROM v_tasks"):
        assert (status == "blocked") <= (entity_id in waiting)
        assert (status == "done") <= (entity_id not in waiting)
    moved = rows(
        database,
        "SELECT payload_json ->> '$.from_status', payload_json ->> '$.to_status' FROM v_task_history"
        " WHERE event_type = 'task_status_changed'",
    )
    assert ("pending", "done") not in moved
    # Whatever is done says by what.
    assert (
        rows(
            database,
            """SELECT 1 FROM entities WHERE entity_type = 'task'
               AND ((current_json ->> '$.status') = 'done') <> ((current_json ->> '$.done_basis') IS NOT NULL)""",
        )
        == []
    )
    assert rows(database, "SELECT 1 FROM edges GROUP BY src_id, rel_type, dst_id HAVING count(*) > 1") == []
    assert (
        rows(database, "SELECT * FROM edges WHERE rel_type <> 'resolves_to' AND dst_id NOT IN (SELECT entity_id FROM entities)")
        == []
    )
    assert (
        rows(
            database,
            """SELECT entity_id FROM entities WHERE entity_type = 'task' AND entity_id NOT IN (
             SELECT entity_id FROM task_outcomes WHERE source_id IN (SELECT claim_id FROM task_claims)
               OR source_id IN (SELECT event_id FROM task_words))""",
        )
        == []
    )
    # The view ends whatever circles there are.
    rows(database, "SELECT * FROM v_task_blockers_effective")
    assert rows(database, "SELECT * FROM task_names_due") == []


# An example takes seconds: a failing one is shown as it was found.
@pytest.mark.deep
@settings(
    max_examples=depth(1, 9),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
@given(st.lists(sessions, min_size=1, max_size=4), words, st.randoms(use_true_random=False), st.data())
def test_any_order_gives_the_same_board(told: list, spoken: list, chance: Random, data: st.DataObject) -> None:  # type: ignore[type-arg]
    streams = batches_of(told, spoken)
    at_once = [event for batches in streams for batch in batches for event in batch]
    other_order = shuffled(streams, chance)
    resolved = data.draw(st.lists(st.booleans(), min_size=len(other_order), max_size=len(other_order)))
    with tempfile.TemporaryDirectory() as folder:
        one = folded(Path(folder) / "one", [at_once], [True])
        other = folded(Path(folder) / "other", other_order, resolved)
        assert_invariants(one)
        assert tables(other, without=APPEND_TIMES) == tables(one, without=APPEND_TIMES)
        report = verify(other, VERSIONS)
        assert report.equal, report.differences
        events = EventLog(one).last_seq()
        EventLog(one).append(at_once)
        catch_up(one, VERSIONS, resolve=True)
        assert EventLog(one).last_seq() == events
