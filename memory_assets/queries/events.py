"""The log as it is shown: what was appended, by type, and one event with its payload."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory_assets.errors import check_word
from memory_assets.log.fetching import counts, fetch, full_id
from memory_assets.log.payloads.catalogue import PAYLOADS
from memory_assets.results.events import EventDetails, EventStats, EventView

if TYPE_CHECKING:
    import duckdb

EVENT_COLUMNS = """seq, event_id, ts, event_type, session_id, actor, occurred_at, stage_version,
  strlen(CAST(payload_json AS VARCHAR))"""
"""Of an ``EventView``, in its order."""
_EVENT = f"SELECT {EVENT_COLUMNS}"
_VISIBLE = "SELECT event_id AS id FROM visible_events"


def newest_events(
    connection: duckdb.DuckDBPyConnection,
    *,
    limit: int = 20,
    session_id: str | None = None,
    event_type: str | None = None,
    after: int = 0,
) -> list[EventView]:
    """The newest events behind seq ``after``, in commit order. Payloads are not shown, so forgotten sessions stay so.

    Raises:
        InvalidArgumentError: there is no such type.
    """
    check_word("event type", event_type, PAYLOADS)
    rows = fetch(
        connection,
        f"""SELECT * FROM ({_EVENT} FROM events WHERE seq > $after AND ($session IS NULL OR session_id = $session)
              AND ($type IS NULL OR event_type = $type) ORDER BY seq DESC LIMIT {int(limit)}) ORDER BY seq""",
        {"after": after, "session": session_id, "type": event_type},
    )
    return [EventView.of_row(row) for row in rows]


def one_event(connection: duckdb.DuckDBPyConnection, given: str) -> EventDetails:
    """A visible event by its id, the beginning of its id, or its seq.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    found: list[tuple[Any, ...]] = []
    if given.isascii() and given.isdigit() and len(given) < 19:
        found = fetch(connection, "SELECT event_id FROM visible_events WHERE seq = ?", [int(given)])
    event_id = (
        found[0][0]
        if found
        else full_id(connection, _VISIBLE, given, what="visible event", listed_by="memory events tail", prefix="ev_")
    )
    row = fetch(
        connection,
        f"{_EVENT}, payload_json, checksum, causation_id, chain_id, build_id, telemetry_json FROM events WHERE event_id = ?",
        [event_id],
    )[0]
    payload_json, checksum, causation_id, chain_id, build_id, telemetry_json = row[9:]
    return EventDetails(
        event=EventView.of_row(row[:9]),
        payload=json.loads(payload_json),
        checksum=checksum,
        causation_id=causation_id,
        chain_id=chain_id,
        build_id=build_id,
        telemetry=json.loads(telemetry_json or "{}"),
    )


def event_stats(connection: duckdb.DuckDBPyConnection) -> EventStats:
    """How many events of which type, and how much they hold."""
    by_type = counts(connection, "SELECT event_type, count(*) FROM events GROUP BY event_type ORDER BY event_type")
    last_seq, first_ts, last_ts, size = fetch(
        connection,
        """SELECT coalesce(max(seq), 0), min(ts), max(ts),
             coalesce(sum(strlen(CAST(payload_json AS VARCHAR))), 0) FROM events""",
    )[0]
    return EventStats(
        total=sum(by_type.values()),
        by_type=by_type,
        last_seq=last_seq,
        first_ts=first_ts,
        last_ts=last_ts,
        payload_bytes=int(size),
    )
