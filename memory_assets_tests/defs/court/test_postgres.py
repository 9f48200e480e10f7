"""Sessions that are heard, forgotten and purged, and PostgreSQL follows; where it is gone, the store goes on and says so."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.court_backend.errors import PostgresUnavailableError
from memory_assets.defs import forgetting, purging, run
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.court.run import hear
from memory_assets.errors import InvalidArgumentError
from memory_assets.maintenance.court_mirror import project_court
from memory_assets.maintenance.doctor import checks
from memory_assets.queries.forgettable import ToForget
from memory_assets.queries.lessons import nearest_lessons
from memory_assets.results.doctor import CheckV1
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.imported import Imported
from memory_assets_tests.defs.state import assert_rebuilds_equal
from memory_assets_tests.depth import cases
from memory_assets_tests.postgres.databases import There, running, there, there18

__all__ = ["running", "there", "there18"]

TESTS, FORCE, NAMED = (
    "Always run the tests before a commit",
    "Never push to main by force",
    "Always ask Wilhelmina about the ledger",
)
NOWHERE = "postgresql://owner@127.0.0.1:1/court"

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("small_detector")]


def write_sessions(inbox: Path) -> None:
    chat(inbox, "one", [TESTS, "I will.", FORCE], project="shop")
    chat(inbox, "three", [NAMED, "I will."], project="shop")


@pytest.fixture
def taken(settings: Settings, sessions: Imported, unrecorded: dg.DagsterInstance) -> None:
    """Two sessions, not heard yet."""
    sessions.copied(settings.home, unrecorded)


def with_postgres(url: str) -> Settings:
    return load_settings({"court": {"backend": "postgres", "postgres_url": url}})


def told(there: There) -> set[object]:
    return {row[0] for row in there.rows("SELECT title FROM memory_court.lessons")}


def doctor(settings: Settings) -> CheckV1:
    (found,) = [check for check in checks(Resources(settings)) if check.name == "postgres"]
    return found


@pytest.mark.usefixtures("taken")
def test_postgres_follows_a_hearing_a_word_of_forgetting_and_a_purge(there: There) -> None:
    settings = with_postgres(there.address.url)
    assert "it holds nothing yet" in doctor(settings).detail
    hear(settings, None)
    assert told(there) == {TESTS, FORCE, NAMED}
    resources = Resources(settings)
    assert project_court(resources, compare=True).differing == {}
    found = nearest_lessons(resources, "before a commit, run the tests", role=_role(there), k=1)
    assert [lesson.title for lesson in found.lessons] == [TESTS] and found.notes == ()
    assert found.lessons[0].evidence[0].citation.quote == TESTS
    assert nearest_lessons(Resources(load_settings()), found.query or "", role=_role(there), k=1) == found

    forgetting.forget(settings, ToForget(ids=("session:three",)))
    assert told(there) == {TESTS, FORCE}
    assert all("Wilhelmina" not in str(row) for row in _all_rows(there))
    purging.purge_all(settings, purging.planned_purge(settings))
    assert told(there) == {TESTS, FORCE}
    assert project_court(Resources(settings), compare=True).differing == {}
    assert_rebuilds_equal(settings)


@pytest.mark.usefixtures("taken")
def test_doctor_says_how_it_searches(there: There) -> None:
    settings = with_postgres(there.address.url)
    hear(settings, None)
    said = doctor(settings)
    assert said.ok and not said.warning
    assert ("pgvector 0.8" in said.detail) == there.has_vectors
    assert ("without pgvector every lesson of a role is compared: exact" in said.detail) != there.has_vectors


@pytest.mark.usefixtures("taken")
def test_without_postgres_the_store_answers_and_says_why() -> None:
    pytest.importorskip("psycopg")
    settings = with_postgres(NOWHERE)
    with pytest.raises(PostgresUnavailableError, match="the sessions were heard, and the court's tables") as caught:
        hear(settings, None)
    assert caught.value.code == "postgres_unavailable" and "memory court project" in caught.value.hint
    found = nearest_lessons(Resources(settings), "run the tests", role="coder", k=5)
    alone = nearest_lessons(Resources(load_settings()), "run the tests", role="coder", k=5)
    assert found.lessons == alone.lessons
    assert found.notes[0].startswith("the store answers: PostgreSQL at 127.0.0.1:1/court does not answer")
    said = doctor(settings)
    assert not said.ok and "does not answer" in said.detail and said.hint
    assert_rebuilds_equal(settings)


@pytest.mark.usefixtures("taken")
def test_a_mirror_that_is_behind_says_how_far(there18: There) -> None:
    settings = with_postgres(there18.address.url)
    hear(settings, ["one"])
    seq = there18.rows("SELECT seq FROM memory_court.projection")[0][0]
    hear(load_settings(), None)  # with the store alone: PostgreSQL knows nothing of it
    found = nearest_lessons(Resources(settings), "ask about the ledger", role=_role(there18), k=5)
    assert {lesson.title for lesson in found.lessons} == {TESTS, FORCE}
    with Resources(settings).database.reading() as connection:
        ((now,),) = connection.execute("SELECT last_seq FROM projection_offsets").fetchall()
    assert found.notes[0] == f"PostgreSQL is behind: its lessons rest on events up to {seq} of {now}"
    assert "memory court project" in found.notes[1]
    project_court(Resources(settings))
    assert nearest_lessons(Resources(settings), "ask about the ledger", role=_role(there18), k=5).notes == ()


@pytest.mark.usefixtures("taken")
@pytest.mark.parametrize(
    ("changed", "told"),
    cases(
        [
            ("UPDATE memory_court.lessons SET rule = 'Always push by force'", "3 of lessons"),
            ("DELETE FROM memory_court.{vectors}", "3 of lesson_vectors_"),
        ],
        [
            ("DELETE FROM memory_court.lesson_evidence WHERE ordinal = 0", "3 of lesson_evidence"),
            ("UPDATE memory_court.{vectors} SET role = 'nobody'", "3 of lesson_vectors_"),
        ],
    ),
)
def test_doctor_finds_rows_that_were_changed_by_hand(there18: There, changed: str, told: str) -> None:
    settings = with_postgres(there18.address.url)
    hear(settings, None)
    assert not doctor(settings).warning
    ((vectors,),) = there18.rows("SELECT table_name FROM memory_court.embeddings")
    there18.rows(changed.format(vectors=vectors))
    said = doctor(settings)
    assert said.warning and f"rows were changed there: {told}" in said.detail and "--rebuild" in said.hint
    project_court(Resources(settings), rebuild=True)
    assert not doctor(settings).warning


@pytest.mark.slow  # rows that were changed by hand, above, stand for it with every change
@pytest.mark.usefixtures("taken")
def test_doctor_says_that_vectors_are_missing(there18: There) -> None:
    settings = with_postgres(there18.address.url)
    hear(settings, None)
    there18.rows("UPDATE memory_court.embeddings SET is_whole = false")
    said = doctor(settings)
    assert said.warning and "not every vector" in said.detail


def hear_by_job(settings: Settings, instance: dg.DagsterInstance) -> tuple[dict[str, object], bool]:
    """What the asset shows after a run of the job, and what its check says."""
    keys = instance.get_dynamic_partitions("sessions")
    tags = {run.RANGE_START_TAG: keys[0], run.RANGE_END_TAG: keys[-1]}
    result = build_definitions(settings).resolve_job_def("hear_cases").execute_in_process(instance=instance, tags=tags)
    assert result.success
    (made,) = result.asset_materializations_for_node("court_mirror")
    (check,) = [one for one in result.get_asset_check_evaluations() if one.check_name == "postgres_follows"]
    return {name: value.value for name, value in made.metadata.items()}, check.passed


@pytest.mark.usefixtures("taken")
def test_the_asset_follows_what_a_run_hears(there18: There, unrecorded: dg.DagsterInstance) -> None:
    settings = with_postgres(there18.address.url)
    shown, passed = hear_by_job(settings, unrecorded)
    assert passed and told(there18) == {TESTS, FORCE, NAMED}
    ((seq,),) = there18.rows("SELECT seq FROM memory_court.projection")
    assert (shown["offset_seq"], shown["lag_before"], shown["vectors_written"]) == (seq, seq, 3)
    assert not any(TESTS in str(value) for value in shown.values())
    again, passed = hear_by_job(settings, unrecorded)
    assert passed and (again["rows_written"], again["rows_deleted"], again["vectors_written"]) == (0, 0, 0)


@pytest.mark.usefixtures("taken")
def test_the_asset_holds_up_no_run(unrecorded: dg.DagsterInstance) -> None:
    pytest.importorskip("psycopg")
    shown, passed = hear_by_job(with_postgres(NOWHERE), unrecorded)
    assert not passed and "does not answer" in str(shown["mirror"])
    shown, passed = hear_by_job(load_settings(), unrecorded)
    assert passed and str(shown["mirror"]).startswith("none: court.backend is embedded")


def test_the_store_alone_is_not_projected(settings: Settings) -> None:
    with pytest.raises(InvalidArgumentError, match="in the store alone"):
        project_court(Resources(settings))


def _role(there: There) -> str:
    return str(there.rows("SELECT role FROM memory_court.lessons LIMIT 1")[0][0])


def _all_rows(there: There) -> list[tuple[object, ...]]:
    tables = there.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'memory_court'")
    return [row for (table,) in tables for row in there.rows(f"SELECT * FROM memory_court.{table}")]
