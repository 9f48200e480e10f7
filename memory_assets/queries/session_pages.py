"""Projects with what there is of each, and the messages of a session a page at a time, with who wrote which of their words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import NotACitation, SpanCitation, parse_citation
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.fetching import fetch, scalar
from memory_assets.queries.sessions import MESSAGES, message_views
from memory_assets.results.sessions import MessageView
from memory_assets.vocabulary import Origin

if TYPE_CHECKING:
    import duckdb

_PROJECTS = """
WITH held AS (
  SELECT project, count(*) AS memories FROM memories WHERE status <> 'deprecated' GROUP BY project
), open AS (
  SELECT project, count(*) AS tasks FROM v_tasks WHERE task_status NOT IN ('done', 'cancelled') GROUP BY project
)
SELECT s.project, count(*), sum(s.message_count), min(s.started_at), max(s.ended_at), coalesce(any_value(h.memories), 0),
  coalesce(any_value(o.tasks), 0)
FROM sessions s LEFT JOIN held h ON h.project = s.project LEFT JOIN open o ON o.project = s.project
WHERE s.project IS NOT NULL GROUP BY s.project ORDER BY max(s.ended_at) DESC, s.project
"""
_STRETCHES = """
SELECT message_index, span_start, span_end, origin FROM message_origins
WHERE session_id = ? AND message_index BETWEEN ? AND ? ORDER BY message_index, span_start
"""
# What stands in no row was written by its speaker throughout (projections/message_origins.py).
_SPEAKERS: dict[str, Origin] = {"user": "typed", "assistant": "said", "system": "template", "tool": "tool"}
_KINDS: dict[str, Origin] = {"tool_call": "tool", "tool_result": "tool", "injected": "template", "thinking": "said"}


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """A project with what there is of it; ``open_tasks`` are neither done nor cancelled."""

    project: str
    sessions: int
    messages: int
    first_at: datetime
    last_at: datetime
    memories: int
    open_tasks: int


@dataclass(frozen=True, slots=True)
class OriginStretch:
    """Code points ``start`` to ``end`` of a message, half-open, and who wrote them."""

    start: int
    end: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class ToldMessage:
    """A message and who wrote its stretches, in order and without gaps; an empty text has none."""

    message: MessageView
    stretches: tuple[OriginStretch, ...]


def list_projects(connection: duckdb.DuckDBPyConnection) -> list[ProjectSummary]:
    """Every project that a session is of, the one that was spoken of last first."""
    return [
        ProjectSummary(project, sessions, int(messages), first, last, memories, tasks)
        for project, sessions, messages, first, last, memories, tasks in fetch(connection, _PROJECTS)
    ]


def told_between(connection: duckdb.DuckDBPyConnection, session_id: str, first: int, last: int) -> list[ToldMessage]:
    """The messages of a session from an index to another, both included, in order."""
    within = [session_id, first, last]
    rows = fetch(
        connection, f"{MESSAGES} WHERE session_id = ? AND message_index BETWEEN ? AND ? ORDER BY message_index", within
    )
    stretches: dict[int, list[OriginStretch]] = {}
    for index, start, end, origin in fetch(connection, _STRETCHES, within):
        stretches.setdefault(index, []).append(OriginStretch(start, end, origin))
    return [_told(message, tuple(stretches.get(message.message_index, ()))) for message in message_views(connection, rows)]


def message_count(connection: duckdb.DuckDBPyConnection, session_id: str) -> int:
    """How far the indexes of a session's messages go: one more than the last."""
    return int(
        scalar(connection, "SELECT coalesce(max(message_index) + 1, 0) FROM messages WHERE session_id = ?", [session_id])
    )


def cited_segments(session_id: str, message: str, characters: str | None) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The message and its characters that ``m=`` and ``c=`` of an address name; no characters for the whole message.

    Raises:
        InvalidArgumentError: they name none.
    """
    written = f"session:{session_id}#m={message}" + (f"&c={characters}" if characters is not None else "")
    match parse_citation(written):
        case SpanCitation(_, index, segments):
            return index, segments
        case NotACitation(_, reason):
            raise InvalidArgumentError(f"{written[:160]} is no citation: {reason}", hint="as in m=12&c=140-182")
        case found:
            return int(getattr(found, "message_index")), ()  # noqa: B009


def check_cited(told: ToldMessage | None, session_id: str, index: int, segments: tuple[tuple[int, int], ...]) -> None:
    """
    Raises:
        NotFoundError: there is no such message.
        InvalidArgumentError: the characters lie outside it.
    """
    if told is None:
        raise NotFoundError(f"session {session_id} has no message {index}")
    length = len(told.message.text)
    if segments and segments[-1][1] > length:
        raise InvalidArgumentError(
            f"characters {segments[0][0]} to {segments[-1][1]} of message {index} end behind it: it has {length:,}",
            hint="the session may have been replaced by another text since the citation was made",
        )


def _told(message: MessageView, stretches: tuple[OriginStretch, ...]) -> ToldMessage:
    if stretches or not message.text:
        return ToldMessage(message, stretches)
    origin = _KINDS.get(message.kind) or _SPEAKERS.get(message.role, "said")
    return ToldMessage(message, (OriginStretch(0, len(message.text), origin),))
