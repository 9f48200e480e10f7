"""What was forgotten is in no file after a purge, and what stays is what it was."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import purging, run
from memory_assets.defs.instance import dagster_instance as instance_of
from memory_assets.defs.rescanning import rescan
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreFullError, StoreLockedError
from memory_assets.log.events import NewEvent
from memory_assets.log.migrations import table_classes
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.log.swap import SWAP_FILE_NAME
from memory_assets.maintenance.fsck import fsck
from memory_assets.maintenance.purge import rewriting
from memory_assets.maintenance.purge.new_store import operational_tables
from memory_assets.maintenance.purge.rewriting import rewrite
from memory_assets.memory import Memory
from memory_assets.results.purge import DagsterPurgedV1
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.conftest import Mixed
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import (
    assert_rebuilds_equal,
    events,
    files_holding,
    index_rows,
    log_of,
    rows,
    tables,
    texts_of_dagster,
    texts_of_store,
)
from memory_assets_tests.depth import cases

pytestmark = pytest.mark.long

SECRET = "qzxfountain"
FORGOTTEN = "to-be-forgotten"


def forget(settings: Settings, session_id: str) -> None:
    log_of(settings).append([NewEvent(SessionForgotten(reason="asked"), session_id=session_id, inputs=("by hand",))])


@pytest.fixture(scope="module")
def marked_once(mixed_store: Mixed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The mixed store with a session that alone says a word, in ``home``, and its file in ``files``; to be copied."""
    base = tmp_path_factory.mktemp("marked")
    shutil.copytree(mixed_store.settings.home, base / "home")
    turns = [
        f"We decided to call the release {SECRET} because the team likes it.",
        f"TODO: finish the migration of {SECRET} before Friday.",
        f"The root cause of the outage was {SECRET} running out of memory.",
    ]
    instance = in_memory()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        mask = os.umask(0o022)
        try:
            file = chat(base / "files", FORGOTTEN, turns)
            run.import_paths(load_settings({"home": base / "home"}), [file], project=None)
        finally:
            os.umask(mask)
    return base


@pytest.fixture
def marked(mixed_store: Mixed, marked_once: Path, unrecorded: dg.DagsterInstance, tmp_path: Path) -> Mixed:
    """A copy of it, of which Dagster knows the session that says the word."""
    shutil.copytree(marked_once / "home", tmp_path / "home")
    unrecorded.add_dynamic_partitions("sessions", [FORGOTTEN])
    return Mixed(load_settings(), mixed_store.folder, mixed_store.report)


def places_of(settings: Settings, word: str) -> set[str]:
    return {place for place, text in texts_of_store(settings) if word in text}


def columns_of_events(settings: Settings) -> list[tuple[object, ...]]:
    """Every event but the marks of a purge, without its place."""
    return rows(settings, "SELECT * EXCLUDE (seq, link_hash) FROM events WHERE event_type <> 'purged' ORDER BY seq")


def test_what_was_forgotten_is_gone_and_the_rest_is_what_it_was(marked: Mixed) -> None:
    settings = marked.settings
    assert {"events.payload_json", "messages.text", "index.hit"} <= places_of(settings, SECRET)
    forget(settings, FORGOTTEN)
    assert Memory(settings).database  # whoever asks first makes the tables forget
    assert places_of(settings, SECRET) == {"events.payload_json"}
    assert files_holding(settings.home / "vectors", SECRET.encode())
    before, indexed = tables(settings), index_rows(settings)
    seen = {event_id for (event_id,) in rows(settings, "SELECT event_id FROM visible_events")}
    kept = [row for row in columns_of_events(settings) if row[0] in seen]
    # The run that wrote nothing else goes with it.
    builds = {row[10] for row in kept if not str(row[3]).startswith("build_")}
    kept = [row for row in kept if row[10] is None or row[10] in builds]

    purged = rewrite(Resources(settings))

    assert purged is not None and purged.store.sessions == {FORGOTTEN: True}
    assert places_of(settings, SECRET) == set() and files_holding(settings.home / "vectors", SECRET.encode()) == []
    assert columns_of_events(settings) == kept
    assert tables(settings) == before
    assert sorted(map(str, index_rows(settings))) == sorted(map(str, indexed))
    assert_rebuilds_equal(settings)
    assert fsck(Resources(settings)).finding_count == 0
    (told,) = events(settings, "purged")
    assert json.loads(told.payload_json)["removed"]["session_ingested"] == 1
    assert told.seq == len(events(settings))


