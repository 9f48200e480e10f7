"""Who wrote a build, and whether it is still at work: each machine judges its own processes alone."""

from __future__ import annotations

from pathlib import Path

from memory_assets.locks.process_liveness import is_alive, runner_name
from memory_assets.log.mirror_note import read_note


def runner_here(folder: Path, locks: Path | None = None) -> str:
    """The name of this process; where the store is a mirror, behind the name of this machine.

    Args:
        folder: of the store.
        locks: the folder in which the processes of this machine have their locks; the store's, where none is named.
    """
    note = read_note(folder)
    name = runner_name(locks or folder)
    return f"{note.host_id}/{name}" if note else name


def is_at_work(folder: Path, runner: str, locks: Path | None = None) -> bool:
    """Whether a process is still there. Of another machine nothing here says that it is gone."""
    host, _, name = runner.rpartition("/")
    if host:
        note = read_note(folder)
        if note is None or note.host_id != host:
            return True
    return is_alive(locks or folder, name)
