"""Sessions, their messages, the files they came from, and those that were put aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.sql import IN_LIST, json_list, visible
from memory_assets.projections.explained_words import fold_explained_words
from memory_assets.projections.message_origins import fold_origins

if TYPE_CHECKING:
    import duckdb

_MESSAGE = (
    '[{"uid": "VARCHAR", "role": "VARCHAR", "kind": "VARCHAR", "text": "VARCHAR", "ts": "VARCHAR", "name": "VARCHAR", '
    '"tool_name": "VARCHAR", "tool_use_id": "VARCHAR", "sidechain": "BOOLEAN", "is_error": "BOOLEAN"}]'
)

# A history is its revisions one behind the other; each cuts its predecessor at the prefix they share, so a message counts
# when no later revision cuts at or before it.
_MESSAGES = f"""
INSERT INTO messages
WITH heads AS (
  SELECT session_id, chain_id, CAST(heading ->> '$.started_at' AS TIMESTAMP) AS started_at FROM headings
), revisions AS (
  SELECT e.session_id, e.event_id, h.started_at, CAST(e.payload_json ->> '$.revision' AS INTEGER) AS revision,
    coalesce(CAST(e.payload_json ->> '$.common_prefix' AS INTEGER), 0) AS prefix,
    from_json(e.payload_json -> '$.messages', '{_MESSAGE}') AS messages
  FROM scoped e JOIN heads h ON h.session_id = e.session_id AND h.chain_id = e.chain_id
  WHERE e.event_type = 'session_ingested'
), cut AS (
  SELECT *, min(prefix) OVER (PARTITION BY session_id ORDER BY revision
    ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS cut_at
  FROM revisions
), told AS (
  SELECT session_id, event_id, started_at, revision, cut_at,
    unnest(messages) AS message, prefix + generate_subscripts(messages, 1) - 1 AS message_index
  FROM cut
), continued AS (
  SELECT session_id, causation_id, payload_json ->> '$.uid' AS uid,
    string_agg(payload_json ->> '$.text', '' ORDER BY CAST(payload_json ->> '$.part' AS INTEGER)) AS text
  FROM scoped WHERE event_type = 'message_continued' GROUP BY ALL
), whole AS (
  SELECT t.*, coalesce(t.message.text, '') || coalesce(c.text, '') AS text
  FROM told t LEFT JOIN continued c ON c.causation_id = t.event_id AND c.uid = t.message.uid
  WHERE t.message_index < coalesce(t.cut_at, 2147483647)
)
SELECT session_id, message_index, revision, message.uid, message.role, coalesce(message.kind, 'said'), message.name,
  coalesce(CAST(message.ts AS TIMESTAMP), started_at + to_seconds(message_index)),
  text, sha256(text), length(text), message.tool_name, message.tool_use_id,
  coalesce(message.sidechain, false), coalesce(message.is_error, false), event_id
FROM whole
"""

_SESSIONS = """
INSERT INTO sessions
WITH head AS (
  SELECT e.*, g.heading FROM current_chain c JOIN scoped e ON e.event_id = c.event_id
  JOIN headings g ON g.session_id = c.session_id WHERE c.event_type = 'session_ingested'
), leader AS (
  SELECT session_id, arg_max(payload_json ->> '$.uri', seq) AS uri FROM scoped
  WHERE event_type = 'source_told' AND CAST(payload_json ->> '$.leads' AS BOOLEAN) AND chain_id IN (SELECT chain_id FROM head)
  GROUP BY session_id
), files AS (
  SELECT session_id, payload_json ->> '$.uri' AS uri, max(seq) AS taken,
    arg_max(coalesce(payload_json -> '$.redactions', '{}'), seq) AS redactions
  FROM scoped WHERE event_type = 'source_taken' GROUP BY ALL
), taken AS (
  SELECT f.session_id, list(f.uri) AS uris, first(f.uri ORDER BY f.uri = l.uri DESC NULLS LAST, f.taken DESC) AS uri,
    first(f.redactions ORDER BY f.uri = l.uri DESC NULLS LAST, f.taken DESC) AS redactions
  FROM files f LEFT JOIN leader l USING (session_id) GROUP BY f.session_id
), said AS (
  SELECT session_id, max(ts) AS ended_at, sum(char_len) AS char_len,
    count(*) FILTER (kind = 'said') AS said,
    count(*) FILTER (kind = 'said' AND regexp_matches(text, '[가-힣]')) AS korean
  FROM messages WHERE session_id IN (SELECT session_id FROM affected) GROUP BY session_id
), reached AS (
  SELECT session_id, CASE max(CASE event_type WHEN 'session_ingested' THEN 1 WHEN 'memory_extracted' THEN 2
      WHEN 'evidence_aligned' THEN 3 WHEN 'entries_materialized' THEN 4 WHEN 'idris_checked' THEN 5
      WHEN 'session_projected' THEN 6 WHEN 'session_vectorized' THEN 7 END)
    WHEN 1 THEN 'ingested' WHEN 2 THEN 'extracted' WHEN 3 THEN 'aligned' WHEN 4 THEN 'materialized'
    WHEN 5 THEN 'idris_checked' WHEN 6 THEN 'projected' ELSE 'vectorized' END AS stage
  FROM current_chain GROUP BY session_id
)
SELECT h.session_id, CAST(h.payload_json ->> '$.revision' AS INTEGER), h.heading ->> '$.source_format',
  h.heading ->> '$.source_id', t.uri, list_sort(coalesce(t.uris, [])), h.payload_json ->> '$.content_hash',
  h.heading ->> '$.parser_version', h.project, h.heading ->> '$.cwd', h.heading ->> '$.git_branch',
  h.heading ->> '$.title',
  CASE WHEN coalesce(s.said, 0) = 0 THEN NULL WHEN s.korean = 0 THEN 'en' WHEN s.korean >= 0.9 * s.said THEN 'ko'
    ELSE 'mixed' END,
  CAST(h.heading ->> '$.started_at' AS TIMESTAMP),
  coalesce(s.ended_at, CAST(h.heading ->> '$.started_at' AS TIMESTAMP)),
  coalesce(CAST(h.payload_json ->> '$.common_prefix' AS INTEGER), 0) + json_array_length(h.payload_json, '$.messages'),
  coalesce(s.char_len, 0), h.event_id, h.chain_id,
  CASE WHEN q.session_id IS NOT NULL THEN 'quarantined' ELSE r.stage END,
  coalesce(t.redactions, '{}')
FROM head h LEFT JOIN taken t USING (session_id) LEFT JOIN said s USING (session_id) LEFT JOIN reached r USING (session_id)
LEFT JOIN (SELECT DISTINCT session_id FROM quarantine) q USING (session_id)
"""

_QUARANTINE = """
INSERT INTO quarantine
WITH released AS (
  SELECT session_id, payload_json ->> '$.quarantine_event_id' AS event_id FROM scoped
  WHERE event_type = 'quarantine_released'
), dead AS (
  SELECT q.session_id, q.payload_json ->> '$.stage' AS stage, q.seq, q.event_id, q.ts, q.payload_json,
    r.event_id IS NOT NULL AS released
  FROM scoped q LEFT JOIN released r ON r.session_id = q.session_id AND r.event_id = q.event_id
  WHERE q.event_type = 'session_quarantined'
)
SELECT session_id, stage, arg_max(payload_json ->> '$.error_code', seq), arg_max(payload_json ->> '$.detail', seq),
  arg_max(payload_json ->> '$.uri', seq), count(*), arg_max(event_id, seq), max(ts)
FROM dead GROUP BY session_id, stage HAVING NOT arg_max(released, seq)
"""

_OF_READ_FILES = """event_type IN ('source_registered', 'session_rejected')
  AND (payload_json ->> '$.uri') IN (SELECT uri FROM read_files)"""

# A file may hold several sessions, so its row is made from all that was logged of it.
_SOURCE_FILES = f"""
INSERT INTO source_files
WITH told AS (
  SELECT seq, ts, event_type, session_id, payload_json, payload_json ->> '$.uri' AS uri,
    coalesce(payload_json ->> '$.file_hash', '') AS file_hash
  FROM {visible(_OF_READ_FILES)}
), files AS (
  SELECT uri, file_hash, arg_max(payload_json, seq) AS payload_json, arg_max(event_type, seq) AS event_type,
    max(CAST(payload_json ->> '$.byte_length' AS BIGINT)) AS byte_length,
    coalesce(list_sort(list_distinct(list(session_id) FILTER (session_id IS NOT NULL))), []) AS session_ids,
    max(payload_json -> '$.defects') AS defects, max(ts) AS registered_at
  FROM told GROUP BY uri, file_hash
)
SELECT uri, file_hash, payload_json ->> '$.source_format',
  CASE event_type WHEN 'source_registered' THEN 'taken' ELSE 'refused' END, coalesce(byte_length, 0), session_ids,
  CASE event_type WHEN 'source_registered' THEN coalesce(json_array_length(defects), 0) ELSE 1 END,
  CASE event_type WHEN 'source_registered' THEN coalesce(defects, '[]')
    ELSE json_array(json_object('reason', payload_json ->> '$.reason', 'detail', payload_json ->> '$.detail')) END,
  registered_at
FROM files
"""


def fold_marks(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold what marks change: how far a session has come, which files it has, whether it was put aside."""
    for table in ("sessions", "quarantine"):
        connection.execute(f"DELETE FROM {table} WHERE session_id IN (SELECT session_id FROM affected)")
    connection.execute(_QUARANTINE)
    connection.execute(_SESSIONS)


def fold_sessions(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the sessions of the scope anew."""
    for table in ("sessions", "messages", "message_origins", "explained_words", "quarantine"):
        connection.execute(f"DELETE FROM {table} WHERE session_id IN (SELECT session_id FROM affected)")
    connection.execute(_MESSAGES)
    fold_origins(connection)
    fold_explained_words(connection)
    connection.execute(_QUARANTINE)
    connection.execute(_SESSIONS)


def fold_source_files(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Fold the files that something was logged of since an offset, or that hold a session forgotten or wanted back since."""
    connection.execute(
        """CREATE OR REPLACE TEMP TABLE read_files AS SELECT DISTINCT payload_json ->> '$.uri' AS uri FROM events
           WHERE seq > ? AND event_type IN ('source_registered', 'session_rejected')""",
        [since],
    )
    forgotten = connection.execute(
        "SELECT session_id FROM events WHERE seq > ? AND event_type IN ('session_forgotten', 'session_unforgotten')", [since]
    ).fetchall()
    if forgotten:
        connection.execute(
            f"""INSERT INTO read_files SELECT DISTINCT payload_json ->> '$.uri' FROM events
                WHERE event_type IN ('source_registered', 'session_rejected') AND session_id IN {IN_LIST}
                EXCEPT SELECT uri FROM read_files""",
            [json_list(row[0] for row in forgotten)],
        )
    if connection.execute("SELECT 1 FROM read_files LIMIT 1").fetchall():
        connection.execute("DELETE FROM source_files WHERE uri IN (SELECT uri FROM read_files)")
        connection.execute(_SOURCE_FILES)
    connection.execute("DROP TABLE read_files")
