"""What follows for tasks."""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.extraction.schema import Priority, TaskStatus
from memory_assets.log.payloads.base import Payload


class TaskCreated(Payload):
    """A task came to be; it is never born done (requirements G-91)."""

    event_type: ClassVar[str] = "task_created"
    task_id: str
    canonical_key: str
    basis: str
    project: str | None = None
    title: str
    initial_status: Literal["pending", "in_progress", "blocked"]
    requested_status: TaskStatus | None = None
    priority: Priority | None = None
    source_entry_id: str


class TaskStatusChanged(Payload):
    """A task moved."""

    event_type: ClassVar[str] = "task_status_changed"
    task_id: str
    canonical_key: str
    basis: str
    from_status: TaskStatus
    to_status: TaskStatus
    source_entry_id: str


class TaskTransitionRejected(Payload):
    """A claimed move that the transition table does not allow; kept for review."""

    event_type: ClassVar[str] = "task_transition_rejected"
    task_id: str
    canonical_key: str
    basis: str
    from_status: TaskStatus
    requested_status: TaskStatus
    rule: str
    source_entry_id: str
