"""Sessions, their messages, and what was put aside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.errors import check_word
from memory_assets.log.fetching import fetch, full_id, scalar
from memory_assets.results.sessions import MessageView, Quarantined, SessionDetails, SessionSummary
from memory_assets.search.answers.said_otherwise import said_instead_where
from memory_assets.vocabulary import PIPELINE_STAGES

if TYPE_CHECKING:
    import duckdb

# A session that did not get past its first stage has no row of its own, and is listed all the same.
SESSIONS = """
WITH kept AS (
  SELECT session_id, count(*) AS entries FROM entries WHERE status <> 'superseded' GROUP BY session_id
), aside AS (
  SELECT session_id, any_value(uri) AS uri FROM quarantine
  WHERE session_id NOT IN (SELECT session_id FROM sessions) GROUP BY session_id
), told AS (
  SELECT unnest(session_ids) AS session_id, uri, registered_at FROM source_files WHERE outcome = 'taken'
), registered AS (
  SELECT session_id, arg_max(uri, registered_at) AS uri, list_sort(list_distinct(list(uri))) AS uris FROM told
  WHERE session_id NOT IN (SELECT session_id FROM sessions) AND session_id NOT IN (SELECT session_id FROM aside)
  GROUP BY session_id
)
SELECT s.session_id, s.source_uri, s.source_uris, s.project, s.title, s.message_count, s.status, s.source_kind, s.lang,
  s.started_at, s.ended_at, s.char_len, s.revision, coalesce(k.entries, 0)
FROM sessions s LEFT JOIN kept k USING (session_id)
UNION ALL
SELECT session_id, uri, CASE WHEN uri IS NULL THEN [] ELSE [uri] END, NULL, NULL, 0, 'quarantined', NULL, NULL,
  NULL, NULL, 0, 0, 0
FROM aside
UNION ALL
SELECT session_id, uri, uris, NULL, NULL, 0, 'registered', NULL, NULL, NULL, NULL, 0, 0, 0 FROM registered
"""
_CHOSEN = f"FROM ({SESSIONS}) WHERE ($project IS NULL OR project = $project) AND ($status IS NULL OR status = $status)"
_NEWEST_FIRST = "ORDER BY started_at DESC NULLS LAST, session_id"
STATUSES = ("registered", *PIPELINE_STAGES, "quarantined")
MESSAGES = "SELECT session_id, message_index, role, kind, name, ts, text, tool_name, is_error FROM messages"
_QUARANTINE = "SELECT session_id, stage, error_code, detail, uri, attempts, quarantined_at FROM quarantine"


def all_sessions(
    connection: duckdb.DuckDBPyConnection, *, project: str | None = None, status: str | None = None
) -> list[SessionSummary]:
    """Every session, the newest first.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, STATUSES)
    rows = fetch(connection, f"SELECT * {_CHOSEN} {_NEWEST_FIRST}", {"project": project, "status": status})
    return [summary(row) for row in rows]


def sessions_of(
    connection: duckdb.DuckDBPyConnection,
    *,
    project: str | None = None,
    status: str | None = None,
    limit: int,
    offset: int = 0,
) -> tuple[tuple[SessionSummary, ...], int]:
    """Some sessions, the newest first, and how many there are in all."""
    chosen: dict[str, object] = {"project": project, "status": status}
    rows = fetch(connection, f"SELECT * {_CHOSEN} {_NEWEST_FIRST} LIMIT {int(limit)} OFFSET {int(offset)}", chosen)
    total = scalar(connection, f"SELECT count(*) {_CHOSEN}", chosen)
    return tuple(summary(row) for row in rows), total


def one_session(connection: duckdb.DuckDBPyConnection, given: str) -> SessionSummary:
    """The session with this id, or with an id that begins so.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    session_id = full_id(
        connection, f"SELECT session_id AS id FROM ({SESSIONS})", given, what="session", listed_by="memory sessions list"
    )
    return summary(fetch(connection, f"SELECT * FROM ({SESSIONS}) WHERE session_id = ?", [session_id])[0])


def session_details(connection: duckdb.DuckDBPyConnection, given: str) -> SessionDetails:
    """A session with everything that was said in it."""
    session = one_session(connection, given)
    return SessionDetails(
        session=session,
        messages=tuple(messages_of(connection, session.session_id)),
        quarantine=tuple(quarantined(connection, session.session_id)),
    )


def messages_of(connection: duckdb.DuckDBPyConnection, session_id: str) -> list[MessageView]:
    """A session's messages in source order."""
    rows = fetch(connection, f"{MESSAGES} WHERE session_id = ? ORDER BY message_index", [session_id])
    return message_views(connection, rows)


def messages_at(connection: duckdb.DuckDBPyConnection, session_id: str, first: int, last: int) -> dict[int, MessageView]:
    """Some messages by their index."""
    rows = fetch(connection, f"{MESSAGES} WHERE session_id = ? AND message_index BETWEEN ? AND ?", [session_id, first, last])
    return {message.message_index: message for message in message_views(connection, rows)}


def message_views(connection: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]]) -> list[MessageView]:
    """Rows of :data:`MESSAGES`, each with what a person said instead of something of it."""
    instead = said_instead_where(connection, {(row[0], row[1]): (((row[0], row[1]),), row[6]) for row in rows})
    return [MessageView.of_row((*row, instead.get((row[0], row[1])))) for row in rows]


def quarantined(connection: duckdb.DuckDBPyConnection, session_id: str | None = None) -> list[Quarantined]:
    """What was put aside, and why."""
    rows = fetch(
        connection,
        f"{_QUARANTINE} WHERE $session IS NULL OR session_id = $session ORDER BY session_id, stage",
        {"session": session_id},
    )
    return [Quarantined.of_row(row) for row in rows]


def summary(row: tuple[object, ...]) -> SessionSummary:
    """A row of :data:`SESSIONS`."""
    session_id, uri, uris, *rest = row
    return SessionSummary.of_row((session_id, uri, tuple(uris or ()), *rest))  # type: ignore[arg-type]
