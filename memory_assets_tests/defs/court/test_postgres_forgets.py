"""What is forgotten or purged goes from PostgreSQL whatever fails; where it does not, that is told beside what was done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.court_backend.errors import PostgresUnavailableError
from memory_assets.defs import forgetting, purging
from memory_assets.defs.court.run import hear
from memory_assets.errors import MemoryAssetsError
from memory_assets.maintenance.court_mirror import project_court
from memory_assets.queries.forgettable import ToForget
from memory_assets.settings import Settings, load_settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError, IndexBusyError
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.imported import Imported
from memory_assets_tests.defs.state import assert_rebuilds_equal
from memory_assets_tests.depth import cases
from memory_assets_tests.postgres.databases import There, running, there, there18

__all__ = ["running", "there", "there18"]

TESTS, NAMED = "Always run the tests before a commit", "Always ask Wilhelmina about the ledger"
NOWHERE = "postgresql://owner@127.0.0.1:1/court"

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("small_detector")]


def write_sessions(inbox: Path) -> None:
    chat(inbox, "one", [TESTS, "I will."], project="shop")
    chat(inbox, "three", [NAMED, "I will."], project="shop")


@pytest.fixture
def heard(settings: Settings, sessions: Imported, unrecorded: dg.DagsterInstance, there18: There) -> Settings:
    """Two sessions, heard, and their lessons in PostgreSQL."""
    sessions.copied(settings.home, unrecorded)
    settings = with_postgres(there18.address.url)
    hear(settings, None)
    assert holds(there18, "Wilhelmina")
    return settings


def with_postgres(url: str) -> Settings:
    return load_settings({"court": {"backend": "postgres", "postgres_url": url}})


def holds(there: There, word: str) -> bool:
    """Whether any row of any table says a word."""
    tables = there.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'memory_court'")
    return any(word in str(row) for (table,) in tables for row in there.rows(f"SELECT * FROM memory_court.{table}"))


def without_model(*_: object) -> Any:
    raise EmbedderUnavailableError("the model is not here", hint="install it")


def test_without_a_model_what_is_forgotten_goes(heard: Settings, there18: There, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HashingEmbedder, "embed_documents", without_model)
    forgetting.forget(heard, ToForget(ids=("session:three",)))
    assert not holds(there18, "Wilhelmina")


@pytest.mark.slow  # a purge that PostgreSQL does not follow, below, stands for it with every change
@pytest.mark.parametrize(
    ("failing", "error"),
    cases(
        [("settle", RuntimeError("a broken invariant")), ("_run_on", IndexBusyError("somebody writes"))],
        [("settle", IndexBusyError("somebody writes")), ("_run_on", RuntimeError("a broken invariant"))],
    ),
)
def test_a_word_of_forgetting_that_fails_midway(
    heard: Settings, there18: There, monkeypatch: pytest.MonkeyPatch, failing: str, error: Exception
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(forgetting, failing, fails)
        with pytest.raises(type(error), match=str(error)):
            forgetting.forget(heard, ToForget(ids=("session:three",)))
    assert not holds(there18, "Wilhelmina")
    assert project_court(Resources(heard), compare=True).differing == {}
    assert_rebuilds_equal(heard)


@pytest.mark.slow  # a purge that PostgreSQL does not follow, below, is told with every change
def test_whoever_fails_midway_is_told_as_well_that_postgres_did_not_follow(
    heard: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise IndexBusyError("somebody writes", hint="wait")

    monkeypatch.setattr(forgetting, "settle", fails)
    with pytest.raises(IndexBusyError, match="somebody writes") as caught:
        forgetting.forget(with_postgres(NOWHERE), ToForget(ids=("session:three",)))
    assert caught.value.hint.startswith("wait; ") and "memory court project" in caught.value.hint


def test_a_purge_that_postgres_does_not_follow_is_told_and_names_what_is_left(heard: Settings, there18: There) -> None:
    gone = with_postgres(NOWHERE)
    with pytest.raises(PostgresUnavailableError, match="and the court's tables in PostgreSQL did not follow"):
        forgetting.forget(gone, ToForget(ids=("session:three",)))
    report = purging.purge_all(gone, purging.planned_purge(gone))
    assert report.purged and report.found_before and not report.found_after
    assert report.left_in_postgres
    (told,) = [one for one in report.out_of_reach if "PostgreSQL at 127.0.0.1:1/court" in one.what]
    assert "does not answer" in told.why and "`memory court project`" in told.why
    assert holds(there18, "Wilhelmina")
    # Nothing is left to purge, and PostgreSQL is cleaned all the same.
    again = purging.purge_all(heard, purging.planned_purge(heard))
    assert not again.left_in_postgres and not holds(there18, "Wilhelmina")


def test_a_purge_without_a_model_leaves_nothing_in_postgres(
    heard: Settings, there18: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgetting.forget(heard, ToForget(ids=("session:three",)))
    before = there18.rows("SELECT pg_relation_filenode('memory_court.lessons')")
    monkeypatch.setattr(HashingEmbedder, "embed_documents", without_model)
    report = purging.purge_all(heard, purging.planned_purge(heard))
    assert report.purged and not report.left_in_postgres
    assert there18.rows("SELECT pg_relation_filenode('memory_court.lessons')") != before
    assert there18.rows("SELECT title FROM memory_court.lessons") == [(TESTS,)]
    assert [one.what for one in report.out_of_reach if "PostgreSQL" in one.what] == ["PostgreSQL's backups and write-ahead log"]


def test_the_command_prints_the_report_and_ends_with_one(
    heard: Settings, there18: There, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    from memory_assets.cli.main import main

    forgetting.forget(heard, ToForget(ids=("session:three",)))
    arguments = ["--set", "court.backend=postgres", "--set", f"court.postgres_url={NOWHERE}", "purge", "--yes", "--json"]
    assert _ended(main, arguments) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["purged"] and report["left_in_postgres"]


def _ended(main: Any, arguments: Sequence[str]) -> int:
    try:
        return int(main(list(arguments)) or 0)
    except SystemExit as ended:
        return int(ended.code or 0)
    except MemoryAssetsError as error:
        raise AssertionError(str(error)) from error
