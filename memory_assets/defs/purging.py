"""`memory purge`, and what Dagster's own records hold of what was forgotten.

Where our storage keeps the records, they are SQLite files in DAGSTER_HOME. Runs of forgotten sessions alone are deleted as
`memory prune` deletes runs. Of other runs go the rows that name such a session, and what a leaf of the graph wrote about all
sessions: it is made again, and what it said of the log's length is not true any more. Then every file is written anew, for
SQLite leaves deleted rows in it.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.defs.instance import dagster_home, dagster_instance
from memory_assets.defs.partitions import SESSIONS_PARTITIONS_NAME
from memory_assets.defs.pruning import delete_run, keeps_outcomes
from memory_assets.defs.resources import open_store
from memory_assets.errors import MemoryAssetsError
from memory_assets.identifiers import sha256_hex
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.maintenance.court_mirror import project_court, take_out_of_court
from memory_assets.maintenance.forget import honour_forgetting
from memory_assets.maintenance.purge.following import purge_to_follow, tell_purged
from memory_assets.maintenance.purge.purge import Elsewhere, Plan, dry_run, follow, plan, purge
from memory_assets.postgres.address import PostgresAddress
from memory_assets.results.purge import DagsterPurgedV1, OutOfReachV1, PurgeReportV1
from memory_assets.settings import Settings

if TYPE_CHECKING:
    import dagster as dg

    from memory_assets.configuration import Resources
    from memory_assets.progress import Progress

Beside = Callable[[Settings, Mapping[str, bool]], None]

_WAIT_SECONDS = 30.0
_POSTGRES_ITSELF = OutOfReachV1(
    what="PostgreSQL's backups and write-ahead log", why="they are its owner's: the court's tables there are clean"
)
_OTHER_STORAGE = "Dagster's records lie in another storage than ours: what they say of these sessions stays there"

# The name of a field, or of the class of an object: what stands behind it is its value.
_FIELD = re.compile(r'"__class__": "(\w+)"|"([^"\\\n]+)":')
_SOME_OF_EACH = """SELECT event FROM (
  SELECT event, row_number() OVER (PARTITION BY dagster_event_type ORDER BY id DESC) AS place FROM event_logs
) WHERE place <= 3"""
# A run and the sessions that it named.
_RUNS = "SELECT run_id, json_group_array(DISTINCT partition) FROM event_logs WHERE partition IS NOT NULL GROUP BY run_id"
# Of a session that lives: what its newest run told again.
_TOLD_AGAIN = """DELETE FROM event_logs WHERE partition IN (SELECT value FROM json_each(:changed)) AND EXISTS (
  SELECT 1 FROM event_logs new WHERE new.asset_key = event_logs.asset_key AND new.partition = event_logs.partition
    AND new.dagster_event_type = event_logs.dagster_event_type AND new.id > event_logs.id)"""
# What was told before its history began, which nothing may have told again yet: who forgot is at work, or was killed.
_OF_FORMER_HISTORY = """DELETE FROM event_logs WHERE EXISTS (
  SELECT 1 FROM json_each(:begun) WHERE key = event_logs.partition AND event_logs.timestamp < value)"""
_BEGUN = f"""SELECT s.session_id, strftime(e.ts, '%Y-%m-%d %H:%M:%S.%f') FROM sessions s
JOIN events e ON e.event_id = s.chain_id WHERE s.session_id IN {IN_LIST}"""
_NEWEST = "SELECT DISTINCT partition || ' ' || run_id FROM event_logs WHERE partition IS NOT NULL"
_OF_OLDER_RUNS = """DELETE FROM event_logs WHERE partition IN (SELECT value FROM json_each(:changed))
  AND partition || ' ' || run_id NOT IN (SELECT value FROM json_each(:newest))"""
_NAMING = """DELETE FROM event_logs WHERE partition IN (SELECT value FROM json_each(:gone))
  OR EXISTS (SELECT 1 FROM json_each(:spelled) WHERE instr(event, value) > 0)"""
# Leaves have no partitions, and what they say of all sessions may quote any; a step repeats it of its output.
_OF_LEAVES = """DELETE FROM event_logs WHERE partition IS NULL
  AND dagster_event_type IN ('ASSET_MATERIALIZATION', 'ASSET_OBSERVATION', 'STEP_OUTPUT', 'HANDLED_OUTPUT')"""
_INDEX = (
    "DELETE FROM asset_event_tags WHERE event_id NOT IN (SELECT id FROM event_logs)",
    """DELETE FROM asset_check_executions
      WHERE EXISTS (SELECT 1 FROM json_each(:spelled) WHERE instr(evaluation_event, value) > 0)""",
    """UPDATE asset_keys SET cached_status_data = NULL, last_materialization = (
      SELECT event FROM event_logs WHERE event_logs.asset_key = asset_keys.asset_key
        AND dagster_event_type = 'ASSET_MATERIALIZATION' ORDER BY id DESC LIMIT 1)""",
)
# What tells of a run or a tick as a whole and names such a session beside others: it is called by a hash there.
_RENAMED = {
    "runs": ("run_body", "partition"),
    "run_tags": ("value",),
    "bulk_actions": ("body",),
    "job_ticks": ("tick_body",),
    "instigators": ("instigator_body",),
    "kvs": ("value",),
}


def planned_purge(settings: Settings) -> Plan:
    """What there is to purge; what was forgotten is forgotten by the tables first."""
    resources = open_store(settings).resources
    honour_forgetting(resources)
    return plan(resources, _own_words(settings.dagster_home))


def purge_report(settings: Settings, planned: Plan) -> PurgeReportV1:
    """What a purge would take out; nothing is changed."""
    return dry_run(open_store(settings).resources, planned)


def purge_all(
    settings: Settings, planned: Plan, *, progress: Progress | None = None, beside: Beside | None = None
) -> PurgeReportV1:
    """Take out of the store, its index and Dagster's records what was forgotten. See ``maintenance.purge.purge.purge``.

    Args:
        beside: takes the same sessions out of what others keep in the store's folder.
    """
    resources = open_store(settings).resources
    return _told(resources, purge(resources, planned, _elsewhere(settings, beside), progress=progress))


def followed_purge(
    settings: Settings, *, progress: Progress | None = None, beside: Beside | None = None
) -> PurgeReportV1 | None:
    """Take out here what another machine purged of the shared log; None where none did. See :func:`purge_all`."""
    resources = open_store(settings).resources
    if not purge_to_follow(resources):
        return None
    words = _own_words(settings.dagster_home)
    return _told(resources, follow(resources, _elsewhere(settings, beside), words, progress=progress))


def _elsewhere(settings: Settings, beside: Beside | None) -> Elsewhere:
    def elsewhere(sessions: Mapping[str, bool]) -> DagsterPurgedV1:
        if beside is not None:
            beside(settings, sessions)
        return purge_records(settings, sessions)

    return elsewhere


def _told(resources: Resources, report: PurgeReportV1) -> PurgeReportV1:
    """The report; a shared log is told that nothing is left here, where that is so."""
    report = _with_postgres(resources, report)
    if not report.found_after and not report.left_in_postgres:
        tell_purged(resources)
    return report


def _with_postgres(resources: Resources, report: PurgeReportV1) -> PurgeReportV1:
    """The report, whatever becomes of PostgreSQL: where that did not follow, it says so. Vectors may wait for a model."""
    if resources.settings.court.backend != "postgres":
        return report
    told = _POSTGRES_ITSELF
    if left := take_out_of_court(resources):
        told = OutOfReachV1(what=_court_of(resources), why=f"it still holds what was purged: {left}. {left.hint}")
    else:
        with contextlib.suppress(MemoryAssetsError):
            project_court(resources)
    update = {"out_of_reach": (told, *report.out_of_reach), "left_in_postgres": left is not None}
    return report.model_copy(update=update)


def _court_of(resources: Resources) -> str:
    url = resources.settings.court.postgres_url
    return "the court's tables in " + (str(PostgresAddress(url)) if url else "PostgreSQL")


def purge_records(settings: Settings, sessions: Mapping[str, bool]) -> DagsterPurgedV1:
    """Take sessions out of Dagster's records: those of which nothing is left, and what older histories of others said."""
    if not (settings.dagster_home / "dagster.yaml").exists():
        return DagsterPurgedV1(runs=0, records=0, partitions=0, beyond="")
    home, instance = dagster_home(settings), dagster_instance(settings)
    gone = [key for key, wholly in sessions.items() if wholly]
    partitions = _drop_partitions(instance, gone)
    if not keeps_outcomes(instance):
        return DagsterPurgedV1(runs=0, records=0, partitions=partitions, beyond=_OTHER_STORAGE)
    index = home / "history" / "runs" / "index.db"
    runs = _runs_of(index, gone)
    for run_id in runs:
        delete_run(instance, home, run_id)
    # Another connection's file would be replaced under it.
    instance.event_log_storage.dispose()
    instance.run_storage.dispose()
    begun = _begun(settings, sessions.keys() - set(gone))
    # The file of what all runs have done comes first: it tells which run told of a session last.
    records = _clean(index, gone, begun, None)
    newest = _newest(index)
    records += sum(_clean(path, gone, begun, newest) for path in _databases(home) if path != index)
    _drop_printed(home, gone)
    return DagsterPurgedV1(runs=len(runs), records=records, partitions=partitions, beyond="")


