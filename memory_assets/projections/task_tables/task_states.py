"""What a task or condition is by now: the fold of its events in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_assets.tasks.model import PersonStatement, TaskClaim


@dataclass(frozen=True, slots=True)
class EntityEvent:
    """An event of an entity's history.

    Attributes:
        source: the claim or word that led to it.
        name: the name that it was said under.
    """

    event_id: str
    event_type: str
    project_key: str
    name: str
    source: TaskClaim | PersonStatement
    occurred_at: datetime
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a task waits for, as an event has it, and who said so."""

    blocker: Mapping[str, Any]
    mode: str
    event_id: str
    said_at: datetime

    @property
    def entity_id(self) -> str:
        return str(self.blocker["entity_id"])

    @property
    def is_placeholder(self) -> bool:
        return bool(self.blocker.get("auto_placeholder"))

    @property
    def shown(self) -> dict[str, Any]:
        """As the entity shows it."""
        return {**self.blocker, "auto_placeholder": self.is_placeholder}


@dataclass(slots=True)
class TaskState:
    """A task as it stands.

    Attributes:
        blockers: what it waits for, by what was said last with evidence that stands.
        suggestions: what it may wait for beside, said since then.
        done_basis: of one that is done what settles it; ``done_named`` is the commit or pull request that is named.
        speaking: the claims and words that speak of it, and under which names.
    """

    key: str
    title: str
    project: str | None
    status: str
    priority: str | None
    requested_status: str | None
    created_at: datetime
    updated_at: datetime
    last_occurred_at: datetime
    basis: str
    blockers: dict[str, Waiting] = field(default_factory=dict)
    suggestions: dict[str, Waiting] = field(default_factory=dict)
    done_basis: str | None = None
    done_named: str | None = None
    speaking: list[EntityEvent] = field(default_factory=list)

    def hear(self, told: EntityEvent) -> None:
        """One event more."""
        payload = told.payload
        match told.event_type:
            case "task_evidence_linked":
                self.speaking.append(told)
            case "task_title_changed":
                self.title = payload["to_title"]
            case "task_priority_changed":
                self.priority = payload["to_priority"]
            case "task_status_changed":
                self.status = payload["to_status"]
                # What was asked for at its birth has been answered.
                self.requested_status = None
                self.done_basis, self.done_named = payload.get("done_basis"), payload.get("done_named")
                if self.status == "done":
                    self.blockers, self.suggestions = {}, {}
            case "task_blockers_set":
                self._wait(told)
        if told.event_type not in ("task_evidence_linked", "task_transition_rejected", "task_blocker_rejected"):
            self.updated_at = max(self.updated_at, told.occurred_at)
        self.last_occurred_at = max(self.last_occurred_at, told.occurred_at)
        self.basis = payload["basis"]

    def _wait(self, told: EntityEvent) -> None:
        mode = told.payload["mode"]
        said = {
            blocker["entity_id"]: Waiting(blocker, mode, told.event_id, told.occurred_at)
            for blocker in told.payload["blockers"]
        }
        if mode == "replace":
            self.blockers = said
            # A placeholder says nothing of what is in the way, so it takes no suggestion's place.
            if not any(waiting.is_placeholder for waiting in said.values()):
                self.suggestions = {}
        else:
            self.suggestions |= {key: waiting for key, waiting in said.items() if key not in self.suggestions}
        self.suggestions = {key: waiting for key, waiting in self.suggestions.items() if key not in self.blockers}


@dataclass(slots=True)
class ConditionState:
    """A condition as it stands.

    Attributes:
        resolved: the event that said what it is, where it is resolved.
        meeting: the claims and words that said that it is met.
    """

    key: str
    title: str
    project: str | None
    auto_placeholder: bool
    created_at: datetime
    updated_at: datetime
    basis: str
    status: str = "open"
    resolved: EntityEvent | None = None
    meeting: list[EntityEvent] = field(default_factory=list)

    def hear(self, told: EntityEvent) -> None:
        """One event more."""
        self.resolved = None
        match told.event_type:
            case "condition_resolved_to":
                self.status, self.resolved = "resolved", told
            case "condition_satisfied":
                self.status = "satisfied"
                self.meeting.append(told)
            case "condition_declared":
                self.status = "open"
        self.updated_at = max(self.updated_at, told.occurred_at)
        self.basis = told.payload["basis"]


def task_of(history: Iterable[EntityEvent]) -> TaskState | None:
    """The task that its events tell of; None where they do not begin with its creation."""
    waiting = iter(history)
    first = next(waiting, None)
    if first is None or first.event_type != "task_created":
        return None
    payload, at = first.payload, first.occurred_at
    state = TaskState(
        key=payload["canonical_key"],
        title=payload["title"],
        project=payload.get("project"),
        status=payload["initial_status"],
        priority=payload.get("priority"),
        requested_status=payload.get("requested_status"),
        created_at=at,
        updated_at=at,
        last_occurred_at=at,
        basis=payload["basis"],
        speaking=[first],
    )
    for told in waiting:
        state.hear(told)
    return state


def condition_of(history: Iterable[EntityEvent]) -> ConditionState | None:
    """The condition that its events tell of; None where they do not begin with what made it."""
    waiting = iter(history)
    first = next(waiting, None)
    if first is None or first.event_type != "condition_declared":
        return None
    payload, at = first.payload, first.occurred_at
    state = ConditionState(
        key=payload["canonical_key"],
        title=payload["text"],
        project=payload.get("project"),
        auto_placeholder=payload.get("auto_placeholder", False),
        created_at=at,
        updated_at=at,
        basis=payload["basis"],
    )
    for told in waiting:
        state.hear(told)
    return state
