"""The assets as Dagster runs them: its command in CI, ranges, backfills, what each partition shows."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.test_utils import InProcessTestWorkspaceLoadTarget, create_test_daemon_workspace_context, instance_for_test
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._daemon.backfill import execute_backfill_iteration

from memory_assets.defs import run
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import GROWN, Mixed
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows
from memory_assets_tests.defs.test_quarantine import POISON, failing_at, latest_check, metadata_of

pytestmark = pytest.mark.long


def materialize(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``dagster asset materialize`` as docs/dagster.md tells it, in a process of its own."""
    environment = os.environ | {"MEMORY_HOME": str(settings.home), "DAGSTER_HOME": str(settings.dagster_home)}
    return subprocess.run(
        [sys.executable, "-m", "dagster", "asset", "materialize", "-m", "memory_assets.definitions", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_dagsters_own_command_after_adding_a_session(inbox: Path, settings: Settings) -> None:
    run.add_sessions(settings, [chat(inbox, "in-ci", talk(1))])
    every = materialize(settings, "--select", "*", "--partition", "in-ci")
    assert every.returncode == 0, every.stderr[-2000:]
    assert rows(settings, "SELECT session_id, status FROM sessions") == [("in-ci", "vectorized")]
    assert_rebuilds_equal(settings)


@pytest.mark.slow
def test_dagsters_own_command_once_more_adds_nothing(inbox: Path, settings: Settings) -> None:
    run.import_paths(settings, [chat(inbox, "in-ci", talk(1))], project=None)
    told = len(events(settings))
    again = materialize(settings, "--select", "group:graduation", "--partition", "in-ci")
    assert again.returncode == 0, again.stderr[-2000:]
    assert len(events(settings)) == told
    unknown = materialize(settings, "--select", "*", "--partition", "nobody")
    assert unknown.returncode != 0 and "nobody" in unknown.stderr
    assert len(events(settings)) == told
    assert_rebuilds_equal(settings)


@pytest.fixture
def recorded(mixed_store: Mixed) -> dg.DagsterInstance:
    """The instance that the mixed store was imported in."""
    return dagster_instance(mixed_store.settings)


def test_every_partition_of_every_stage_tells_its_own_counts(mixed_store: Mixed, recorded: dg.DagsterInstance) -> None:
    told = {stage: metadata_of(recorded, stage, GROWN) for stage in PIPELINE_STAGES}
    for stage, metadata in told.items():
        assert metadata["status"] == "done", stage
        assert metadata["duration_ms"] >= 0, stage
        assert sum(type(value) is int for value in metadata.values()) >= 2, stage
    counted = rows(
        mixed_store.settings,
        """SELECT (SELECT message_count FROM sessions WHERE session_id = $1), count(*) FROM entries WHERE session_id = $1""",
        GROWN,
    )
    assert [(told["ingested"]["messages"], told["materialized"]["entries"])] == counted
    assert told["idris_checked"]["held"] + told["idris_checked"]["not_held"] == told["materialized"]["entries"]
    assert told["vectorized"]["units_searchable"] > 0 and told["vectorized"]["units_failed"] == 0
    (first, *_) = told["materialized"]["memories"].records
    assert str(first.data["address"]).startswith(f"session:{GROWN}#m=") and first.data["method"] == "exact"
    assert set(first.data) == {"type", "address", "method", "confidence"}, "no text of a session"
    assert told["ingested"]["source"].endswith("-grown.jsonl")
    # Numbers of one partition, not of the batch.
    other = metadata_of(recorded, "ingested", "plain-1")
    assert (told["ingested"]["messages"], other["messages"]) == (6, 4)


def test_the_leaf_counts_everything(mixed_store: Mixed, recorded: dg.DagsterInstance) -> None:
    event = recorded.get_latest_materialization_event(dg.AssetKey("memory_index"))
    assert event is not None and event.asset_materialization is not None
    counts = {name: value.value for name, value in event.asset_materialization.metadata.items()}
    assert (counts["sessions"], counts["outbox_pending"]) == (10, 0)
    assert counts["memories"] > 0 and counts["units"] > counts["memories"]


def test_a_page_begins_with_what_a_person_reads(inbox: Path) -> None:
    settings = load_settings({"dagster": {"show_quotes": True}})
    chat(inbox, "plain", talk(1), title="Service 1")
    run.import_paths(settings, [inbox], project=None)
    instance = dagster_instance(settings)
    for stage in PIPELINE_STAGES:
        told = metadata_of(instance, stage, "plain")
        assert (next(iter(told)), told["title"]) == ("title", "Service 1"), stage
        assert list(told)[-4:] == ["session", "status", "duration_ms", "data_version"], stage
    told = metadata_of(instance, "materialized", "plain")
    assert list(told)[1] == "memories"
    quotes = [record.data["quote"] for record in told["memories"].records]
    assert any("PostgreSQL 16" in str(quote) for quote in quotes)


@pytest.mark.slow
def test_a_real_backfill(inbox: Path, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon's own code over 30 sessions, one of them poison: two runs over ranges, green, nothing left out."""
    origin = InProcessCodeLocationOrigin(
        loadable_target_origin=LoadableTargetOrigin(executable_path=sys.executable, module_name="memory_assets.definitions"),
        location_name="memory_assets",
    )
    at_once = {
        "run_coordinator": {"module": "dagster._core.run_coordinator", "class": "DefaultRunCoordinator"},
        "run_launcher": {
            "module": "dagster._core.launcher.sync_in_memory_run_launcher",
            "class": "SyncInMemoryRunLauncher",
        },
    }
    failing_at(monkeypatch, lambda _: ValueError("no"))
    for number in range(30):
        chat(inbox, f"s-{number:02}", talk(number, 1))
    with instance_for_test(overrides=at_once) as instance:
        monkeypatch.setattr(run, "dagster_instance", lambda _: instance)
        run.add_sessions(settings, [inbox])
        target = InProcessTestWorkspaceLoadTarget(origin)
        with create_test_daemon_workspace_context(workspace_load_target=target, instance=instance) as workspace:
            backfill = PartitionBackfill.from_asset_partitions(
                backfill_id="every",
                asset_graph=workspace.create_request_context().asset_graph,
                partition_names=list(instance.get_dynamic_partitions("sessions")),
                asset_selection=[dg.AssetKey(stage) for stage in PIPELINE_STAGES],
                backfill_timestamp=time.time(),
                tags={},
                dynamic_partitions_store=instance,
                all_partitions=False,
                title=None,
                description=None,
                run_config=None,
            )
            instance.add_backfill(backfill)
            for _ in range(3):
                list(execute_backfill_iteration(workspace, logging.getLogger(__name__)))
        done = instance.get_backfill("every")
        assert done is not None and done.status == BulkActionStatus.COMPLETED_SUCCESS
        ranges = [(found.tags[RANGE_START_TAG], found.tags[RANGE_END_TAG]) for found in instance.get_runs()]
        assert sorted(ranges) == [("s-00", "s-24"), ("s-25", "s-29")]
        for stage in PIPELINE_STAGES:
            assert len(instance.get_materialized_partitions(dg.AssetKey(stage))) == 30
        told = latest_check(instance, "vectorized", "no_sessions_quarantined")
        assert not told.passed and POISON in str(told.metadata["sessions"].value)
    statuses = dict(rows(settings, "SELECT session_id, status FROM sessions"))
    assert statuses.pop(POISON) == "quarantined" and set(statuses.values()) == {"vectorized"} and len(statuses) == 29
    assert_rebuilds_equal(settings)


@pytest.mark.slow
def test_dagsters_own_command_refuses_a_range_and_says_why(inbox: Path, settings: Settings) -> None:
    run.add_sessions(settings, [chat(inbox, "a", talk(1)), chat(inbox, "b", talk(2))])
    refused = materialize(settings, "--select", "group:graduation", "--partition-range", "a...b")
    assert refused.returncode != 0 and "BackfillPolicy" in refused.stderr
    assert events(settings, "session_ingested") == []
