"""Every word of forgetting that the log holds: by number and place, never by text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.results.forgetting import ForgettingListV1, ForgettingV1

if TYPE_CHECKING:
    import duckdb

# The last word about a session holds; of its parts each word on its own. What the log does not hold any more is purged.
_FORGETTINGS = """
SELECT e.event_id, e.occurred_at, e.ts, e.session_id, e.event_type, e.payload_json,
  CASE e.event_type WHEN 'session_forgotten'
    THEN EXISTS (SELECT 1 FROM forgotten_sessions f WHERE f.session_id = e.session_id AND f.seq = e.seq)
    ELSE NOT EXISTS (SELECT 1 FROM events u WHERE u.event_type = 'text_unforgotten'
      AND (u.payload_json ->> '$.forgetting_event_id') = e.event_id) END AS holds,
  CASE e.event_type WHEN 'session_forgotten'
    THEN NOT EXISTS (SELECT 1 FROM events i WHERE i.session_id = e.session_id AND i.event_type = 'session_ingested')
    ELSE NOT EXISTS (SELECT 1 FROM events i WHERE i.event_id = (e.payload_json ->> '$.history_event_id')) END AS purged
FROM events e WHERE e.event_type IN ('session_forgotten', 'text_forgotten') ORDER BY e.seq DESC
"""


def list_forgettings(connection: duckdb.DuckDBPyConnection) -> ForgettingListV1:
    """Every word of forgetting, the newest first."""
    return ForgettingListV1(forgettings=tuple(_forgetting(row) for row in fetch(connection, _FORGETTINGS)))


def _forgetting(row: tuple[object, ...]) -> ForgettingV1:
    event_id, said_at, logged_at, session_id, event_type, payload, holds, purged = row
    said = json.loads(str(payload))
    places = said.get("places", [])
    return ForgettingV1.model_validate(
        {
            "event_id": event_id,
            "forgotten_at": said_at or logged_at,
            "session_id": session_id,
            "what": "session" if event_type == "session_forgotten" else "parts",
            "reason": said["reason"],
            "parts": len(places),
            "characters": sum(end - start for place in places for start, end in place["spans"]),
            "holds": holds,
            "purged": purged,
        }
    )
