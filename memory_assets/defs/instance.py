"""Dagster's own records: where they lie, and what several processes may not make at the same time.

Dagster makes its SQLite files and adds partitions without a lock. Two first imports at once fail in it with "table already
exists", two that add one partition with "UNIQUE constraint failed" (both seen); so both happen under a lock of ours.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import dagster as dg
import portalocker
import yaml

from memory_assets.defs.partitions import SESSIONS_PARTITIONS_NAME
from memory_assets.locks.file_locks import EXCLUSIVE
from memory_assets.settings import Settings

LOCK_TIMEOUT_SECONDS = 60.0
# A run in this process prints to the terminal that the command was typed in. Dagster would take both streams away from it for
# each run, with four processes that copy them into its files: no bar could move, and what they show is shown already.
_OF_THIS_PROCESS: dict[str, Any] = {
    "compute_logs": {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
}


def dagster_home(settings: Settings) -> Path:
    """Dagster's folder, with our ``dagster.yaml`` where it has none; never over a user's own."""
    folder = settings.dagster_home
    if not (folder / "dagster.yaml").exists():
        with _alone(folder):
            _write_instance_file(folder / "dagster.yaml")
    return folder


def dagster_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance that in-process runs are recorded in, so that the UI shows them; made once: that takes 250 ms."""
    return _instance(dagster_home(settings))


def add_partitions(instance: dg.DagsterInstance, home: Path, session_ids: Sequence[str]) -> None:
    """Make a partition of each session that has none.

    Args:
        home: the instance's folder.
    """
    if set(session_ids) <= set(instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME)):
        return
    with _alone(home):
        known = set(instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME))
        missing = [session_id for session_id in dict.fromkeys(session_ids) if session_id not in known]
        instance.add_dynamic_partitions(SESSIONS_PARTITIONS_NAME, missing)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with portalocker.Lock(
        folder / "instance.lock", mode="a", timeout=LOCK_TIMEOUT_SECONDS, check_interval=0.05, flags=EXCLUSIVE
    ):
        yield


def _write_instance_file(target: Path) -> None:
    from memory_assets.shipped_files import shipped_file

    if target.exists():
        return
    unfinished = target.with_suffix(".new")
    unfinished.write_text(shipped_file("dagster.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    unfinished.chmod(0o600)
    unfinished.rename(target)


def _storage(folder: Path) -> dict[str, Any]:
    """Nothing where the user's file says where Dagster's records lie."""
    said = yaml.safe_load((folder / "dagster.yaml").read_text(encoding="utf-8")) or {}
    if any(name.endswith("storage") for name in said):
        return {}
    from memory_assets.defs.dagster_storage import kept_storage

    return kept_storage(folder)


@lru_cache(maxsize=8)
def _instance(folder: Path) -> dg.DagsterInstance:
    # One planned event a stage instead of one a session: a third of what Dagster writes for a batch (measured). What the UI
    # loses by it is the mark on each partition of a run that failed as a whole; the command says that itself.
    os.environ.setdefault("DAGSTER_EMIT_PARTITION_SUBSET_IN_PLANNED_EVENTS", "true")
    # What is planned, and what became of each partition, is written in one transaction.
    os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", "100")
    # Dagster reads its home from the environment only; another home may be asked for later in this process.
    before = os.environ.get("DAGSTER_HOME")
    os.environ["DAGSTER_HOME"] = str(folder)
    try:
        with _alone(folder):
            # A folder of one's own makes it no temporary one: it is what ``get`` gives, and takes what is put over its file.
            return dg.DagsterInstance.local_temp(str(folder), overrides=_OF_THIS_PROCESS | _storage(folder))
    finally:
        if before is None:
            del os.environ["DAGSTER_HOME"]
        else:
            os.environ["DAGSTER_HOME"] = before
