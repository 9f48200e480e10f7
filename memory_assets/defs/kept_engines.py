"""Dagster's SQLite storages with one SQLAlchemy engine a file.

Dagster makes an engine for each connection, and with it loses the statements that SQLAlchemy has compiled: a run of one small
session connects 900 times, and took a quarter less once the engines were kept (9.4 and 7.1 s of CPU, measured in turn). What is
written is the same, in the same files: the UI and the daemon read it with Dagster's own storages.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sql import create_engine
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import NullPool

# Each run has a file of events of its own, and is done with it when the next one begins.
_KEPT = 8


@lru_cache(maxsize=_KEPT)
def _engine(url: str) -> Engine:
    """Holds no connection between two uses."""
    made: Engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS})
    return made


class EventLogStorage(SqliteEventLogStorage):
    """A database for each run, and one of what all runs have done."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> EventLogStorage:
        return cls(inst_data=inst_data, **config_value)

    @contextlib.contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = _engine(self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection


class RunStorage(SqliteRunStorage):
    """What runs there were."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> RunStorage:
        return cls.from_local(inst_data=inst_data, **config_value)

    @contextlib.contextmanager
    def connect(self) -> Iterator[Connection]:
        with _engine(self._conn_string).begin() as connection:
            yield connection


def kept_engines(folder: str) -> dict[str, Any]:
    """Settings of an instance in a folder that has no storage of its own choice: where Dagster's own would lie."""
    return {
        "event_log_storage": _class(EventLogStorage, f"{folder}/history/runs"),
        "run_storage": _class(RunStorage, f"{folder}/history"),
    }


def _class(storage: type[Any], base_dir: str) -> dict[str, Any]:
    return {"module": storage.__module__, "class": storage.__name__, "config": {"base_dir": base_dir}}
