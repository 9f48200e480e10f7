"""Whether the board is what a replay of the tasks gives: the fold from the first word on, beside the tables as they are.

It compares less than ``rebuild --verify``, which replays the whole log, and costs little: claims and
references are taken as they stand (6 s of CPU for 10,000 tasks).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memory_assets.projections.fold import fold
from memory_assets.projections.task_tables.board import fold_board
from memory_assets.projections.task_tables.claims import close_touched_tasks, open_touched_tasks

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.database import Database

TABLES = ("entities", "entity_aliases", "edges", "task_outcomes")

# Nothing but the fold of tasks writes these tables.
_EVERYTHING = (
    *(f"DELETE FROM {table}" for table in TABLES),
    """INSERT INTO touched_names SELECT project_key, name FROM task_claims
       UNION SELECT project_key, blocker FROM (SELECT project_key, unnest(blocker_names) AS blocker FROM task_claims)
       WHERE blocker <> ''""",
    "INSERT INTO touched_titles SELECT * FROM touched_names",
    "INSERT INTO touched_artifacts SELECT DISTINCT canonical_key FROM artifact_references",
)


def replayed(database: Database, versions: Mapping[str, str]) -> int:
    """How many rows of the board, brought up to the log's end, a replay of all tasks gives otherwise; nothing of it is kept."""
    with database.held() as connection:
        connection.execute("BEGIN")
        fold(connection, versions)
        differences = replay_differences(connection, versions)
        connection.execute("ROLLBACK")
    return differences


def replay_differences(connection: duckdb.DuckDBPyConnection, versions: Mapping[str, str]) -> int:
    """How many rows of the board are others after a replay of all tasks.

    Afterwards the tables hold what the replay gave: the caller is in a transaction, and rolls it back. Nothing is appended.

    Args:
        versions: the configured version of each stage by event type, which the tables were folded with.
    """
    for table in TABLES:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table}_before AS SELECT * FROM {table}")
    open_touched_tasks(connection)
    for statement in _EVERYTHING:
        connection.execute(statement)
    fold_board(connection, 0, versions["session_vectorized"], resolve=False, build=None)
    close_touched_tasks(connection)
    return sum(_differences(connection, table) for table in TABLES)


def _differences(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    before = f"temp.{table}_before"
    ((count,),) = connection.execute(
        f"""SELECT (SELECT count(*) FROM (SELECT * FROM {before} EXCEPT SELECT * FROM {table}))
              + (SELECT count(*) FROM (SELECT * FROM {table} EXCEPT SELECT * FROM {before}))"""
    ).fetchall()
    connection.execute(f"DROP TABLE {before}")
    return int(count)
