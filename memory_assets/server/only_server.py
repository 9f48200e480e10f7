"""Which process is the server of a store: the one that holds a lock, which it loses with its life."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memory_assets.errors import MemoryAssetsError
from memory_assets.locks.file_locks import EXCLUSIVE, holder_note, holder_of, lock_at_once, opened_lock_file
from memory_assets.server.files import folder_of, made_folder

_LOCK: Final = "server.lock"


class ServerRunsError(MemoryAssetsError):
    """Another process is this store's server."""

    code = "not_possible"


@contextmanager
def only_server(home: Path) -> Iterator[None]:
    """Be the store's server for a while.

    Raises:
        ServerRunsError: another process is it.
    """
    file = opened_lock_file(made_folder(home) / _LOCK)
    with file:
        if not lock_at_once(file, EXCLUSIVE):
            holder = holder_of(file.read()) or "another process"
            raise ServerRunsError(f"{holder} serves this store already", hint="`memory serve status` tells where")
        file.seek(0)
        file.truncate()
        file.write(holder_note())
        file.flush()
        yield


def is_served(home: Path) -> bool:
    """Whether a process is the store's server now."""
    lock = folder_of(home) / _LOCK
    if not lock.exists():
        return False
    with opened_lock_file(lock) as file:
        return not lock_at_once(file, EXCLUSIVE)
