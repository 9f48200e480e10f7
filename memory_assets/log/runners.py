"""Who wrote a build, and whether it is still at work: each machine judges its own processes alone."""

from __future__ import annotations

from pathlib import Path

from memory_assets.locks.process_liveness import is_alive, runner_name
from memory_assets.log.mirror_note import read_note


def runner_here(folder: Path) -> str:
    """The name of this process among those of a store; of a mirror, behind the name of this machine."""
    note = read_note(folder)
    return f"{note.host_id}/{runner_name(folder)}" if note else runner_name(folder)


def is_at_work(folder: Path, runner: str) -> bool:
    """Whether a process is still there. Of another machine nothing here says that it is gone."""
    host, _, name = runner.rpartition("/")
    if host:
        note = read_note(folder)
        if note is None or note.host_id != host:
            return True
    return is_alive(folder, name)
