"""Sessions that a stage put aside are listed until the stage succeeds, or a person lets them go."""

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import QuarantineReleased, SessionQuarantined
from memory_assets.log.put_aside import put_aside
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.vocabulary import PipelineStage
from memory_assets_tests.projections.story import VERSIONS, Story, rows


def letter(stage: PipelineStage, code: str, attempt: int = 1, session_id: str = "a") -> NewEvent:
    return NewEvent(
        SessionQuarantined(stage=stage, error_code=code, detail=f"{code} {attempt}"),
        session_id=session_id,
        inputs=(stage, code, str(attempt)),
    )


def release(of: NewEvent, stage: PipelineStage) -> NewEvent:
    return NewEvent(
        QuarantineReleased(stage=stage, quarantine_event_id=of.event_id), session_id=of.session_id, inputs=(of.event_id,)
    )


def listed(database: Database) -> list[tuple[str, str, str, int]]:
    catch_up(database, VERSIONS)
    return rows(database, "SELECT session_id, stage, detail, attempts FROM quarantine ORDER BY session_id, stage")


def test_a_letter_is_listed_until_it_is_released(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell(["x"]))
    first = letter("aligned", "unexpected")
    log.append([first])
    assert listed(database) == [("a", "aligned", "unexpected 1", 1)]
    assert rows(database, "SELECT status FROM sessions") == [("quarantined",)]
    log.append([release(first, "aligned")])
    assert listed(database) == []
    assert rows(database, "SELECT status FROM sessions") == [("vectorized",)]
    second = letter("aligned", "unexpected", 2)
    log.append([second])
    assert listed(database) == [("a", "aligned", "unexpected 2", 2)]
    log.append([release(second, "aligned")])
    assert listed(database) == []
    assert verify(database, VERSIONS).equal


def test_the_log_says_it_as_the_tables_do(log: EventLog, database: Database) -> None:
    first, other = letter("aligned", "unexpected"), letter("extracted", "timeout", session_id="b")
    told = [first, other, letter("ingested", "not_found", session_id="c"), release(first, "aligned")]
    told += [letter("aligned", "timeout", 2), letter("extracted", "unexpected", 2, "b"), release(other, "extracted")]
    for event in told:
        log.append([event])
        tables = [(session_id, stage) for session_id, stage, *_ in listed(database)]
        with database.reading() as connection:
            assert [(one.session_id, one.stage) for one in put_aside(connection)] == tables
            assert [one.session_id for one in put_aside(connection, "extracted")] == [
                session_id for session_id, stage in tables if stage == "extracted"
            ]
    with database.reading() as connection:
        assert put_aside(connection) == [
            ("a", "aligned", "timeout"),
            ("b", "extracted", "unexpected"),
            ("c", "ingested", "not_found"),
        ]


def test_each_stage_has_its_own_letter(log: EventLog, database: Database) -> None:
    one, other = letter("extracted", "timeout"), letter("aligned", "unexpected")
    log.append([one, other, letter("extracted", "timeout", session_id="b")])
    assert [row[:2] for row in listed(database)] == [("a", "aligned"), ("a", "extracted"), ("b", "extracted")]
    log.append([release(one, "extracted")])
    assert [row[:2] for row in listed(database)] == [("a", "aligned"), ("b", "extracted")]


def test_a_session_without_a_history_can_be_put_aside(log: EventLog, database: Database) -> None:
    log.append([letter("ingested", "not_found")])
    assert listed(database) == [("a", "ingested", "not_found 1", 1)]
    assert rows(database, "SELECT count(*) FROM sessions") == [(0,)]
    assert verify(database, VERSIONS).equal
