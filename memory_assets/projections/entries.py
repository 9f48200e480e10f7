"""Entries, the spans they rest on, their checks and promotions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_EVIDENCE = (
    '[{"message_index": "INTEGER", "claimed_message_index": "INTEGER", "quote": "VARCHAR", "quote_hash": "VARCHAR", '
    '"span_start": "INTEGER", "span_end": "INTEGER", "segments": "JSON", "matched_text": "VARCHAR", "method": "VARCHAR", '
    '"confidence": "DOUBLE", "similarity": "DOUBLE", "ambiguous": "BOOLEAN", "alternative_count": "INTEGER", '
    '"relocated": "BOOLEAN", "critical": "BOOLEAN", "failure_reason": "VARCHAR"}]'
)

# Entries that the current revision does not have any more stay visible as superseded; only current ones are memories.
_ENTRIES = """
INSERT INTO entries
WITH manifest AS (
  SELECT c.session_id, unnest(from_json(e.payload_json -> '$.entries', '["VARCHAR"]')) AS event_id
  FROM current_chain c JOIN scoped e ON e.event_id = c.event_id WHERE c.event_type = 'entries_materialized'
), checked AS (
  SELECT session_id FROM current_chain WHERE event_type = 'idris_checked'
), told AS (
  SELECT e.*, e.payload_json ->> '$.entry_id' AS entry_id, m.event_id IS NOT NULL AS is_current
  FROM scoped e LEFT JOIN manifest m ON m.event_id = e.event_id WHERE e.event_type = 'entry_materialized'
), chosen AS (
  SELECT * FROM told QUALIFY row_number() OVER (PARTITION BY entry_id ORDER BY is_current DESC, seq DESC) = 1
), judged AS (
  SELECT j.session_id, j.causation_id, j.event_type, j.payload_json FROM scoped j
  JOIN configured_versions v ON v.event_type = 'idris_checked' AND v.stage_version = j.stage_version
  WHERE j.event_type IN ('entry_promoted', 'entry_promotion_rejected')
  QUALIFY row_number() OVER (PARTITION BY j.session_id, j.causation_id ORDER BY j.seq DESC) = 1
)
SELECT t.entry_id, t.occurred_at, t.payload_json ->> '$.entry_type', t.payload_json ->> '$.title',
  json_object('reason', t.payload_json ->> '$.reason', 'status', t.payload_json ->> '$.status',
    'priority', t.payload_json ->> '$.priority', 'blocked_by', coalesce(t.payload_json -> '$.blocked_by', '[]')),
  CASE WHEN NOT list_contains(methods, 'exact') AND NOT list_contains(methods, 'normalized')
         AND NOT list_contains(methods, 'fuzzy') THEN 'raw'
    WHEN j.event_type = 'entry_promoted' THEN j.payload_json ->> '$.to_stage'
    WHEN j.event_type IS NOT NULL THEN 'candidate' ELSE 'working' END AS granted,
  CASE WHEN t.is_current THEN 'active' ELSE 'superseded' END, NULL, t.build_id, t.payload_json -> '$.evidence',
  t.payload_json ->> '$.canonical_key', t.ts, t.session_id, s.project,
  coalesce(CAST(t.payload_json ->> '$.evidence_aligned' AS BOOLEAN), false),
  list_min(from_json(t.payload_json -> '$.evidence[*].confidence', '["DOUBLE"]')),
  CAST(t.payload_json ->> '$.message_index' AS INTEGER), CAST(t.payload_json ->> '$.ordinal' AS INTEGER), t.event_id, NULL,
  j.payload_json ->> '$.checker',
  CASE WHEN j.event_type = 'entry_promotion_rejected' THEN json_object('promotionBlocked', true,
    'promotionBlockReason', j.payload_json ->> '$.reason', 'failedQuotes', coalesce(j.payload_json -> '$.failed_quotes', '[]'))
    ELSE '{}' END, granted
FROM (SELECT *, from_json(payload_json -> '$.evidence[*].method', '["VARCHAR"]') AS methods FROM chosen) t
JOIN sessions s ON s.session_id = t.session_id  -- its project may be another by now than when the entry was made
LEFT JOIN checked k ON k.session_id = t.session_id
LEFT JOIN judged j ON j.session_id = t.session_id AND j.causation_id = t.event_id AND k.session_id IS NOT NULL
"""

_SPANS = f"""
INSERT INTO evidence_spans
WITH quoted AS (
  SELECT n.entry_id, n.session_id, n.source_event_id AS event_id, e.payload_json ->> '$.aligner_version' AS aligner_version,
    unnest(from_json(e.payload_json -> '$.evidence', '{_EVIDENCE}')) AS q,
    generate_subscripts(from_json(e.payload_json -> '$.evidence', '["JSON"]'), 1) - 1 AS ordinal
  FROM entries n JOIN scoped e ON e.event_id = n.source_event_id
  WHERE n.status <> 'superseded' AND n.session_id IN (SELECT session_id FROM affected)
)
SELECT 'spn_' || substr(sha256(entry_id || ':' || ordinal), 1, 32), entry_id, ordinal, session_id, event_id,
  q.message_index, q.claimed_message_index, q.quote, q.quote_hash, q.span_start, q.span_end, q.segments, q.matched_text,
  q.method, q.similarity, q.confidence, coalesce(q.ambiguous, false), coalesce(q.alternative_count, 0),
  coalesce(q.relocated, false), coalesce(q.critical, false), q.failure_reason, aligner_version
FROM quoted
"""

_CHECKS = """
INSERT INTO idris_checks
WITH verdicts AS (
  SELECT e.session_id, e.event_id, e.ts, unnest(from_json(e.payload_json -> '$.verdicts', '["JSON"]')) AS v
  FROM current_chain c JOIN scoped e ON e.event_id = c.event_id WHERE c.event_type = 'idris_checked'
)
SELECT 'chk_' || substr(sha256(event_id || ':' || (v ->> '$.checker')), 1, 32), session_id, event_id, v ->> '$.checker',
  v ->> '$.checker_version', CAST(v ->> '$.accepted' AS BOOLEAN), coalesce(v -> '$.rules_failed', '[]'),
  coalesce(v -> '$.modules', '[]'), ts
FROM verdicts
"""

# An entry may have been told of by several revisions; which those were depends on the order in which files were taken.
_PROMOTIONS = """
INSERT INTO promotions
SELECT 'prm_' || substr(e.event_id, 4), e.ts, 'entry', e.payload_json ->> '$.entry_id', e.session_id,
  e.payload_json ->> '$.from_stage', e.payload_json ->> '$.to_stage',
  CASE e.event_type WHEN 'entry_promoted' THEN 'promoted' ELSE 'rejected' END,
  coalesce(e.payload_json ->> '$.reason', 'all gates passed'), e.payload_json ->> '$.policy_version',
  e.payload_json -> '$.gates', e.event_id, e.build_id
FROM scoped e WHERE e.event_type IN ('entry_promoted', 'entry_promotion_rejected')
  AND e.causation_id IN (SELECT source_event_id FROM entries WHERE session_id IN (SELECT session_id FROM affected))
"""


def fold_entries(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the entries of the scope anew. ``entries.memory_id`` is set by the fold of memories."""
    for table in ("entries", "evidence_spans", "idris_checks", "promotions"):
        connection.execute(f"DELETE FROM {table} WHERE session_id IN (SELECT session_id FROM affected)")
    for statement in (_ENTRIES, _SPANS, _CHECKS, _PROMOTIONS):
        connection.execute(statement)
