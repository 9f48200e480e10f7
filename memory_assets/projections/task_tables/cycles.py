"""Tasks that wait for each other in a circle: found behind every fold of tasks, and told to the ledger once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.identifiers import typed_id
from memory_assets.log.batches import Appended, Build, insert, rows_of
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.tasks import BlockerCycleDetected
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.tasks.cycles import circles
from memory_assets.tasks.resolver import RESOLVER_VERSION

if TYPE_CHECKING:
    import duckdb

# What is in no circle for certain is left out: it waits for nothing, or nothing waits for it.
_WAITING = """
WITH waiting AS (
  SELECT src_id, dst_id, source_event_id, created_at FROM edges WHERE rel_type IN ('blocked_by', 'resolves_to')
)
SELECT src_id, dst_id, source_event_id, created_at FROM waiting
WHERE dst_id IN (SELECT src_id FROM waiting) AND src_id IN (SELECT dst_id FROM waiting)
"""

_OPEN = f"""
SELECT entity_id, entity_type FROM entities
WHERE entity_id IN {IN_LIST} AND (current_json ->> '$.status') NOT IN ('done', 'cancelled', 'satisfied', 'settled')
"""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A circle: its tasks, the histories that say so, and when the last of them was said."""

    task_ids: tuple[str, ...]
    chains: tuple[str, ...]
    closed_at: datetime

    @property
    def cycle_id(self) -> str:
        return typed_id("cyc", *self.task_ids)

    @property
    def event(self) -> NewEvent:
        """What tells the ledger of it."""
        return NewEvent(
            payload=BlockerCycleDetected(cycle_id=self.cycle_id, task_ids=list(self.task_ids)),
            inputs=(self.cycle_id, *self.chains),
            stage_version=RESOLVER_VERSION,
            occurred_at=self.closed_at.replace(tzinfo=UTC),
            basis_chains=self.chains or None,
        )


def fold_cycles(connection: duckdb.DuckDBPyConnection, *, resolve: bool, build: Build | None) -> list[Appended]:
    """Look for circles anew; with ``resolve`` the ledger is told of those that it does not know."""
    connection.execute("DELETE FROM blocker_cycles")
    cycles = list(_cycles(connection))
    if not cycles:
        return []
    events = {cycle.event.event_id: cycle for cycle in cycles}
    known = {
        row[0]
        for row in connection.execute(
            f"SELECT event_id FROM events WHERE event_id IN {IN_LIST}", [json_list(events)]
        ).fetchall()
    }
    missing = [cycle.event for event_id, cycle in events.items() if event_id not in known] if resolve else []
    appended = [insert(connection, rows_of(missing), build=build)] if missing else []
    known |= {event.event_id for event in missing}
    _write(connection, [(cycle, event_id if event_id in known else None) for event_id, cycle in events.items()])
    return appended


def _cycles(connection: duckdb.DuckDBPyConnection) -> Iterator[Cycle]:
    waiting = connection.execute(_WAITING).fetchall()
    if not waiting:
        return
    nodes = {node for one, other, _, _ in waiting for node in (one, other)}
    kinds = dict(connection.execute(_OPEN, [json_list(nodes)]).fetchall())
    edges = [edge for edge in waiting if edge[0] in kinds and edge[1] in kinds]
    for circle in circles((one, other) for one, other, _, _ in edges):
        tasks = tuple(sorted(node for node in circle if kinds[node] == "task"))
        if tasks:
            inside = [edge for edge in edges if edge[0] in circle and edge[1] in circle]
            yield Cycle(tasks, _chains(connection, {edge[2] for edge in inside}), max(edge[3] for edge in inside))


def _chains(connection: duckdb.DuckDBPyConnection, event_ids: set[str]) -> tuple[str, ...]:
    rows = connection.execute(
        f"SELECT DISTINCT unnest(basis_chains) FROM events WHERE event_id IN {IN_LIST} ORDER BY 1", [json_list(event_ids)]
    ).fetchall()
    return tuple(row[0] for row in rows)


def _write(connection: duckdb.DuckDBPyConnection, cycles: list[tuple[Cycle, str | None]]) -> None:
    import pyarrow as pa

    table = pa.table(
        {
            "cycle_id": pa.array([cycle.cycle_id for cycle, _ in cycles], pa.string()),
            "task_ids": pa.array([list(cycle.task_ids) for cycle, _ in cycles], pa.list_(pa.string())),
            "event_id": pa.array([event_id for _, event_id in cycles], pa.string()),
        }
    )
    connection.register("new_cycles", table)
    connection.execute("INSERT INTO blocker_cycles BY NAME SELECT * FROM new_cycles")
    connection.unregister("new_cycles")
