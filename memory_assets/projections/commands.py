"""What people and policies said of entries: events of no session, each about the entries that it names.

A fold reads them all into two temporary tables: they are few. Whatever they name is folded anew when they are new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.graduation import (
    ConflictReopened,
    ConflictResolved,
    EntriesDemoted,
    EntryPromotionRejected,
    MemoryCorrected,
    PromotionConfirmed,
)

if TYPE_CHECKING:
    import duckdb

COMMANDS = tuple(
    payload.event_type
    for payload in (
        ConflictResolved,
        ConflictReopened,
        MemoryCorrected,
        PromotionConfirmed,
        EntriesDemoted,
        EntryPromotionRejected,
    )
)

_SAID = f"""
SELECT seq, event_id, event_type, actor, ts, occurred_at, payload_json, build_id FROM events
WHERE session_id IS NULL AND event_type IN {COMMANDS}
"""

_NAMED = """
SELECT event_id, 'entry' AS side, payload_json ->> '$.entry_id' AS entry_id FROM commands
WHERE event_type = 'entry_promotion_rejected'
UNION ALL
SELECT event_id, 'entry', unnest(from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')) FROM commands
UNION ALL
SELECT event_id, 'older', unnest(from_json(payload_json -> '$.older_ids', '["VARCHAR"]')) FROM commands
UNION ALL
SELECT event_id, 'newer', unnest(from_json(payload_json -> '$.newer_ids', '["VARCHAR"]')) FROM commands
"""


def open_commands(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill ``commands`` (one row a command) and ``command_entries`` (one row an entry that it names, and of which side)."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE commands AS {_SAID}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE command_entries AS {_NAMED}")


def sessions_named(connection: duckdb.DuckDBPyConnection, since: int) -> list[str]:
    """The sessions of the entries that commands behind ``since`` name."""
    rows = connection.execute(
        """SELECT DISTINCT n.session_id FROM commands c JOIN command_entries e USING (event_id)
           JOIN entries n ON n.entry_id = e.entry_id WHERE c.seq > ? ORDER BY n.session_id""",
        [since],
    ).fetchall()
    return [row[0] for row in rows]


def close_commands(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`open_commands` made."""
    for table in ("commands", "command_entries"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
