"""Tasks with what they wait for and the quotes that speak of them.

A board of any size is four statements.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from memory_assets.errors import check_word
from memory_assets.graduation.assurance import assurance_of_task
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.entries import address
from memory_assets.results.tasks import TaskBlocker, TaskEvidence, TaskView
from memory_assets.tasks.canonical import project_key
from memory_assets.vocabulary import FINISHED, TASK_STATUSES

if TYPE_CHECKING:
    import duckdb

Which = Literal["all", "blocked", "only_suggested", "unknown_blocker", "quiet"]

QUIET_AFTER = 5
"""So many later sessions of its project that do not speak of a task make it quiet, unless the settings say otherwise."""

SHOWN_ORDER = ["in_progress", "blocked", "pending", "done", "cancelled"]
PRIORITY_ORDER = ["critical", "high", "medium", "low"]

_STATUS = "(t.current_json ->> '$.status')"
_TASKS = f"""
SELECT t.entity_id, t.canonical_key, t.title, {_STATUS}, t.current_json ->> '$.priority', t.project,
  nullif(t.current_json ->> '$.requested_status', {_STATUS}),
  t.stage, t.status, t.created_at, coalesce(s.since, t.created_at), t.last_occurred_at,
  t.current_json ->> '$.done_basis', t.current_json ->> '$.done_named'
FROM entities t LEFT JOIN (
  SELECT entity_id, arg_max(occurred_at, place) AS since FROM task_outcomes
  WHERE event_type IN ('task_created', 'task_status_changed') GROUP BY entity_id) s USING (entity_id)
WHERE t.entity_type = 'task'
"""
# What matters most first, and of that what was said last; of what is finished nothing matters but that.
_ORDER = f"""
ORDER BY list_position({SHOWN_ORDER}, {_STATUS}),
  CASE WHEN {_STATUS} NOT IN ('done', 'cancelled') THEN coalesce(list_position({PRIORITY_ORDER},
    t.current_json ->> '$.priority'), 3) END, t.last_occurred_at DESC, t.entity_id
"""
_REQUESTED = 6
_UNFINISHED = f"AND {_STATUS} NOT IN ('done', 'cancelled')"
_WHICH: dict[Which, str] = {
    "all": "",
    "blocked": f"AND {_STATUS} = 'blocked'",
    "only_suggested": "AND t.entity_id IN (SELECT task_id FROM v_tasks_only_suggested)",
    "unknown_blocker": "AND t.entity_id IN (SELECT task_id FROM v_tasks_unknown_placeholder)",
    "quiet": _UNFINISHED,
}
_BLOCKERS = f"""
SELECT b.task_id, b.declared_kind, b.declared_blocker_title, b.effective_title, b.is_cleared, b.is_suggested,
  b.auto_placeholder, b.declared_blocker_id, coalesce(b.raw_text, b.declared_blocker_title), b.effective_blocker_id,
  b.effective_kind, b.effective_status, e.created_at
FROM v_task_blockers_effective b JOIN edges e ON e.src_id = b.task_id AND e.dst_id = b.declared_blocker_id
  AND e.rel_type = CASE WHEN b.is_suggested THEN 'blocked_by_suggested' ELSE 'blocked_by' END
WHERE b.task_id IN {IN_LIST}
ORDER BY b.is_suggested, b.is_cleared, e.created_at, b.declared_blocker_title, b.declared_blocker_id
"""
_EVIDENCE = f"""
SELECT g.dst_id, s.entry_id, s.session_id, s.message_index, s.span_start, s.span_end, s.segments_json, s.matched_text,
  'mem:' || m.short_id, n.created_ts
FROM edges g JOIN entries n ON n.entry_id = g.src_id
JOIN evidence_spans s ON s.entry_id = g.src_id AND s.match_method <> 'none' LEFT JOIN memories m ON m.memory_id = n.memory_id
WHERE g.rel_type = 'evidence_of' AND g.dst_id IN {IN_LIST}
ORDER BY n.created_ts, s.session_id, s.message_index, n.ordinal, s.ordinal, s.entry_id
"""


def list_tasks(
    connection: duckdb.DuckDBPyConnection,
    *,
    which: Which = "all",
    status: str | None = None,
    project: str | None = None,
    limit: int | None = None,
    quiet_after: int = QUIET_AFTER,
) -> list[TaskView]:
    """Tasks: those in progress first, then blocked, pending, done and cancelled ones; of these what matters most, and was said
    last, first.

    Args:
        quiet_after: how many later sessions of its project that do not speak of a task make it quiet.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, TASK_STATUSES)
    rows = fetch(
        connection,
        f"""{_TASKS} {_WHICH[which]} AND ($status IS NULL OR {_STATUS} = $status)
            AND ($project IS NULL OR t.project = $project) {_ORDER}"""
        + (f" LIMIT {int(limit)}" if limit is not None and which != "quiet" else ""),
        {"status": status, "project": project},
    )
    if which == "quiet":
        later = _LaterSessions(connection)
        rows = [row for row in rows if _is_quiet(row, later, quiet_after)][:limit]
    return _views(connection, rows, quiet_after)


