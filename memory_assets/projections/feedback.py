"""What was said of units, folded: the word outlives its unit, its text does not.

A word on a unit of one session is an event of that session and is hidden with it. One on a unit that spans sessions stays;
while there is no such unit any more, because what it was made of is forgotten, its note is not shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.log.sql import visible

if TYPE_CHECKING:
    import duckdb

_ANY = f"""
SELECT 1 FROM unit_feedback UNION ALL SELECT 1 FROM events WHERE event_type = '{UnitFeedback.event_type}' LIMIT 1
"""

_SAID = f"""
CREATE OR REPLACE TEMP TABLE said_of_units AS
WITH told AS (
  SELECT event_id, payload_json ->> '$.unit_kind' AS unit_kind, payload_json ->> '$.source_id' AS source_id,
    payload_json ->> '$.signal' AS signal, payload_json ->> '$.said_by' AS said_by,
    coalesce(payload_json ->> '$.note', '') AS note, coalesce(occurred_at, ts) AS said_at
  FROM {visible(f"event_type = '{UnitFeedback.event_type}'")}
)
SELECT event_id, unit_kind, source_id, signal, said_by,
  CASE WHEN (unit_kind, source_id) IN (SELECT (unit_kind, source_id) FROM memory_units) THEN note ELSE '' END AS note, said_at
FROM told
"""


def fold_feedback(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring ``unit_feedback`` up to what was said and to the units that there are: behind the fold of all units."""
    if not connection.execute(_ANY).fetchall():
        return
    connection.execute(_SAID)
    connection.execute(
        """DELETE FROM unit_feedback WHERE event_id IN (
             SELECT event_id FROM (SELECT * FROM unit_feedback EXCEPT SELECT * FROM said_of_units))"""
    )
    connection.execute("INSERT INTO unit_feedback SELECT * FROM said_of_units EXCEPT SELECT * FROM unit_feedback")
    connection.execute("DROP TABLE said_of_units")
