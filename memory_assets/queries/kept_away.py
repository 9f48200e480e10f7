"""Where something of a session is kept away, as a private block or as forgotten: by number and place, never by text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch, full_id
from memory_assets.results.forgetting import KeptAwayListV1, KeptAwayV1

if TYPE_CHECKING:
    import duckdb

# A word of forgetting names a message by the id that its source gives it; a message keeps that through every further history.
_KEPT_AWAY = r"""
WITH places AS (
  SELECT e.session_id, unnest(from_json(e.payload_json -> '$.places',
    '[{"field": "VARCHAR", "message_index": "INTEGER", "uid": "VARCHAR", "spans": "INTEGER[][]"}]'), recursive := true)
  FROM events e WHERE e.event_type = 'text_forgotten' AND e.session_id NOT IN (SELECT session_id FROM forgotten_sessions)
    AND NOT EXISTS (SELECT 1 FROM events u WHERE u.event_type = 'text_unforgotten'
      AND (u.payload_json ->> '$.forgetting_event_id') = e.event_id)
), spans AS (
  SELECT DISTINCT p.session_id, coalesce(m.message_index, p.message_index) AS message_index, p.field, unnest(p.spans) AS span
  FROM places p LEFT JOIN messages m ON m.session_id = p.session_id AND m.message_uid = p.uid
), forgotten AS (
  SELECT session_id, message_index, count(*) AS spans, sum(span[2] - span[1]) AS characters FROM spans GROUP BY ALL
), private AS (
  SELECT session_id, message_index, len(regexp_extract_all(text, '\[PRIVATE\]')) AS blocks FROM messages
  WHERE contains(text, '[PRIVATE]')
)
SELECT session_id, message_index, coalesce(p.blocks, 0), coalesce(f.spans, 0), coalesce(f.characters, 0)
FROM forgotten f FULL JOIN private p USING (session_id, message_index)
WHERE ($session IS NULL OR session_id = $session)
ORDER BY session_id, message_index NULLS FIRST
"""


def list_kept_away(connection: duckdb.DuckDBPyConnection, given: str | None = None) -> KeptAwayListV1:
    """Every message, and every title, of which something is kept away; of one session where one is named.

    Raises:
        NotFoundError, AmbiguousIdError: of the session.
    """
    session_id = None
    if given is not None:
        ids = "SELECT session_id AS id FROM sessions"
        session_id = full_id(connection, ids, given.removeprefix("session:"), what="session", listed_by="memory sessions list")
    rows = fetch(connection, _KEPT_AWAY, {"session": session_id})
    return KeptAwayListV1(places=tuple(KeptAwayV1.of_row(row) for row in rows))
