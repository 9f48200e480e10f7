"""What people and policies said of entries: events of no session, each about the entries that it names.

A fold reads them all into a temporary table: they are few. Whatever they name is folded anew when they are new.
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
SELECT seq, event_id, event_type, actor, ts, occurred_at, payload_json, build_id, project FROM events
WHERE session_id IS NULL AND event_type IN {COMMANDS}
"""

# A word is about what is said in the same words too, by whomever, until it was said itself: those that it names may be gone.
_NAMED = """
SELECT event_id, 'entry' AS side, payload_json ->> '$.entry_id' AS entry_id FROM commands
WHERE event_type = 'entry_promotion_rejected'
UNION ALL
SELECT event_id, 'entry', unnest(from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')) FROM commands
UNION ALL
SELECT event_id, 'older', unnest(from_json(payload_json -> '$.older_ids', '["VARCHAR"]')) FROM commands
UNION ALL
SELECT event_id, 'newer', unnest(from_json(payload_json -> '$.newer_ids', '["VARCHAR"]')) FROM commands
UNION
SELECT w.event_id, w.side, s.entry_id
FROM (
  SELECT *, 'older' AS side, unnest(from_json(payload_json -> '$.older_forms', '["VARCHAR"]')) AS form FROM commands
  UNION ALL
  SELECT *, 'newer', unnest(from_json(payload_json -> '$.newer_forms', '["VARCHAR"]')) FROM commands
) w
JOIN statements s ON s.entry_type = split_part(w.form, ':', 1) AND s.form = TRY_CAST(split_part(w.form, ':', 2) AS BIGINT)
  AND s.project IS NOT DISTINCT FROM w.project
JOIN entries n ON n.entry_id = s.entry_id AND n.created_ts <= w.occurred_at
WHERE s.session_id IS DISTINCT FROM (w.payload_json ->> '$.correction_session_id')
"""


def open_commands(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill ``commands`` (one row a command), and show ``command_entries`` (one row an entry that it is about, and its side).

    The latter follows the entries, which the fold writes meanwhile.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE commands AS {_SAID}")
    connection.execute(f"CREATE OR REPLACE TEMP VIEW command_entries AS {_NAMED}")


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
    connection.execute("DROP VIEW IF EXISTS command_entries")
    connection.execute("DROP TABLE IF EXISTS commands")
