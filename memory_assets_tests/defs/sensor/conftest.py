"""A sessions folder and the sensor that looks at it."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import sensors
from memory_assets.defs.resources import EventLogResource
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.sensor.ticks import Tick


@pytest.fixture
def settings() -> Settings:
    # Longer than any test takes, so that what was just written is still settling.
    return load_settings({"sessions": {"settle_seconds": 3600}})


@pytest.fixture
def folder(settings: Settings) -> Path:
    settings.sessions_folder.mkdir(parents=True)
    return settings.sessions_folder


@pytest.fixture
def tick(settings: Settings, unrecorded: dg.DagsterInstance) -> Tick:
    """One evaluation, whose wish for partitions is granted as Dagster grants it; the cursor goes on from tick to tick."""
    cursor: list[str | None] = [None]

    def evaluated(*, lost: bool = False) -> dg.SensorResult:
        with dg.build_sensor_context(
            instance=unrecorded,
            cursor=None if lost else cursor[0],
            resources={"event_log": EventLogResource(settings_json=settings.model_dump_json())},
        ) as context:
            result = sensors.sessions_folder(context)
        assert isinstance(result, dg.SensorResult)
        cursor[0] = result.cursor
        for request in result.dynamic_partitions_requests or []:
            unrecorded.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        for event in result.asset_events:
            unrecorded.report_runless_asset_event(event)
        return result

    return evaluated
