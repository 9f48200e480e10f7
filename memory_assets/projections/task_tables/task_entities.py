"""Tasks and conditions as they are shown: entities, their names, and the edges between them and to what is quoted.

All times are the sessions' and people's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.rows import insert_rows
from memory_assets.projections.task_tables.entity_rows import Alias, Edge, Entity
from memory_assets.projections.task_tables.task_states import (
    ConditionState,
    EntityEvent,
    TaskState,
    Waiting,
    condition_of,
    task_of,
)
from memory_assets.tasks.canonical import normalize, task_key
from memory_assets.tasks.model import TaskClaim
from memory_assets.text.lexical_text import search_text
from memory_assets.vocabulary import STAGES

if TYPE_CHECKING:
    import duckdb

_QUOTES = f"""
SELECT entry_id, ordinal, session_id, message_index, span_start, span_end, segments_json, matched_text, match_method
FROM evidence_spans WHERE match_method <> 'none' AND entry_id IN {IN_LIST} ORDER BY entry_id, ordinal
"""

_CARRYING = f"SELECT claim_id, evidence_ordinal FROM task_claims WHERE claim_id IN {IN_LIST}"

_GONE = (
    "DELETE FROM edges WHERE src_id IN (SELECT entity_id FROM touched_entities)"
    " OR (rel_type = 'evidence_of' AND dst_id IN (SELECT entity_id FROM touched_entities))",
    "DELETE FROM entity_aliases WHERE entity_id IN (SELECT entity_id FROM touched_entities)",
    "DELETE FROM entities WHERE entity_id IN (SELECT entity_id FROM touched_entities)",
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote that was found in its message."""

    entry_id: str
    ordinal: int
    session_id: str
    message_index: int
    span_start: int
    span_end: int
    segments_json: str | None
    text: str
    method: str


@dataclass(frozen=True, slots=True)
class ShownTask:
    """A task with what all entries that speak of it make of it."""

    entity_id: str
    state: TaskState
    stage: str
    status: str


class _Evidence:
    """The quotes of the entries that speak of tasks and conditions, and which of them carries a claim."""

    def __init__(self, quotes: Iterable[Quote], carrying: Mapping[str, int | None]) -> None:
        self._of_entry: dict[str, list[Quote]] = {}
        for quote in quotes:
            self._of_entry.setdefault(quote.entry_id, []).append(quote)
        self._carrying = carrying

    def of_entry(self, entry_id: str) -> list[Quote]:
        """In their order."""
        return self._of_entry.get(entry_id, [])

    def of_claim(self, claim: TaskClaim) -> Quote | None:
        """The quote that carries the claim; None where none was found."""
        ordinal = self._carrying.get(claim.claim_id)
        return next((quote for quote in self.of_entry(claim.entry_id) if quote.ordinal == ordinal), None)


def fold_entities(
    connection: duckdb.DuckDBPyConnection,
    histories: Mapping[str, Sequence[EntityEvent]],
    former: Iterable[tuple[str, str, str]],
) -> None:
    """Put what these histories make of tasks and conditions in the place of what ``touched_entities`` names.

    Args:
        former: of what people merged into something else its type, its key and the other's id: the key stays an address.
    """
    for statement in _GONE:
        connection.execute(statement)
    tasks = {entity_id: state for entity_id, history in histories.items() if (state := task_of(history))}
    conditions = {entity_id: told for entity_id, history in histories.items() if (told := condition_of(history))}
    speaking = [told for state in tasks.values() for told in state.speaking]
    meeting = [told for state in conditions.values() for told in state.meeting]
    evidence = _read_evidence(connection, _claims_of([*speaking, *meeting]))
    shown = [_shown(entity_id, state) for entity_id, state in tasks.items()]
    entities = [
        *(_task_row(task) for task in shown),
        *(_condition_row(entity_id, state) for entity_id, state in conditions.items()),
    ]
    insert_rows(connection, "entities", entities)
    insert_rows(connection, "entity_aliases", _aliases(entities, tasks, former))
    edges = [
        *(edge for task in shown for edge in _edges_of_task(task, evidence)),
        *(edge for entity_id, state in conditions.items() for edge in _edges_of_condition(entity_id, state, evidence)),
    ]
    insert_rows(connection, "edges", edges)


def _claims_of(told: Iterable[EntityEvent]) -> list[TaskClaim]:
    return [one.source for one in told if isinstance(one.source, TaskClaim)]


def _read_evidence(connection: duckdb.DuckDBPyConnection, claims: Sequence[TaskClaim]) -> _Evidence:
    if not claims:
        return _Evidence((), {})
    entry_ids = dict.fromkeys(claim.entry_id for claim in claims)
    quotes = [Quote(*row) for row in connection.execute(_QUOTES, [json_list(entry_ids)]).fetchall()]
    carrying = connection.execute(_CARRYING, [json_list(claim.claim_id for claim in claims)]).fetchall()
    return _Evidence(quotes, dict(carrying))


def _shown(entity_id: str, state: TaskState) -> ShownTask:
    claims = _claims_of(state.speaking)
    return ShownTask(
        entity_id,
        state,
        stage=max((claim.stage for claim in claims), key=STAGES.index, default="candidate"),
        status="contested" if any(claim.contested for claim in claims) else "active",
    )


