"""Sessions that are heard, forgotten and purged, and PostgreSQL follows; where it is gone, the store goes on and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.court_backend.errors import PostgresUnavailableError
from memory_assets.defs import forgetting, purging
from memory_assets.defs.court import steps
from memory_assets.defs.court.run import hear
from memory_assets.errors import InvalidArgumentError
from memory_assets.maintenance.court_mirror import project_court
from memory_assets.maintenance.doctor import checks
from memory_assets.queries.forgettable import ToForget
from memory_assets.queries.lessons import nearest_lessons
from memory_assets.results.doctor import CheckV1
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.court.findings import orders_of
from memory_assets_tests.court_backend.databases import There, running, there, there18
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import assert_rebuilds_equal

__all__ = ["running", "there", "there18"]

TESTS, FORCE, NAMED = (
    "Always run the tests before a commit",
    "Never push to main by force",
    "Always ask Wilhelmina about the ledger",
)
NOWHERE = "postgresql://owner@127.0.0.1:1/court"


@pytest.fixture(autouse=True)
def detector(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small detector: what a person orders with `always` or `never`."""
    monkeypatch.setattr(steps, "findings_of", orders_of)


@pytest.fixture
def taken(take: Import, inbox: Path) -> None:
    """Two sessions, not heard yet."""
    chat(inbox, "one", [TESTS, "I will.", FORCE], project="shop")
    chat(inbox, "three", [NAMED, "I will."], project="shop")
    take(inbox)


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


def test_the_store_alone_is_not_projected(settings: Settings) -> None:
    with pytest.raises(InvalidArgumentError, match="in the store alone"):
        project_court(Resources(settings))


def _role(there: There) -> str:
    return str(there.rows("SELECT role FROM memory_court.lessons LIMIT 1")[0][0])


def _all_rows(there: There) -> list[tuple[object, ...]]:
    tables = there.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'memory_court'")
    return [row for (table,) in tables for row in there.rows(f"SELECT * FROM memory_court.{table}")]
