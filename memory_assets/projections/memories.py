"""Memories: entries that say the same, with all their evidence.

Entries of one project and type belong together when their statements are equal, or say the same (`text.equivalence`): an exact
key first, then likeness, never a model's guess. Groups follow from the texts and the sessions' own clocks alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.citations.addresses import memory_short_id
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.conflict_resolutions import merged_statements
from memory_assets.projections.statements import EntryStatement, Links, leaders, linked
from memory_assets.vocabulary import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

_ORDER = "n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id"

_GROUPED = f"""
SELECT n.entry_id, n.entry_type, n.title, n.project, n.canonical_key, n.stage, n.checker, n.session_id, n.created_ts,
  'mem_' || substr(sha256(first_value(n.entry_id) OVER told), 1, 32) AS memory_id,
  first_value(n.entry_id) OVER told AS first_entry_id, row_number() OVER told AS place
FROM touched k JOIN statements s ON s.statement = k.statement AND s.entry_type = k.entry_type
  AND s.project IS NOT DISTINCT FROM k.project
JOIN entries n ON n.entry_id = s.entry_id
WINDOW told AS (PARTITION BY s.project, s.entry_type, k.leader ORDER BY {_ORDER})
"""

_LADDER = list(STAGES)


_START = """
SELECT project, entry_type, statement FROM touched
UNION SELECT project, entry_type, statement FROM statements WHERE session_id IN (SELECT session_id FROM affected)
"""
# With what a correction is about goes what it says, and what was said instead of that: of two about the same the later one
# holds, also where nothing but what the scope's entries say tells that they are.
_CORRECTING = """
WITH RECURSIVE instead AS MATERIALIZED (
  SELECT e.entry_id, n.entry_id AS said FROM commands c JOIN command_entries e USING (event_id)
  JOIN entries n ON n.session_id = (c.payload_json ->> '$.correction_session_id')
  WHERE c.event_type = 'memory_corrected'
), corrections AS (
  SELECT said FROM instead WHERE entry_id IN (
    SELECT entry_id FROM entries WHERE session_id IN (SELECT session_id FROM affected))
  UNION
  SELECT i.said FROM corrections c JOIN instead i ON i.entry_id = c.said
)
SELECT s.project, s.entry_type, s.statement FROM corrections c JOIN statements s ON s.entry_id = c.said
"""
_HAS_CORRECTIONS = "SELECT 1 FROM commands WHERE event_type = 'memory_corrected' LIMIT 1"


def remember_touched(connection: duckdb.DuckDBPyConnection) -> None:
    """Note what the scope's entries say, whatever is linked to it, and the memories of all that.

    Before the fold of the entries and again after it: the memories still stand as they were.
    """
    connection.execute(
        """CREATE TEMP TABLE IF NOT EXISTS touched (project VARCHAR, entry_type VARCHAR, statement VARCHAR, leader VARCHAR)"""
    )
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched_memories (memory_id VARCHAR)")
    start = connection.execute(_START).fetchall()
    if connection.execute(_HAS_CORRECTIONS).fetchall():
        start += connection.execute(_CORRECTING).fetchall()
    if start:
        merged = [(EntryStatement(*one), EntryStatement(*other)) for one, other in merged_statements(connection)]
        found, links = linked(connection, (EntryStatement(*row) for row in start), merged)
        _write_touched(connection, found, links)
    connection.execute(
        """
        INSERT INTO touched_memories
        SELECT DISTINCT memory_id FROM memory_citations WHERE entry_id IN (
          SELECT s.entry_id FROM statements s JOIN touched k ON k.statement = s.statement AND k.entry_type = s.entry_type
            AND k.project IS NOT DISTINCT FROM s.project
          UNION ALL SELECT entry_id FROM entries WHERE session_id IN (SELECT session_id FROM affected))
        EXCEPT SELECT * FROM touched_memories
        """
    )


def fold_memories(connection: duckdb.DuckDBPyConnection) -> None:
    """Group the entries of everything that was touched anew. ``touched_memories`` also holds what came of it afterwards."""
    for table in ("memory_citations", "memories"):
        connection.execute(f"DELETE FROM {table} WHERE memory_id IN (SELECT memory_id FROM touched_memories)")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE grouped AS {_GROUPED}")
    connection.execute(
        "UPDATE entries SET memory_id = grouped.memory_id FROM grouped WHERE grouped.entry_id = entries.entry_id"
    )
    _insert_citations(connection)
    connection.execute(
        f"""
        INSERT INTO memories (memory_id, short_id, entry_type, title, project, canonical_key, stage, checker, first_entry_id,
          entry_count, session_count, first_said_at, last_said_at, status)
        SELECT g.memory_id, any_value(c.short_id), g.entry_type, arg_min(g.title, g.place), g.project,
          arg_min(g.canonical_key, g.place), {_LADDER}[max(list_position({_LADDER}, g.stage))],
          arg_max(g.checker, list_position({_LADDER}, g.stage)),
          any_value(g.first_entry_id), count(*), count(DISTINCT g.session_id), min(g.created_ts), max(g.created_ts),
          'active'
        FROM grouped g JOIN memory_citations c ON c.entry_id = g.first_entry_id
        GROUP BY g.memory_id, g.entry_type, g.project
        """
    )
    connection.execute(
        "INSERT INTO touched_memories SELECT DISTINCT memory_id FROM grouped EXCEPT SELECT * FROM touched_memories"
    )
    connection.execute("DROP TABLE grouped")


def close_touched(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`remember_touched` made."""
    connection.execute("DROP TABLE IF EXISTS touched")
    connection.execute("DROP TABLE IF EXISTS touched_memories")


