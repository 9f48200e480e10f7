"""What a fold works on: the visible events of the sessions that something was logged for.

Four temporary tables that every projector reads: ``affected`` (the sessions), ``scoped`` (their visible events),
``current_chain`` (for each session and stage, the event of its latest history under the configured versions) and ``headings``
(what is said of each session beside its messages).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.sql import IN_LIST, json_list, seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

# A revision says its heading only where it is another than before.
_HEADINGS = """
CREATE OR REPLACE TEMP TABLE headings AS
SELECT e.session_id, e.chain_id, arg_max(e.payload_json -> '$.heading', e.seq) AS heading
FROM current_chain c JOIN scoped h ON h.event_id = c.event_id
JOIN scoped e ON e.session_id = h.session_id AND e.chain_id = h.chain_id AND e.event_type = 'session_ingested'
WHERE c.event_type = 'session_ingested' AND (e.payload_json -> '$.heading') IS NOT NULL GROUP BY e.session_id, e.chain_id
"""

# Of the sessions of the scope, and of the entries that share a memory with theirs: those may be contested by now.
ENTRIES_IN_SCOPE = """(session_id IN (SELECT session_id FROM affected)
  OR entry_id IN (SELECT entry_id FROM entries WHERE memory_id IN (SELECT memory_id FROM touched_memories)))"""


def open_scope(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> None:
    """Fill the four tables for these sessions."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE affected AS SELECT DISTINCT session_id FROM {IN_LIST} AS ids(session_id)",
        [json_list(session_ids)],
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE scoped AS
        SELECT seq, event_id, ts, event_type, session_id, payload_json, occurred_at, causation_id, stage_version, chain_id,
               project, build_id
        FROM {seen(connection)("session_id IN (SELECT session_id FROM affected)")}
        """
    )
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE current_chain AS
        SELECT session_id, event_type, arg_max(event_id, seq) AS event_id FROM scoped
        WHERE event_type = 'session_ingested' GROUP BY session_id, event_type
        """
    )
    chain = list(CHAIN.values())
    for earlier, later in itertools.pairwise(chain):
        connection.execute(
            """
            INSERT INTO current_chain
            SELECT p.session_id, $later, arg_max(e.event_id, e.seq)
            FROM current_chain p JOIN scoped e ON e.causation_id = p.event_id AND e.event_type = $later
              AND e.session_id = p.session_id
            JOIN configured_versions v ON v.event_type = $later AND v.stage_version = e.stage_version
            WHERE p.event_type = $earlier GROUP BY p.session_id
            """,
            {"earlier": earlier, "later": later},
        )
    connection.execute(_HEADINGS)


def close_scope(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`open_scope` made."""
    for table in ("affected", "scoped", "current_chain", "headings"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
