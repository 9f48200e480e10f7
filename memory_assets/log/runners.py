"""Who wrote a build, and whether it is still at work: each machine judges its own processes alone."""

from __future__ import annotations

from pathlib import Path

from memory_assets.locks.process_liveness import is_alive, runner_name
from memory_assets.log.mirror_note import read_note


def this_machine(folder: Path) -> str | None:
    """The name of this machine among those that share the log; None where the store is alone."""
    note = read_note(folder)
    return note.host_id if note else None


def runner_here(folder: Path, locks: Path | None = None) -> str:
    """The name of this process; where the store is a mirror, behind the name of this machine.

    Args:
        folder: of the store.
        locks: the folder in which the processes of this machine have their locks; the store's, where none is named.
    """
    machine = this_machine(folder)
    name = runner_name(locks or folder)
    return f"{machine}/{name}" if machine else name


def is_at_work(folder: Path, runner: str, locks: Path | None = None) -> bool:
    """Whether a process is still there. Of another machine nothing here says that it is gone."""
    machine, _, name = runner.rpartition("/")
    if machine and machine != this_machine(folder):
        return True
    return is_alive(locks or folder, name)