def _begun(settings: Settings, changed: Iterable[str]) -> dict[str, str]:
    """When the history of each session that is read now began, as Dagster writes a moment; empty where none is read."""
    with open_store(settings).database.reading() as connection:
        known = dict(fetch(connection, _BEGUN, [json_list(sorted(changed))]))
    return {session_id: known.get(session_id, "") for session_id in sorted(changed)}


def _own_words(home: Path) -> str:
    """What Dagster's records say whatever they tell of: its settings, names of tables and columns, and of JSON's fields."""
    said = [path.read_text(encoding="utf-8") for path in home.glob("dagster.yaml")]
    for path in _databases(home):
        # What cannot be read here is not left out of the proof.
        with contextlib.suppress(sqlite3.Error), _opened(path) as connection:
            tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            said += [sql for _, sql in tables]
            events = connection.execute(_SOME_OF_EACH) if "event_logs" in dict(tables) else ()
            said += {word for (event,) in events for found in _FIELD.findall(event) for word in found}
    return " ".join(said)


def _drop_partitions(instance: dg.DagsterInstance, gone: Iterable[str]) -> int:
    known = set(instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME))
    dropped = [key for key in gone if key in known]
    for key in dropped:
        instance.delete_dynamic_partition(SESSIONS_PARTITIONS_NAME, key)
    return len(dropped)


