"""What hangs on memories, tasks and places: entries on the same words, tasks, conflicts, and the edges of the graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.resolve_ids import ResolvedId
from memory_assets.results.details import RelatedItemV1

if TYPE_CHECKING:
    import duckdb

# Memories that rest on characters of a place, and the tasks that these speak of.
_AT_PLACES = """
WITH points AS (
  SELECT unnest(from_json(?, '[{"given": "VARCHAR", "session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER",
    "end": "INTEGER"}]'), recursive := true)
), resting AS (
  SELECT DISTINCT p.given, n.entry_id, n.memory_id FROM points p JOIN evidence_spans s ON s.session_id = p.session_id
    AND s.message_index = p.message_index AND s.span_start < p."end" AND s.span_end > p.start
  JOIN entries n ON n.entry_id = s.entry_id AND n.status <> 'superseded'
)
SELECT DISTINCT r.given, 'same_words', m.entry_type, m.memory_id, 'mem:' || m.short_id, m.title, m.status
FROM resting r JOIN memories m USING (memory_id)
UNION
SELECT DISTINCT r.given, 'evidence_of', 'task', t.entity_id, t.entity_id, t.title, t.current_json ->> '$.status'
FROM resting r JOIN edges g ON g.src_id = r.entry_id AND g.rel_type = 'evidence_of'
JOIN entities t ON t.entity_id = g.dst_id AND t.entity_type = 'task'
"""
_CONFLICTS = f"""
WITH given AS (SELECT * FROM {IN_LIST} AS ids(id)), sides AS (
  SELECT conflict_id, older_memory_id AS mine, newer_memory_id AS other, reason, status FROM conflicts
  UNION ALL SELECT conflict_id, newer_memory_id, older_memory_id, reason, status FROM conflicts
)
SELECT s.mine, 'conflict', 'conflict', s.conflict_id, s.conflict_id, m.title || ': ' || s.reason, s.status
FROM sides s JOIN given ON given.id = s.mine JOIN memories m ON m.memory_id = s.other
"""
# Of an entity's edges the other end; an entry stands for its memory. Where the entity is the end of an edge, the name says so.
_EDGES = f"""
WITH given AS (SELECT * FROM {IN_LIST} AS ids(id)), mine AS (
  SELECT g.id, e.rel_type AS rel, e.dst_id AS other FROM given g JOIN edges e ON e.src_id = g.id
  UNION SELECT g.id,
    CASE e.rel_type WHEN 'blocked_by' THEN 'blocks' WHEN 'evidence_of' THEN 'evidence' ELSE e.rel_type || '_of' END, e.src_id
  FROM given g JOIN edges e ON e.dst_id = g.id
)
SELECT m.id, m.rel, t.entity_type, t.entity_id, t.entity_id, t.title, t.current_json ->> '$.status'
FROM mine m JOIN entities t ON t.entity_id = m.other
UNION
SELECT m.id, m.rel, y.entry_type, y.memory_id, 'mem:' || y.short_id, y.title, y.status
FROM mine m JOIN entries n ON n.entry_id = m.other JOIN memories y ON y.memory_id = n.memory_id
"""
_OF_MEMORIES = f"""
SELECT DISTINCT n.memory_id, e.rel_type, t.entity_type, t.entity_id,
  t.entity_id, t.title, t.current_json ->> '$.status'
FROM entries n JOIN edges e ON e.src_id = n.entry_id JOIN entities t ON t.entity_id = e.dst_id
WHERE n.status <> 'superseded' AND n.memory_id IN {IN_LIST}
"""
_ORDER = ("conflict", "blocked_by", "blocks", "evidence_of", "same_words", "evidence")


def related_to(connection: duckdb.DuckDBPyConnection, targets: Sequence[ResolvedId]) -> dict[str, list[RelatedItemV1]]:
    """What hangs on each of some things, by the id that was given: conflicts and blockers first, each thing once."""
    points = [
        {
            "given": one.given,
            "session_id": place.session_id,
            "message_index": place.message_index,
            "start": place.start,
            "end": place.end,
        }
        for one in targets
        if one.unit_kind in ("passage", None)
        for place in one.places[:1]
    ]
    memories = {one.source_id for one in targets if one.unit_kind == "entry" and one.source_id}
    tasks = {one.source_id for one in targets if one.unit_kind == "task" and one.source_id}
    rows = fetch(connection, _AT_PLACES, [json.dumps(points)]) if points else []
    if memories:
        rows += fetch(connection, _CONFLICTS, [json_list(memories)]) + fetch(connection, _OF_MEMORIES, [json_list(memories)])
    if tasks:
        rows += fetch(connection, _EDGES, [json_list(tasks)])
    found: dict[str, dict[str, RelatedItemV1]] = {}
    for owner, relation, kind, key, address, title, status in sorted(rows, key=lambda row: (_rank(row[1]), row[5], row[3])):
        item = RelatedItemV1(relation=relation, kind=kind, id=address, title=title, status=status)
        found.setdefault(owner, {}).setdefault(key, item)
    return {one.given: [*found.get(one.given, {}).values(), *found.get(one.source_id or "", {}).values()] for one in targets}


def _rank(relation: str) -> int:
    return _ORDER.index(relation) if relation in _ORDER else len(_ORDER)
