"""What follows for tasks as events of the log: each outcome has its identity before it is written.

The identity is the outcome's basis, which is all that was heard up to its source, and the histories whose text the event
holds. So what is forgotten and comes back is said again, by an event of its own: an event whose identity is asked for is never
a hidden one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC
from functools import cached_property
from typing import Any

from memory_assets.log.events import NewEvent, dedupe_key_of, event_id_of
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.tasks import (
    BlockerRef,
    ConditionDeclared,
    ConditionResolvedTo,
    ConditionSatisfied,
    TaskBlockerRejected,
    TaskBlockersSet,
    TaskCreated,
    TaskEvidenceLinked,
    TaskPriorityChanged,
    TaskStatusChanged,
    TaskTitleChanged,
    TaskTransitionRejected,
)
from memory_assets.tasks.canonical import condition_key, task_key
from memory_assets.tasks.model import (
    Blocker,
    BlockerRejected,
    BlockersSet,
    Cluster,
    ConditionAnswered,
    ConditionMade,
    ConditionMet,
    ConditionResolved,
    Created,
    Declared,
    Linked,
    Mention,
    Moved,
    Outcome,
    PersonStatement,
    Rejected,
    Reprioritized,
    Result,
    Retitled,
    TaskClaim,
)
from memory_assets.tasks.resolver import RESOLVER_VERSION
from memory_assets.vocabulary import EntityKind

_PAYLOADS: dict[type[Result], type[Payload]] = {
    Created: TaskCreated,
    Linked: TaskEvidenceLinked,
    Retitled: TaskTitleChanged,
    Moved: TaskStatusChanged,
    Rejected: TaskTransitionRejected,
    Reprioritized: TaskPriorityChanged,
    BlockersSet: TaskBlockersSet,
    BlockerRejected: TaskBlockerRejected,
    ConditionMade: ConditionDeclared,
    ConditionResolved: ConditionResolvedTo,
    ConditionMet: ConditionSatisfied,
}
_RENAMED: dict[type, dict[str, str]] = {
    Linked: {"method": "match_method"},
    Blocker: {"text": "raw_text"},
    BlockerRejected: {"text": "raw_text"},
}


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """An outcome and the event that tells of it.

    Attributes:
        chains: the histories whose text the event holds.
        place: in the entity's history, from 0.
    """

    outcome: Outcome
    project_key: str
    entity_id: str
    entity_type: EntityKind
    event_id: str
    chains: tuple[str, ...]
    place: int

    @property
    def event_type(self) -> str:
        return _PAYLOADS[type(self.outcome.result)].event_type


def told(cluster: Cluster, outcomes: Iterable[Outcome]) -> Iterator[TaskOutcome]:
    """The outcomes of a cluster with their places and identities, in their order."""
    places: dict[str, int] = {}
    first = _FirstSaid(cluster)
    for outcome in outcomes:
        entity_id, entity_type = _entity_of(outcome.result)
        place = places.get(entity_id, 0)
        places[entity_id] = place + 1
        chains = _chains(outcome, first)
        key = dedupe_key_of(
            _PAYLOADS[type(outcome.result)].event_type,
            None,
            (outcome.basis, *chains),
            stage_version=RESOLVER_VERSION,
            ordinal=outcome.number,
        )
        yield TaskOutcome(outcome, cluster.project_key, entity_id, entity_type, event_id_of(key), chains, place)


def event_of(told: TaskOutcome) -> NewEvent:
    """The event that tells of an outcome."""
    outcome, source = told.outcome, told.outcome.source
    return NewEvent(
        payload=_payload(outcome),
        inputs=(outcome.basis, *told.chains),
        stage_version=RESOLVER_VERSION,
        ordinal=outcome.number,
        actor="pipeline" if isinstance(source, TaskClaim) else "person",
        occurred_at=source.place[0].replace(tzinfo=UTC),
        causation_id=source.event_id,
        basis_chains=told.chains or None,
        project=_project(told),
    )


def _chains(outcome: Outcome, first: _FirstSaid) -> tuple[str, ...]:
    own = (outcome.source.chain_id,) if isinstance(outcome.source, TaskClaim) else ()
    match outcome.result:
        case Created(canonical_key=key):
            # Merged into another, it has that one's key, which is made of words that another session may have said.
            return tuple(dict.fromkeys((*own, *first.merged_key(key))))
        case ConditionMade(canonical_key=key, text=text):
            # Waited for again, it has its first key, whatever it is called by now; opened by a person, its first words too.
            return tuple(dict.fromkeys((*own, *first.key(key, outcome), *first.text(text, outcome))))
        case _:
            return own


class _FirstSaid:
    """The histories that said the words of others' outcomes first. Most outcomes hold their source's own: then none is read."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def merged_key(self, key: str) -> tuple[str, ...]:
        """Who said the name of a key that a merge may have put in the place of another."""
        return self._of_keys.get(key, ()) if self._cluster.merges else ()

    def key(self, key: str, outcome: Outcome) -> tuple[str, ...]:
        """Who said the name of a condition's key, where the source does not say it itself."""
        own = condition_key(self._cluster.project_key, outcome.name)
        return () if key == own and not _is_answer(outcome.source) else self._of_keys.get(key, ())

    def text(self, text: str, outcome: Outcome) -> tuple[str, ...]:
        """Who said the text of a condition that a person speaks of by its id."""
        return self._of_texts.get((outcome.name, text), ()) if _is_answer(outcome.source) else ()

    @cached_property
    def _of_keys(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for item, chain in self._said:
            for key in (task_key(self._cluster.project_key, item.name), condition_key(self._cluster.project_key, item.name)):
                found.setdefault(key, (chain,))
        return found

    @cached_property
    def _of_texts(self) -> dict[tuple[str, str], tuple[str, ...]]:
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for item, chain in self._said:
            if isinstance(item, Mention):
                found.setdefault((item.name, item.text), (chain,))
        return found

    @cached_property
    def _said(self) -> list[tuple[TaskClaim | Mention, str]]:
        """What sessions say, in its order, with their histories."""
        found: list[tuple[TaskClaim | Mention, str]] = []
        for item in sorted(self._cluster.items, key=lambda item: item.place):
            source = item.source if isinstance(item, Mention) else item
            if not isinstance(item, PersonStatement) and isinstance(source, TaskClaim):
                found.append((item, source.chain_id))
        return found


def _is_answer(source: TaskClaim | PersonStatement) -> bool:
    return isinstance(source, PersonStatement) and isinstance(source.said, ConditionAnswered)


def _entity_of(result: Result) -> tuple[str, EntityKind]:
    match result:
        case (
            ConditionMade(condition_id=entity_id)
            | ConditionResolved(condition_id=entity_id)
            | ConditionMet(condition_id=entity_id)
        ):
            return entity_id, "condition"
        case _:
            return result.task_id, "task"


def _project(told: TaskOutcome) -> str | None:
    match told.outcome:
        case Outcome(source=TaskClaim(project=project)) | Outcome(source=PersonStatement(said=Declared(project=project))):
            return project
        case _:
            return None if told.project_key == "default" else told.project_key


def _payload(outcome: Outcome) -> Payload:
    """The outcome's own fields, under the names that the event has for them, and what it rests on."""
    result = outcome.result
    said = _said(result)
    if isinstance(result, BlockersSet):
        said["blockers"] = [BlockerRef(**_said(blocker)) for blocker in result.blockers]
    if not isinstance(result, Linked):  # whose entry is its own field
        said["source_entry_id"] = outcome.source.entry_id if isinstance(outcome.source, TaskClaim) else None
    return _PAYLOADS[type(result)].model_validate({"basis": outcome.basis, **said})


def _said(value: Result | Blocker) -> dict[str, Any]:
    renamed = _RENAMED.get(type(value), {})
    return {renamed.get(one.name, one.name): getattr(value, one.name) for one in fields(value)}
