"""The ledger of builds as it is asked: with what the log holds of each, folded or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.errors import AmbiguousIdError, NotFoundError
from memory_assets.locks.process_liveness import runner_name
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.queries.builds import build_details, list_builds
from memory_assets.results.builds import BuildDetails, BuildPage
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story
from memory_assets_tests.queries.question_results import FIRST, SECOND, SLOW, build, fill


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "store")
    with database.kept_open():
        yield database


def page(database: Database, home: Path, limit: int = 20) -> BuildPage:
    with database.reading() as connection:
        return list_builds(connection, home, limit=limit)


def details(database: Database, home: Path, build_id: str) -> BuildDetails:
    with database.reading() as connection:
        return build_details(connection, home, build_id)


def test_each_build_says_what_it_was_made_with_appended_and_paid(database: Database, tmp_path: Path) -> None:
    fill(database)
    second, first = page(database, tmp_path).builds
    assert (first.build_id, first.status, first.error) == (FIRST, "success", None)
    assert (first.extractor_model, first.checker, first.package) == ("openai/tiny", "embedded 1", "0.1.0")
    assert first.versions == VERSIONS and first.schema_version == "7" and first.dagster_run_id == f"run of {FIRST}"
    assert first.finished_at is not None and first.seconds is not None and first.seconds >= 0
    # What its end says of a model counts failed requests too; the answers alone would say 1, 100, 20.
    assert (first.requests, first.input_tokens, first.output_tokens, first.cost_usd) == (2, 130, 25, 0.75)
    assert first.sessions == 9
    # Nine sessions of nine events, two more of the first one's second entry, an answer, an opening and a closing.
    assert first.events == 9 * 9 + 2 + 1 + 2
    told = details(database, tmp_path, FIRST)
    assert sum(told.events_by_type.values()) == first.events and told.events_by_type["build_finished"] == 1
    assert told.events_by_type["entry_promotion_rejected"] == 1
    assert [verdict.accepted for verdict in told.verdicts] == [9]
    assert [stage.stage for stage in told.stages] == ["extracted", "aligned"]
    assert told.session_ids == tuple(f"talk-{number}" for number in range(9)) and told.forgotten == 0
    assert second.build_id == SECOND


@pytest.mark.long
def test_a_build_that_nobody_ended_is_running_while_its_process_lives(database: Database, tmp_path: Path) -> None:
    fill(database)
    dead = page(database, tmp_path).builds[0]
    # It was never folded, and is in the ledger all the same; its answers say what it paid.
    with database.reading() as connection:
        assert connection.execute("SELECT build_id FROM build_runs").fetchall() == [(FIRST,)]
    assert (dead.build_id, dead.status, dead.error, dead.seconds) == (SECOND, "failed", "interrupted", None)
    assert (dead.requests, dead.input_tokens, dead.output_tokens, dead.cost_usd) == (4, 1500, 50, None)

    living = build("bld_cc33", runner=runner_name(tmp_path))
    EventLog(database).append(Story("now", started=STARTED).tell(["Now."], [Remark("Now", 0)]), build=living)
    newest, *older = page(database, tmp_path).builds
    assert (newest.build_id, newest.status, newest.error) == ("bld_cc33", "running", None)
    catch_up(database, VERSIONS)
    assert page(database, tmp_path).builds == (newest, *older)


def test_the_newest_come_first_and_the_rest_is_counted(database: Database, tmp_path: Path) -> None:
    assert page(database, tmp_path) == BuildPage(schema_version="builds.v1", builds=(), total=0)
    fill(database)
    found = page(database, tmp_path, limit=1)
    assert ([shown.build_id for shown in found.builds], found.total) == ([SECOND], 2)


def test_a_build_is_found_by_the_beginning_of_its_id(database: Database, tmp_path: Path) -> None:
    fill(database)
    for given in ("bld_aa", "aa11", FIRST):
        assert details(database, tmp_path, given).build.build_id == FIRST
    with pytest.raises(NotFoundError, match="no build 'bld_zz'"):
        details(database, tmp_path, "bld_zz")
    with pytest.raises(AmbiguousIdError, match="begins several ids"):
        details(database, tmp_path, "bld_a")
    # What begins every id names none.
    with pytest.raises(NotFoundError):
        details(database, tmp_path, "bld_")


@pytest.mark.long
def test_what_is_forgotten_is_counted_and_not_named(database: Database, tmp_path: Path) -> None:
    fill(database)
    before = page(database, tmp_path)
    story = Story(SLOW, started=STARTED)
    story.ingest(["We keep the last."])
    EventLog(database).append([story.forget()])
    catch_up(database, VERSIONS)
    told = details(database, tmp_path, SECOND)
    assert (told.session_ids, told.forgotten, told.build.sessions) == ((), 1, 1)
    assert told.stages[0].slowest_ms == 1000.0 and told.stages[0].slowest_session is None
    assert page(database, tmp_path) == before
    assert verify(database, VERSIONS).equal
