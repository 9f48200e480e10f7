"""Several processes begin at once: Dagster's records are made once, and a partition is added once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.sql import create_engine

from memory_assets.defs import dagster_storage
from memory_assets.defs.dagster_storage import EventLogStorage
from memory_assets.defs.instance import add_partitions, dagster_home, dagster_instance
from memory_assets.defs.run import import_paths
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.depth import depth

BEGINS = """
import sys
from memory_assets.defs.instance import add_partitions, dagster_instance
from memory_assets.settings import load_settings
settings = load_settings()
print("ready", flush=True)
sys.stdin.readline()
instance = dagster_instance(settings)
for place in range(20):
    add_partitions(instance, settings.dagster_home, [f"s-{place}", f"t-{place}"])
"""


@pytest.mark.deep
def test_processes_begin_at_once(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DAGSTER_"))}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", BEGINS],
            env=kept | {"MEMORY_HOME": str(tmp_path / "home")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(depth(2, 4))
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    complaints = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, complaint = process.communicate(timeout=120)
        complaints.append(complaint[-2000:] if process.returncode else "")
    assert complaints == [""] * depth(2, 4)
    instance = dagster_instance(load_settings({"home": tmp_path / "home"}))
    assert set(instance.get_dynamic_partitions("sessions")) == {f"{name}-{place}" for name in "st" for place in range(20)}


def test_a_session_named_twice_is_one_partition(settings: Settings) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, settings.dagster_home, ["a", "a", "b"])
        assert list(instance.get_dynamic_partitions("sessions")) == ["a", "b"]


def test_a_users_own_instance_file_is_kept(settings: Settings) -> None:
    settings.dagster_home.mkdir(parents=True)
    (settings.dagster_home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    assert dagster_home(settings) == settings.dagster_home
    assert (settings.dagster_home / "dagster.yaml").read_text() == "telemetry:\n  enabled: false\n"


@pytest.mark.long
def test_dagsters_own_storage_reads_what_ours_wrote(settings: Settings, inbox: Path) -> None:
    chat(inbox, "one", talk(1))
    import_paths(settings, [inbox], project=None)
    ours = dagster_instance(settings)
    with dagsters_own(settings) as theirs:
        assert type(theirs.event_log_storage).__module__.startswith("dagster.")
        assert type(ours.event_log_storage).__module__ == dagster_storage.__name__
        runs = theirs.get_runs()
        assert [run.status for run in runs] == [dg.DagsterRunStatus.SUCCESS]
        assert runs == ours.get_runs()
        assert len(theirs.all_logs(runs[0].run_id)) == len(ours.all_logs(runs[0].run_id)) > 20
        assert theirs.get_latest_materialization_event(dg.AssetKey("projected")) is not None


def dagsters_own(settings: Settings) -> dg.DagsterInstance:
    """Dagster's own storage over our files."""
    return dg.DagsterInstance.local_temp(
        str(settings.dagster_home), overrides={"storage": {"sqlite": {"base_dir": str(settings.dagster_home)}}}
    )


