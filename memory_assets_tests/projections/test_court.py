"""The court's tables: what was heard, what follows across cases, in any order, after any growth, and what forgetting takes."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_assets.court.findings import Quoted
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.court import LessonAccepted, LessonKept, LessonRetired
from memory_assets.log.payloads.forgetting import SessionUnforgotten
from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets.queries.forget_report import report_of
from memory_assets.queries.forgettable import ToForget, forgettable
from memory_assets_tests.court.findings import VERSION, ordered
from memory_assets_tests.depth import IS_DEEP, cases, depth
from memory_assets_tests.projections.hearings import Heard
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import APPEND_TIMES, STARTED, VERSIONS, Story, folded, rows, shuffled, tables

pytestmark = pytest.mark.deep

TESTS, KOREAN, FORCE = "Always run the tests before a commit", "Always answer in Korean", "Never push to main by force"
LESSONS = "SELECT title, status, support_cases FROM lessons ORDER BY title"
UNITS = "SELECT title, status FROM memory_units WHERE unit_kind = 'lesson' ORDER BY title"


def heard(log: EventLog, database: Database, session_id: str, *texts: str, day: int = 0, project: str = "hourglass") -> Heard:
    """A session, told and heard and folded."""
    session = Heard(session_id, day=day, project=project)
    log.append(session.tell(*texts))
    log.append(session.hear())
    catch_up(database, VERSIONS)
    return session


def replays(database: Database) -> None:
    """The tables are up to the log's end, and what a replay gives."""
    report = verify(database, VERSIONS)
    assert report.equal, report.differences


def fold_equal(database: Database) -> None:
    """As :func:`replays`, which costs as much as the rest of a test: everywhere in `make slow`, with every change where a
    session is heard, is forgotten, and where a person says something of a lesson."""
    if IS_DEEP:
        replays(database)


def test_a_session_heard_gives_lessons_that_cite_it(log: EventLog, database: Database) -> None:
    heard(log, database, "one", "Hello", TESTS, KOREAN)
    assert rows(database, LESSONS) == [(KOREAN, "active", 1), (TESTS, "active", 1)]
    assert rows(database, "SELECT event_count, claims, selected, deferred, dropped, backend, version FROM cases") == [
        (3, 2, 2, 0, 0, "embedded", VERSION)
    ]
    assert rows(database, "SELECT court_role, json_array_length(claims_json) FROM case_statements ORDER BY 1") == [
        ("defense", 2),
        ("jury", 0),
        ("prosecutor", 0),
    ]
    units = rows(database, "SELECT title, session_id, citations_json FROM memory_units WHERE unit_kind = 'lesson' ORDER BY 1")
    texts = dict(rows(database, "SELECT message_index, text FROM messages"))
    assert [title for title, _, _ in units] == [KOREAN, TESTS]
    for title, session_id, citations_json in units:
        (place,) = json.loads(citations_json)
        assert session_id == "one" and texts[place["message_index"]][place["span_start"] : place["span_end"]] == title
    facets = rows(
        database, "SELECT DISTINCT facet, value FROM unit_facets JOIN memory_units USING (unit_id) WHERE unit_kind = 'lesson'"
    )
    assert {("role", "coder"), ("project", "hourglass"), ("tag", "lesson:do")} <= set(facets)
    queued = rows(
        database, "SELECT count(*) FROM vector_outbox o JOIN memory_units u ON u.unit_id = o.item_id WHERE unit_kind = 'lesson'"
    )
    assert queued == [(4,)]
    replays(database)


@pytest.mark.long
def test_hearing_again_gives_the_same_events_and_no_new_lesson(log: EventLog, database: Database) -> None:
    sessions = [heard(log, database, f"s{day}", TESTS, KOREAN, day=day) for day in range(3)]
    before = tables(database)
    orders = (sessions, sessions[::-1], sessions, sessions[::-1], sessions)
    for order in orders[: depth(2, 5)]:
        for session in order:
            again = log.append(session.hear())
            assert (again.new, again.conflicts) == (0, ())
            catch_up(database, VERSIONS)
    assert tables(database) == before
    assert rows(database, LESSONS) == [(KOREAN, "active", 3), (TESTS, "active", 3)]


