"""The ledger of answers. What rests on a session that was forgotten, or on a retired history, is in it no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.answers import AnswerRecorded
from memory_assets.log.sql import visible

if TYPE_CHECKING:
    import duckdb

# New answers, and what may hide old ones or bring them back: a session is forgotten, is wanted back, or begins another history.
_DUE = f"""
SELECT 1 FROM events WHERE seq > ? AND (
  event_type IN ('{AnswerRecorded.event_type}', 'session_forgotten', 'session_unforgotten')
  OR (event_type = 'session_ingested' AND event_id = chain_id)) LIMIT 1
"""
_VISIBLE = f"""
CREATE OR REPLACE TEMP TABLE visible_answers AS
SELECT payload_json ->> '$.answer_id' AS answer_id, payload_json ->> '$.conversation_id' AS conversation_id,
  (payload_json ->> '$.turn_index')::INTEGER AS turn_index, payload_json ->> '$.question' AS question, project,
  payload_json ->> '$.answerer' AS answerer, payload_json ->> '$.prompt_version' AS prompt_version,
  (payload_json ->> '$.answerability')::DOUBLE AS answerability, (payload_json ->> '$.score_gate')::DOUBLE AS score_gate,
  (payload_json ->> '$.grounded')::BOOLEAN AS grounded, payload_json ->> '$.refusal_reason' AS refusal_reason,
  coalesce(payload_json -> '$.citations', '[]') AS citations_json, coalesce(occurred_at, ts) AS asked_at, event_id
FROM {visible(f"event_type = '{AnswerRecorded.event_type}'")}
"""


def fold_answers(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Bring ``answers`` up to the answers behind an offset, and to what may still be read of those before it."""
    if not connection.execute(_DUE, [since]).fetchall():
        return
    connection.execute(_VISIBLE)
    connection.execute("DELETE FROM answers WHERE event_id NOT IN (SELECT event_id FROM visible_answers)")
    connection.execute(
        "INSERT INTO answers BY NAME SELECT * FROM visible_answers WHERE event_id NOT IN (SELECT event_id FROM answers)"
    )
    connection.execute("DROP TABLE visible_answers")
