"""Who wrote a build, and whether it is still at work: each machine judges its own processes alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from memory_assets.locks.process_liveness import is_alive, runner_name
from memory_assets.log.mirror_note import read_note

if TYPE_CHECKING:
    import duckdb

NOBODY: Final[Mapping[str, int]] = MappingProxyType({})


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


def retired_machines(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """The machines of which a person said that they will not come back, each with the seq of the last such word."""
    rows = connection.execute(
        "SELECT payload_json ->> '$.host_id', max(seq) FROM events WHERE event_type = 'mirror_retired' GROUP BY ALL"
    ).fetchall()
    return dict(rows)


def is_at_work(
    folder: Path, runner: str, locks: Path | None = None, *, retired: Mapping[str, int] = NOBODY, newest: int = 0
) -> bool:
    """Whether a process is still there. Of another machine a person alone can say that it is gone.

    Args:
        retired: as :func:`retired_machines`.
        newest: the seq of the last that the process wrote: what writes behind such a word is at work.
    """
    machine, _, name = runner.rpartition("/")
    if machine and machine != this_machine(folder):
        return machine not in retired or newest > retired[machine]
    return is_alive(locks or folder, name)
