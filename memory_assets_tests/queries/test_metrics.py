"""Metrics by stage, against numbers that were worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.graduation import IdrisChecked
from memory_assets.projections.fold import catch_up
from memory_assets.queries.metrics import metrics
from memory_assets.results.metrics import Metrics, PromotionCount, Within
from memory_assets_tests.projections.story import STARTED, VERSIONS, Story
from memory_assets_tests.queries.question_results import FIRST, SECOND, SLOW, build, fill


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "store")
    with database.kept_open():
        fill(database)
        catch_up(database, VERSIONS)
        yield database


def measured(database: Database, within: Within | None = None) -> Metrics:
    with database.reading() as connection:
        return metrics(connection, within or Within())


@pytest.mark.long
def test_times_and_failures_by_stage(database: Database) -> None:
    extracted, aligned = measured(database).stages
    assert (extracted.stage, extracted.runs, extracted.sessions, extracted.failures) == ("extracted", 10, 10, 0)
    # 10, 20 … 90 and 1000: the middle lies between 50 and 60, 95 % between 90 and 1000.
    assert (extracted.total_ms, extracted.mean_ms, extracted.median_ms) == (1450.0, 145.0, 55.0)
    assert extracted.p95_ms == 90 + 0.55 * 910
    assert (extracted.slowest_ms, extracted.slowest_session) == (1000.0, SLOW)
    assert extracted.sessions_per_second == round(10 / 1.45, 3)
    assert (aligned.runs, aligned.failures, aligned.errors) == (9, 1, {"too_long": 1})


@pytest.mark.long
def test_what_a_model_cost_a_session(database: Database) -> None:
    asked = measured(database).extraction
    assert (asked.sessions, asked.windows, asked.requests) == (2, 3, 5)
    assert (asked.input_tokens, asked.output_tokens, asked.cost_usd, asked.seconds) == (1600, 70, 0.5, 12.0)
    assert (asked.tokens_per_session, asked.cost_usd_per_session) == (835.0, 0.25)
    nothing = measured(database, Within(session_id="talk-5")).extraction
    assert (nothing.windows, nothing.tokens_per_session, nothing.cost_usd_per_session) == (0, None, None)


@pytest.mark.long
def test_what_became_of_quotes_and_entries(database: Database) -> None:
    found = measured(database)
    assert found.quotes_by_method == {"exact": 10, "none": 1}
    assert sum(found.entries_by_stage.values()) == 11 and found.entries_by_stage["verified"] == 10
    assert found.promotions == (
        PromotionCount(
            outcome="promoted", from_stage="candidate", to_stage="verified", reason=found.promotions[0].reason, count=10
        ),
        PromotionCount(outcome="rejected", from_stage="candidate", to_stage="verified", reason="aligned", count=1),
    )


@pytest.mark.long
def test_how_long_the_checkers_took(database: Database) -> None:
    story = Story("judged", started=STARTED)
    head = story.ingest(["Judged."])
    log = EventLog(database)
    for number, told in enumerate(({"embedded_ms": 2.0}, {"embedded_ms": 4.0, "idris2_ms": 300.0}, {})):
        checked = IdrisChecked(materialized_event_id=f"ev_{number}", verdicts=[])
        log.append([head, NewEvent(checked, session_id="judged", inputs=(str(number),), telemetry=told)])
    embedded, idris2 = measured(database).verdicts
    assert (embedded.checker, embedded.verdicts, embedded.mean_ms, embedded.slowest_ms) == ("embedded", 2, 3.0, 4.0)
    assert (idris2.checker, idris2.verdicts, idris2.total_ms, idris2.slowest_session) == ("idris2", 1, 300.0, "judged")


@pytest.mark.long
def test_narrowed_to_a_build_a_session_a_stage_or_a_time(database: Database) -> None:
    second = measured(database, Within(build_id=SECOND))
    assert [(stage.stage, stage.runs) for stage in second.stages] == [("extracted", 1)]
    assert second.quotes_by_method == {"exact": 1} and second.entries_by_stage == {"verified": 1}
    assert second.extraction.windows == 2 and [item.count for item in second.promotions] == [1]
    assert measured(database, Within(build_id=FIRST)).extraction.windows == 1

    session = measured(database, Within(session_id="talk-0"))
    assert [stage.slowest_ms for stage in session.stages] == [10.0, 1.0]
    assert session.quotes_by_method == {"exact": 1, "none": 1}

    aligned = measured(database, Within(stage="aligned"))
    assert [stage.stage for stage in aligned.stages] == ["aligned"]
    assert (aligned.quotes_by_method, aligned.promotions, aligned.extraction.windows) == ({"exact": 10, "none": 1}, (), 0)

    now = datetime.now(UTC)
    assert measured(database, Within(since=now - timedelta(hours=1))).stages == measured(database).stages
    later = measured(database, Within(since=now + timedelta(hours=1)))
    assert (later.stages, later.quotes_by_method, later.promotions) == ((), {}, ())
    with pytest.raises(InvalidArgumentError, match="no stage 'polished'"):
        measured(database, Within(stage="polished"))


def test_a_store_without_any_run(tmp_path: Path) -> None:
    found = measured(Database(tmp_path / "empty"))
    assert (found.stages, found.verdicts, found.promotions, found.extraction.windows) == ((), (), (), 0)


@pytest.mark.long
def test_a_session_that_came_back_after_it_was_forgotten_is_named(database: Database) -> None:
    story = Story(SLOW, started=STARTED)
    story.ingest(["We keep the last."])
    log = EventLog(database)
    log.append([story.forget()])
    catch_up(database, VERSIONS)
    assert measured(database).stages[0].slowest_session is None
    again = Story(SLOW, started=STARTED)
    log.append(again.tell(["We keep something else."]), build=build("bld_dd44"))
    catch_up(database, VERSIONS)
    assert measured(database).stages[0].slowest_session == SLOW
