"""Several code locations over one instance of Dagster."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_origin import GrpcServerCodeLocationOrigin

from memory_assets.definitions import defs
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.sensors import BATCH_TAG, UNFINISHED
from memory_assets.defs.shared_instance import LOCATION_TAG, make_pools, runs_of_location
from memory_assets.settings import load_settings


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dg.DagsterInstance:
    """Of a new store."""
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    return dagster_instance(load_settings({"home": str(tmp_path)}))


def test_every_pool_is_there_before_a_run_needs_it(instance: dg.DagsterInstance) -> None:
    repository = defs.get_repository_def()
    with dg.build_sensor_context(instance=instance, repository_def=repository) as context:
        make_pools(context)
    needed = {pool for job in repository.get_all_jobs() for node in job.all_node_defs for pool in node.pools}
    assert {"llm", "lance_write"} <= needed == instance.event_log_storage.get_concurrency_keys()


def test_the_runs_of_another_location_hold_nobody_up(instance: dg.DagsterInstance) -> None:
    job = defs.resolve_job_def("graduate_sessions")
    for tags in ({BATCH_TAG: "1", LOCATION_TAG: "one"}, {BATCH_TAG: "2", LOCATION_TAG: "two"}, {LOCATION_TAG: "one"}):
        instance.create_run_for_job(job, tags=tags, status=dg.DagsterRunStatus.STARTED)
    origin = GrpcServerCodeLocationOrigin(host="127.0.0.1", port=4000, location_name="one")
    with dg.SensorEvaluationContext(
        instance_ref=None,
        instance=instance,
        last_tick_completion_time=None,
        last_run_key=None,
        cursor=None,
        repository_name=None,
        code_location_origin=origin,
    ) as context:
        assert [run.tags[BATCH_TAG] for run in runs_of_location(context, UNFINISHED, BATCH_TAG)] == ["1"]
