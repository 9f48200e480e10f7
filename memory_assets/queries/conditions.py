"""Conditions that tasks wait for, and what they turned out to be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation
from memory_assets.errors import check_word
from memory_assets.log.fetching import fetch
from memory_assets.queries.entries import address
from memory_assets.results.tasks import Candidate, ConditionView, TaskName

if TYPE_CHECKING:
    import duckdb

STATUSES = ("open", "resolved", "satisfied", "settled", "all")
"""``settled`` is resolved or satisfied."""

# What settled it last is a claim or a person's word.
_CONDITIONS = """
WITH settled AS (
  SELECT entity_id, arg_max(source_id, place) AS source_id, arg_max(session_id, place) AS session_id,
    arg_max(message_index, place) AS message_index, max(occurred_at) AS at
  FROM task_outcomes WHERE entity_type = 'condition' AND event_type IN ('condition_resolved_to', 'condition_satisfied')
  GROUP BY entity_id
), shown AS (
  SELECT *, current_json ->> '$.status' AS state FROM entities
  WHERE entity_type = 'condition' AND ($condition IS NULL OR entity_id = $condition)
)
SELECT c.entity_id, c.canonical_key, c.title, c.state, c.project,
  coalesce(CAST(c.current_json ->> '$.auto_placeholder' AS BOOLEAN), false), CAST(c.current_json -> '$.candidates' AS VARCHAR),
  d.title, d.entity_id, d.entity_type, d.current_json ->> '$.status', c.created_at,
  CASE WHEN c.state <> 'open' THEN s.at END, w.said_by, s.session_id, s.message_index, q.message_index, q.segments_json
FROM shown c LEFT JOIN edges e ON e.src_id = c.entity_id AND e.rel_type = 'resolves_to'
LEFT JOIN entities d ON d.entity_id = e.dst_id LEFT JOIN settled s ON s.entity_id = c.entity_id AND c.state <> 'open'
LEFT JOIN task_words w ON w.event_id = s.source_id LEFT JOIN task_claims m ON m.claim_id = s.source_id
LEFT JOIN evidence_spans q ON q.entry_id = m.entry_id AND q.ordinal = m.evidence_ordinal
WHERE ($status = 'all' OR c.state = $status OR ($status = 'settled' AND c.state <> 'open'))
  AND ($project IS NULL OR c.project = $project)
ORDER BY c.state <> 'open', coalesce(s.at, c.last_occurred_at) DESC, c.entity_id
"""
_WAITING = """
SELECT DISTINCT b.{column}, t.task_id, t.title, t.task_status, t.project FROM v_task_blockers_effective b
JOIN v_tasks t USING (task_id) ORDER BY t.title, t.task_id
"""


def list_conditions(
    connection: duckdb.DuckDBPyConnection, *, status: str = "all", project: str | None = None, limit: int | None = None
) -> list[ConditionView]:
    """Conditions, the open ones first, of these what was spoken of last.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, STATUSES)
    return _views(
        connection,
        fetch(
            connection,
            _CONDITIONS + (f" LIMIT {int(limit)}" if limit is not None else ""),
            {"condition": None, "status": status, "project": project},
        ),
    )


def condition_view(connection: duckdb.DuckDBPyConnection, condition_id: str) -> ConditionView:
    """The condition with this whole id, which is known."""
    return _views(connection, fetch(connection, _CONDITIONS, {"condition": condition_id, "status": "all", "project": None}))[0]


def waiting_tasks(connection: duckdb.DuckDBPyConnection, column: str) -> Mapping[str, Sequence[TaskName]]:
    """The tasks that wait for each blocker: for what they say (``declared_blocker_id``), or what that turned out to be
    (``effective_blocker_id``)."""
    found: dict[str, list[TaskName]] = {}
    for blocker_id, *name in fetch(connection, _WAITING.format(column=column)):
        found.setdefault(blocker_id, []).append(TaskName.of_row(name))
    return found


def _views(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> list[ConditionView]:
    waiting = waiting_tasks(connection, "declared_blocker_id") if rows else {}
    return [_view(row, waiting.get(row[0], ())) for row in rows]


def _view(row: tuple[Any, ...], waiting: Sequence[TaskName]) -> ConditionView:
    *head, candidates_json, title, to_id, kind, state, declared_at, at, by, session_id, index, placed, segments = row
    uri = None
    if session_id is not None:
        uri = address(session_id, placed, json.loads(segments or "[]")) or MessageCitation(session_id, index or 0).uri
    candidates = tuple(
        Candidate(task_id=item["task_id"], title=item["title"], score=item["score"], method=item["method"])
        for item in json.loads(candidates_json or "[]")
    )
    rest = (candidates, tuple(waiting), title, to_id, kind, state, declared_at, at, by, uri)
    return ConditionView.of_row((*head, *rest))
