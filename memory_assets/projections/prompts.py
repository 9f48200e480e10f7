"""The registry of prompts: every version of every role, and what was proposed. The order of the log decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.prompts import (
    PromptUpdateProposed,
    PromptUpdateReviewed,
    PromptWritten,
    RolePromptActivated,
)
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    import duckdb

PROMPT_EVENTS = tuple(
    payload.event_type for payload in (RolePromptActivated, PromptUpdateProposed, PromptUpdateReviewed, PromptWritten)
)

_VERSIONS = f"""
INSERT INTO role_prompts
WITH activated AS (
  SELECT seq, event_id, payload_json ->> '$.role' AS role, payload_json ->> '$.prompt' AS prompt,
    payload_json ->> '$.cause' AS cause, payload_json ->> '$.update_id' AS update_id,
    payload_json ->> '$.rolled_back_to' AS rolled_back_to, payload_json ->> '$.activated_by' AS activated_by,
    coalesce(occurred_at, ts) AS activated_at,
    row_number() OVER (PARTITION BY payload_json ->> '$.role' ORDER BY seq)::INTEGER AS version,
    lead(seq) OVER (PARTITION BY payload_json ->> '$.role' ORDER BY seq) AS next_seq
  FROM events WHERE event_type = '{RolePromptActivated.event_type}'
), written AS (
  SELECT payload_json ->> '$.activated_event_id' AS event_id, max_by(payload_json ->> '$.path', seq) AS written_to,
    max_by(coalesce(occurred_at, ts), seq) AS written_at
  FROM events WHERE event_type = '{PromptWritten.event_type}' GROUP BY 1
)
SELECT a.role, a.version, a.prompt, sha256(a.prompt), a.next_seq IS NULL, a.cause, a.update_id, o.version, a.activated_by,
  a.activated_at, w.written_to, w.written_at, a.event_id
FROM activated a LEFT JOIN activated o ON o.event_id = a.rolled_back_to AND o.role = a.role
LEFT JOIN written w ON w.event_id = a.event_id
"""

# What is said of a proposal behind its application says nothing any more.
_UPDATES = f"""
INSERT INTO prompt_updates
WITH proposed AS (
  SELECT event_id, payload_json ->> '$.update_id' AS update_id, payload_json, coalesce(occurred_at, ts) AS proposed_at
  FROM events WHERE event_type = '{PromptUpdateProposed.event_type}'
  QUALIFY row_number() OVER (PARTITION BY payload_json ->> '$.update_id' ORDER BY seq) = 1
), applied AS (
  SELECT p.update_id, min_by(p.version, e.seq) AS version, min_by(p.activated_by, e.seq) AS activated_by,
    min_by(p.activated_at, e.seq) AS activated_at, min(e.seq) AS seq
  FROM role_prompts p JOIN events e USING (event_id) WHERE p.update_id IS NOT NULL GROUP BY p.update_id
), reviewed AS (
  SELECT e.payload_json ->> '$.update_id' AS update_id, max_by(e.payload_json, e.seq) AS said,
    max_by(coalesce(e.occurred_at, e.ts), e.seq) AS reviewed_at
  FROM events e LEFT JOIN applied a ON a.update_id = (e.payload_json ->> '$.update_id')
  WHERE e.event_type = '{PromptUpdateReviewed.event_type}' AND (a.seq IS NULL OR e.seq < a.seq) GROUP BY 1
)
SELECT p.update_id, p.payload_json ->> '$.role',
  CASE WHEN a.version IS NOT NULL THEN 'applied' ELSE coalesce(r.said ->> '$.verdict', 'proposed') END,
  p.payload_json ->> '$.prompt', sha256(p.payload_json ->> '$.prompt'), p.payload_json ->> '$.base_sha256',
  p.payload_json ->> '$.reason', coalesce(from_json(p.payload_json -> '$.lesson_ids', '["VARCHAR"]'), []),
  p.payload_json ->> '$.proposed_by', p.proposed_at, r.said ->> '$.reviewed_by', r.reviewed_at,
  coalesce(r.said ->> '$.note', ''), a.version, a.activated_by, a.activated_at, p.event_id
FROM proposed p LEFT JOIN reviewed r USING (update_id) LEFT JOIN applied a USING (update_id)
"""


def fold_prompts(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Fold the registry anew when anything was said of a prompt behind an offset: people change few."""
    said = f"SELECT 1 FROM events WHERE event_type IN {IN_LIST} AND seq > ? LIMIT 1"
    if connection.execute(said, [json_list(PROMPT_EVENTS), since]).fetchall():
        for statement in ("DELETE FROM prompt_updates", "DELETE FROM role_prompts", _VERSIONS, _UPDATES):
            connection.execute(statement)
