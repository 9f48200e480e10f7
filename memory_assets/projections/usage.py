"""How often each unit was shown, opened and cited, folded from what was counted.

A count outlives its unit, for a unit may come back: what was forgotten and is wanted again has its counts again. So that no
table names what was forgotten, a count stands under a hash of its unit's source, and is found from the units that there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.usage import UsageCounted

if TYPE_CHECKING:
    import duckdb

USES = """unnest(from_json(payload_json -> '$.uses', '[{"unit_kind": "VARCHAR", "source_id": "VARCHAR", "shown": "INTEGER",
  "opened": "INTEGER", "cited": "INTEGER", "first_at": "TIMESTAMP", "last_at": "TIMESTAMP"}]'), recursive := true)"""
"""The rows of a ``usage_counted``; a count that is 0 is NULL, for it is not written."""

IS_A_UNIT = "(unit_kind, source_id) IN (SELECT (unit_kind, source_id) FROM memory_units)"

_ANY = f"SELECT 1 FROM events WHERE event_type = '{UsageCounted.event_type}' AND seq > ? LIMIT 1"
_COUNTED = f"""
CREATE OR REPLACE TEMP TABLE counted_uses AS
SELECT *, md5(source_id) AS source_hash
FROM (SELECT {USES} FROM events WHERE event_type = '{UsageCounted.event_type}' AND seq > ?)
"""
_COUNT = """
INSERT INTO unit_usage
SELECT unit_kind, source_hash, coalesce(sum(shown), 0), coalesce(sum(opened), 0), coalesce(sum(cited), 0), min(first_at),
  max(last_at)
FROM counted_uses GROUP BY unit_kind, source_hash
ON CONFLICT (unit_kind, source_hash) DO UPDATE SET shown = unit_usage.shown + excluded.shown,
  opened = unit_usage.opened + excluded.opened, cited = unit_usage.cited + excluded.cited,
  first_at = least(unit_usage.first_at, excluded.first_at), last_at = greatest(unit_usage.last_at, excluded.last_at)
"""
# What was counted before days were told apart has a first and a last one.
_DAYS = """
INSERT OR IGNORE INTO unit_usage_days
SELECT DISTINCT unit_kind, source_hash, unnest([CAST(first_at AS DATE), CAST(last_at AS DATE)]) FROM counted_uses
"""


def fold_usage(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Add what was counted behind an offset, whatever units came and went since."""
    if since == 0:
        connection.execute("DELETE FROM unit_usage")
        connection.execute("DELETE FROM unit_usage_days")
    if not connection.execute(_ANY, [since]).fetchall():
        return
    connection.execute(_COUNTED, [since])
    connection.execute(_COUNT)
    connection.execute(_DAYS)
    connection.execute("DROP TABLE counted_uses")
