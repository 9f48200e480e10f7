"""What is shown of entries once other sessions and people have spoken: contested, set aside, demoted, certified, and back."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.projections import fold as fold_module
from memory_assets.projections.conflicts import LATER_WORDS
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets_tests.depth import IS_DEEP, cases, depth
from memory_assets_tests.projections.people import LATER, confirmed, demoted, recorded, reopened, resolved
from memory_assets_tests.projections.story import APPEND_TIMES, STARTED, VERSIONS, Remark, Story, rows, tables

pytestmark = pytest.mark.deep

OLD, NEW = "The API listens on port 8080", "The API listens on port 9090"


def said(name: str, *titles: str, day: int = 0, checker: str = "embedded 1", project: str | None = "hourglass") -> Story:
    """A session that says these titles, one a message."""
    story = Story(name, project=project, started=STARTED + timedelta(days=day))
    story.events = story.tell(list(titles), [Remark(title, index, checker=checker) for index, title in enumerate(titles)])  # type: ignore[attr-defined]
    return story


def tell(log: EventLog, *stories: Story) -> None:
    log.append([event for story in stories for event in story.events])  # type: ignore[attr-defined]
    catch_up(log._database, VERSIONS, resolve=True)


def shown(database: Database) -> dict[str, tuple[str, str]]:
    """The stage and status of every memory, by its title."""
    return {title: (stage, status) for title, stage, status in rows(database, "SELECT title, stage, status FROM memories")}


def the_conflict(database: Database) -> dict[str, Any]:
    with database.reading() as connection:
        cursor = connection.execute("SELECT * FROM conflicts")
        names = [column[0] for column in cursor.description or []]
        (row,) = cursor.fetchall()
    return dict(zip(names, row, strict=True))


def resolve(log: EventLog, resolution: str, at: datetime = LATER) -> None:
    conflict = the_conflict(log._database)
    log.append(
        [resolved(conflict["conflict_id"], conflict["older_entries"], conflict["newer_entries"], resolution, at)]  # type: ignore[arg-type]
    )
    catch_up(log._database, VERSIONS, resolve=True)


def reopen(log: EventLog, at: datetime) -> None:
    conflict = the_conflict(log._database)
    log.append([reopened(conflict["conflict_id"], conflict["older_entries"], conflict["newer_entries"], at)])
    catch_up(log._database, VERSIONS, resolve=True)


def settle(log: EventLog, one: str, other: str, resolution: str, hour: int) -> None:
    """A word on the conflict of the memories that hold these titles."""
    found = rows(
        log._database,
        """SELECT c.conflict_id, c.older_entries, c.newer_entries FROM conflicts c
           WHERE list_has_any(c.older_entries, (SELECT list(entry_id) FROM entries WHERE title = ?))
             AND list_has_any(c.newer_entries, (SELECT list(entry_id) FROM entries WHERE title = ?))""",
        one,
        other,
    )
    log.append([resolved(*found[0], resolution, LATER + timedelta(hours=hour))])  # type: ignore[arg-type]
    catch_up(log._database, VERSIONS, resolve=True)


def sound(database: Database) -> None:
    """A replay gives the same tables, and so does a rebuild in place, in `make slow`.

    With every change two tests ask it of all that is said here: the next one, and the one that says everything in any order.
    """
    if not IS_DEEP:
        return
    report = verify(database, VERSIONS)
    assert report.equal, report.differences
    before = tables(database)
    rebuild(database, VERSIONS)
    assert tables(database) == before


@pytest.mark.long
def test_a_rebuild_in_place_gives_the_same_tables(log: EventLog, database: Database) -> None:
    """What :func:`sound` does everywhere in `make slow`, here with every change, of what was merged and certified."""
    first = said("a", OLD, checker="idris2 0.8.0")
    tell(log, first, said("b", NEW, day=1), said("c", OLD, "Keep the logs", day=2, checker="idris2 0.8.0"))
    resolve(log, "merge")
    log.append([confirmed([first.entry_id(Remark(OLD, 0))])])
    catch_up(database, VERSIONS, resolve=True)
    report = verify(database, VERSIONS)
    assert report.equal, report.differences
    before = tables(database)
    rebuild(database, VERSIONS)
    assert tables(database) == before


def test_two_sessions_that_contradict_each_other_are_both_contested(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD, "Keep the logs"), said("b", NEW, day=1))
    assert shown(database) == {
        OLD: ("candidate", "contested"),
        NEW: ("candidate", "contested"),
        "Keep the logs": ("verified", "active"),
    }
    conflict = the_conflict(database)
    assert (conflict["conflict_type"], conflict["status"], conflict["detected_at"]) == (
        "different_value",
        "open",
        (STARTED + timedelta(days=1)).replace(tzinfo=None),
    )
    assert rows(database, "SELECT title FROM entries WHERE entry_id = ?", conflict["newer_id"]) == [(NEW,)]
    assert rows(database, "SELECT granted_stage FROM entries WHERE status = 'contested'") == [("verified",)] * 2
    assert rows(database, "SELECT status FROM memory_units WHERE title = ?", OLD) == [("contested",)]
    # The ledger of promotions says what each session alone carries.
    assert rows(database, "SELECT DISTINCT to_stage, outcome FROM promotions") == [("verified", "promoted")]
    sound(database)


def test_two_projects_may_differ(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD), said("b", NEW, project="shop"))
    assert shown(database) == {OLD: ("verified", "active"), NEW: ("verified", "active")}


@pytest.mark.long
def test_a_conflict_counts_before_the_ledger_knows_of_it(log: EventLog, database: Database) -> None:
    log.append([*said("a", OLD).events, *said("b", NEW, day=1).events])  # type: ignore[attr-defined]
    catch_up(database, VERSIONS)
    assert (the_conflict(database)["status"], the_conflict(database)["event_id"]) == ("open", None)
    assert shown(database)[OLD] == ("candidate", "contested")
    catch_up(database, VERSIONS, resolve=True)
    assert the_conflict(database)["event_id"] is not None
    last = log.last_seq()
    catch_up(database, VERSIONS, resolve=True)
    # Said again on either side, it is the same conflict.
    tell(log, said("c", NEW, day=2))
    assert rows(database, "SELECT count(*) FROM events WHERE event_type = 'conflict_detected'") == [(1,)]
    assert log.last_seq() > last
    sound(database)


@pytest.mark.long
def test_a_resolution_holds_when_a_side_loses_a_session_and_nobody_resolves(log: EventLog, database: Database) -> None:
    third = said("c", NEW, day=2)
    tell(log, said("a", OLD), said("b", NEW, day=1), third)
    resolve(log, "keep_newer")
    log.append([third.forget()])
    catch_up(database, VERSIONS)
    assert shown(database) == {OLD: ("candidate", "deprecated"), NEW: ("verified", "active")}
    assert (the_conflict(database)["status"], the_conflict(database)["resolution"]) == ("resolved", "keep_newer")


def test_evidence_that_does_not_stand_contests_nothing(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD))
    for number, remark in enumerate(
        (Remark(NEW, 0, critical=True, promoted=None), Remark(NEW, 0, quoted=False, promoted=None))
    ):
        story = Story(f"doubtful-{number}", started=STARTED + timedelta(days=1))
        log.append(story.tell([NEW], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database)[OLD] == ("verified", "active")
    assert rows(database, "SELECT count(*) FROM conflicts") == [(0,)]


@pytest.mark.long
def test_the_last_word_holds_whatever_was_said_before(log: EventLog, database: Database) -> None:
    third = "The API listens on port 7070"
    tell(log, said("a", OLD), said("b", NEW, day=1), said("c", third, day=2))
    settle(log, OLD, NEW, "keep_newer", 0)
    settle(log, NEW, third, "keep_newer", 1)
    settle(log, OLD, third, "merge", 2)
    assert shown(database) == {OLD: ("verified", "active"), NEW: ("candidate", "deprecated")}
    sound(database)


@pytest.mark.long
def test_who_was_set_aside_for_one_that_was_set_aside_is_in_favour_of_what_stands(log: EventLog, database: Database) -> None:
    third = "The API listens on port 7070"
    tell(log, said("a", OLD), said("b", NEW, day=1), said("c", third, day=2))
    settle(log, OLD, NEW, "keep_newer", 0)
    settle(log, NEW, third, "keep_newer", 1)
    stands = rows(database, "SELECT memory_id FROM memories WHERE title = ?", third)
    assert rows(database, "SELECT DISTINCT superseded_by FROM memories WHERE status = 'deprecated'") == stands
    # A circle leaves the last word standing.
    settle(log, OLD, third, "keep_older", 2)
    assert [title for title, (_, status) in shown(database).items() if status == "active"] != []
    sound(database)


@pytest.mark.long
def test_of_three_that_were_merged_one_can_be_taken_out_again(log: EventLog, database: Database) -> None:
    third = "The API listens on port 7070"
    tell(log, said("a", OLD), said("b", NEW, day=1), said("c", third, day=2))
    settle(log, OLD, NEW, "merge", 0)
    settle(log, OLD, third, "merge", 1)
    assert shown(database) == {OLD: ("verified", "active")}
    conflicts = rows(database, "SELECT conflict_id, older_entries, newer_entries FROM conflicts ORDER BY resolved_at")
    log.append([reopened(*conflicts[0], LATER + timedelta(hours=5))])
    catch_up(database, VERSIONS, resolve=True)
    assert set(shown(database).values()) == {("candidate", "contested")} and len(shown(database)) == 2
    sound(database)


@pytest.mark.long
def test_a_merge_can_be_taken_back_after_a_session_of_it_is_forgotten(log: EventLog, database: Database) -> None:
    again = said("a2", OLD, day=1)
    tell(log, said("a", OLD), again, said("b", NEW, day=2))
    resolve(log, "merge")
    log.append([again.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert (the_conflict(database)["status"], the_conflict(database)["resolution"]) == ("resolved", "merge")
    reopen(log, LATER + timedelta(hours=1))
    assert shown(database) == {OLD: ("candidate", "contested"), NEW: ("candidate", "contested")}
    sound(database)


def test_a_side_from_the_future_can_be_set_aside(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD), said("b", NEW, day=4000))
    resolve(log, "keep_older")
    assert shown(database) == {OLD: ("verified", "active"), NEW: ("candidate", "deprecated")}


def test_it_ends_with_the_session_that_it_rests_on(log: EventLog, database: Database) -> None:
    other = said("b", NEW, day=1)
    tell(log, said("a", OLD), other)
    log.append([other.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("verified", "active")}
    assert rows(database, "SELECT count(*) FROM conflicts") == [(0,)]
    sound(database)


@pytest.mark.long
@pytest.mark.parametrize(
    ("resolution", "expected"),
    cases(
        [
            ("keep_newer", {OLD: ("candidate", "deprecated"), NEW: ("verified", "active")}),
            ("merge", {OLD: ("verified", "active")}),
        ],
        [
            ("keep_older", {OLD: ("verified", "active"), NEW: ("candidate", "deprecated")}),
            ("both", {OLD: ("verified", "active"), NEW: ("verified", "active")}),
        ],
    ),
)
def test_a_resolution_holds_and_can_be_taken_back(
    log: EventLog, database: Database, resolution: str, expected: dict[str, tuple[str, str]]
) -> None:
    tell(log, said("a", OLD), said("b", NEW, day=1), said("c", NEW, day=2))
    resolve(log, resolution)
    assert shown(database) == expected
    assert (the_conflict(database)["status"], the_conflict(database)["resolution"]) == ("resolved", resolution)
    searched = {row[0] for row in rows(database, "SELECT title FROM memory_units WHERE unit_kind = 'entry'")}
    assert searched == {title for title, (_, status) in expected.items() if status == "active"}
    if resolution == "keep_newer":
        kept = rows(database, "SELECT memory_id FROM memories WHERE title = ?", NEW)
        assert rows(database, "SELECT superseded_by FROM memories WHERE title = ?", OLD) == kept
        # Its short id still leads to it.
        assert rows(database, "SELECT count(*) FROM memory_citations c JOIN memories m USING (memory_id)") == [(3,)]
    sound(database)
    reopen(log, LATER + timedelta(hours=1))
    assert shown(database) == {OLD: ("candidate", "contested"), NEW: ("candidate", "contested")}
    sound(database)
    resolve(log, "both", LATER + timedelta(hours=2))
    assert shown(database) == {OLD: ("verified", "active"), NEW: ("verified", "active")}


def test_the_later_words_of_one_session_win(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD, "Keep the logs", NEW))
    assert shown(database)[OLD] == ("candidate", "deprecated")
    assert shown(database)[NEW] == ("verified", "active")
    conflict = the_conflict(database)
    assert (conflict["status"], conflict["resolution"], conflict["resolved_by"]) == ("resolved", "keep_newer", LATER_WORDS)
    sound(database)
    # Another session that says what was set aside is no session's own words any more.
    tell(log, said("b", OLD, day=1))
    assert shown(database)[OLD] == shown(database)[NEW] == ("candidate", "contested")
    sound(database)


@pytest.mark.long
def test_a_persons_word_goes_before_the_later_words_of_a_session(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD, NEW))
    reopen(log, LATER)
    assert shown(database) == {OLD: ("candidate", "contested"), NEW: ("candidate", "contested")}
    resolve(log, "keep_older", LATER + timedelta(hours=1))
    assert shown(database)[NEW] == ("candidate", "deprecated")
    sound(database)


def test_an_agent_takes_back_nothing_that_a_person_said(log: EventLog, database: Database) -> None:
    def story(name: str, first: str, second: str) -> Story:
        told = Story(name, started=STARTED)
        told.events = told.tell([first, second], [Remark(OLD, 0), Remark(NEW, 1)])  # type: ignore[attr-defined]
        return told

    by_person = story("a", OLD, f"> {NEW}")
    tell(log, by_person)
    assert shown(database) == {OLD: ("candidate", "contested"), NEW: ("candidate", "contested")}
    log.append([by_person.forget()])
    tell(log, story("b", f"> {OLD}", NEW))
    assert shown(database)[OLD] == ("candidate", "deprecated")
    sound(database)


def test_what_one_message_says_side_by_side_stays_contested(log: EventLog, database: Database) -> None:
    story = Story("a", started=STARTED)
    story.events = story.tell([f"{OLD}. {NEW}."], [Remark(OLD, 0), Remark(NEW, 0)])  # type: ignore[attr-defined]
    tell(log, story)
    assert shown(database) == {OLD: ("candidate", "contested"), NEW: ("candidate", "contested")}


@pytest.mark.long
def test_what_was_set_aside_and_is_said_again_is_contested_again(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD), said("b", NEW, day=1))
    resolve(log, "keep_newer")
    # A session that is read later but spoke before the resolution changes nothing.
    tell(log, said("c", OLD, day=2))
    assert shown(database)[OLD] == ("candidate", "deprecated")
    tell(log, said("d", OLD, day=400))
    assert shown(database) == {OLD: ("candidate", "contested"), NEW: ("candidate", "contested")}
    assert rows(database, "SELECT title FROM entries WHERE entry_id = ?", the_conflict(database)["newer_id"]) == [(OLD,)]
    sound(database)


@pytest.mark.long
def test_an_earlier_session_that_is_read_later_leaves_a_resolution_in_force(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD, day=1), said("b", NEW, day=2))
    before = the_conflict(database)["conflict_id"]
    resolve(log, "keep_older")
    tell(log, said("c", OLD, day=0))
    after = the_conflict(database)
    assert after["conflict_id"] != before
    assert (after["status"], after["resolution"]) == ("resolved", "keep_older")
    assert shown(database)[NEW] == ("candidate", "deprecated")
    sound(database)


@pytest.mark.long
def test_a_task_that_is_done_and_cancelled_is_contested(log: EventLog, database: Database) -> None:
    def claim(name: str, status: str, day: int) -> list[NewEvent]:
        story = Story(name, started=STARTED + timedelta(days=day))
        return story.tell(["Ship the importer"], [Remark("Ship the importer", 0, "task", status=status)])  # type: ignore[arg-type]

    log.append([*claim("a", "done", 0), *claim("b", "cancelled", 1)])
    catch_up(database, VERSIONS, resolve=True)
    assert the_conflict(database)["conflict_type"] == "status_clash"
    assert rows(database, "SELECT DISTINCT stage, status FROM entries") == [("candidate", "contested")]
    resolve(log, "keep_newer")
    assert sorted(rows(database, "SELECT session_id, status FROM entries")) == [("a", "deprecated"), ("b", "active")]
    # The task is what is left of its claims.
    assert rows(database, "SELECT session_id FROM task_claims") == [("b",)]
    assert rows(database, "SELECT count(*) FROM edges") == [(1,)]
    assert shown(database) == {"Ship the importer": ("verified", "active")}
    log.append(claim("c", "in_progress", 2))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT count(*) FROM conflicts") == [(0,)]
    sound(database)


@pytest.mark.long
def test_two_sessions_and_the_compiler_certify(log: EventLog, database: Database) -> None:
    tell(log, said("a", OLD, checker="idris2 0.8.0"))
    assert shown(database) == {OLD: ("verified", "active")}
    tell(log, said("b", OLD, day=1, checker="idris2 0.8.0"))
    assert shown(database) == {OLD: ("certified", "active")}
    assert rows(database, "SELECT DISTINCT stage, checker FROM entries") == [("certified", "idris2 0.8.0")]
    told = "SELECT count(*) FROM events WHERE event_type = 'entry_promoted' AND session_id IS NULL"
    assert rows(database, told) == [(2,)]
    assert rows(database, "SELECT count(*) FROM promotions WHERE to_stage = 'certified'") == [(2,)]
    sound(database)
    # A third session adds its own promotion and none of the others'.
    tell(log, said("c", OLD, day=2, checker="idris2 0.8.0"))
    assert rows(database, told) == [(3,)]
    # A contradiction suspends it, and its end gives it back.
    other = said("d", NEW, day=3, checker="idris2 0.8.0")
    tell(log, other)
    assert shown(database)[OLD] == ("candidate", "contested")
    log.append([other.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("certified", "active")}
    assert rows(database, told) == [(3,)]
    sound(database)


def test_the_embedded_checker_certifies_nothing(log: EventLog, database: Database) -> None:
    first = said("a", OLD)
    tell(log, first, said("b", OLD, day=1))
    log.append([confirmed([first.entry_id(Remark(OLD, 0))])])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("verified", "active")}


def test_a_person_who_vouches_certifies_what_the_compiler_proved(log: EventLog, database: Database) -> None:
    only = said("a", OLD, checker="idris2 0.8.0")
    tell(log, only)
    log.append([confirmed([only.entry_id(Remark(OLD, 0))])])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("certified", "active")}
    sound(database)


def test_a_session_that_is_forgotten_takes_its_support_with_it(log: EventLog, database: Database) -> None:
    other = said("b", OLD, day=1, checker="idris2 0.8.0")
    tell(log, said("a", OLD, checker="idris2 0.8.0"), other)
    log.append([other.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("verified", "active")}
    assert rows(database, "SELECT count(*) FROM promotions WHERE to_stage = 'certified'") == [(0,)]
    sound(database)


@pytest.mark.long
def test_a_demotion_lasts_until_it_is_said_again_or_confirmed(log: EventLog, database: Database) -> None:
    first = said("a", OLD)
    entry = first.entry_id(Remark(OLD, 0))
    tell(log, first)
    log.append([demoted([entry])])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("candidate", "active")}
    assert rows(database, "SELECT outcome, reason FROM promotions ORDER BY outcome") == [
        ("demoted", "not said again for 400 days"),
        ("promoted", "all gates passed"),
    ]
    sound(database)
    log.append([confirmed([entry], "verified", LATER + timedelta(days=1))])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("verified", "active")}
    log.append([demoted([entry], at=LATER + timedelta(days=2))])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("candidate", "active")}
    tell(log, said("b", OLD, day=400))
    assert shown(database) == {OLD: ("verified", "active")}
    sound(database)


@pytest.mark.long
def test_a_person_who_counts_it_for_less_is_not_outvoted(log: EventLog, database: Database) -> None:
    first = said("a", OLD, checker="idris2 0.8.0")
    entry = first.entry_id(Remark(OLD, 0))
    tell(log, first)
    log.append([confirmed([entry]), demoted([entry], at=LATER + timedelta(days=1), by_person=True)])
    tell(log, said("b", OLD, day=400, checker="idris2 0.8.0"))
    assert shown(database) == {OLD: ("candidate", "active")}
    log.append([confirmed([entry], "verified", LATER + timedelta(days=2))])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("verified", "active")}
    log.append([confirmed([entry], at=LATER + timedelta(days=3))])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("certified", "active")}
    sound(database)


@pytest.mark.long
def test_what_was_merged_is_not_said_twice(log: EventLog, database: Database) -> None:
    one = said("a", OLD, checker="idris2 0.8.0")
    tell(log, one, said("b", NEW, day=1, checker="idris2 0.8.0"))
    resolve(log, "merge")
    assert shown(database) == {OLD: ("verified", "active")}
    log.append([confirmed([one.entry_id(Remark(OLD, 0))])])
    catch_up(database, VERSIONS, resolve=True)
    assert shown(database) == {OLD: ("certified", "active")}
    sound(database)


@pytest.mark.long
def test_a_decision_whose_evidence_is_contested_is_weakened(log: EventLog, database: Database) -> None:
    first = said("a", OLD)
    tell(log, first)
    entry = first.entry_id(Remark(OLD, 0))
    log.append(
        [
            recorded("open the firewall", entry),
            recorded("tell the others", entry, caused_by="dec_open the firewall", at=LATER + timedelta(days=1)),
        ]
    )
    catch_up(database, VERSIONS, resolve=True)
    weakened = "SELECT action, evidence_count, weakened_count, caused_by FROM v_decisions ORDER BY action"
    assert rows(database, weakened) == [
        ("open the firewall", 1, 0, None),
        ("tell the others", 1, 0, "dec_open the firewall"),
    ]
    tell(log, said("b", NEW, day=1))
    assert [row[2] for row in rows(database, weakened)] == [1, 1]
    resolve(log, "keep_older")
    assert [row[2] for row in rows(database, weakened)] == [0, 0]
    log.append([first.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert [row[2] for row in rows(database, weakened)] == [1, 1]
    sound(database)


def test_causes_never_lead_back(log: EventLog, database: Database) -> None:
    log.append(
        [
            recorded("one", caused_by="dec_two"),
            recorded("two", caused_by="dec_one", at=LATER + timedelta(days=1)),
            recorded("three", caused_by="dec_three"),
            recorded("four", caused_by="dec_unknown"),
        ]
    )
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT action, caused_by FROM decisions ORDER BY action") == [
        ("four", None),
        ("one", None),
        ("three", None),
        ("two", "dec_one"),
    ]


TITLES = [OLD, NEW, "The API listens on port 7070", "Keep the logs", "the api listens on port 8080!"]


@pytest.mark.long
@settings(
    max_examples=depth(1, 12),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.sampled_from(TITLES), min_size=1, max_size=3, unique=True), st.booleans()),
        min_size=3,
        max_size=5,
    ),
    st.lists(
        st.tuples(
            st.sampled_from(["keep_newer", "keep_older", "both", "merge", "merge", "reopen", "confirm", "demote"]),
            st.integers(0, 20),
            st.integers(0, 600),
        ),
        max_size=5,
    ),
    st.randoms(use_true_random=False),
)
def test_any_order_of_sessions_and_words_gives_the_same_tables(
    tmp_path_factory: pytest.TempPathFactory,
    told: Sequence[tuple[int, list[str], bool]],
    words: Sequence[tuple[str, int, int]],
    chance: Random,
) -> None:
    stories = [
        said(f"talk-{number}", *titles, day=day, checker="idris2 0.8.0" if compiled else "embedded 1")
        for number, (day, titles, compiled) in enumerate(told)
    ]
    entries = [
        story.entry_id(Remark(title, index))
        for story, (_, titles, _) in zip(stories, told, strict=True)
        for index, title in enumerate(titles)
    ]
    batches = [list(story.events) for story in stories]  # type: ignore[attr-defined]
    first = Database(tmp_path_factory.mktemp("first"))
    told_log = EventLog(first)
    for batch in batches:
        told_log.append(batch)
        catch_up(first, VERSIONS, resolve=chance.random() < 0.5)
    # Words are said of what is seen; later they are read in any order.
    for number, (kind, which, hours) in enumerate(words):
        word = _word(first, kind, which, entries, STARTED + timedelta(hours=hours, minutes=number))
        if word is not None:
            batches.append([word])
            told_log.append([word])
            catch_up(first, VERSIONS, resolve=chance.random() < 0.5)
    catch_up(first, VERSIONS, resolve=True)
    chance.shuffle(batches)
    second = Database(tmp_path_factory.mktemp("second"))
    log = EventLog(second)
    for batch in batches:
        log.append(batch)
        catch_up(second, VERSIONS, resolve=chance.random() < 0.5)
    catch_up(second, VERSIONS, resolve=True)
    without = {**APPEND_TIMES, "decisions": frozenset({"created_at"})}
    assert verify(first, VERSIONS).equal and verify(second, VERSIONS).equal
    assert tables(first, without=without) == tables(second, without=without)
    gone = chance.choice(stories)
    for database in (first, second):
        EventLog(database).append([gone.forget()])
        catch_up(database, VERSIONS, resolve=True)
        assert verify(database, VERSIONS).equal
    assert tables(first, without=without) == tables(second, without=without)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold_module, "SCOPE_SIZE", 1)
        before = tables(first)
        rebuild(first, VERSIONS)
        assert tables(first) == before


def _word(database: Database, kind: str, which: int, entries: list[str], at: datetime) -> NewEvent | None:
    """What a person says of a conflict that the store shows, or of an entry."""
    if kind in ("confirm", "demote"):
        entry = entries[which % len(entries)]
        return confirmed([entry], at=at) if kind == "confirm" else demoted([entry], at=at, by_person=which % 2 == 0)
    found = rows(database, "SELECT conflict_id, older_entries, newer_entries FROM conflicts ORDER BY conflict_id")
    if not found:
        return None
    conflict = found[which % len(found)]
    return reopened(*conflict, at) if kind == "reopen" else resolved(*conflict, kind, at)  # type: ignore[arg-type]