def _runs_of(index: Path, gone: Iterable[str]) -> list[str]:
    """Runs that named these sessions and no others."""
    if not index.exists():
        return []
    with _opened(index) as connection:
        named = {run_id: set(json.loads(keys)) for run_id, keys in connection.execute(_RUNS)}
    return sorted(run_id for run_id, keys in named.items() if keys <= set(gone))


def _databases(home: Path) -> list[Path]:
    return sorted([*(home / "history").rglob("*.db"), *(home / "schedules").glob("*.db")])


def _newest(index: Path) -> list[str]:
    """Sessions with the runs that told of them last."""
    if not index.exists():
        return []
    with _opened(index) as connection:
        return [row[0] for row in connection.execute(_NEWEST)]


def _clean(path: Path, gone: list[str], begun: Mapping[str, str], newest: list[str] | None) -> int:
    """Delete the rows of a file that name these sessions, and write the file anew; how many rows.

    Args:
        begun: see :func:`_begun`.
        newest: of a run's own file: see :func:`_newest`.
    """
    if not path.exists():
        return 0
    # As JSON writes a key in an event: not a part of a longer one.
    spelled = [quoted for key in gone for quoted in (f'"{key}"', f'\\"{key}\\"', f"|{key}", f"[{key}]", f" {key} ")]
    values = {
        "gone": json.dumps(gone),
        "changed": json.dumps(list(begun)),
        "begun": json.dumps(begun),
        "spelled": json.dumps(spelled),
        "newest": json.dumps(newest),
    }
    with _opened(path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        before = connection.total_changes
        if "event_logs" in tables:
            told_again = _TOLD_AGAIN if newest is None else _OF_OLDER_RUNS
            for statement in (_NAMING, _OF_FORMER_HISTORY, told_again, _OF_LEAVES):
                connection.execute(statement, values)
        records = connection.total_changes - before
        for table in _RENAMED.keys() & tables:
            for key in gone:
                _rename(connection, table, key)
        if "asset_keys" in tables:
            for statement in _INDEX:
                connection.execute(statement, values)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return records


def _rename(connection: sqlite3.Connection, table: str, key: str) -> None:
    other = f"forgotten-{sha256_hex(key)[:12]}"
    for column in _RENAMED[table]:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (other, key))
        for before, after in ((f'"{key}"', f'"{other}"'), (f'\\"{key}\\"', f'\\"{other}\\"')):
            connection.execute(
                f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE instr({column}, ?) > 0", (before, after, before)
            )


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=_WAIT_SECONDS)) as connection:
        yield connection


def _drop_printed(home: Path, gone: list[str]) -> None:
    """What runs printed, where it names one of these sessions."""
    keys = [key.encode() for key in gone]
    for path in (home / "storage").rglob("compute_logs/*"):
        if path.is_file() and any(key in path.read_bytes() for key in keys):
            path.unlink()