@pytest.mark.long
def test_engines_are_made_once_a_file(settings: Settings, inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(url: str, **options: Any) -> Any:
        made.append(url)
        return create_engine(url, **options)

    monkeypatch.setattr(f"{dagster_storage.__name__}.create_engine", counted)
    chat(inbox, "one", talk(1))
    import_paths(settings, [inbox], project=None)
    assert len(made) == len(set(made)) == 3
    assert {"index.db", "runs.db"} < {Path(url).name for url in made}


def test_the_file_of_a_run_begins_as_dagster_makes_it(tmp_path: Path) -> None:
    ours, dagsters = EventLogStorage(str(tmp_path / "ours")), SqliteEventLogStorage(str(tmp_path / "dagsters"))

    def tables(storage: SqliteEventLogStorage, run: str) -> list[tuple[object, ...]]:
        with storage.run_connection(run) as connection:
            made = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
            revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").fetchall()
            mode = connection.exec_driver_sql("PRAGMA journal_mode").fetchall()
        return [tuple(row) for row in (*made, *revision, *mode)]

    wanted = tables(dagsters, "one")
    assert wanted[-1] == ("wal",) and tables(ours, "one") == tables(ours, "two") == wanted
    # Whoever else made the file first is not written over.
    with ours.run_connection("two") as connection:
        connection.exec_driver_sql("CREATE TABLE mark (x)")
    assert ("mark",) in [row[1:2] for row in tables(EventLogStorage(str(tmp_path / "ours")), "two")]
    assert {path.suffix for path in (tmp_path / "ours").iterdir()} <= {".db", ".db-wal", ".db-shm"}


def test_partitions_of_another_process_are_seen(settings: Settings) -> None:
    ours = dagster_instance(settings)
    ours.add_dynamic_partitions("sessions", ["a"])
    with dagsters_own(settings) as theirs:
        assert list(ours.get_dynamic_partitions("sessions")) == ["a"]
        theirs.add_dynamic_partitions("sessions", ["b"])
        assert list(ours.get_dynamic_partitions("sessions")) == ["a", "b"]
        theirs.delete_dynamic_partition("sessions", "a")
        assert not ours.has_dynamic_partition("sessions", "a")
        ours.add_dynamic_partitions("sessions", ["c"])
        ours.delete_dynamic_partition("sessions", "b")
        assert list(theirs.get_dynamic_partitions("sessions")) == list(ours.get_dynamic_partitions("sessions")) == ["c"]


def test_a_run_is_seen_while_it_writes(settings: Settings) -> None:
    """The UI watches the file of a run, which a write-ahead log leaves as it is."""
    ours = dagster_instance(settings)
    run = ours.create_run_for_job(dg.job(name="nothing")(lambda: None))
    ours.report_engine_event("first", run)
    seen: list[str] = []
    arrived = threading.Event()

    def note(event: dg.EventLogEntry, _cursor: str) -> None:
        seen.append(event.message)
        if "second" in event.message:
            arrived.set()

    with dagsters_own(settings) as theirs:
        theirs.watch_event_logs(run.run_id, None, note)
        ours.report_engine_event("second", run)
        assert arrived.wait(20), seen
        theirs.end_watch_event_logs(run.run_id, note)


@pytest.mark.long
def test_a_deleted_run_leaves_no_file_and_its_partitions_materialized(settings: Settings, inbox: Path) -> None:
    chat(inbox, "one", talk(1))
    import_paths(settings, [inbox], project=None)
    instance = dagster_instance(settings)
    (run,) = instance.get_runs()
    before = instance.get_materialized_partitions(dg.AssetKey("projected"))
    instance.delete_run(run.run_id)
    assert instance.get_runs() == []
    assert not list(settings.dagster_home.rglob(f"{run.run_id}*"))
    assert instance.get_materialized_partitions(dg.AssetKey("projected")) == before == {"one"}


def test_a_forked_child_has_connections_of_its_own(settings: Settings) -> None:
    instance = dagster_instance(settings)
    instance.add_dynamic_partitions("sessions", ["of the parent"])
    child = os.fork()
    if child == 0:
        try:
            instance.add_dynamic_partitions("sessions", ["of the child"])
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert set(instance.get_dynamic_partitions("sessions")) == {"of the parent", "of the child"}


@pytest.mark.parametrize("said", ["storage:\n  sqlite:\n    base_dir: {}\n", "telemetry:\n  enabled: false\n"])
def test_a_users_own_choice_of_storage_is_kept(settings: Settings, tmp_path: Path, said: str) -> None:
    settings.dagster_home.mkdir(parents=True)
    (settings.dagster_home / "dagster.yaml").write_text(said.format(tmp_path / "elsewhere"))
    storage = dagster_instance(settings).event_log_storage
    assert (type(storage).__module__ == dagster_storage.__name__) == ("storage" not in said)
    assert (tmp_path / "elsewhere" / "history").exists() == ("storage" in said)
