"""Dagster's SQLite storage with its connections kept open (named in ``dagster.yaml``).

Dagster's own opens the file anew for each statement, asks each time whether its tables are there, and with the engine loses
what SQLAlchemy has compiled: a run of one small session connects 900 times. Here each file stays open, what was found once is
remembered, and so are the keys of dynamic partitions, which a run asks for hundreds of times. What is written is the same, in
the same files: Dagster's own storage reads it.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from dagster import AssetKey, DagsterEventType
from dagster._core.definitions.data_version import CODE_VERSION_TAG, DATA_VERSION_TAG
from dagster._core.events import EVENT_TYPE_TO_PIPELINE_RUN_STATUS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._core.storage.sql import create_engine
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import QueuePool

DATA_VERSION = "data_version"
"""In the metadata of a partition that was materialized: its data version."""
TO_BE_DONE = "to be done"
"""The data version of a partition whose run did not come to it: Dagster calls it stale, as it would under another code."""

# Each run has a file of events of its own, and is done with it when it ends.
_KEPT_FILES = 4
_FINISHED = {kind for kind, status in EVENT_TYPE_TO_PIPELINE_RUN_STATUS.items() if status in FINISHED_STATUSES}
_PARTITIONS = "dynamic partitions"
# What became of an asset stays true when the run that did it is deleted: without it, partitions would look as if they were
# never materialized.
_OF_ASSETS = [
    kind.value
    for kind in (
        DagsterEventType.ASSET_MATERIALIZATION,
        DagsterEventType.ASSET_OBSERVATION,
        DagsterEventType.ASSET_CHECK_EVALUATION,
    )
]
# What a later run has told anew goes with the run, else those records would grow for ever.
_SUPERSEDED_CHECKS = """DELETE FROM asset_check_executions AS old WHERE run_id = ? AND EXISTS (
    SELECT 1 FROM asset_check_executions new
    WHERE new.asset_key = old.asset_key AND new.check_name = old.check_name AND new.id > old.id)"""
_SUPERSEDED_EVENTS = """SELECT id FROM event_logs old WHERE run_id = ? AND CASE dagster_event_type
    WHEN 'ASSET_CHECK_EVALUATION' THEN NOT EXISTS (
      SELECT 1 FROM asset_check_executions WHERE run_id = old.run_id AND evaluation_event_storage_id = old.id)
    ELSE EXISTS (
      SELECT 1 FROM event_logs new WHERE new.asset_key = old.asset_key AND new.dagster_event_type = old.dagster_event_type
        AND new.partition IS old.partition AND new.id > old.id) END"""
_DELETED_EVENTS = (
    "DELETE FROM event_logs WHERE id IN (SELECT value FROM json_each(?))",
    "DELETE FROM asset_event_tags WHERE event_id IN (SELECT value FROM json_each(?))",
)


class KeptEngines:
    """Engines by the name of what they open, each with one connection that stays open; the oldest is closed for a new one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        # SQLite writes its log into the file when the last connection is closed, so that is not left to chance.
        weakref.finalize(self, _close, self._engines)
        os.register_at_fork(after_in_child=partial(_leave, weakref.ref(self)))

    def of(self, name: str, url: str) -> Engine:
        """The engine of a file."""
        engine = self._engines.get(name)
        if engine is None:
            while len(self._engines) >= self._most:
                self.close(next(iter(self._engines)))
            engine = self._engines[name] = _engine(url)
        self._engines.move_to_end(name)
        return engine

    def close(self, name: str) -> None:
        """Close a file, where it is open."""
        engine = self._engines.pop(name, None)
        if engine is not None:
            engine.dispose()

    def close_all(self) -> None:
        """Close every file."""
        _close(self._engines)

    def leave(self) -> None:
        """Leave every connection to the process that made it: in a forked child one can neither be used nor closed."""
        for engine in self._engines.values():
            engine.dispose(close=False)
        self._engines.clear()


def _close(engines: OrderedDict[str, Engine]) -> None:
    while engines:
        engines.popitem()[1].dispose()


def _leave(owner: weakref.ref[KeptEngines]) -> None:
    if (engines := owner()) is not None:
        engines.leave()


def _engine(url: str) -> Engine:
    engine: Engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=1,
        connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False},
    )
    sqlalchemy_event.listen(engine, "connect", _without_waiting_for_the_disk)
    return engine


