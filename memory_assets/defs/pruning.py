"""Dagster's history of runs, kept from growing for ever: by a person's word, and a little at a time by itself.

What became of assets and checks is not part of it: where our storage keeps Dagster's records, that stays when the run that
did it is deleted. Other storages of Dagster forget it, so nothing is deleted there but by a person's word.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus
from sqlalchemy.exc import SQLAlchemyError

from memory_assets.defs.dagster_storage import EventLogStorage
from memory_assets.settings_sections import DagsterSettings

_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_AT_ONCE = 100
_SECONDS_BETWEEN = 3_600.0
_SECONDS_AT_ONCE = 2.0
_STAMP = "pruned"


def prune_runs(instance: dg.DagsterInstance, home: Path, *, older_than_days: int) -> int:
    """Delete Dagster's own records of runs that were made before so many days and are over; how many.

    Args:
        home: the instance's folder.
    """
    limit = datetime.now(UTC) - timedelta(days=older_than_days)
    deleted = 0
    while runs := instance.get_run_records(dg.RunsFilter(statuses=_FINISHED, created_before=limit), limit=_AT_ONCE):
        for record in runs:
            delete_run(instance, home, record.dagster_run.run_id)
        deleted += len(runs)
    return deleted


def prune_by_itself(instance: dg.DagsterInstance, home: Path, kept: DagsterSettings) -> int:
    """Delete what is older, or more, than the settings keep: once an hour, and for a moment only; how many runs.

    Whatever is in the way is no error of who happens to do it, and the next one goes on. Nothing is deleted where the storage
    would forget with a run what became of its partitions, nor under a backfill, which counts its runs.
    """
    if not keeps_outcomes(instance):
        return 0
    stamp = home / _STAMP
    deleted = 0
    with contextlib.suppress(OSError, SQLAlchemyError):
        if stamp.exists() and abs(time.time() - stamp.stat().st_mtime) < _SECONDS_BETWEEN:
            return 0
        stamp.touch(mode=0o600)
        if instance.get_backfills(BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED]), limit=1):
            return 0
        deadline = time.monotonic() + _SECONDS_AT_ONCE
        for run_id in _beyond(instance, kept):
            if time.monotonic() > deadline:
                break
            delete_run(instance, home, run_id)
            deleted += 1
    return deleted


def keeps_outcomes(instance: dg.DagsterInstance) -> bool:
    """Whether what became of assets and checks stays in its storage when the run that did it is deleted."""
    return isinstance(instance.event_log_storage, EventLogStorage)


def _beyond(instance: dg.DagsterInstance, kept: DagsterSettings) -> Iterator[str]:
    limit = datetime.now(UTC) - timedelta(days=kept.keep_runs_days)
    finished = dg.RunsFilter(statuses=_FINISHED)
    excess = instance.get_runs_count(finished) - kept.keep_runs
    # The oldest are first, in either sense.
    for record in instance.get_run_records(finished, limit=_AT_ONCE, ascending=True):
        if excess <= 0 and record.create_timestamp >= limit:
            return
        excess -= 1
        yield record.dagster_run.run_id


def delete_run(instance: dg.DagsterInstance, home: Path, run_id: str) -> None:
    """Delete what is kept of a run, and what it printed."""
    instance.delete_run(run_id)
    # What the daemon's runs printed lies where Dagster's own manager of compute logs keeps it.
    with contextlib.suppress(OSError):
        shutil.rmtree(home / "storage" / run_id)
