"""Memory units: the one surface that search reads.

``entry`` (a memory with its quotes), ``task`` (a task entity), ``passage`` (what a person or an agent wrote), ``episode`` (what
happened in a session), ``gotcha`` (an error and what ended it) and ``lesson`` (what cases teach a role). All but the tasks and
the lessons are folded with their sessions; these are folded once behind all sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memory_assets.identifiers import typed_id
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.rows import insert_rows
from memory_assets.projections.unit_tables.entry_units import memory_drafts, task_drafts
from memory_assets.projections.unit_tables.episodes import episode_drafts
from memory_assets.projections.unit_tables.gotchas import gotcha_drafts
from memory_assets.projections.unit_tables.lesson_units import lesson_drafts
from memory_assets.projections.unit_tables.passages import passage_drafts
from memory_assets.projections.unit_tables.unit_rows import Draft, found

if TYPE_CHECKING:
    import duckdb

# Units whose source may have changed with the scope, before the fold and after it. Two readings, for DuckDB skips most rows of
# a table by one set of values, and none by either of two (measured with 130,000 units).
_TOUCHED_SOURCES = """
INSERT INTO touched_units
(SELECT unit_id FROM memory_units
 WHERE session_id IN (SELECT session_id FROM affected) AND unit_kind IN ('passage', 'episode', 'gotcha')
 UNION ALL
 SELECT unit_id FROM memory_units WHERE source_id IN (SELECT memory_id FROM touched_memories) AND unit_kind = 'entry')
EXCEPT SELECT unit_id FROM touched_units
"""

# A task shows what its sessions say around its quotes: that may change where nothing that they say of it does.
_TOUCHED_TASKS = """
SELECT entity_id FROM touched_entities WHERE entity_type = 'task'
UNION
SELECT g.dst_id FROM edges g JOIN entries n ON n.entry_id = g.src_id
WHERE g.rel_type = 'evidence_of' AND n.session_id IN (SELECT session_id FROM folded_sessions)
"""


def remember_touched_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Note the units that the scope may change; before the fold of their sources, and again for what is touched later."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched_units (unit_id VARCHAR)")
    connection.execute(_TOUCHED_SOURCES)


def fold_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the units of the scope anew. ``touched_units`` holds every unit that was or is concerned afterwards."""
    _note_sessions(connection)
    drafts = (memory_drafts, passage_drafts, episode_drafts, gotcha_drafts)
    _replace(connection, [draft for made in drafts for draft in made(connection)])


def fold_task_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the units of the tasks in ``touched_entities`` anew, and of those that sessions folded before say something of."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS folded_sessions (session_id VARCHAR)")
    task_ids = [row[0] for row in connection.execute(_TOUCHED_TASKS).fetchall()]
    connection.execute("DROP TABLE folded_sessions")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE touched_units AS SELECT unit_id FROM {IN_LIST} AS units(unit_id)",
        [json_list(typed_id("unt", "task", task_id) for task_id in task_ids)],
    )
    if task_ids:
        _replace(connection, task_drafts(connection, task_ids))


def fold_lesson_units(connection: duckdb.DuckDBPyConnection, lesson_ids: Sequence[str]) -> None:
    """Fold the units of these lessons anew."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE touched_units AS SELECT unit_id FROM {IN_LIST} AS units(unit_id)",
        [json_list(typed_id("unt", "lesson", lesson_id) for lesson_id in lesson_ids)],
    )
    if lesson_ids:
        _replace(connection, lesson_drafts(connection, lesson_ids))


def close_touched_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`remember_touched_units` made."""
    connection.execute("DROP TABLE IF EXISTS touched_units")


def _note_sessions(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS folded_sessions (session_id VARCHAR)")
    connection.execute("INSERT INTO folded_sessions SELECT session_id FROM affected")


def _replace(connection: duckdb.DuckDBPyConnection, drafts: Iterable[Draft]) -> None:
    for table in ("unit_facets", "memory_units"):
        connection.execute(f"DELETE FROM {table} WHERE unit_id IN (SELECT unit_id FROM touched_units)")
    made = [found(draft) for draft in drafts]
    insert_rows(connection, "memory_units", [one.unit for one in made])
    insert_rows(connection, "unit_facets", [facet for one in made for facet in one.facets])
    if made:
        connection.execute(
            f"INSERT INTO touched_units SELECT * FROM {IN_LIST} EXCEPT SELECT unit_id FROM touched_units",
            [json_list(one.unit.unit_id for one in made)],
        )
