"""Memories: entries that say the same, with all their evidence (architecture.md section 4, *Entries and memories*).

Entries belong together when project, type and canonical key are equal: an exact key, never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.retrieval.citations import memory_short_id

if TYPE_CHECKING:
    import duckdb

# An entry without any span was quoted from nowhere: it is listed among the entries, and never a memory.
_GROUPED = """
SELECT n.entry_id, n.entry_type, n.title, n.project, n.canonical_key, n.stage, n.checker, n.session_id, n.created_ts,
  'mem_' || substr(sha256(first_value(n.entry_id) OVER told), 1, 32) AS memory_id,
  first_value(n.entry_id) OVER told AS first_entry_id, row_number() OVER told AS place
FROM entries n JOIN touched k ON k.entry_type = n.entry_type AND k.canonical_key = n.canonical_key
  AND k.project IS NOT DISTINCT FROM n.project
WHERE n.status = 'active' AND n.stage <> 'raw'
WINDOW told AS (PARTITION BY n.project, n.entry_type, n.canonical_key
  ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id)
"""

_LADDER = "['raw', 'working', 'candidate', 'verified', 'certified']"


def remember_touched(connection: duckdb.DuckDBPyConnection) -> None:
    """Note the groups that the scope's entries are in; before their fold and again after it."""
    connection.execute(
        """CREATE TEMP TABLE IF NOT EXISTS touched (project VARCHAR, entry_type VARCHAR, canonical_key VARCHAR)"""
    )
    connection.execute(
        """
        INSERT INTO touched SELECT DISTINCT project, entry_type, canonical_key FROM entries
        WHERE session_id IN (SELECT session_id FROM affected)
        EXCEPT SELECT * FROM touched
        """
    )


def fold_memories(connection: duckdb.DuckDBPyConnection) -> None:
    """Group the entries of every touched key anew."""
    connection.execute(
        """
        DELETE FROM memory_citations WHERE memory_id IN (SELECT m.memory_id FROM memories m JOIN touched k
          ON k.entry_type = m.entry_type AND k.canonical_key = m.canonical_key AND k.project IS NOT DISTINCT FROM m.project)
        """
    )
    connection.execute(
        """
        DELETE FROM memories m USING touched k WHERE k.entry_type = m.entry_type AND k.canonical_key = m.canonical_key
          AND k.project IS NOT DISTINCT FROM m.project
        """
    )
    connection.execute(f"CREATE OR REPLACE TEMP TABLE grouped AS {_GROUPED}")
    connection.execute(
        "UPDATE entries SET memory_id = grouped.memory_id FROM grouped WHERE grouped.entry_id = entries.entry_id"
    )
    _insert_citations(connection)
    connection.execute(
        f"""
        INSERT INTO memories
        SELECT g.memory_id, any_value(c.short_id), g.entry_type, arg_min(g.title, g.place), g.project, g.canonical_key,
          {_LADDER}[max(list_position({_LADDER}, g.stage))], arg_max(g.checker, list_position({_LADDER}, g.stage)),
          any_value(g.first_entry_id), count(*), count(DISTINCT g.session_id), min(g.created_ts), max(g.created_ts)
        FROM grouped g JOIN memory_citations c ON c.entry_id = g.first_entry_id
        GROUP BY g.memory_id, g.entry_type, g.project, g.canonical_key
        """
    )
    connection.execute("DROP TABLE grouped")


def close_touched(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`remember_touched` made."""
    connection.execute("DROP TABLE IF EXISTS touched")


def _insert_citations(connection: duckdb.DuckDBPyConnection) -> None:
    """Give every entry of the groups a short id. Of two that ask for the same, the one whose entry id comes first has it.

    Who has to give way is hashed again (requirement R1.3). That is deferred acceptance: in whatever order they ask, and
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
