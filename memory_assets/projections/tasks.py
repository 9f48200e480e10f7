"""Tasks across sessions: what is said of them is resolved, and what follows is looked up in the log.

The resolver runs over every cluster of names that something was said under, and gives the ids of the events that are in force.
Those that are in the log are folded; those that are missing are appended by the stage ``projected`` and folded at once. Up to
then an entity's history ends at the first one that is missing, and its names are noted as due.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.log.batches import Appended, Build, insert, rows_of
from memory_assets.projections.nodes import NODES, nodes_json
from memory_assets.projections.rows import insert_rows
from memory_assets.projections.task_tables.clusters import Touched, touched_clusters
from memory_assets.projections.task_tables.task_events import TaskOutcome, event_of, told
from memory_assets.projections.task_tables.task_states import EntityEvent
from memory_assets.tasks.canonical import condition_id, condition_key, task_id, task_key
from memory_assets.tasks.model import Blocker, Cluster, Declared, MentionKey, PersonStatement, TaskClaim
from memory_assets.tasks.resolver import finish, follow
from memory_assets.vocabulary import EntityKind

if TYPE_CHECKING:
    import duckdb

LOOKED_UP_AT_ONCE = 20_000

FormerKey = tuple[str, str, str]
"""Of something that a person merged into another: its type, its key, and the id of the other."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of ``task_outcomes``; its columns."""

    event_id: str
    entity_id: str
    entity_type: EntityKind
    project_key: str
    name: str
    event_type: str
    place: int
    source_id: str
    session_id: str | None
    message_index: int | None
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class _Due:
    """A row of ``task_names_due``; its columns."""

    project_key: str
    name: str
    missing: int


@dataclass(slots=True)
class ResolvedTasks:
    """What became of the names that were touched.

    Attributes:
        touched: every task and condition that is or was spoken of under them, with its type.
        histories: of those that there are, their events in their order, as far as the log tells of them.
        former: the keys of what people merged into something else.
        appended: what was written into the log.
    """

    touched: dict[str, EntityKind] = field(default_factory=dict)
    histories: dict[str, list[EntityEvent]] = field(default_factory=dict)
    former: list[FormerKey] = field(default_factory=list)
    appended: list[Appended] = field(default_factory=list)


def resolve_tasks(
    connection: duckdb.DuckDBPyConnection, embedding_version: str, *, resolve: bool, build: Build | None
) -> ResolvedTasks:
    """Run the resolver over what was touched, and keep which of its outcomes are in force.

    Args:
        resolve: append the outcomes that are missing, as part of the caller's transaction.
    """
    resolved = ResolvedTasks()
    for touched in touched_clusters(connection, embedding_version):
        outcomes = _outcomes(touched)
        payloads = _in_log(connection, outcomes)
        missing = [outcome for outcome in outcomes if outcome.event_id not in payloads]
        if missing and resolve:
            rows = rows_of([event_of(outcome) for outcome in missing])
            resolved.appended.append(insert(connection, rows, build=build))
            payloads |= dict(zip(rows.event_ids, rows.payloads, strict=True))
        in_force = _in_force(outcomes, payloads)
        resolved.touched |= _put_in_place(connection, touched.names, in_force, [] if resolve else missing)
        for outcome in in_force:
            resolved.touched[outcome.entity_id] = outcome.entity_type
            resolved.histories.setdefault(outcome.entity_id, []).append(_told(outcome, payloads[outcome.event_id]))
        resolved.former += [key for cluster in touched.resolved if cluster.merges for key in _former_keys(cluster)]
    return resolved


def _outcomes(touched: Touched) -> list[TaskOutcome]:
    followed = [(cluster, follow(cluster)) for cluster in touched.resolved]
    named = [one.mentions for _, one in followed] + [follow(cluster).mentions for cluster in touched.followed]
    found: dict[MentionKey, tuple[Blocker, ...]] = {key: (blocker,) for mentions in named for key, blocker in mentions.items()}
    return [outcome for cluster, one in followed for outcome in told(cluster, finish(one, found))]


