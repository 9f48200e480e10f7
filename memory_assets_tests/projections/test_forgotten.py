"""A forgotten session is in no table any more, and what rested on it neither."""

from datetime import timedelta

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.migrations import table_classes
from memory_assets.log.payloads.sessions import SessionQuarantined, SourceRegistered, SourceTakenFor
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows, tables

SECRET = "The launch code is hidden under the mat"


def registered(story: Story, name: str) -> list[NewEvent]:
    registration = NewEvent(
        SourceRegistered(uri=f"/talks/{name}", file_hash=name, source_format="chat.v1", byte_length=10),
        session_id=story.session_id,
        inputs=(name,),
    )
    taken = NewEvent(
        SourceTakenFor(registration_event_id=registration.event_id, uri=f"/talks/{name}", file_hash=name),
        session_id=story.session_id,
        inputs=(registration.event_id,),
    )
    return [registration, taken]


def filled(log: EventLog) -> tuple[Story, Story]:
    first, second = Story("forgotten"), Story("kept", started=STARTED + timedelta(days=1))
    log.append(
        [
            *registered(first, "forgotten.json"),
            *first.tell(
                [SECRET, "Fix the login"],
                [Remark(SECRET, 0), Remark("Fix the login", 1, "task", status="in_progress"), Remark("Only here", 1, "task")],
            ),
            NewEvent(SessionQuarantined(stage="aligned", error_code="x", detail=SECRET), session_id="forgotten", inputs=("q",)),
            *registered(second, "kept.json"),
            *second.tell(["Fix the login"], [Remark("Fix the login", 0, "task", status="done")]),
        ]
    )
    return first, second


@pytest.mark.long
def test_it_is_in_no_table(log: EventLog, database: Database) -> None:
    first, _ = filled(log)
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT title, current_json ->> '$.status' FROM entities ORDER BY title") == [
        ("Fix the login", "done"),
        ("Only here", "pending"),
    ]
    assert SECRET in repr(tables(database))

    log.append([first.forget()])
    catch_up(database, VERSIONS, resolve=True)
    told = repr(tables(database))
    assert "forgotten" not in told and SECRET not in told and "Only here" not in told
    # The task that both spoke of rests on the other session's claim alone now.
    assert rows(database, "SELECT title, current_json ->> '$.status' FROM entities") == [("Fix the login", "in_progress")]
    assert rows(database, "SELECT uri, session_ids FROM source_files") == [("/talks/kept.json", ["kept"])]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_what_the_index_holds_of_it_is_to_be_deleted(log: EventLog, database: Database) -> None:
    first, _ = filled(log)
    catch_up(database, VERSIONS, resolve=True)
    units = {row[0] for row in rows(database, "SELECT unit_id FROM memory_units")}
    log.append([first.forget()])
    catch_up(database, VERSIONS, resolve=True)
    kept = {row[0] for row in rows(database, "SELECT unit_id FROM memory_units")}
    assert units - kept
    told = dict(rows(database, "SELECT item_id, op FROM vector_outbox"))
    assert {item for item, op in told.items() if op == "delete"} == units - kept


@pytest.mark.long
def test_an_outcome_that_rests_on_it_is_not_read_even_before_it_is_made_again(log: EventLog, database: Database) -> None:
    first, _ = filled(log)
    catch_up(database, VERSIONS, resolve=True)
    log.append([first.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT count(*) FROM entities") == [(0,)]
    assert rows(database, "SELECT DISTINCT session_id FROM task_claims") == [("kept",)]
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT title FROM entities") == [("Fix the login",)]
    assert verify(database, VERSIONS).equal


def test_every_table_that_names_sessions_is_looked_at(log: EventLog, database: Database) -> None:
    """The tables above are all there are: a new one with a session in it must be forgotten too."""
    first, _ = filled(log)
    catch_up(database, VERSIONS, resolve=True)
    log.append([first.forget()])
    catch_up(database, VERSIONS, resolve=True)
    with database.reading() as connection:
        columns = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() WHERE column_name IN ('session_id', 'session_ids')"
        ).fetchall()
        for table, column in columns:
            if table_classes().get(table) == "derived":
                found = connection.execute(f"SELECT count(*) FROM {table} WHERE CAST({column} AS VARCHAR) LIKE '%forgotten%'")
                assert found.fetchall() == [(0,)], table
