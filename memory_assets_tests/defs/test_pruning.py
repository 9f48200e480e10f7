"""Dagster's history of runs does not grow for ever, and what became of assets is not forgotten with it."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill

from memory_assets.defs import pruning
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.run import import_paths, run_sessions
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk

NOTHING = dg.job(name="nothing")(lambda: None)


@pytest.fixture
def instance(settings: Settings) -> dg.DagsterInstance:
    return dagster_instance(settings)


def finished(instance: dg.DagsterInstance, home: Path) -> str:
    """A run that is over and printed something."""
    run = instance.create_run_for_job(NOTHING, status=dg.DagsterRunStatus.SUCCESS)
    printed = home / "storage" / run.run_id / "compute_logs"
    printed.mkdir(parents=True)
    (printed / "x.out").write_text("said")
    return run.run_id


def test_the_oldest_go_beyond_what_is_kept(settings: Settings, instance: dg.DagsterInstance) -> None:
    home = settings.dagster_home
    runs = [finished(instance, home) for _ in range(5)]
    under_way = instance.create_run_for_job(NOTHING, status=dg.DagsterRunStatus.STARTED)
    kept = load_settings({"dagster": {"keep_runs": 3}}).dagster
    assert pruning.prune_by_itself(instance, home, kept) == 2
    assert {run.run_id for run in instance.get_runs()} == {*runs[2:], under_way.run_id}
    assert sorted(path.name for path in (home / "storage").iterdir()) == sorted(runs[2:])
    # Not with every command: the next time is in an hour.
    finished(instance, home)
    assert pruning.prune_by_itself(instance, home, kept) == 0
    os.utime(home / "pruned", (time.time() - 3_700,) * 2)
    assert pruning.prune_by_itself(instance, home, kept) == 1


def test_what_is_older_goes(settings: Settings, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    home = settings.dagster_home
    for _ in range(3):
        finished(instance, home)
    assert pruning.prune_by_itself(instance, home, settings.dagster) == 0
    os.utime(home / "pruned", (0, 0))

    class Later(pruning.datetime):  # type: ignore[name-defined,misc]
        @classmethod
        def now(cls, tz: object = None) -> object:
            return super().now(tz) + pruning.timedelta(days=31)

    monkeypatch.setattr(pruning, "datetime", Later)
    assert pruning.prune_by_itself(instance, home, settings.dagster) == 3


@pytest.mark.long
def test_an_import_prunes_and_partitions_stay_materialized(settings: Settings, inbox: Path) -> None:
    kept = load_settings({"dagster": {"keep_runs": 1}})
    import_paths(kept, [chat(inbox, "one", talk(1))], project=None)
    import_paths(kept, [chat(inbox, "two", talk(2))], project=None)
    instance = dagster_instance(kept)
    os.utime(kept.dagster_home / "pruned", (0, 0))
    import_paths(kept, [chat(inbox, "three", talk(3))], project=None)
    assert len(instance.get_runs()) == 1
    assert instance.get_materialized_partitions(dg.AssetKey("projected")) == {"one", "two", "three"}


@pytest.mark.slow
def test_what_a_later_run_told_anew_goes_with_its_run(settings: Settings, inbox: Path) -> None:
    kept = load_settings({"dagster": {"keep_runs": 1}})
    import_paths(kept, [chat(inbox, "one", talk(1)), chat(inbox, "two", talk(2))], project=None)
    instance = dagster_instance(kept)
    index = sqlite3.connect(kept.dagster_home / "history" / "runs" / "index.db")

    def rows(table: str) -> int:
        return int(index.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def checks() -> dict[dg.AssetCheckKey, bool]:
        keys = list(build_definitions(kept).resolve_asset_graph().asset_check_keys)
        latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(keys)
        return {key: record.evaluation.passed for key, record in latest.items() if record.evaluation is not None}

    tables = ("event_logs", "asset_event_tags", "asset_check_executions")
    # Each import prunes the run of the one before, as each comes an hour later.
    sizes = []
    for _ in range(4):
        os.utime(kept.dagster_home / "pruned", (0, 0))
        run_sessions(kept, None)
        import_paths(kept, [inbox], project=None)
        sizes.append([rows(table) for table in tables])
    assert len(instance.get_runs()) == 1 and sizes[1] == sizes[2] == sizes[3]
    assert instance.get_materialized_partitions(dg.AssetKey("projected")) == {"one", "two"}
    assert len(checks()) > 15 and all(checks().values())


def test_a_storage_that_forgets_outcomes_with_a_run_is_left_alone(settings: Settings, tmp_path: Path) -> None:
    home = tmp_path / "other"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    other = dg.DagsterInstance.from_config(str(home))
    for _ in range(3):
        finished(other, home)
    kept = load_settings({"dagster": {"keep_runs": 1}}).dagster
    assert pruning.prune_by_itself(other, home, kept) == 0 and len(other.get_runs()) == 3
    # By a person's word it does.
    assert pruning.prune_runs(other, home, older_than_days=0) == 3


def test_nothing_is_pruned_under_a_backfill(settings: Settings, instance: dg.DagsterInstance) -> None:
    home = settings.dagster_home
    for _ in range(3):
        finished(instance, home)
    under_way = PartitionBackfill(
        backfill_id="every", status=BulkActionStatus.REQUESTED, from_failure=False, tags={}, backfill_timestamp=time.time()
    )
    instance.add_backfill(under_way)
    kept = load_settings({"dagster": {"keep_runs": 1}}).dagster
    assert pruning.prune_by_itself(instance, home, kept) == 0
    instance.update_backfill(under_way.with_status(BulkActionStatus.COMPLETED_SUCCESS))
    os.utime(home / "pruned", (0, 0))
    assert pruning.prune_by_itself(instance, home, kept) == 2
