"""What hangs on the hits of a complex question: their tasks, and what these wait for.

Over the edges of the store, one or two steps, a few units for each hit that they hang on. They are shown with that hit and take
no other's place: the question's own words speak for what is in the ranking, and for them only an edge does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.search.answers.hydration import MOST_RELATED, Chosen, FoundUnit, Related, found_units
from memory_assets.search.entity_ids import one_entity

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vectors.units import UnitFilter

SEEDS = 5
STEPS = 2
MOST_OF_A_HIT = 3
MOST_NEIGHBOURS = 500
"""Of all nodes of a step: what half the store mentions says nothing of any one of them."""
_KINDS = {"mem_": "entry", "tsk_": "task"}
"""Of the nodes those that are units, by the beginning of their ids; artifacts and conditions only lead on."""

_FOLDERS_AND_FACETS = f"""
SELECT u.unit_id, u.worktree, list(f.facet || ':' || f.value)
FROM memory_units u LEFT JOIN unit_facets f USING (unit_id) WHERE u.unit_id IN {IN_LIST} GROUP BY ALL
"""
# Memories and tasks as nodes: an entry stands for its memory. Whoever is connected is reached from both ends.
_NEIGHBOURS = f"""
WITH nodes AS (SELECT * FROM {IN_LIST} AS ids(id)),
named AS (
  SELECT e.rel_type, coalesce(n.memory_id, e.src_id) AS src_id, e.dst_id
  FROM edges e LEFT JOIN entries n ON e.src_type = 'entry' AND n.entry_id = e.src_id
  WHERE e.rel_type IN ('evidence_of', 'blocked_by', 'blocked_by_suggested', 'resolves_to', 'derived_from', 'mentions')
)
SELECT DISTINCT x.id, x.other, x.rel_type FROM (
  SELECT src_id AS id, dst_id AS other, rel_type FROM named UNION ALL SELECT dst_id, src_id, rel_type FROM named
) x JOIN nodes ON nodes.id = x.id WHERE x.other <> x.id ORDER BY x.id, x.rel_type, x.other
LIMIT {MOST_NEIGHBOURS}
"""


def add_what_hangs_on(connection: duckdb.DuckDBPyConnection, hits: Sequence[Chosen], where: UnitFilter) -> None:
    """Show with the first hits what hangs on them and passes the filter; what is delivered already is not shown again."""
    holders = {unit.source_id: hit for hit in hits for unit in hit.units if unit.unit_kind in _KINDS.values()}
    frontier = {source_id: holders[source_id] for source_id in list(holders)[:SEEDS]}
    reached: dict[str, tuple[Chosen, str]] = {}
    visited = set(holders)
    for _ in range(STEPS):
        following: dict[str, Chosen] = {}
        places = {node: place for place, node in enumerate(frontier)}
        for node, other, relation in sorted(
            fetch(connection, _NEIGHBOURS, [json_list(frontier)]), key=lambda edge: places[edge[0]]
        ):
            if other in visited:
                continue
            visited.add(other)
            following[other] = holder = frontier[node]
            kind = _KINDS.get(other[:4])
            if kind and sum(of is holder for of, _ in reached.values()) < MOST_OF_A_HIT:
                reached[typed_id("unt", kind, other)] = (holder, relation)
        frontier = following
    units = found_units(connection, list(reached))
    passing = _passing(connection, units, where)
    for unit_id, (holder, relation) in reached.items():
        if unit_id in passing and len(holder.related) < MOST_RELATED:
            holder.related.append(Related(units[unit_id], relation))


def units_of_task(connection: duckdb.DuckDBPyConnection, given: str) -> tuple[str, ...]:
    """The units that are evidence of a task: itself, the memories that speak of it and the messages that they quote.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such task.
    """
    task_id = one_entity(connection, given, "task").entity_id
    rows = fetch(
        connection,
        """WITH speaking AS (SELECT DISTINCT src_id AS entry_id FROM edges WHERE rel_type = 'evidence_of' AND dst_id = $task)
           SELECT unit_id FROM memory_units WHERE unit_kind = 'task' AND source_id = $task
           UNION SELECT u.unit_id FROM memory_units u JOIN entries n ON u.unit_kind = 'entry' AND u.source_id = n.memory_id
             JOIN speaking USING (entry_id)
           UNION SELECT u.unit_id FROM evidence_spans s JOIN speaking USING (entry_id)
             JOIN memory_units u ON u.session_id = s.session_id AND u.message_index = s.message_index
           ORDER BY unit_id""",
        {"task": task_id},
    )
    return tuple(row[0] for row in rows)


def _passing(connection: duckdb.DuckDBPyConnection, units: Mapping[str, FoundUnit], where: UnitFilter) -> set[str]:
    """The units that the index would have let pass."""
    rows = fetch(connection, _FOLDERS_AND_FACETS, [json_list(units)]) if units else []
    return {
        unit_id
        for unit_id, worktree, facets in rows
        if _passes(units[unit_id], where)
        and set(where.facets) <= set(facets)
        and (where.worktree is None or f"{worktree or ''}/".startswith(f"{where.worktree.rstrip('/')}/"))
    }


def _passes(unit: FoundUnit, where: UnitFilter) -> bool:
    wanted = (
        (where.unit_kinds, unit.unit_kind),
        (where.session_ids, unit.session_id),
        (where.unit_ids, unit.unit_id),
        (where.roles, unit.role),
        (where.stages, unit.stage),
    )
    return (
        where.project in (None, unit.project)
        and all(not values or value in values for values, value in wanted)
        and (where.since is None or unit.occurred_at >= where.since)
        and (where.until is None or unit.occurred_at < where.until)
    )