def test_purging_again_finds_nothing_and_importing_again_brings_nothing_back(
    marked: Mixed, marked_once: Path, tmp_path: Path
) -> None:
    settings = marked.settings
    forget(settings, FORGOTTEN)
    assert rewrite(Resources(settings)) is not None
    count = len(events(settings))
    assert rewrite(Resources(settings)) is None and len(events(settings)) == count
    report = run.import_paths(settings, [marked.folder, marked_once / "files"], project=None)
    assert (report.new, report.events_appended) == (0, 0) and len(events(settings)) == count
    assert places_of(settings, SECRET) == set()
    # Something new goes behind what stayed.
    later = run.import_paths(settings, [chat(tmp_path / "later", "later", talk(21))], project=None)
    assert later.new == 1
    assert_rebuilds_equal(settings)
    assert fsck(Resources(settings)).finding_count == 0


@pytest.mark.parametrize("moment", cases(["files"], ["begun", "folder", "aside"]))
def test_a_killed_purge_is_carried_through_by_the_next_who_opens_the_store(
    marked: Mixed, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    settings = marked.settings
    forget(settings, FORGOTTEN)
    moved: list[str] = []
    replace = Path.replace
    stops = {"begun": 0, "files": 2, "folder": 8}

    def dying(path: Path, target: Path) -> Path:
        if (settings.home / SWAP_FILE_NAME).exists():
            if len(moved) == stops.get(moment):
                raise KeyboardInterrupt
            moved.append(path.name)
        return replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", dying)
        if moment == "aside":
            patch.setattr("memory_assets.log.swap._delete", _die)
        with pytest.raises(KeyboardInterrupt):
            rewrite(Resources(settings))
    assert (settings.home / SWAP_FILE_NAME).exists()
    assert places_of(settings, SECRET) == set()
    assert not (settings.home / SWAP_FILE_NAME).exists()
    assert files_holding(settings.home / "vectors", SECRET.encode()) == []
    assert not {path.name for path in settings.home.iterdir()} & {"purge.old", rewriting.STAGED}
    assert_rebuilds_equal(settings)
    assert fsck(Resources(settings)).finding_count == 0


def _die(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_a_full_disk_leaves_everything_as_it_was(marked: Mixed, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = marked.settings
    forget(settings, FORGOTTEN)
    assert Memory(settings).database
    before = tables(settings), len(events(settings)), index_rows(settings)

    def full(*arguments: object, **others: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("memory_assets.maintenance.purge.rewriting.bring_to_disk", full)
        with pytest.raises(StoreFullError):
            rewrite(Resources(settings))
    assert (tables(settings), len(events(settings)), index_rows(settings)) == before
    assert not (settings.home / rewriting.STAGED).exists()


def test_a_store_that_is_read_is_left_alone(marked: Mixed) -> None:
    settings = marked.settings
    forget(settings, FORGOTTEN)

    hurried = settings.model_copy(update={"store": settings.store.model_copy(update={"lock_timeout_seconds": 0.3})})
    # Another instance, as another process has it.
    with Database(settings.home).reading(), pytest.raises(StoreLockedError):
        rewrite(Resources(hurried))
    assert not (settings.home / rewriting.STAGED).exists()


def test_every_operational_table_is_decided_upon() -> None:
    assert operational_tables() == {table for table, told in table_classes().items() if told == "operational"}


def test_an_index_that_is_gone_is_made_again(marked: Mixed) -> None:
    settings = marked.settings
    forget(settings, FORGOTTEN)
    assert Memory(settings).database
    shutil.rmtree(settings.home / "vectors" / "words.lance")
    assert rewrite(Resources(settings)) is not None
    run.run_sessions(settings, None)
    assert_rebuilds_equal(settings)


def dagsters(settings: Settings, word: str) -> set[str]:
    return {place for place, text in texts_of_dagster(settings) if word in text}


@pytest.fixture(scope="module")
def quoted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose runs are recorded on the disk, with session text in them; to be copied. Its files lie beside it."""
    base = tmp_path_factory.mktemp("quoted")
    inbox = base / "inbox"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        mask = os.umask(0o022)
        try:
            _run_of_both_and_of_each(load_settings({"home": base / "home", "dagster": {"show_quotes": True}}), inbox)
        finally:
            os.umask(mask)
    return base / "home"


def _run_of_both_and_of_each(settings: Settings, inbox: Path) -> None:
    chat(inbox, FORGOTTEN, [f"We decided to call the release {SECRET}.", f"TODO: {SECRET} needs a test before Friday."])
    chat(inbox, "staying", talk(1))
    run.import_paths(settings, [inbox], project=None)
    chat(
        inbox,
        FORGOTTEN,
        [f"We decided to call the release {SECRET}.", f"TODO: {SECRET} needs a test before Friday.", "Thanks."],
    )
    run.import_paths(settings, [inbox], project=None)
    chat(inbox, "staying", talk(1, 6))
    run.import_paths(settings, [inbox], project=None)


@pytest.fixture
def quoting(quoted: Path, tmp_path: Path) -> Settings:
    """A store of which Dagster's records say something: a run of both sessions, and one of each."""
    shutil.copytree(quoted, tmp_path / "home")
    return load_settings({"home": tmp_path / "home", "dagster": {"show_quotes": True}})


def test_dagsters_records_of_it_are_gone_too(quoting: Settings, quoted: Path) -> None:
    settings = quoting
    instance = instance_of(settings)
    assert dagsters(settings, SECRET) and len(instance.get_runs()) == 3
    forget(settings, FORGOTTEN)

    report = purging.purge_all(settings, purging.planned_purge(settings))

    assert dagsters(settings, SECRET) == set() and files_holding(settings.home, SECRET.encode()) == []
    assert dagsters(settings, FORGOTTEN) == set() and files_holding(settings.dagster_home, FORGOTTEN.encode()) == []
    assert report.found_before > report.pieces > 0 and report.found_after == 0
    assert report.dagster is not None and (report.dagster.runs, report.dagster.partitions) == (1, 1)
    assert len(instance.get_runs()) == 2 and instance.get_dynamic_partitions("sessions") == ["staying"]
    # What Dagster knows of the other one is as it was, and the road goes on.
    staying = instance.get_materialized_partitions(dg.AssetKey("ingested"))
    assert staying == {"staying"}
    assert run.run_sessions(settings, None).events_appended == 0
    assert run.import_paths(settings, [quoted.parent / "inbox"], project=None).events_appended == 0
    assert not (settings.home / rewriting.PENDING).exists()


def test_a_purge_that_was_killed_before_dagster_is_ended_by_the_next(
    quoting: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = quoting
    forget(settings, FORGOTTEN)
    with monkeypatch.context() as patch:
        patch.setattr(purging, "purge_records", _die)
        with pytest.raises(KeyboardInterrupt):
            purging.purge_all(settings, purging.planned_purge(settings))
    assert places_of(settings, SECRET) == set() and dagsters(settings, SECRET)
    planned = purging.planned_purge(settings)
    assert planned.removed == {}
    assert purging.purge_all(settings, planned).dagster is not None
    assert dagsters(settings, SECRET) == set() and files_holding(settings.home, SECRET.encode()) == []


@pytest.mark.parametrize("again", cases([True], [False]))
def test_what_a_killed_purge_left_to_do_is_done_behind_the_next_one(
    quoting: Settings, quoted: Path, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    settings = quoting
    forget(settings, FORGOTTEN)
    with monkeypatch.context() as patch:
        patch.setattr(purging, "purge_records", _die)
        with pytest.raises(KeyboardInterrupt):
            purging.purge_all(settings, purging.planned_purge(settings))
    if again:
        run.import_paths(settings, [quoted.parent / "inbox"], project=None, again=True)
    forget(settings, "staying")
    report = purging.purge_all(settings, purging.planned_purge(settings))
    assert report.purged and not (settings.home / rewriting.PENDING).exists()
    assert instance_of(settings).get_dynamic_partitions("sessions") == ([FORGOTTEN] if again else [])
    assert bool(dagsters(settings, FORGOTTEN)) == again and dagsters(settings, "staying") == set()


def test_one_purge_at_a_time_to_its_end(quoting: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = quoting
    forget(settings, FORGOTTEN)
    hurried = settings.model_copy(update={"store": settings.store.model_copy(update={"lock_timeout_seconds": 0.1})})
    refused: list[str] = []
    records = purging.purge_records

    def meanwhile(*given: Any) -> DagsterPurgedV1:
        with pytest.raises(StoreLockedError, match="is purging this store") as raised:
            purging.purge_all(hurried, purging.planned_purge(hurried))
        refused.append(raised.value.hint)
        return records(*given)

    monkeypatch.setattr(purging, "purge_records", meanwhile)
    assert purging.purge_all(settings, purging.planned_purge(settings)).found_after == 0
    assert len(refused) == 1 and dagsters(settings, SECRET) == set()


def test_what_an_older_policy_let_in_goes_with_its_history(quoting: Settings, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    pattern = {"name": "fountain", "kind": "SECRET:fountain", "literals": [SECRET], "pattern": SECRET}
    path.write_text(json.dumps({"policy_id": "mine", "version": 1, "patterns": [pattern]}), encoding="utf-8")
    settings = quoting.model_copy(update={"privacy": quoting.privacy.model_copy(update={"policy_file": path})})
    rescan(settings)
    report = purging.purge_all(settings, purging.planned_purge(settings))
    assert (report.sessions, report.sessions_in_part) == (0, 2)
    assert places_of(settings, SECRET) == set() and files_holding(settings.home, SECRET.encode()) == []
    assert dagsters(settings, SECRET) == set()
    assert_rebuilds_equal(settings)
    assert fsck(Resources(settings)).finding_count == 0
