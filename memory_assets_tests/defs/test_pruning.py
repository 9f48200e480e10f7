"""Dagster's history of runs does not grow for ever, and what became of assets is not forgotten with it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import pruning
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.run import import_paths
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


def test_an_import_prunes_and_partitions_stay_materialized(settings: Settings, inbox: Path) -> None:
    kept = load_settings({"dagster": {"keep_runs": 1}})
    import_paths(kept, [chat(inbox, "one", talk(1))], project=None)
    import_paths(kept, [chat(inbox, "two", talk(2))], project=None)
    instance = dagster_instance(kept)
    os.utime(kept.dagster_home / "pruned", (0, 0))
    import_paths(kept, [chat(inbox, "three", talk(3))], project=None)
    assert len(instance.get_runs()) == 1
    assert instance.get_materialized_partitions(dg.AssetKey("projected")) == {"one", "two", "three"}
