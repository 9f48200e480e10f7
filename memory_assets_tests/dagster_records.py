"""Dagster's records of runs that no test looks at."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import dagster as dg
from sqlalchemy.engine import Connection


def in_memory() -> dg.DagsterInstance:
    """An instance whose records are in memory and go with it.

    Dagster connects to them anew for each statement, 600 times an import; here the connections that it holds anyway are used
    (measured: a fourteenth of the CPU of an import).
    """
    instance = dg.DagsterInstance.ephemeral()
    storages: tuple[tuple[Any, str], ...] = ((instance.event_log_storage, "_connect"), (instance.run_storage, "connect"))
    for storage, name in storages:
        setattr(storage, name, partial(_held, storage._held_conn, threading.RLock()))
    return instance


@contextlib.contextmanager
def _held(connection: Connection, lock: threading.RLock) -> Iterator[Connection]:
    """One transaction; inside another one it is that one."""
    with lock, contextlib.nullcontext() if connection.in_transaction() else connection.begin():
        yield connection