def _without_waiting_for_the_disk(connection: Any, _record: object) -> None:
    # With a write-ahead log a crash of the machine can lose the last transactions so, and never breaks the file. The log of
    # what is remembered is another file, and waits.
    connection.execute("PRAGMA synchronous=NORMAL")


class EventLogStorage(SqliteEventLogStorage):
    """A database for each run, and one of what all runs have done."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._kept = KeptEngines(_KEPT_FILES)
        self._tables: set[str] = set()
        self._asset_columns: set[str] = set()
        self._under_way: dict[str, Connection] = {}
        self._last_of_batch: dict[tuple[AssetKey | None, str], tuple[EventLogEntry, int]] | None = None
        super().__init__(base_dir, inst_data)
        self._db_lock = threading.RLock()  # type: ignore[assignment]

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> EventLogStorage:
        return cls(inst_data=inst_data, **config_value)

    @contextlib.contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        """One transaction; inside another one of the same file it is that one."""
        with self._db_lock:
            if (outer := self._under_way.get(shard)) is not None:
                yield outer
                return
            is_of_run = shard not in self._initialized_dbs and shard != INDEX_SHARD_NAME
            if is_of_run and self._begin_file_of_run(Path(self.path_for_shard(shard))):
                self._initialized_dbs.add(shard)
            engine = self._kept.of(shard, self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                self._under_way[shard] = connection
                try:
                    yield connection
                finally:
                    del self._under_way[shard]

    def _begin_file_of_run(self, path: Path) -> bool:
        """Give a run that has no file yet one with empty tables: to make those anew for each run costs 50 ms (measured).

        Returns:
            whether the file is there now, with its tables.
        """
        if path.exists():
            return False
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".run-") as file:
                file.write(_empty_tables())
                file.flush()
                os.link(file.name, path)
        except OSError:  # another process that looks at the run has made it, or the disk knows no links
            return False
        return True

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Events of one run in one transaction of each file; what an asset has come to is written once, by the last of them."""
        with self.run_connection(events[0].run_id), self.index_connection() as index:
            self._last_of_batch = {}
            try:
                super().store_event_batch(events)
                last, self._last_of_batch = self._last_of_batch, None
                for event, event_id in last.values():
                    self._store_asset_event(index, event, event_id)
            finally:
                self._last_of_batch = None

    def _store_asset_event(self, conn: Connection, event: EventLogEntry, event_id: int) -> None:
        if self._last_of_batch is None:
            super()._store_asset_event(conn, event, event_id)
        else:
            said = event.get_dagster_event()
            self._last_of_batch[said.asset_key, said.event_type_value] = (event, event_id)

    def store_event(self, event: EventLogEntry) -> None:
        event = _with_own_data_version(event)
        super().store_event(event)
        if event.run_id is None:
            return
        # Whoever watches a run watches its file, which a write-ahead log would leave as it is for long.
        with contextlib.suppress(OSError):
            os.utime(self.path_for_shard(event.run_id))
        if event.is_dagster_event and event.dagster_event_type in _FINISHED:
            with self._db_lock:
                self._kept.close(event.run_id)

    def has_table(self, table_name: str) -> bool:
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        if column_name not in self._asset_columns and super()._has_asset_key_col_on_connection(conn, column_name):
            self._asset_columns.add(column_name)
        return column_name in self._asset_columns

    def get_dynamic_partitions(self, partitions_def_name: str) -> Sequence[str]:
        return list(self._partitions(partitions_def_name))

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        return partition_key in self._partitions(partitions_def_name)

    def get_existing_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> set[str]:
        known = self._partitions(partitions_def_name)
        return {key for key in partition_keys if key in known}

    def add_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        with self._partitions_changing():
            super().add_dynamic_partitions(partitions_def_name, partition_keys)

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        with self._partitions_changing():
            super().delete_dynamic_partition(partitions_def_name, partition_key)

    def _partitions(self, name: str) -> Mapping[str, None]:
        """The keys in their order, read again where another connection has written to the file since."""
        with self.index_connection() as connection:
            version = connection.exec_driver_sql("PRAGMA data_version").scalar()
            remembered: dict[str, Any] = connection.info.setdefault(_PARTITIONS, {})
            if remembered.get("version") != version:
                remembered.clear()
                remembered["version"] = version
            if name not in remembered:
                remembered[name] = dict.fromkeys(
                    connection.exec_driver_sql(
                        "SELECT partition FROM dynamic_partitions WHERE partitions_def_name = ? ORDER BY id", (name,)
                    ).scalars()
                )
            keys: Mapping[str, None] = remembered[name]
            return keys

    @contextlib.contextmanager
    def _partitions_changing(self) -> Iterator[None]:
        # A connection is not told of its own writing; and no other thread reads the keys in between.
        with self.index_connection() as connection:
            connection.info.pop(_PARTITIONS, None)
            yield

    def delete_events(self, run_id: str) -> None:
        """Delete the file of a run, and what all runs have done but for what became of its assets and still stands."""
        events = SqlEventLogStorageTable
        with self.index_connection() as connection:
            of_run = events.c.run_id == run_id
            connection.execute(events.delete().where(of_run, events.c.dagster_event_type.not_in(_OF_ASSETS)))
            connection.exec_driver_sql(_SUPERSEDED_CHECKS, (run_id,))
            superseded = json.dumps(list(connection.exec_driver_sql(_SUPERSEDED_EVENTS, (run_id,)).scalars()))
            for deletion in _DELETED_EVENTS:
                connection.exec_driver_sql(deletion, (superseded,))
        if self.supports_global_concurrency_limits:
            self.free_concurrency_slots_for_run(run_id)
        with self._db_lock:
            self._kept.close(run_id)
            self._initialized_dbs.discard(run_id)
            path = Path(self.path_for_shard(run_id))
            for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
                file.unlink(missing_ok=True)

    def dispose(self) -> None:
        with self._db_lock:
            self._kept.close_all()
        super().dispose()


