"""The log as it grows: where it ends, and what came behind a place, for those who watch it.

A watcher asks often, and a writer is never to wait for it: where the log ends is read from the tip, a small file beside the
store, and the store itself is opened when the tip has moved alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch, scalar
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.sql import seen
from memory_assets.log.tip import Tips, read_tips
from memory_assets.results.listed import LiveEventV1

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

_STAGES = {event_type: stage for stage, event_type in CHAIN.items()}
# The title is the table's, or before the session was folded that of its newest revision.
_BEHIND = """
WITH behind AS (
  SELECT seq, ts, event_type, actor, session_id, project,
    CASE WHEN event_type = 'session_ingested' THEN payload_json ->> '$.heading.title' END AS title
  FROM {visible} ORDER BY seq LIMIT $limit
)
SELECT b.seq, b.ts, b.event_type, b.actor, b.session_id, coalesce(s.title, b.title), coalesce(b.project, s.project)
FROM behind b LEFT JOIN sessions s USING (session_id) ORDER BY b.seq
"""
HIDING = frozenset({"session_forgotten", "text_forgotten"})
"""Events behind which what was shown before may not be shown any more."""


@dataclass(frozen=True, slots=True)
class EventsBehind:
    """Events behind a place.

    Attributes:
        upto: whoever has seen these has seen everything up to this seq; what lies between them is hidden.
        is_end: nothing lies behind ``upto`` now.
    """

    events: tuple[LiveEventV1, ...]
    upto: int
    is_end: bool


def tip_of(folder: Path) -> object:
    """Something that is another whenever the log may end elsewhere; nothing of the store is opened, and nobody waits."""
    tips = read_tips(folder)
    return (tips.now, tips.coming) if isinstance(tips, Tips) else tips


def log_end(connection: duckdb.DuckDBPyConnection) -> int:
    """The newest seq; 0 of an empty log."""
    return int(scalar(connection, "SELECT coalesce(max(seq), 0) FROM events"))


def events_behind(connection: duckdb.DuckDBPyConnection, after: int, *, limit: int = 500) -> EventsBehind:
    """The first events behind seq ``after`` that may be seen, in the order in which they were committed."""
    end = log_end(connection)
    if after >= end:
        return EventsBehind((), max(after, end), True)
    visible = seen(connection)("seq > $after")
    rows = fetch(connection, _BEHIND.format(visible=visible), {"after": after, "limit": limit})
    events = tuple(_event(*row) for row in rows)
    # What this process appends meanwhile lies behind the end that was seen.
    newest = events[-1].seq if events else after
    is_end = len(events) < limit
    return EventsBehind(events, max(end, newest) if is_end else newest, is_end)


def newest_seen(connection: duckdb.DuckDBPyConnection, *, limit: int = 100) -> EventsBehind:
    """The newest events that may be seen, in the order in which they were committed, up to the end of the log."""
    rows = fetch(connection, f"SELECT seq FROM {seen(connection)('true')} ORDER BY seq DESC LIMIT ?", [limit])
    if not rows:
        return EventsBehind((), log_end(connection), True)
    return events_behind(connection, rows[-1][0] - 1, limit=limit)


def _event(
    seq: int,
    ts: object,
    event_type: str,
    actor: str,
    session_id: str | None,
    title: str | None,
    project: str | None,
) -> LiveEventV1:
    return LiveEventV1.model_validate(
        {
            "seq": seq,
            "ts": ts,
            "event_type": event_type,
            "stage": _STAGES.get(event_type),
            "actor": actor,
            "session_id": session_id,
            "title": title,
            "project": project,
        }
    )
