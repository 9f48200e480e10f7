"""Doing it again changes nothing."""

from __future__ import annotations

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.defs.code_location import build_definitions
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import Mixed
from memory_assets_tests.defs.state import events, index_rows, tables


def test_the_mixed_set_is_taken_whole(mixed_store: Mixed) -> None:
    report = mixed_store.report
    assert (report.sessions, report.new, report.updated, report.unchanged) == (10, 10, 0, 0)
    assert (report.skipped, report.quarantined, report.errors) == (1, 0, [])
    assert report.events_appended == len(events(mixed_store.settings))
    statuses = {row["session_id"]: row["status"] for row in tables(mixed_store.settings)["sessions"]}
    assert set(statuses.values()) == {"vectorized"} and set(statuses) == set(report.session_ids)
    assert len(tables(mixed_store.settings)["entries"]) >= 20


@pytest.mark.long
def test_importing_and_running_again_adds_nothing(mixed_copy: Mixed, unrecorded: dg.DagsterInstance) -> None:
    settings = mixed_copy.settings
    before, found, told = tables(settings), index_rows(settings), events(settings)

    again = run.import_paths(settings, [mixed_copy.folder], project=None)
    assert (again.sessions, again.new, again.updated, again.unchanged, again.events_appended) == (10, 0, 0, 10, 0)

    every = run.run_sessions(settings, None)
    assert (every.sessions, every.unchanged, every.events_appended) == (10, 10, 0)

    assert events(settings) == told
    assert tables(settings) == before
    assert sorted(index_rows(settings), key=repr) == sorted(found, key=repr)


@pytest.mark.long
def test_materializing_a_stage_alone_again_adds_nothing(mixed_copy: Mixed, unrecorded: dg.DagsterInstance) -> None:
    settings = mixed_copy.settings
    before, told = tables(settings), events(settings)
    keys = sorted(mixed_copy.report.session_ids)
    unrecorded.add_dynamic_partitions("sessions", keys)
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    for stage in PIPELINE_STAGES:
        result = job.execute_in_process(
            instance=unrecorded,
            asset_selection=[dg.AssetKey(stage)],
            tags={run.RANGE_START_TAG: keys[0], run.RANGE_END_TAG: keys[-1]},
        )
        assert result.success
        assert len(result.asset_materializations_for_node(stage)) == len(keys)
    assert events(settings) == told
    assert tables(settings) == before