@cache
def _empty_tables() -> bytes:
    """The file of a run of which nothing is told yet, as Dagster makes it; made once in a process."""
    with tempfile.TemporaryDirectory() as folder:
        storage = SqliteEventLogStorage(folder)
        with storage.run_connection("empty"):
            pass
        storage.dispose()
        return Path(storage.path_for_shard("empty")).read_bytes()


def _with_own_data_version(event: EventLogEntry) -> EventLogEntry:
    """A partition's materialization with its own data version instead of that of all partitions of the run.

    Dagster has one for them together, by which a session would look changed when it is run in another company.
    """
    materialization = event.asset_materialization
    if materialization is None or materialization.partition is None or DATA_VERSION not in materialization.metadata:
        return event
    own = str(materialization.metadata[DATA_VERSION].value)
    tags = {**(materialization.tags or {}), DATA_VERSION_TAG: own}
    if own == TO_BE_DONE:
        tags[CODE_VERSION_TAG] = TO_BE_DONE
    tagged = materialization._replace(tags=tags)
    said = event.get_dagster_event()
    data = said.step_materialization_data._replace(materialization=tagged)
    return event._replace(dagster_event=said._replace(event_specific_data=data))


class RunStorage(SqliteRunStorage):
    """What runs there were."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._kept = KeptEngines(1)
        self._guard = threading.Lock()
        super().__init__(conn_string, inst_data)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> RunStorage:
        return cls.from_local(inst_data=inst_data, **config_value)

    @contextlib.contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._guard:
            engine = self._kept.of("runs", self._conn_string)
        with engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        with self._guard:
            self._kept.close_all()
        super().dispose()


class SqliteStorage(DagsterSqliteStorage):
    """All of Dagster's records in one folder, where its own SQLite storage would keep them.

    Args:
        base_dir: the folder; ``$DAGSTER_HOME`` in our ``dagster.yaml``.
    """

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._inst_data = inst_data
        history = Path(base_dir) / "history"
        self._run_storage = RunStorage.from_local(str(history))
        self._event_log_storage = EventLogStorage(str(history / "runs"))
        self._schedule_storage = SqliteScheduleStorage.from_local(str(Path(base_dir) / "schedules"))
        self._instance_weakref = None

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> SqliteStorage:
        return cls.from_local(inst_data=inst_data, **config_value)


def kept_storage(folder: Path) -> dict[str, Any]:
    """The setting of an instance whose file names no storage: this one, where Dagster's own would lie."""
    kept = {"module": __name__, "class": SqliteStorage.__name__, "config": {"base_dir": str(folder)}}
    return {"storage": {"custom": kept}}
