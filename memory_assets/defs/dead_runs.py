"""Which runs are still somebody's work.

A run that this package starts in its own process carries the name of that process's lock. When the process is killed, the run
that it was doing is known to be dead: it is marked failed, and the places that it held in Dagster's pools are given back.
Otherwise the next run would wait for them for ever (seen: a killed import, and no import after it ever began).
"""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from memory_assets.locks.process_liveness import is_alive

RUNNER_TAG = "memory/runner"
_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def end_dead_runs(instance: dg.DagsterInstance, dagster_home: Path) -> list[str]:
    """Mark the runs of processes that are gone as failed and give back what they held; the ids of these runs."""
    ended = []
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=_UNFINISHED)):
        name = run.tags.get(RUNNER_TAG)
        if name is None or is_alive(dagster_home, name):
            continue
        instance.report_run_failed(run, "The process that was doing this run is gone. What it had logged is kept.")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        ended.append(run.run_id)
    return ended