@pytest.mark.long
def test_a_lesson_stays_while_its_session_grows(log: EventLog, database: Database) -> None:
    session = heard(log, database, "one", "Hello", TESTS)
    log.append(session.tell("Hello", TESTS, "more", KOREAN))
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(TESTS, "active", 1)]
    fold_equal(database)
    # Heard again it gives what was said since.
    log.append(session.hear())
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(KOREAN, "active", 1), (TESTS, "active", 1)]
    fold_equal(database)


@pytest.mark.parametrize(
    ("now", "stays"),
    cases(
        [
            (("Use the blue script", "for the deployments", "never mind"), True),
            (("Use the blue script", "for something else", "thanks"), False),
        ],
        [
            (("Use the blue script", "for the deployments", "thanks", "more"), True),
            (("Use nothing of it", "for the deployments", "thanks"), False),
            (("Use nothing of it", "for something else", "thanks"), False),
        ],
    ),
)
def test_a_lesson_needs_the_quotes_that_its_rule_is_told_with(
    log: EventLog, database: Database, now: tuple[str, ...], stays: bool
) -> None:
    """What was forgotten, or is said otherwise now, is in no lesson, however many of its other quotes are left."""
    said = ("Use the blue script", "for the deployments", "thanks")
    rule = "Use the blue script for deployments"
    quotes = tuple(Quoted("order", place, 0, len(text), text) for place, text in enumerate(said))
    session = Heard("one")
    log.append(session.tell(*said))
    log.append(session.hear(find=lambda case: [ordered(0, rule, evidence=quotes)]))
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(rule, "active", 1)]
    log.append(session.tell(*now))
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == ([(rule, "active", 1)] if stays else [])
    assert rows(database, UNITS) == ([(rule, "active")] if stays else [])
    assert len(rows(database, "SELECT 1 FROM lesson_evidence")) == (len(set(said) & set(now)) if stays else 0)
    fold_equal(database)


@pytest.mark.parametrize(
    ("forgotten", "gone", "kept", "improvements"),
    cases(
        [
            ((2,), False, True, 0),  # a thank-you is evidence, and says nothing of the rule
            ((1,), True, False, 1),
        ],
        [
            ((0, 2), True, False, 0),  # the improvement speaks of deployments alone
            ((3,), False, False, 0),
        ],
    ),
)
def test_the_report_of_a_forgetting_goes_by_the_rule_of_the_fold(
    log: EventLog, database: Database, forgotten: tuple[int, ...], gone: bool, kept: bool, improvements: int
) -> None:
    said = ("Use the blue script", "for the deployments", "thanks", "more")
    rule = "Use the blue script for deployments"
    quotes = tuple(Quoted("order", place, 0, len(text), text) for place, text in enumerate(said[:3]))
    session = Heard("one")
    log.append(session.tell(*said))
    told = [ordered(0, rule, evidence=quotes), ordered(0, "Ask people about deployments", role="user", evidence=quotes)]
    log.append(session.hear(find=lambda case: told))
    catch_up(database, VERSIONS)
    with database.writing() as connection:
        found = forgettable(connection, ToForget(ids=tuple(f"session:one#m={index}" for index in forgotten)))
        report = report_of(connection, found, dry_run=True)
    assert [[one.title for one in named] for named in (report.lessons_gone, report.lessons_kept)] == [
        [rule] * gone,
        [rule] * kept,
    ]
    assert report.improvements == improvements


