"""Evaluations of the sensor, as Dagster's daemon makes them, and what comes of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG
from memory_assets.settings import Settings

Tick = Callable[..., dg.SensorResult]


def settled(*paths: Path, hours: float = 9) -> None:
    for path in paths:
        os.utime(path, (time.time() - hours * 3600,) * 2)


def asked(result: dg.SensorResult) -> list[tuple[str, str]]:
    """The ranges of sessions; a run for vectors has none."""
    requests = [request for request in result.run_requests or [] if request.job_name == "graduate_sessions"]
    return [(request.tags[RANGE_START_TAG], request.tags[RANGE_END_TAG]) for request in requests]


def launch(
    settings: Settings, instance: dg.DagsterInstance, request: dg.RunRequest, *, status: str | None = None
) -> dg.DagsterRun:
    """What the daemon does with a request; with a status the run stands in it and does nothing."""
    job = build_definitions(settings).resolve_job_def(request.job_name or "graduate_sessions")
    if status is None:
        tags = dict(request.tags)
        return job.execute_in_process(instance=instance, tags=tags, run_config=QUIET, raise_on_error=False).dagster_run
    return instance.create_run_for_job(job, tags=dict(request.tags), status=dg.DagsterRunStatus(status))


def told_of(instance: dg.DagsterInstance, asset: str, check: str) -> tuple[bool, dict[str, Any]] | None:
    """What Dagster was told last of a check."""
    key = dg.AssetCheckKey(dg.AssetKey(asset), check)
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key([key]).get(key)
    if found is None or found.evaluation is None:
        return None
    return found.evaluation.passed, {name: value.value for name, value in found.evaluation.metadata.items()}


def text_file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
