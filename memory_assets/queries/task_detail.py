"""One task with its past: how it came to be what it is, and who said so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation
from memory_assets.log.fetching import fetch
from memory_assets.queries.entries import address
from memory_assets.queries.task_review import blocker_cycles, possible_duplicates, refused_blockers, refused_moves
from memory_assets.queries.tasks import QUIET_AFTER, task_view
from memory_assets.results.tasks import MergeView, TaskDetail, TaskEvent, TaskName
from memory_assets.search.entity_ids import merges, name_of, one_entity

if TYPE_CHECKING:
    import duckdb

# What led to an outcome is the claim of an entry, or a person's word.
_HISTORY = """
SELECT h.event_id, h.event_type, h.occurred_at, h.payload_json, c.entry_id, h.session_id, h.message_index, s.message_index,
  s.segments_json, s.matched_text, w.said_by, w.note
FROM v_task_history h LEFT JOIN task_claims c ON c.claim_id = h.source_id
LEFT JOIN evidence_spans s ON s.entry_id = c.entry_id AND s.ordinal = c.evidence_ordinal
LEFT JOIN task_words w ON w.event_id = h.source_id
WHERE h.task_id = ? ORDER BY h.place
"""
_HOLDS_UP = """
SELECT DISTINCT t.task_id, t.title, t.task_status, t.project FROM v_task_blockers_effective b JOIN v_tasks t USING (task_id)
WHERE b.effective_blocker_id = ? AND NOT b.is_suggested AND b.task_id <> b.effective_blocker_id ORDER BY t.title, t.task_id
"""
# What every event of a task has and nobody reads.
_UNSHOWN = ("task_id", "basis", "canonical_key", "project", "source_entry_id", "entry_id")


def get_task_detail(connection: duckdb.DuckDBPyConnection, given: str, *, quiet_after: int = QUIET_AFTER) -> TaskDetail:
    """The task with this id, beginning of an id, former id or canonical key: as it stands, and how it came to that.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    task_id = one_entity(connection, given, "task").entity_id
    names = fetch(
        connection,
        "SELECT canonical_key FROM entity_aliases WHERE entity_id = ? AND NOT is_primary ORDER BY created_at, canonical_key",
        [task_id],
    )
    return TaskDetail(
        task=task_view(connection, task_id, quiet_after=quiet_after),
        also_called=tuple(name_of(row[0]) for row in names),
        holds_up=tuple(TaskName.of_row(row) for row in fetch(connection, _HOLDS_UP, [task_id])),
        merges=merged_into(connection, task_id),
        cycles=blocker_cycles(connection, task_id=task_id),
        refused=refused_moves(connection, task_id=task_id),
        refused_blockers=refused_blockers(connection, task_id=task_id),
        candidates=possible_duplicates(connection, task_id=task_id),
        history=tuple(_event(row) for row in fetch(connection, _HISTORY, [task_id])),
    )


def merged_into(connection: duckdb.DuckDBPyConnection, entity_id: str) -> tuple[MergeView, ...]:
    """The merges that end in an entity, those of what was merged into it before included."""
    found: list[MergeView] = []
    told = merges(connection)
    reached = {entity_id}
    while new := [merge for merge in told if merge.into_id in reached and merge not in found]:
        found += new
        reached |= {merge.from_id for merge in new}
    return tuple(found)


def _event(row: tuple[Any, ...]) -> TaskEvent:
    event_id, event_type, occurred_at, payload, entry_id, session_id, message_index, placed, segments, quote, by, note = row
    uri = None
    if session_id is not None:
        uri = address(session_id, placed, json.loads(segments or "[]")) or MessageCitation(session_id, message_index or 0).uri
    details = {name: value for name, value in json.loads(payload).items() if name not in _UNSHOWN}
    return TaskEvent(
        event_id=event_id,
        event_type=event_type,
        occurred_at=occurred_at,
        details=details,
        entry_id=entry_id,
        uri=uri,
        quote=quote,
        said_by=by,
        note=note,
    )
