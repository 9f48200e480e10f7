"""The log a page at a time, as far as it may be seen, and one event with what it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError, check_word
from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.catalogue import PAYLOADS
from memory_assets.log.sql import seen
from memory_assets.queries.events import EVENT_COLUMNS, one_event
from memory_assets.results.events import EventView
from memory_assets.results.listed import EventPageV1, EventWithRelatedV1

if TYPE_CHECKING:
    import duckdb

MOST_OF_A_PAGE = 1_000
SHOWN_CAUSED = 100


def event_page(
    connection: duckdb.DuckDBPyConnection,
    *,
    session_id: str | None = None,
    event_type: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> EventPageV1:
    """Some events, the newest first. What was forgotten, or replaced by a later history, is neither shown nor counted.

    Raises:
        InvalidArgumentError: there is no such type, or no such page.
    """
    check_word("event type", event_type, PAYLOADS)
    if not 1 <= limit <= MOST_OF_A_PAGE or not 0 <= offset <= 2_000_000_000:
        raise InvalidArgumentError(f"a page of {limit} events from {offset} on", hint=f"at most {MOST_OF_A_PAGE:,}, from 0 on")
    chosen = "($session IS NULL OR session_id = $session) AND ($type IS NULL OR event_type = $type)"
    rows = fetch(
        connection,
        f"""WITH chosen AS (SELECT seq, event_id FROM {seen(connection)(chosen)}),
              page AS (SELECT * FROM chosen ORDER BY seq DESC LIMIT {limit} OFFSET {offset})
            SELECT (SELECT count(*) FROM chosen), e.* FROM (SELECT 1) one
            LEFT JOIN (SELECT {EVENT_COLUMNS} FROM events WHERE seq IN (SELECT seq FROM page)) e ON true
            ORDER BY e.seq DESC""",
        {"session": session_id, "type": event_type},
    )
    events = tuple(EventView.of_row(row[1:]) for row in rows if row[1] is not None)
    return EventPageV1(events=events, total=rows[0][0], offset=offset, limit=limit)


def event_with_related(connection: duckdb.DuckDBPyConnection, given: str) -> EventWithRelatedV1:
    """A visible event by its id, the beginning of its id, or its seq.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    found = one_event(connection, given)
    related = seen(connection)("event_id = $cause OR causation_id = $event")
    rows = fetch(
        connection,
        f"SELECT {EVENT_COLUMNS} FROM {related} ORDER BY seq",
        {"cause": found.causation_id, "event": found.event.event_id},
    )
    views = [EventView.of_row(row) for row in rows]
    caused = [view for view in views if view.event_id != found.causation_id]
    return EventWithRelatedV1(
        event=found.event,
        payload=found.payload,
        checksum=found.checksum,
        chain_id=found.chain_id,
        build_id=found.build_id,
        telemetry=found.telemetry,
        caused_by=next((view for view in views if view.event_id == found.causation_id), None),
        caused=tuple(caused[:SHOWN_CAUSED]),
        caused_total=len(caused),
    )
