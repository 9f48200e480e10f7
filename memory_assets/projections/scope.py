"""What a fold works on: the visible events of the sessions that something was logged for.

Three temporary tables that every projector reads: ``affected`` (the sessions), ``scoped`` (their visible events) and
``current_chain`` (for each session and stage, the event of its latest history under the configured versions).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from memory_assets.log.events import CHAIN
from memory_assets.log.sql import IN_LIST, json_list, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb


def open_scope(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> None:
    """Fill the three tables for these sessions."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE affected AS SELECT DISTINCT session_id FROM {IN_LIST} AS ids(session_id)",
        [json_list(session_ids)],
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE scoped AS
        SELECT seq, event_id, ts, event_type, session_id, payload_json, occurred_at, causation_id, stage_version, chain_id,
               project, build_id
        FROM {visible("session_id IN (SELECT session_id FROM affected)")}
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


def close_scope(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`open_scope` made."""
    for table in ("affected", "scoped", "current_chain"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