def test_the_report_reads_all_that_an_improvement_tells(log: EventLog, database: Database) -> None:
    """Its table has no trigger; what that says rests on a quote like the rest."""
    said = ("With the blue script", "Ask people about deployments")
    quotes = tuple(Quoted("order", place, 0, len(text), text) for place, text in enumerate(said))
    session = Heard("one")
    log.append(session.tell(*said))
    told = ordered(1, said[1], role="user", evidence=quotes, trigger="with the blue script")
    log.append(session.hear(find=lambda case: [told]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT title FROM improvements") == [(said[1],)]
    with database.writing() as connection:
        found = forgettable(connection, ToForget(ids=("session:one#m=0",)))
        assert report_of(connection, found, dry_run=True).improvements == 1
    log.append(session.tell("Something else", said[1]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT title FROM improvements") == []


def test_what_its_session_does_not_say_any_more_is_no_lesson(log: EventLog, database: Database) -> None:
    session = heard(log, database, "one", "Hello", TESTS, KOREAN)
    log.append(session.tell("Hello", "Something else was said here", "and here"))
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [] == rows(database, UNITS) and rows(database, "SELECT selected FROM cases") == [(2,)]
    fold_equal(database)


def test_a_lesson_says_what_is_seen_and_quotes_what_is_there(log: EventLog, database: Database) -> None:
    hidden = TESTS.replace("tests", "te\u00adsts\u200b\U000e0041")
    heard(log, database, "one", hidden)
    assert rows(database, "SELECT title, rule FROM lessons") == [(TESTS, TESTS)]
    assert rows(database, "SELECT quote FROM lesson_evidence") == [(hidden,)]
    assert rows(database, "SELECT selected FROM cases") == [(1,)]
    fold_equal(database)


def test_a_hearing_by_another_court_replaces_the_one_before(log: EventLog, database: Database) -> None:
    session = heard(log, database, "one", TESTS)
    log.append(session.hear("other detectors"))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT version FROM cases") == [("other detectors",)]
    assert rows(database, LESSONS) == [(TESTS, "active", 1)]
    fold_equal(database)


@pytest.mark.parametrize("first", [(TESTS,), *(pytest.param(first, marks=pytest.mark.slow) for first in ((KOREAN,), ()))])
def test_lessons_of_one_hearing_do_not_mix_with_the_judgement_of_another(
    log: EventLog, database: Database, first: tuple[str, ...]
) -> None:
    """Two that hear a case at once make one judgement, for its statements are the same: what it selected, it gives."""
    improvement = "Always say what is expected, for the user."
    session = Heard("one")
    log.append(session.tell("Hello", TESTS, KOREAN, improvement))
    log.append(session.hear(keeps=lambda title: title in first))
    log.append(session.hear(keeps=lambda title: title not in first))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT count(*) FROM events WHERE event_type = 'judgement_rendered'") == [(1,)]
    assert rows(database, "SELECT title FROM lessons ORDER BY title") == sorted((title,) for title in first)
    assert rows(database, "SELECT DISTINCT quote FROM lesson_evidence ORDER BY 1") == sorted((title,) for title in first)
    assert rows(database, "SELECT title FROM improvements") == []
    fold_equal(database)


def test_two_tellings_of_one_claim_are_one_lesson(log: EventLog, database: Database) -> None:
    """A claim's id says nothing of its severity: of two events with one id the first holds."""
    session = Heard("one")
    log.append(session.tell(TESTS))
    told = session.hear()
    log.append(told)
    (given,) = (event for event in told if isinstance(event.payload, LessonAccepted))
    claim = given.payload.claim.model_copy(update={"severity": "critical"})
    again = replace(given, payload=given.payload.model_copy(update={"claim": claim}), inputs=(*given.inputs, "again"))
    assert log.append([again]).new == 1
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT severity, support_cases FROM lessons") == [("medium", 1)]
    fold_equal(database)


@pytest.mark.long
def test_a_bundle_and_the_session_that_it_was_made_of_are_counted_once(log: EventLog, database: Database) -> None:
    count = "SELECT support_cases, support_sessions, confidence FROM lessons"
    one = heard(log, database, "one", "Hello", TESTS)
    alone = rows(database, count)
    heard(log, database, "bundle", "Hello", TESTS)
    assert alone == [(1, 1, 0.8)] and rows(database, count) == [(2, 1, 0.8)]
    heard(log, database, "two", "Hello", TESTS, day=1)
    assert rows(database, count) == [(3, 2, 0.9)]
    fold_equal(database)
    log.append([one.story.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, count) == [(2, 2, 0.9)]
    fold_equal(database)


@pytest.mark.long
def test_what_joins_two_sessions_in_one_role_joins_them_in_every_other(log: EventLog, database: Database) -> None:
    """One and bundle are one session by what a third tells of both, to other roles; it goes, and they are two again."""
    support = f"SELECT support_sessions FROM lessons WHERE title = '{TESTS}'"

    def hear(session: Heard, *told: tuple[int, str, str]) -> None:
        log.append(session.hear(find=lambda _: [ordered(place, text, role=role) for place, text, role in told]))
        catch_up(database, VERSIONS)

    texts = {"one": (TESTS, KOREAN), "bundle": ("Hello", "So", FORCE, TESTS), "third": ("Hello", KOREAN, FORCE)}
    sessions = {name: Heard(name) for name in texts}
    for name, said_there in texts.items():
        log.append(sessions[name].tell(*said_there))
    hear(sessions["one"], (0, TESTS, "coder"), (1, KOREAN, "reviewer"))
    hear(sessions["bundle"], (3, TESTS, "coder"), (2, FORCE, "planner"))
    assert rows(database, support) == [(2,)], "nothing says that they are one"
    hear(sessions["third"], (1, KOREAN, "writer"), (2, FORCE, "editor"))
    assert rows(database, support) == [(1,)], "the third is either of them"
    fold_equal(database)
    log.append([sessions["third"].story.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, support) == [(2,)]
    fold_equal(database)


@pytest.mark.long
def test_forgetting_a_session_takes_its_lessons_and_its_support(log: EventLog, database: Database) -> None:
    one = heard(log, database, "one", TESTS, KOREAN)
    heard(log, database, "two", TESTS, day=1)
    assert rows(database, LESSONS) == [(KOREAN, "active", 1), (TESTS, "active", 2)]
    log.append([one.story.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(TESTS, "active", 1)]
    assert rows(database, "SELECT session_id FROM cases") == [("two",)]
    assert rows(database, UNITS) == [(TESTS, "active")]
    fold_equal(database)
    log.append([NewEvent(SessionUnforgotten(), session_id="one", inputs=("back",))])
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(KOREAN, "active", 1), (TESTS, "active", 2)]
    replays(database)


@pytest.mark.long
def test_the_last_session_forgotten_and_wanted_back(log: EventLog, database: Database) -> None:
    one = heard(log, database, "one", TESTS)
    log.append([one.story.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT (SELECT count(*) FROM cases) + (SELECT count(*) FROM lessons)") == [(0,)]
    log.append([NewEvent(SessionUnforgotten(), session_id="one", inputs=("back",))])
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(TESTS, "active", 1)]
    fold_equal(database)


@pytest.mark.long
def test_a_new_history_takes_back_what_the_old_one_gave(log: EventLog, database: Database) -> None:
    session = heard(log, database, "one", TESTS, KOREAN)
    session.story.begin_anew()
    log.append(session.tell("▒▒▒▒▒", KOREAN))
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [] and rows(database, "SELECT * FROM cases") == []
    log.append(session.hear())
    catch_up(database, VERSIONS)
    assert rows(database, LESSONS) == [(KOREAN, "active", 1)]
    fold_equal(database)


@pytest.mark.long
def test_a_person_retires_a_lesson_and_takes_it_back(log: EventLog, database: Database) -> None:
    heard(log, database, "one", TESTS, KOREAN)
    ((lesson_id,),) = rows(database, "SELECT lesson_id FROM lessons WHERE title = ?", TESTS)
    log.append([said(LessonRetired(lesson_id=lesson_id, said_by="kim", note="we have CI"), STARTED)])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT status, reason FROM lessons WHERE title = ?", TESTS) == [("retired", "kim: we have CI")]
    assert rows(database, UNITS) == [(KOREAN, "active")]
    fold_equal(database)
    # It is said of the lesson: another case that gives it does not bring it back.
    heard(log, database, "two", TESTS, day=3)
    assert rows(database, "SELECT status, support_cases FROM lessons WHERE title = ?", TESTS) == [("retired", 2)]
    log.append([said(LessonKept(lesson_id=lesson_id, said_by="kim"), STARTED + timedelta(days=9))])
    catch_up(database, VERSIONS)
    assert rows(database, UNITS) == [(KOREAN, "active"), (TESTS, "active")]
    replays(database)


def test_what_is_said_of_its_use_changes_how_sure_a_lesson_is(log: EventLog, database: Database) -> None:
    heard(log, database, "one", TESTS)
    ((lesson_id, before),) = rows(database, "SELECT lesson_id, confidence FROM lessons")
    word = UnitFeedback(unit_kind="lesson", source_id=lesson_id, signal="wrong", said_by="kim")
    log.append([NewEvent(word, inputs=("kim",), occurred_at=STARTED)])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT harmful, confidence FROM lessons") == [(1, before / 2)]
    assert rows(database, "SELECT confidence FROM memory_units WHERE unit_kind = 'lesson'") == [(before / 2,)]
    fold_equal(database)


def test_lessons_that_contradict_each_other_are_linked(log: EventLog, database: Database) -> None:
    heard(log, database, "one", "Always push to main after the tests")
    heard(log, database, "two", "Never push to main after the tests", day=1)
    assert rows(database, UNITS) == [
        ("Always push to main after the tests", "contested"),
        ("Never push to main after the tests", "active"),
    ]
    ((link, newer),) = rows(database, "SELECT link, title FROM lesson_links JOIN lessons USING (lesson_id)")
    assert (link, newer) == ("conflicts", "Never push to main after the tests")
    fold_equal(database)


def test_what_people_could_do_better_is_no_lesson(log: EventLog, database: Database) -> None:
    text = "Always say what is expected, for the user."
    heard(log, database, "one", text)
    assert rows(database, "SELECT target, title, session_id FROM improvements") == [("user", text, "one")]
    assert rows(database, LESSONS) == [] and rows(database, "SELECT quote FROM lesson_evidence") == [(text,)]
    fold_equal(database)


# Few texts, so that sessions teach the same, nearly the same and the opposite.
TEXTS = st.sampled_from(
    [
        TESTS,
        KOREAN,
        FORCE,
        "Always push to main by force",
        "Always run the slow tests before a commit",
        "Hello",
        "항상 테스트 먼저",
    ]
)
SESSIONS = st.lists(
    st.tuples(
        st.integers(0, 3), st.lists(st.tuples(st.lists(TEXTS, min_size=1, max_size=4), st.booleans()), min_size=1, max_size=2)
    ),
    min_size=2,
    max_size=4,
)


def streams(told: Sequence[tuple[int, list[tuple[list[str], bool]]]]) -> list[list[list[NewEvent]]]:
    """For each session the batches of its revisions and of its hearings."""
    found = []
    for number, (day, revisions) in enumerate(told):
        session = Heard(f"talk-{number}", day=day)
        batches: list[list[NewEvent]] = []
        for texts, is_heard in revisions:
            batches.append(session.tell(*texts))
            batches += [session.hear()] if is_heard else []
        found.append(batches)
    return found


@pytest.mark.long
@settings(
    max_examples=depth(1, 40),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
@given(SESSIONS, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_lessons(told: list[tuple[int, list[tuple[list[str], bool]]]], chance: Random) -> None:
    given_order = streams(told)
    at_once = [event for batches in given_order for batch in batches for event in batch]
    other_order = shuffled(given_order, chance)
    with tempfile.TemporaryDirectory() as folder:
        one = folded(Path(folder) / "one", [at_once], [True])
        other = folded(Path(folder) / "other", other_order, [False] * len(other_order))
        expected = tables(one, without=APPEND_TIMES)
        assert tables(other, without=APPEND_TIMES) == expected
        report = verify(other, VERSIONS)
        assert report.equal, report.differences
        rebuild(other, VERSIONS)
        assert tables(other, without=APPEND_TIMES) == expected


def test_a_store_without_hearings_is_asked_one_question(
    log: EventLog, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No table of the court is made or read where nothing was ever heard."""
    from memory_assets.projections import court

    log.append(Story("one").tell(["Hello"]))
    monkeypatch.setattr(court, "_SCOPE", "SELECT * FROM no_such_table")
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT count(*) FROM messages") == [(1,)]


@pytest.mark.long
def test_a_clock_that_is_decades_ahead_wins_until_somebody_says_otherwise(log: EventLog, database: Database) -> None:
    heard(log, database, "ahead", "Hello", "Always push to main by force", day=73 * 365)
    heard(log, database, "later", "Hello", FORCE, day=60 * 365)
    assert rows(database, "SELECT title, status FROM lessons ORDER BY title") == [
        ("Always push to main by force", "contested"),
        (FORCE, "active"),
    ]
    (newest,) = rows(database, "SELECT max(last_at) < now() + INTERVAL 1 MINUTE FROM lessons")
    assert newest == (True,)
    fold_equal(database)
