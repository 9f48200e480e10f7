"""What the Dagster UI shows: names, dependencies, partitions, policies, pools, kinds, groups, owners, checks, jobs, sensors."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import dagster as dg
import pytest
from syrupy.assertion import SnapshotAssertion

from memory_assets.definitions import defs
from memory_assets.defs.code_location import build_definitions
from memory_assets.vocabulary import PIPELINE_STAGES


def test_the_code_location_loads() -> None:
    dg.Definitions.validate_loadable(defs)
    dg.Definitions.validate_loadable(build_definitions())


def asset(spec: dg.AssetSpec, node: Any) -> dict[str, Any]:
    return {
        "deps": sorted(dep.asset_key.to_user_string() for dep in spec.deps),
        "group": spec.group_name,
        "kinds": sorted(spec.kinds),
        "owners": list(spec.owners),
        "partitions": spec.partitions_def.name if isinstance(spec.partitions_def, dg.DynamicPartitionsDefinition) else None,
        "backfill": node.backfill_policy.max_partitions_per_run if node.backfill_policy else None,
        "pools": sorted(node.pools or ()),
        "has a code version": spec.code_version is not None,
        "description": spec.description,
        "executable": node.is_executable,
    }


def test_what_the_ui_shows(snapshot: SnapshotAssertion) -> None:
    graph = defs.resolve_asset_graph()
    nodes = {spec.key: graph.get(spec.key) for spec in defs.resolve_all_asset_specs()}
    sensors = [definition for definition in defs.sensors or [] if isinstance(definition, dg.SensorDefinition)]
    assert {
        "assets": {spec.key.to_user_string(): asset(spec, nodes[spec.key]) for spec in defs.resolve_all_asset_specs()},
        "checks": sorted(f"{key.asset_key.to_user_string()}:{key.name}" for key in graph.asset_check_keys),
        "blocking checks": [key.name for key in graph.asset_check_keys if graph.get_check_spec(key).blocking],
        "jobs": sorted(job.name for job in defs.resolve_all_job_defs() if not job.name.startswith("__")),
        "sensors": {
            sensor.name: {
                "jobs": sorted(job.name for job in sensor.jobs),
                "seconds": sensor.minimum_interval_seconds,
                "default": sensor.default_status.value,
                "description": sensor.description,
            }
            for sensor in sensors
        },
        "executor": defs.executor.name if isinstance(defs.executor, dg.ExecutorDefinition) else None,
    } == snapshot


def test_everything_says_what_it_is() -> None:
    graph = defs.resolve_asset_graph()
    said = {spec.key.to_user_string(): spec.description for spec in defs.resolve_all_asset_specs()}
    said |= {key.to_user_string(): graph.get_check_spec(key).description for key in graph.asset_check_keys}
    said |= {job.name: job.description for job in defs.jobs or [] if not isinstance(job, dg.JobDefinition)}
    said |= {sensor.name: getattr(sensor, "description", None) for sensor in defs.sensors or []}
    assert len(said) > 30
    assert [name for name, description in said.items() if not description] == []


def test_the_seven_stages_share_partitions_and_policy() -> None:
    # Differing policies or partitions split the chain into separate runs, and a blocking check stops every session of a batch.
    graph = defs.resolve_asset_graph()
    stages = [graph.get(dg.AssetKey(stage)) for stage in PIPELINE_STAGES]
    assert {(stage.partitions_def, stage.backfill_policy) for stage in stages} == {
        (stages[0].partitions_def, dg.BackfillPolicy.multi_run(max_partitions_per_run=25))
    }
    for earlier, later in itertools.pairwise(PIPELINE_STAGES):
        assert dg.AssetKey(earlier) in graph.get(dg.AssetKey(later)).parent_keys


@pytest.mark.long
def test_nothing_of_it_is_said_on_the_console() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", "import memory_assets.definitions"], capture_output=True, text=True, check=True
    )
    assert done.stdout + done.stderr == ""
