"""What is handed to the search index: a changed unit becomes jobs in the fold's own transaction.

One job has its words written, which is done at once; another its vector, which waits for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.sql import EMBEDDED, JOB_ID, WANTED, WORDS

if TYPE_CHECKING:
    import duckdb

# A unit whose content changed is queued again, also when its job was done: insert-ignore alone would drop the change.
_CHANGED = f"""
INSERT INTO vector_outbox (job_id, item_kind, item_id, embedding_version, content_hash, op, status, attempts, created_at,
  updated_at)
SELECT {JOB_ID}, 'unit', u.unit_id, $version, u.content_hash, 'upsert',
  'pending', 0, $now, $now
FROM memory_units u JOIN touched_units t USING (unit_id)
LEFT JOIN vector_outbox o ON o.item_id = u.unit_id AND o.embedding_version = $version
WHERE {WANTED} AND (o.job_id IS NULL OR o.content_hash <> u.content_hash OR o.op = 'delete')
ON CONFLICT (job_id) DO UPDATE SET content_hash = excluded.content_hash, op = 'upsert', status = 'pending', error = NULL,
  attempts = 0, next_attempt_at = NULL, updated_at = excluded.updated_at
"""

_REMOVED = f"""
UPDATE vector_outbox SET op = 'delete', status = 'pending', error = NULL, attempts = 0, next_attempt_at = NULL,
  updated_at = $now
WHERE op <> 'delete' AND item_id IN (SELECT unit_id FROM touched_units)
  AND (item_id NOT IN (SELECT unit_id FROM memory_units)
    OR (embedding_version <> '{WORDS}' AND item_id IN (SELECT u.unit_id FROM memory_units u WHERE NOT ({EMBEDDED}))))
"""


def enqueue(connection: duckdb.DuckDBPyConnection, embedding_version: str) -> None:
    """Queue what the fold changed, for the words and for one embedding version."""
    now = connection.execute("SELECT CAST(get_current_timestamp() AS TIMESTAMP)").fetchall()[0][0]
    for queue in (WORDS, embedding_version):
        connection.execute(_CHANGED, {"version": queue, "now": now})
    connection.execute(_REMOVED, {"now": now})


def enqueue_all(connection: duckdb.DuckDBPyConnection, embedding_version: str) -> None:
    """Queue every unit that has no job of its words or of this embedding version, or one for another content."""
    connection.execute("CREATE OR REPLACE TEMP TABLE touched_units AS SELECT unit_id FROM memory_units")
    enqueue(connection, embedding_version)
    connection.execute("DROP TABLE touched_units")
