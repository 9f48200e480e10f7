"""What was forgotten is in nothing that reads a store, and no file, export or other process brings it back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import forgetting, run
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.errors import HeadMovedError
from memory_assets.log.event_log import EventLog
from memory_assets.memory import Memory
from memory_assets.queries.forgettable import ToForget
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import chat, claude, records
from memory_assets_tests.defs.state import assert_rebuilds_equal, index_rows, rows, tables, texts_of_dagster, texts_of_store
from memory_assets_tests.defs.test_order import OF_HISTORY

NAME = "Wilhelmina"
TURNS = [
    f"We decided with {NAME} to keep the ledger service on PostgreSQL 16 because its replication is simple.",
    "알겠습니다. 캐시를 Redis로 옮기기로 했습니다. 재시작이 빠르기 때문입니다.",
    "TODO: finish the zanzibar migration before the release. Please always run the linter before a commit.",
    f"The root cause of the outage was a connection pool of five connections, says {NAME}.",
]
OTHER = ["We decided to keep PostgreSQL 16 for the orders.", "I prefer tabs over spaces in this project."]
SHARED = "We decided to keep the ledger in one region because backups are simple."
OF_TELLING = OF_HISTORY | {("messages", "revision"), ("unit_usage", "unit_id")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store and its files, made once."""
    base = tmp_path_factory.mktemp("forgotten")
    inbox = base / "inbox"
    claude(inbox, "named.jsonl", records("named", [*TURNS, SHARED]))
    chat(inbox, "titled", [*OTHER, SHARED], title=f"Call with {NAME}", project="orders")
    with pytest.MonkeyPatch.context() as patch:
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        mask = os.umask(0o022)
        run.import_paths(load_settings({"home": base / "home"}), [inbox], project=None)
        os.umask(mask)
        yield base


@pytest.fixture
def store(made: Path, tmp_path: Path, unrecorded: dg.DagsterInstance) -> Settings:
    shutil.copytree(made / "home", tmp_path / "home")
    return load_settings()


def left_of(settings: Settings, *words: str) -> set[str]:
    """Where any of these words can still be read: the retired events of the log are left out, which nothing reads."""
    hidden = {"events.payload_json", "events.dedupe_key", "event_dedup.dedupe_key"}
    found = {place for place, text in texts_of_store(settings) if any(word in text for word in words) and place not in hidden}
    with Resources(settings).database.reading() as connection:
        payloads = connection.execute("SELECT payload_json FROM visible_events").fetchall()
    found |= {"visible_events" for (payload,) in payloads if any(word in payload for word in words)}
    memory = Memory(settings)
    for word in words:
        for mode in ("lexical", "hybrid"):
            found |= {f"search {mode}" for hit in memory.search(f"what about {word}", mode=mode).hits if word in str(hit)}
    return found | {place for place, text in texts_of_dagster(settings) if any(word in text for word in words)}


def imported_again(settings: Settings, folder: Path) -> None:
    count = rows(settings, "SELECT count(*) FROM events")
    report = run.import_paths(settings, [folder], project=None)
    assert (report.new, report.updated, report.errors) == (0, 0, [])
    assert rows(settings, "SELECT count(*) FROM events") == count


@pytest.mark.parametrize(
    ("wanted", "words", "stays"),
    [
        (ToForget(words=NAME), (NAME,), "ledger service on PostgreSQL 16"),
        (ToForget(ids=("session:named#m=2",)), ("zanzibar",), "connection pool"),
        pytest.param(ToForget(query="zanzibar linter"), ("zanzibar",), "connection pool", marks=pytest.mark.slow),
        pytest.param(ToForget(sessions=("named",)), ("zanzibar", "connection pool"), "one region", marks=pytest.mark.slow),
        pytest.param(ToForget(project="orders"), ("tabs over spaces", "Call with"), "one region", marks=pytest.mark.slow),
    ],
    ids=["a name", "a message", "a query", "a session", "a project"],
)
def test_nothing_that_reads_the_store_tells_it(
    store: Settings, made: Path, wanted: ToForget, words: tuple[str, ...], stays: str
) -> None:
    assert left_of(store, *words) >= {"messages.text", "visible_events"}
    dry = forgetting.what_would_go(store, wanted)
    before = tables(store, without=OF_TELLING)
    report = forgetting.forget(store, wanted)
    assert report.events and not dry.events
    assert report.model_copy(update={"events": (), "dry_run": True}) == dry
    assert left_of(store, *words) == set()
    assert left_of(store, stays) >= {"messages.text", "visible_events"}
    assert_rebuilds_equal(store)
    imported_again(store, made / "inbox")
    assert left_of(store, *words) == set()

    forgetting.unforget(store, report.events)
    after = tables(store, without=OF_TELLING)
    changed = {table for table in before if before[table] != after[table]}
    assert changed <= {"vector_outbox", "unit_usage", "source_files"}, changed
    imported_again(store, made / "inbox")
