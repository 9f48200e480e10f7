"""What a forgotten session said of tasks stands in nothing that may be read, whoever else said something that rests on it."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.task_words import ConditionAnswered, EntityMerged
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets.tasks.canonical import condition_id, condition_key, name_hash, normalize, task_id, task_key
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows, tables


def waits(log: EventLog, day: int, title: str, *blocked_by: str) -> Story:
    """A session that says a task waits for this."""
    story = Story(f"talk-{day}", started=STARTED + timedelta(days=day))
    log.append(story.tell([f"{title} waits"], [Remark(title, 0, "task", status="blocked", blocked_by=blocked_by)]))
    return story


def speak(log: EventLog, day: int, word: Payload) -> None:
    log.append([said(word, STARTED + timedelta(days=day))])


def condition(text: str) -> str:
    return condition_id(condition_key("hourglass", normalize(text)))


def fold(database: Database) -> None:
    catch_up(database, VERSIONS, resolve=True)


def texts(database: Database) -> list[str]:
    """The texts with which visible events make conditions."""
    return [
        text
        for (text,) in rows(
            database,
            "SELECT payload_json ->> '$.text' FROM visible_events WHERE event_type = 'condition_declared' ORDER BY seq",
        )
    ]


def assert_nothing_of(database: Database, words: Sequence[str]) -> None:
    told = [
        *rows(database, "SELECT event_type, payload_json FROM visible_events"),
        *((table, str(found)) for table, found in tables(database).items()),
    ]
    assert [place for place, text in told if any(word in text.casefold() for word in words)] == []
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_condition_that_a_person_opens_again_rests_on_the_session_that_named_it(log: EventLog, database: Database) -> None:
    story = waits(log, 0, "Release", "the review of Kowalski")
    for day, satisfied in ((1, True), (2, False)):
        speak(log, day, ConditionAnswered(condition_id=condition("the review of Kowalski"), satisfied=satisfied, said_by="kim"))
    fold(database)
    assert texts(database) == ["the review of Kowalski", "the review of Kowalski"]
    log.append([story.forget()])
    fold(database)
    assert_nothing_of(database, ["kowalski"])


@pytest.mark.long
def test_a_condition_that_is_waited_for_again_in_other_words_has_the_key_of_the_first(
    log: EventLog, database: Database
) -> None:
    story = waits(log, 0, "Release", "Kowalski reviews of the login")
    speak(log, 1, ConditionAnswered(condition_id=condition("Kowalski reviews of the login"), satisfied=True, said_by="kim"))
    waits(log, 3, "Ship the shop", "Kowalski review of the login")
    fold(database)
    keys = "SELECT canonical_key FROM entities WHERE entity_type = 'condition'"
    assert rows(database, keys) == [("cond:hourglass:kowalski reviews of the login",)]
    log.append([story.forget()])
    fold(database)
    assert rows(database, keys) == [("cond:hourglass:kowalski review of the login",)]
    assert_nothing_of(database, ["reviews of"])


@pytest.mark.long
def test_opened_again_it_keeps_a_merged_name_no_longer_than_it_is_remembered(log: EventLog, database: Database) -> None:
    waits(log, 0, "Release", "the answer")
    story = waits(log, 1, "Ship the shop", "Kowalski's word")
    ids = {"from_id": condition("the answer"), "into_id": condition("Kowalski's word")}
    speak(log, 2, EntityMerged(entity_type="condition", **ids, said_by="kim"))
    for day, satisfied in ((3, True), (4, False)):
        speak(log, day, ConditionAnswered(condition_id=ids["into_id"], satisfied=satisfied, said_by="kim"))
    fold(database)
    log.append([story.forget()])
    fold(database)
    assert_nothing_of(database, ["kowalski"])


def test_vectors_of_names_go_also_where_a_rebuild_is_what_forgets(log: EventLog, database: Database) -> None:
    story = waits(log, 0, "Kowalski's task", "the answer")
    waits(log, 1, "Release", "the answer")
    fold(database)
    with database.writing() as connection:
        for name in ("kowalski s task", "release"):
            connection.execute("INSERT INTO title_vectors VALUES ('hourglass', ?, 'hashing-1', [1.0])", [name_hash(name)])
        names = connection.execute("SELECT count(*) FROM title_vectors JOIN task_names USING (project_key, name_hash)")
        assert names.fetchall() == [(2,)]
    log.append([story.forget()])
    rebuild(database, VERSIONS)
    assert rows(database, "SELECT name_hash FROM title_vectors") == [(name_hash("release"),)]


@pytest.mark.long
def test_what_was_said_of_a_task_by_its_id_elsewhere_goes_with_who_named_it(log: EventLog, database: Database) -> None:
    """A text of another project names a task by its id before there is one; that is a condition of the task's project."""
    known = task_id(task_key("hourglass", "kowalski s task"))
    other = Story("other", project=None, started=STARTED)
    log.append(other.tell(["Ship it"], [Remark("Ship it", 0, "task", status="blocked", blocked_by=(known,))]))
    story = waits(log, 1, "Kowalski's task", "the answer")
    fold(database)
    assert verify(database, VERSIONS).equal
    for forgotten in (other, story):
        log.append([forgotten.forget()])
        fold(database)
        assert verify(database, VERSIONS).equal
    assert rows(database, "SELECT canonical_key FROM entities") == []


@pytest.mark.long
def test_a_task_that_is_named_by_its_id_elsewhere_leaves_a_condition_of_that_project(log: EventLog, database: Database) -> None:
    known = task_id(task_key("hourglass", "kowalski s task"))
    other = Story("other", project=None, started=STARTED)
    log.append(other.tell(["Ship it"], [Remark("Ship it", 0, "task", status="blocked", blocked_by=(known,))]))
    story = waits(log, 1, "Kowalski's task", "the answer")
    fold(database)
    log.append([story.forget()])
    fold(database)
    assert_nothing_of(database, ["kowalski"])
    keys = "SELECT canonical_key FROM entities WHERE entity_type = 'condition'"
    assert rows(database, keys) == [(f"cond:default:{known}",)]
