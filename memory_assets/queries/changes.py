"""What changed in a stretch of time: tasks that moved, and days on which anything was said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memory_assets.log.fetching import fetch, scalar
from memory_assets.queries.digest_quotes import quote_of
from memory_assets.results.digest import TaskMoveV1

if TYPE_CHECKING:
    import duckdb

_MOVES = """
SELECT o.entity_id, t.title, e.payload_json ->> '$.from_status',
  coalesce(e.payload_json ->> '$.to_status', e.payload_json ->> '$.initial_status'), o.occurred_at, s.session_id,
  s.message_index, s.segments_json, s.matched_text, coalesce(w.name, w.role), w.ts
FROM task_outcomes o JOIN events e USING (event_id) JOIN entities t ON t.entity_id = o.entity_id
LEFT JOIN task_claims c ON c.claim_id = o.source_id
LEFT JOIN evidence_spans s ON s.entry_id = c.entry_id AND s.ordinal = c.evidence_ordinal AND s.match_method <> 'none'
LEFT JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index
WHERE o.entity_type = 'task' AND o.event_type IN ('task_created', 'task_status_changed')
  AND ($project IS NULL OR t.project = $project) AND o.occurred_at >= $since
  AND ($until IS NULL OR o.occurred_at < $until)
ORDER BY o.occurred_at DESC, o.entity_id, o.place DESC
"""
_SAID = "SELECT {which}(CAST(ts AS DATE)) FROM messages WHERE kind = 'said' AND NOT sidechain AND {condition}"


def task_moves(
    connection: duckdb.DuckDBPyConnection, since: datetime, *, until: datetime | None = None, project: str | None = None
) -> tuple[TaskMoveV1, ...]:
    """Tasks that came to be or moved since a time, the newest first, each with the words that say so."""
    rows = fetch(connection, _MOVES, {"project": project, "since": _stored(since), "until": until and _stored(until)})
    return tuple(_move(row) for row in rows)


def days_around(connection: duckdb.DuckDBPyConnection, day: date) -> tuple[date | None, date | None]:
    """The last day (UTC) before a day, and the first one behind it, on which anything was said."""
    start, end = datetime(day.year, day.month, day.day), datetime(day.year, day.month, day.day) + timedelta(days=1)
    before = scalar(connection, _SAID.format(which="max", condition="ts < ?"), [start])
    behind = scalar(connection, _SAID.format(which="min", condition="ts >= ?"), [end])
    return before, behind


def _stored(moment: datetime) -> datetime:
    """As the store keeps it: UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def _move(row: tuple[Any, ...]) -> TaskMoveV1:
    task_id, title, from_status, to_status, moved_at, session_id, *place = row
    return TaskMoveV1(
        id=task_id,
        text=title,
        from_status=from_status,
        to_status=to_status,
        moved_at=moved_at,
        quote=quote_of(session_id, *place) if session_id is not None else None,
    )
