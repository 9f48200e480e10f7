"""Which runs are still somebody's work.

A run that this package starts in its own process carries the name of that process's lock. When the process is killed, the run
that it was doing is known to be dead: it is marked failed, and the places that it held in Dagster's pools are given back.
Otherwise the next run would wait for them for ever (seen: a killed import, and no import after it ever began). Where several
machines keep their runs in one PostgreSQL, the name says which machine's process it is, and each judges its own.
"""

from __future__ import annotations

from typing import Final

import dagster as dg

from memory_assets.log.runners import is_at_work, runner_here
from memory_assets.settings import Settings

RUNNER_TAG: Final = "memory/runner"
_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def runner_tag(settings: Settings) -> dict[str, str]:
    """The tag of a run that this process does itself. Stores that share Dagster's folder share its locks."""
    return {RUNNER_TAG: runner_here(settings.store_folder, settings.dagster_home)}


def end_dead_runs(instance: dg.DagsterInstance, settings: Settings) -> list[str]:
    """Mark the runs of processes that are gone as failed and give back what they held; the ids of these runs."""
    ended = []
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=_UNFINISHED)):
        name = run.tags.get(RUNNER_TAG)
        if name is None or is_at_work(settings.store_folder, name, settings.dagster_home):
            continue
        instance.report_run_failed(run, "The process that was doing this run is gone. What it had logged is kept.")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        ended.append(run.run_id)
    return ended
