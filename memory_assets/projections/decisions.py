"""The ledger of decisions and what each rests on. Whether one is weakened by now is a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# A cause that is unknown, or decided later than its effect, is none: so no chain of causes comes back to where it began.
_DECISIONS = """
INSERT INTO decisions
WITH told AS (
  SELECT payload_json ->> '$.decision_id' AS decision_id, occurred_at, payload_json, build_id, ts, project, event_id, seq
  FROM events WHERE event_type = 'decision_recorded'
  QUALIFY row_number() OVER (PARTITION BY payload_json ->> '$.decision_id' ORDER BY seq) = 1
)
SELECT d.decision_id, d.occurred_at, d.payload_json ->> '$.recorded_by', d.payload_json ->> '$.action',
  to_json(coalesce(d.payload_json ->> '$.outcome', '')), (d.payload_json ->> '$.confidence')::DOUBLE, d.build_id, d.ts,
  d.project, c.decision_id,
  (d.payload_json ->> '$.verdicts[#-1].checker') || ' ' || (d.payload_json ->> '$.verdicts[#-1].checker_version'), d.event_id
FROM told d LEFT JOIN told c ON c.decision_id = (d.payload_json ->> '$.caused_by')
  AND (c.occurred_at, c.decision_id) < (d.occurred_at, d.decision_id)
"""

_EVIDENCE = """
INSERT INTO decision_evidence
SELECT 'dev_' || substr(sha256(decision_id || ' ' || (cited ->> '$.entry_id')), 1, 32), decision_id, 'entry',
  cited ->> '$.entry_id', cited ->> '$.stage', coalesce(cited ->> '$.role', 'supports'),
  CAST(cited ->> '$.said_at' AS TIMESTAMP)
FROM (
  SELECT d.decision_id, unnest(from_json(e.payload_json -> '$.evidence', '["JSON"]')) AS cited
  FROM decisions d JOIN events e USING (event_id))
"""


def fold_decisions(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Fold the ledger anew when a decision was recorded behind an offset: people record few."""
    recorded = "SELECT 1 FROM events WHERE event_type = 'decision_recorded' AND seq > ? LIMIT 1"
    if connection.execute(recorded, [since]).fetchall():
        for statement in ("DELETE FROM decision_evidence", "DELETE FROM decisions", _DECISIONS, _EVIDENCE):
            connection.execute(statement)