def _write_touched(connection: duckdb.DuckDBPyConnection, found: set[EntryStatement], links: Links) -> None:
    import pyarrow as pa

    leader = leaders(_said_order(connection, links), links)
    said = list(found)
    table = pa.table(
        {
            "project": pa.array([one.project for one in said], pa.string()),
            "entry_type": pa.array([one.entry_type for one in said], pa.string()),
            "statement": pa.array([one.statement for one in said], pa.string()),
            "leader": pa.array([leader.get(one, one).statement for one in said], pa.string()),
        }
    )
    connection.execute("DELETE FROM touched")
    connection.register("new_touched", table)
    connection.execute("INSERT INTO touched SELECT * FROM new_touched")
    connection.unregister("new_touched")


def _said_order(connection: duckdb.DuckDBPyConnection, links: Links) -> Iterable[EntryStatement]:
    """The linked statements that somebody still says, in the order in which they were said first."""
    if not links:
        return []
    rows = connection.execute(
        f"""SELECT s.project, s.entry_type, s.statement FROM statements s JOIN entries n USING (entry_id)
            WHERE s.statement IN {IN_LIST} ORDER BY {_ORDER}""",
        [json_list({said.statement for said in links})],
    ).fetchall()
    return [said for said in dict.fromkeys(EntryStatement(*row) for row in rows) if said in links]


def _insert_citations(connection: duckdb.DuckDBPyConnection) -> None:
    """Give every entry of the groups a short id. Of two that ask for the same, the one whose entry id comes first has it.

    Who has to give way is hashed again. That is deferred acceptance: in whatever order they ask, and
    however often, the same ones end up with the same. Those that gave way ask anew each time, for the other may be gone.
    """
    grouped = dict(connection.execute("SELECT entry_id, memory_id FROM grouped").fetchall())
    memories = grouped | dict(
        connection.execute("SELECT entry_id, memory_id FROM memory_citations WHERE attempt > 0").fetchall()
    )
    given: dict[str, tuple[str, int]] = {}
    asking = [(entry_id, 0) for entry_id in memories]
    while asking:
        asked = [(memory_short_id(entry_id, attempt), entry_id, attempt) for entry_id, attempt in asking]
        for short_id, entry_id, memory_id in connection.execute(
            f"SELECT short_id, entry_id, memory_id FROM memory_citations WHERE attempt = 0 AND short_id IN {IN_LIST}",
            [json_list(short_id for short_id, _, _ in asked)],
        ).fetchall():
            if entry_id not in memories:
                given[short_id] = (entry_id, 0)
                memories[entry_id] = memory_id
        asking = []
        for short_id, entry_id, attempt in asked:
            owner = given.setdefault(short_id, (entry_id, attempt))
            if owner[0] < entry_id:
                asking.append((entry_id, attempt + 1))
            elif owner[0] > entry_id:
                given[short_id] = (entry_id, attempt)
                asking.append((owner[0], owner[1] + 1))
    _write_citations(connection, given, memories)
    if memories.keys() != grouped.keys():
        connection.execute(
            """UPDATE memories SET short_id = c.short_id FROM memory_citations c
               WHERE c.entry_id = memories.first_entry_id AND c.short_id <> memories.short_id"""
        )


def _write_citations(
    connection: duckdb.DuckDBPyConnection, given: dict[str, tuple[str, int]], memories: dict[str, str]
) -> None:
    import pyarrow as pa

    owners = list(given.values())
    table = pa.table(
        {
            "entry_id": pa.array([entry_id for entry_id, _ in owners], pa.string()),
            "short_id": pa.array(given, pa.string()),
            "memory_id": pa.array([memories[entry_id] for entry_id, _ in owners], pa.string()),
            "attempt": pa.array([attempt for _, attempt in owners], pa.int32()),
        }
    )
    connection.register("new_citations", table)
    connection.execute("DELETE FROM memory_citations WHERE entry_id IN (SELECT entry_id FROM new_citations)")
    connection.execute("INSERT INTO memory_citations SELECT * FROM new_citations")
    connection.unregister("new_citations")
