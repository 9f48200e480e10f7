"""A session that grows, is edited and goes back: the tables say what its newest revision says."""

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections import fold as module
from memory_assets.projections.fold import Folded, catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets.tasks.naming import task_title
from memory_assets_tests.projections.story import VERSIONS, Remark, Story, rows, tables

FIRST, SECOND, THIRD = "We keep PostgreSQL.", "로그인을 고쳐야 한다.", "The cache moves to Redis."


@pytest.mark.long
def test_revisions_edits_and_the_way_back(log: EventLog, database: Database) -> None:
    story = Story("a")
    keep, fix, move = Remark("Keep PostgreSQL", 0), Remark("로그인을 고친다", 1, "task"), Remark("Move the cache", 2)
    for texts, remarks in (
        ([FIRST, SECOND], [keep, fix]),
        ([FIRST, SECOND, THIRD], [keep, fix, move]),
        ([FIRST, "(edited)", THIRD], [keep, move]),
        ([FIRST], [keep]),
        ([FIRST, SECOND, THIRD], [keep, fix, move]),
        ([FIRST, SECOND], [keep, fix]),
    ):
        log.append(story.tell(texts, remarks))
        catch_up(database, VERSIONS, resolve=True)
        assert [row[0] for row in rows(database, "SELECT text FROM messages ORDER BY message_index")] == texts
        assert rows(database, "SELECT revision, message_count, status FROM sessions") == [
            (story.revision, len(texts), "vectorized")
        ]
        titles = {remark.title for remark in remarks}
        assert {row[0] for row in rows(database, "SELECT title FROM memories")} == titles
        assert {row[0] for row in rows(database, "SELECT title FROM entries WHERE status = 'active'")} == titles
        assert {row[0] for row in rows(database, "SELECT title FROM entities")} == {
            task_title(title) for title in titles & {fix.title}
        }
        assert {row[0] for row in rows(database, "SELECT body FROM memory_units WHERE unit_kind = 'passage'")} == set(texts)
        assert rows(database, "SELECT count(*) FROM evidence_spans") == [(len(remarks),)]
    report = verify(database, VERSIONS)
    assert report.equal, report.differences


