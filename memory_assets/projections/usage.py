"""How often each unit was shown, opened and cited, folded from what was counted.

A count outlives its unit. Once anything was forgotten, only the units that there are have one: whose the others were is not
known of all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.usage import UsageCounted

if TYPE_CHECKING:
    import duckdb

# Without it the log has hidden nothing, or it was only ever a source that replaced its own words.
FORGOTTEN_EVER = "EXISTS (SELECT 1 FROM events WHERE event_type IN ('session_forgotten', 'text_forgotten'))"

USES = """unnest(from_json(payload_json -> '$.uses', '[{"unit_kind": "VARCHAR", "source_id": "VARCHAR", "shown": "INTEGER",
  "opened": "INTEGER", "cited": "INTEGER", "first_at": "TIMESTAMP", "last_at": "TIMESTAMP"}]'), recursive := true)"""
"""The rows of a ``usage_counted``; a count that is 0 is NULL, for it is not written."""

IS_A_UNIT = "(unit_kind, source_id) IN (SELECT (unit_kind, source_id) FROM memory_units)"

_ANY = f"SELECT 1 FROM events WHERE event_type = '{UsageCounted.event_type}' AND seq > ? LIMIT 1"
_COUNTED = f"""
CREATE OR REPLACE TEMP TABLE counted_uses AS
SELECT * FROM (SELECT {USES} FROM events WHERE event_type = '{UsageCounted.event_type}' AND seq > ?)
WHERE NOT {FORGOTTEN_EVER} OR {IS_A_UNIT}
"""
_COUNT = """
INSERT INTO unit_usage
SELECT unit_kind, source_id, coalesce(sum(shown), 0), coalesce(sum(opened), 0), coalesce(sum(cited), 0), min(first_at),
  max(last_at)
FROM counted_uses GROUP BY unit_kind, source_id
ON CONFLICT (unit_kind, source_id) DO UPDATE SET shown = unit_usage.shown + excluded.shown,
  opened = unit_usage.opened + excluded.opened, cited = unit_usage.cited + excluded.cited,
  first_at = least(unit_usage.first_at, excluded.first_at), last_at = greatest(unit_usage.last_at, excluded.last_at)
"""
# What was counted before days were told apart has a first and a last one.
_DAYS = """
INSERT OR IGNORE INTO unit_usage_days
SELECT DISTINCT unit_kind, source_id, unnest([CAST(first_at AS DATE), CAST(last_at AS DATE)]) FROM counted_uses
"""


def fold_usage(connection: duckdb.DuckDBPyConnection, since: int, *, same_units: bool = False) -> None:
    """Bring ``unit_usage`` and ``unit_usage_days`` up to what was counted behind an offset, and to the units that there are.

    Args:
        same_units: no unit came or went since that offset. Where anything was forgotten, all is counted anew otherwise: a unit
            that comes back has its count again, as a replay gives it.
    """
    if since == 0 or (not same_units and _is_anything_forgotten(connection)):
        since = 0
        connection.execute("DELETE FROM unit_usage")
        connection.execute("DELETE FROM unit_usage_days")
    if not connection.execute(_ANY, [since]).fetchall():
        return
    connection.execute(_COUNTED, [since])
    connection.execute(_COUNT)
    connection.execute(_DAYS)
    connection.execute("DROP TABLE counted_uses")


def _is_anything_forgotten(connection: duckdb.DuckDBPyConnection) -> bool:
    ((forgotten,),) = connection.execute(f"SELECT {FORGOTTEN_EVER}").fetchall()
    return bool(forgotten)
