"""Sessions, messages and memories a page at a time with how many there are, and one session counted without its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError, check_word
from memory_assets.log.fetching import fetch, scalar
from memory_assets.queries.entries import list_memories
from memory_assets.queries.event_page import event_page
from memory_assets.queries.sessions import STATUSES, messages_at, one_session, quarantined, sessions_of
from memory_assets.results.listed import MemoryPageV1, MessagePageV1, SessionCountsV1, SessionOverviewV1, SessionPageV1
from memory_assets.vocabulary import STAGES

if TYPE_CHECKING:
    import duckdb

MOST_OF_A_PAGE = 500
SHOWN_EVENTS = 20

_COUNTS = """
SELECT count(*), count(*) FILTER (role = 'user' AND kind = 'said'), count(*) FILTER (role = 'assistant' AND kind = 'said'),
  count(*) FILTER (kind = 'tool_call'), count(*) FILTER (kind = 'tool_result'),
  count(*) FILTER (kind NOT IN ('tool_call', 'tool_result') AND NOT (kind = 'said' AND role IN ('user', 'assistant'))),
  coalesce(sum(char_len), 0),
  (SELECT count(DISTINCT memory_id) FROM entries WHERE session_id = $session AND status <> 'superseded'),
  (SELECT count(DISTINCT g.dst_id) FROM entries n JOIN edges g ON g.src_id = n.entry_id AND g.rel_type = 'evidence_of'
   WHERE n.session_id = $session AND n.status <> 'superseded')
FROM messages WHERE session_id = $session
"""


def session_page(
    connection: duckdb.DuckDBPyConnection,
    *,
    project: str | None = None,
    status: str | None = None,
    page: int = 1,
    page_size: int = 20,
) -> SessionPageV1:
    """The sessions of a page, the newest first; a page past the end is empty.

    Raises:
        InvalidArgumentError: there is no such status, or the page is none.
    """
    check_word("status", status, STATUSES)
    check_bounds("page", page, 1, 1_000_000_000)
    check_bounds("page_size", page_size, 1, MOST_OF_A_PAGE)
    sessions, total = sessions_of(connection, project=project, status=status, limit=page_size, offset=(page - 1) * page_size)
    return SessionPageV1(sessions=sessions, total=total, page=page, page_size=page_size)


def memories_of_stage(
    connection: duckdb.DuckDBPyConnection, stage: str, *, project: str | None = None, page: int = 1, page_size: int = 20
) -> MemoryPageV1:
    """The memories of a page, the newest first; a page past the end is empty.

    Raises:
        InvalidArgumentError: there is no such stage, or the page is none.
    """
    check_word("stage", stage, STAGES)
    check_bounds("page", page, 1, 1_000_000_000)
    check_bounds("page_size", page_size, 1, MOST_OF_A_PAGE)
    known = next(one for one in STAGES if one == stage)
    found = list_memories(connection, project=project, stage=known, limit=page_size, offset=(page - 1) * page_size)
    return MemoryPageV1(stage=known, memories=found.memories, total=found.total, page=page, page_size=page_size)


def session_overview(connection: duckdb.DuckDBPyConnection, given: str) -> SessionOverviewV1:
    """A session with its counts and newest events.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    session = one_session(connection, given)
    row = fetch(connection, _COUNTS, {"session": session.session_id})[0]
    events = event_page(connection, session_id=session.session_id, limit=SHOWN_EVENTS)
    return SessionOverviewV1(
        session=session,
        counts=SessionCountsV1.of_row(map(int, row)),
        quarantine=tuple(quarantined(connection, session.session_id)),
        events=events.events,
        event_total=events.total,
    )


def message_page(connection: duckdb.DuckDBPyConnection, given: str, *, offset: int = 0, limit: int = 100) -> MessagePageV1:
    """Some messages of a session; none behind its end.

    Raises:
        NotFoundError, AmbiguousIdError
        InvalidArgumentError: no place to begin at, or more than a page has.
    """
    check_bounds("offset", offset, 0, 2_000_000_000)
    check_bounds("limit", limit, 1, MOST_OF_A_PAGE)
    session_id = one_session(connection, given).session_id
    total = scalar(connection, "SELECT count(*) FROM messages WHERE session_id = ?", [session_id])
    found = messages_at(connection, session_id, offset, offset + limit - 1)
    messages = tuple(found[index] for index in sorted(found))
    return MessagePageV1(session_id=session_id, messages=messages, total=total, offset=offset, limit=limit)


def check_bounds(what: str, given: int, least: int, most: int) -> None:
    """Refuse a number that is out of bounds.

    Raises:
        InvalidArgumentError: with the bounds.
    """
    if not least <= given <= most:
        raise InvalidArgumentError(f"{what} is {given}", hint=f"a number from {least:,} to {most:,}")