def test_what_a_revision_no_longer_says_is_superseded_and_its_memory_is_gone(log: EventLog, database: Database) -> None:
    story = Story("a")
    log.append(story.tell([FIRST, SECOND], [Remark("Keep", 0), Remark("Fix", 1)]))
    catch_up(database, VERSIONS)
    gone = rows(database, "SELECT unit_id FROM memory_units WHERE unit_kind = 'entry' AND title = 'Fix'")
    log.append(story.tell([FIRST], [Remark("Keep", 0)]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT title, status, memory_id IS NULL FROM entries ORDER BY title") == [
        ("Fix", "superseded", True),
        ("Keep", "active", False),
    ]
    assert rows(database, "SELECT count(*) FROM memory_citations") == [(1,)]
    # Once for the words, once for the vectors.
    assert rows(database, "SELECT op, status FROM vector_outbox WHERE item_id = ?", gone[0][0]) == [("delete", "pending")] * 2


def test_the_same_entry_of_a_later_revision_keeps_its_id_and_its_memory(log: EventLog, database: Database) -> None:
    story = Story("a")
    log.append(story.tell([FIRST], [Remark("Keep", 0)]))
    catch_up(database, VERSIONS)
    before = (
        rows(database, "SELECT entry_id, memory_id FROM entries"),
        rows(database, "SELECT memory_id, short_id FROM memories"),
    )
    jobs = rows(database, "SELECT count(*) FROM vector_outbox")
    log.append(story.tell([FIRST, SECOND], [Remark("Keep", 0)]))
    catch_up(database, VERSIONS)
    assert before == (
        rows(database, "SELECT entry_id, memory_id FROM entries"),
        rows(database, "SELECT memory_id, short_id FROM memories"),
    )
    assert rows(database, "SELECT count(*) FROM vector_outbox") == [(jobs[0][0] + 2,)]


def test_a_unit_that_did_not_change_is_not_queued_again(log: EventLog, database: Database) -> None:
    story = Story("a")
    log.append(story.tell([FIRST], [Remark("Keep", 0)]))
    catch_up(database, VERSIONS)
    with database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET status = 'done'")
    log.append(story.tell([FIRST, SECOND], [Remark("Keep", 0)]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT status, count(*) FROM vector_outbox GROUP BY status ORDER BY status") == [
        ("done", 2),
        ("pending", 6),
    ]
    # What stands next to the new message, and the session's episode, say something else now; what was remembered does not.
    assert rows(
        database,
        """SELECT unit_kind, place FROM vector_outbox JOIN memory_units ON unit_id = item_id
           WHERE vector_outbox.status = 'pending' AND embedding_version = ? ORDER BY unit_kind, place""",
        VERSIONS["session_vectorized"],
    ) == [("episode", None), ("passage", 0), ("passage", 1)]


def test_a_second_fold_does_nothing(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell([FIRST], [Remark("Fix", 0, "task")]))
    catch_up(database, VERSIONS, resolve=True)
    catch_up(database, VERSIONS)
    before, events = tables(database), log.last_seq()
    assert catch_up(database, VERSIONS) == Folded(0, events)
    assert catch_up(database, VERSIONS, resolve=True).sessions == 0
    assert (tables(database), log.last_seq()) == (before, events)


@pytest.mark.long
def test_a_rebuild_gives_the_same_tables_and_writes_nothing_into_the_log(
    log: EventLog, database: Database, monkeypatch: object
) -> None:
    for number in range(5):
        log.append(Story(f"talk-{number}").tell([FIRST], [Remark("Fix", 0, "task", status="in_progress")]))
    catch_up(database, VERSIONS, resolve=True)
    catch_up(database, VERSIONS)
    before, events = tables(database), log.last_seq()
    # One task in all of five sessions, of which two are folded at a time.
    monkeypatch.setattr(module, "SCOPE_SIZE", 2)  # type: ignore[attr-defined]
    rebuild(database, VERSIONS)
    assert tables(database) == before
    assert log.last_seq() == events


@pytest.mark.long
def test_a_mark_folds_the_session_s_status_and_nothing_else(log: EventLog, database: Database) -> None:
    told = Story("a").tell([FIRST], [Remark("Keep", 0)])
    log.append(told[:-1])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT status FROM sessions") == [("projected",)]
    before = {name: found for name, found in tables(database).items() if name != "sessions"}
    log.append(told[-1:])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT status FROM sessions") == [("vectorized",)]
    assert {name: found for name, found in tables(database).items() if name != "sessions"} == before
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_marks_alone_may_wait_and_nothing_else_does(log: EventLog, database: Database) -> None:
    told = Story("a").tell([FIRST], [Remark("Keep", 0)])
    log.append(told[:-1])
    catch_up(database, VERSIONS, with_marks=False)
    assert rows(database, "SELECT status FROM sessions") == [("projected",)], "tables that were never folded are"
    log.append(told[-1:])
    assert catch_up(database, VERSIONS, with_marks=False).sessions == 0
    assert rows(database, "SELECT status FROM sessions") == [("projected",)]
    log.append(Story("b").tell([SECOND], [Remark("Fix", 0)]))
    catch_up(database, VERSIONS, with_marks=False)
    assert rows(database, "SELECT session_id, status FROM sessions ORDER BY 1") == [("a", "vectorized"), ("b", "vectorized")]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_fold_that_fails_leaves_the_tables_as_they_were(log: EventLog, database: Database, monkeypatch: object) -> None:
    log.append(Story("a").tell([FIRST], [Remark("Keep", 0)]))
    catch_up(database, VERSIONS)
    before = tables(database)
    log.append(Story("b").tell([SECOND], [Remark("Fix", 0)]))

    def broken(_: object) -> None:
        raise RuntimeError("the fold broke")

    with monkeypatch.context() as patched:  # type: ignore[attr-defined]
        patched.setattr(module, "fold_units", broken)
        try:
            catch_up(database, VERSIONS)
        except RuntimeError as error:
            assert str(error) == "the fold broke"
    assert tables(database) == before
    assert catch_up(database, VERSIONS).sessions == 1
    assert verify(database, VERSIONS).equal