def unfinished_tasks(
    connection: duckdb.DuckDBPyConnection, project: str, *, most: int | None = None
) -> tuple[int, list[TaskView]]:
    """How many tasks of a project are not finished, and the first: as :func:`list_tasks`, but what is said done comes last."""
    rows = fetch(connection, f"{_TASKS} {_UNFINISHED} AND t.project = $project {_ORDER}", {"project": project})
    rows.sort(key=lambda row: bool(row[_REQUESTED] == "done"))
    return len(rows), _views(connection, rows[:most], QUIET_AFTER)


def task_view(connection: duckdb.DuckDBPyConnection, task_id: str, *, quiet_after: int = QUIET_AFTER) -> TaskView:
    """The task with this whole id, which is known."""
    return _views(connection, fetch(connection, f"{_TASKS} AND t.entity_id = ?", [task_id]), quiet_after)[0]


def tasks_by_id(
    connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str], *, quiet_after: int = QUIET_AFTER
) -> list[TaskView]:
    """The tasks with these whole ids, in the order of :func:`list_tasks`; what is none is left out."""
    rows = fetch(connection, f"{_TASKS} AND t.entity_id IN {IN_LIST} {_ORDER}", [json_list(task_ids)])
    return _views(connection, rows, quiet_after)


def tasks_by_status(connection: duckdb.DuckDBPyConnection, *, project: str | None = None) -> dict[str, int]:
    """How many tasks there are of each status, in the order of the board."""
    rows = fetch(
        connection,
        "SELECT task_status, count(*) FROM v_tasks WHERE $project IS NULL OR project = $project GROUP BY task_status",
        {"project": project},
    )
    found: dict[str, int] = dict(rows)
    return {status: found[status] for status in SHOWN_ORDER if status in found}


class _LaterSessions:
    """When the sessions of each project began."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._began: dict[str, list[datetime]] = {}
        for project, began in fetch(connection, "SELECT project, started_at FROM sessions ORDER BY started_at"):
            self._began.setdefault(project_key(project), []).append(began)

    def count(self, project: str | None, since: datetime) -> int:
        """How many sessions of a project began behind a moment."""
        began = self._began.get(project_key(project), [])
        return len(began) - bisect_right(began, since)


def _is_quiet(row: Sequence[Any], later: _LaterSessions, quiet_after: int) -> bool:
    return row[3] not in FINISHED and later.count(row[5], row[11]) >= quiet_after


def _views(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]], quiet_after: int) -> list[TaskView]:
    if not rows:
        return []
    later = _LaterSessions(connection)
    wanted = [json_list(row[0] for row in rows)]
    blockers: dict[str, list[TaskBlocker]] = {}
    for task_id, *values in fetch(connection, _BLOCKERS, wanted):
        blockers.setdefault(task_id, []).append(TaskBlocker.of_row(values))
    evidence: dict[str, list[TaskEvidence]] = {}
    for row in fetch(connection, _EVIDENCE, wanted):
        evidence.setdefault(row[0], []).append(_evidence(row))
    return [
        TaskView.of_row(
            (
                *row[:6],
                tuple(blockers.get(row[0], ())),
                tuple(evidence.get(row[0], ())),
                *row[6:],
                _is_quiet(row, later, quiet_after),
                assurance_of_task(row[7], supporting_sessions=len({one.session_id for one in evidence.get(row[0], ())})),
            )
        )
        for row in rows
    ]


def _evidence(row: tuple[Any, ...]) -> TaskEvidence:
    _, entry_id, session_id, message_index, start, end, segments_json, quote, citation, said_at = row
    segments = json.loads(segments_json) if segments_json else None
    uri = address(session_id, message_index, segments or [(start, end)])
    assert uri is not None, entry_id  # only quotes with a span are asked for
    return TaskEvidence(
        entry_id=entry_id,
        session_id=session_id,
        message_index=message_index,
        span_start=start,
        span_end=end,
        uri=uri,
        quote=quote,
        citation=citation,
        said_at=said_at,
    )
