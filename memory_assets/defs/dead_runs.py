"""Which runs are still somebody's work.

A run that this package starts in its own process carries the name of that process's lock. When the process is killed, the run
that it was doing is known to be dead: it is marked failed, and the places that it held in Dagster's pools are given back.
Otherwise the next run would wait for them for ever (seen: a killed import, and no import after it ever began). Where several
machines keep their runs in one PostgreSQL, the name says which machine's process it is, and each judges its own.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import dagster as dg

from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.log.mirror_note import has_note
from memory_assets.log.runners import is_at_work, runner_here
from memory_assets.settings import Settings

if TYPE_CHECKING:
    from memory_assets.configuration import Resources

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


def end_dead_work(resources: Resources) -> None:
    """End the runs and builds of this machine's processes that are gone, while it still has the name that they carry.

    Of a store that mirrors no log they carry no other one.
    """
    from memory_assets.defs.builds import end_dead_builds
    from memory_assets.defs.instance import dagster_instance
    from memory_assets.log.event_log import EventLog

    settings = resources.settings
    if not has_note(settings.store_folder):
        return
    if (settings.dagster_home / "dagster.yaml").exists():
        end_dead_runs(dagster_instance(settings), settings)
    with contextlib.suppress(SharedLogRefusedError):  # it takes no more events: whoever has it now ends them
        end_dead_builds(settings, resources.database, EventLog(resources.database))


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