def _task_row(task: ShownTask) -> Entity:
    state = task.state
    current = {
        "status": state.status,
        "priority": state.priority,
        "requested_status": state.requested_status,
        "done_basis": state.done_basis,
        "done_named": state.done_named,
        "claims": len({claim.entry_id for claim in _claims_of(state.speaking)}),
        "blockers": [waiting.shown for waiting in state.blockers.values()],
        "blocker_suggestions": [waiting.shown for waiting in state.suggestions.values()],
    }
    return Entity(
        entity_id=task.entity_id,
        entity_type="task",
        canonical_key=state.key,
        title=state.title,
        stage=task.stage,
        status=task.status,
        current_json=canonical_json(current),
        title_norm=normalize(state.title),
        search_text=search_text(state.title),
        created_at=state.created_at,
        updated_at=state.updated_at,
        project=state.project,
        last_occurred_at=state.last_occurred_at,
        basis=state.basis,
    )


def _condition_row(entity_id: str, state: ConditionState) -> Entity:
    # Its candidates are chosen once all names are known.
    current: dict[str, Any] = {"status": state.status, "auto_placeholder": state.auto_placeholder, "candidates": []}
    return Entity(
        entity_id=entity_id,
        entity_type="condition",
        canonical_key=state.key,
        title=state.title,
        stage="candidate",
        status="active",
        current_json=canonical_json(current),
        title_norm=normalize(state.title),
        search_text=search_text(state.title),
        created_at=state.created_at,
        updated_at=state.updated_at,
        project=state.project,
        last_occurred_at=state.updated_at,
        basis=state.basis,
    )


def _aliases(entities: Sequence[Entity], tasks: Mapping[str, TaskState], former: Iterable[tuple[str, str, str]]) -> list[Alias]:
    """Every name that a task was spoken of under is its address. Of two with one name, the one has it that is called by it."""
    there = {entity.entity_id: entity for entity in entities}
    found = {
        (entity.entity_type, entity.canonical_key): Alias(
            entity.entity_type, entity.canonical_key, entity.entity_id, True, entity.created_at
        )
        for entity in entities
    }
    spoken = [(told.occurred_at, entity_id, told) for entity_id, state in tasks.items() for told in state.speaking if told.name]
    for said_at, entity_id, told in sorted(spoken, key=lambda one: one[:2]):
        key = task_key(told.project_key, told.name)
        found.setdefault(("task", key), Alias("task", key, entity_id, False, said_at))
    for _, key, entity_id in sorted(former):
        if entity_id in there:
            entity = there[entity_id]
            found.setdefault((entity.entity_type, key), Alias(entity.entity_type, key, entity_id, False, entity.created_at))
    return list(found.values())


def _edges_of_task(task: ShownTask, evidence: _Evidence) -> Iterator[Edge]:
    yield from _evidence_edges(task.entity_id, task.state.speaking, evidence)
    for waiting in task.state.blockers.values():
        yield _blocker_edge(task.entity_id, "blocked_by", waiting)
    for waiting in task.state.suggestions.values():
        yield _blocker_edge(task.entity_id, "blocked_by_suggested", waiting)


def _edges_of_condition(entity_id: str, state: ConditionState, evidence: _Evidence) -> Iterator[Edge]:
    yield from _evidence_edges(entity_id, state.meeting, evidence)
    if state.resolved is not None:
        payload = state.resolved.payload
        meta = {"resolved_by": payload["resolved_by"]}
        yield _edge(
            "entity", entity_id, "resolves_to", payload["to_id"], meta, state.resolved.occurred_at, state.resolved.event_id
        )


def _evidence_edges(entity_id: str, told: Iterable[EntityEvent], evidence: _Evidence) -> Iterator[Edge]:
    """One for each entry that speaks of it, with the quote of the first of its claims that has one."""
    seen: set[str] = set()
    for one in told:
        claim = one.source
        if not isinstance(claim, TaskClaim) or claim.entry_id in seen:
            continue
        quote = evidence.of_claim(claim)
        if quote is None:
            continue
        seen.add(claim.entry_id)
        meta = {
            "message_index": quote.message_index,
            "span": [quote.span_start, quote.span_end],
            "method": quote.method,
            "match_method": one.payload.get("match_method", "exact"),
            "score": one.payload.get("score", 1.0),
        }
        yield _edge("entry", claim.entry_id, "evidence_of", entity_id, meta, one.occurred_at, claim.event_id)


def _blocker_edge(task_id: str, rel_type: str, waiting: Waiting) -> Edge:
    meta = {"mode": waiting.mode, "raw_text": waiting.blocker["raw_text"], "confidence": waiting.blocker["confidence"]}
    return _edge("entity", task_id, rel_type, waiting.entity_id, meta, waiting.said_at, waiting.event_id)


def _edge(
    src_type: str, src_id: str, rel_type: str, dst_id: str, meta: dict[str, Any], created_at: datetime, event_id: str
) -> Edge:
    edge_id = f"edg_{sha256_hex(f'{src_id} {rel_type} {dst_id}')[:32]}"
    return Edge(edge_id, src_type, src_id, rel_type, "entity", dst_id, canonical_json(meta), created_at, event_id)