def _in_log(connection: duckdb.DuckDBPyConnection, outcomes: Sequence[TaskOutcome]) -> dict[str, str]:
    """The payloads of those whose event is in the log.

    None of them is hidden: an event's identity names the histories that it rests on, and these are there.
    """
    payloads: dict[str, str] = {}
    ids = [outcome.event_id for outcome in outcomes]
    for start in range(0, len(ids), LOOKED_UP_AT_ONCE):
        # Written out, not as a parameter: a list of constants is found in a quarter of the time (measured). They are hashes.
        wanted = ", ".join(f"'{event_id}'" for event_id in ids[start : start + LOOKED_UP_AT_ONCE])
        payloads |= dict(
            connection.execute(f"SELECT event_id, payload_json FROM events WHERE event_id IN ({wanted})").fetchall()
        )
    return payloads


def _in_force(outcomes: Sequence[TaskOutcome], payloads: Mapping[str, str]) -> list[TaskOutcome]:
    """Of each entity the outcomes in front of the first one that the log does not tell of."""
    ended: set[str] = set()
    found = []
    for outcome in outcomes:
        if outcome.event_id not in payloads:
            ended.add(outcome.entity_id)
        elif outcome.entity_id not in ended:
            found.append(outcome)
    return found


def _told(outcome: TaskOutcome, payload: str) -> EntityEvent:
    source = outcome.outcome.source
    return EntityEvent(
        event_id=outcome.event_id,
        event_type=outcome.event_type,
        project_key=outcome.project_key,
        name=outcome.outcome.name,
        source=source,
        occurred_at=source.place[0].replace(tzinfo=None),
        payload=json.loads(payload),
    )


def _put_in_place(
    connection: duckdb.DuckDBPyConnection,
    names: Collection[tuple[str, str]],
    outcomes: Sequence[TaskOutcome],
    missing: Sequence[TaskOutcome],
) -> dict[str, EntityKind]:
    """Put the outcomes under these names in the place of those that were under them, whose entities are given back."""
    gone = "DELETE FROM {table} USING {names} n WHERE n.project_key = {table}.project_key AND n.name = {table}.name"
    before = connection.execute(
        f"{gone.format(table='task_outcomes', names=NODES)} RETURNING entity_id, entity_type", [nodes_json(names)]
    ).fetchall()
    if connection.execute("SELECT 1 FROM task_names_due LIMIT 1").fetchall():
        connection.execute(gone.format(table="task_names_due", names=NODES), [nodes_json(names)])
    insert_rows(connection, "task_outcomes", [_row(outcome) for outcome in outcomes])
    due = Counter((outcome.project_key, outcome.outcome.name) for outcome in missing)
    insert_rows(connection, "task_names_due", [_Due(*node, count) for node, count in due.items()])
    return dict(before)


def _former_keys(cluster: Cluster) -> set[FormerKey]:
    """The keys of what people merged into something else: they stay its addresses."""
    keys: set[FormerKey] = set()
    for item in cluster.items:
        if isinstance(item, PersonStatement):
            if isinstance(item.said, Declared):
                key = task_key(cluster.project_key, item.said.name, item.said.occurrence)
                keys.add(("task", key, task_id(key)))
        else:
            names = task_key(cluster.project_key, item.name), condition_key(cluster.project_key, item.name)
            keys |= {("task", names[0], task_id(names[0])), ("condition", names[1], condition_id(names[1]))}
    return {(kind, key, cluster.merges[entity_id]) for kind, key, entity_id in keys if entity_id in cluster.merges}


def _row(outcome: TaskOutcome) -> _Row:
    source = outcome.outcome.source
    claim = source if isinstance(source, TaskClaim) else None
    return _Row(
        event_id=outcome.event_id,
        entity_id=outcome.entity_id,
        entity_type=outcome.entity_type,
        project_key=outcome.project_key,
        name=outcome.outcome.name,
        event_type=outcome.event_type,
        place=outcome.place,
        source_id=claim.claim_id if claim else source.event_id,
        session_id=claim.session_id if claim else None,
        message_index=claim.message_index if claim else None,
        occurred_at=source.place[0].replace(tzinfo=None),
    )
