"""Dagster's records of runs that no test looks at."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import dagster as dg
import pytest
from dagster._core.storage.event_log import in_memory as events_in_memory
from dagster._core.storage.runs import in_memory as runs_in_memory
from sqlalchemy.engine import Connection


def in_memory() -> dg.DagsterInstance:
    """An instance whose records are in memory and go with it.

    Dagster connects to them anew for each statement, 600 times an import; here the connections that it holds anyway are used
    (measured: a fourteenth of the CPU of an import).
    """
    with pytest.MonkeyPatch.context() as patch:
        # Nobody migrates these records: to say which migration they are of reads 89 files each time (30 ms).
        for storage_module in (events_in_memory, runs_in_memory):
            patch.setattr(storage_module, "stamp_alembic_rev", lambda *_: None)
        instance = dg.DagsterInstance.ephemeral()
    events, runs = instance.event_log_storage, instance.run_storage
    # Asked 200 times an import (10 ms), and every table is there from the beginning.
    setattr(events, "has_table", functools.cache(events.has_table))  # noqa: B010 (a method, to mypy)
    storages: tuple[tuple[Any, str], ...] = ((events, "_connect"), (runs, "connect"))
    for storage, name in storages:
        setattr(storage, name, partial(_held, storage._held_conn, threading.RLock()))
    return instance


@contextlib.contextmanager
def _held(connection: Connection, lock: threading.RLock) -> Iterator[Connection]:
    """One transaction; inside another one it is that one."""
    with lock, contextlib.nullcontext() if connection.in_transaction() else connection.begin():
        yield connection
