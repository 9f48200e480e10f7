"""Which runs are still somebody's work (architecture.md section 5).

A run that this package starts in its own process carries the name of a lock that the process holds for as long as it lives.
When a process is killed its lock is free, and the run that it was doing is known to be dead: it is marked failed, and the
places that it held in Dagster's pools are given back. Otherwise the next run would wait for them for ever (seen: a killed
import, and no import after it ever began).
"""

from __future__ import annotations

import contextlib
import os
import uuid
from functools import lru_cache
from pathlib import Path
from typing import IO

import dagster as dg
import portalocker

RUNNER_TAG = "memory/runner"
_FOLDER = "runners"
_EXCLUSIVE = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
# Held until the process ends; a file that is collected would be closed, and its lock lost.
_HELD: list[IO[str]] = []


def runner_name(dagster_home: Path) -> str:
    """The name of this process's lock; taken at the first call."""
    return _taken(dagster_home, os.getpid())


def end_dead_runs(instance: dg.DagsterInstance, dagster_home: Path) -> list[str]:
    """Mark the runs of processes that are gone as failed and give back what they held; the ids of these runs."""
    ended = []
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=_UNFINISHED)):
        name = run.tags.get(RUNNER_TAG)
        if name is None or _is_alive(dagster_home / _FOLDER / f"{name}.lock"):
            continue
        instance.report_run_failed(run, "The process that was doing this run is gone. What it had logged is kept.")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        ended.append(run.run_id)
    return ended


@lru_cache(maxsize=8)
def _taken(dagster_home: Path, _process: int) -> str:
    name = uuid.uuid4().hex
    folder = dagster_home / _FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # It is locked before it has its name: nobody ever finds it free while this process lives.
    unnamed = folder / f"{name}.new"
    file = unnamed.open("w")
    portalocker.lock(file, _EXCLUSIVE)
    unnamed.rename(folder / f"{name}.lock")
    _HELD.append(file)
    return name


def _is_alive(path: Path) -> bool:
    try:
        file = path.open("r+")
    except FileNotFoundError:
        return False
    with file:
        try:
            portalocker.lock(file, _EXCLUSIVE)
        except portalocker.AlreadyLocked:
            return True
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    return False
