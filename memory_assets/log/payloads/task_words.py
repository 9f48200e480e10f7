"""What people say of tasks and conditions. They are named by their ids: a title is said of a new task alone.

These are words, not outcomes: what becomes of them is decided together with what sessions claim (`tasks.resolver`).
"""

from __future__ import annotations

from typing import ClassVar

from memory_assets.log.payloads.base import Payload
from memory_assets.vocabulary import EntityKind, Priority, TaskStatus


class TaskDeclared(Payload):
    """A person has a new task.

    Attributes:
        occurrence: 1; more for one that recurs under the same title.
    """

    event_type: ClassVar[str] = "task_declared"
    task_id: str
    title: str
    project: str | None = None
    status: TaskStatus = "pending"
    priority: Priority | None = None
    blockers: list[str] = []
    occurrence: int = 1
    said_by: str


class TaskStatusSaid(Payload):
    """A person says how a task stands; what is no legal move takes the legal path."""

    event_type: ClassVar[str] = "task_status_said"
    task_id: str
    status: TaskStatus
    said_by: str
    note: str = ""


class TaskPrioritySaid(Payload):
    """A person says how much a task matters."""

    event_type: ClassVar[str] = "task_priority_said"
    task_id: str
    priority: Priority
    said_by: str
    note: str = ""


class TaskBlockersSaid(Payload):
    """A person says what a task waits for: texts that are resolved like any other, or ids; none when nothing is in its way."""

    event_type: ClassVar[str] = "task_blockers_said"
    task_id: str
    blockers: list[str]
    said_by: str
    note: str = ""


class TaskMoveAccepted(Payload):
    """A person accepts a move that the table refused, or the status that a task was refused at its birth."""

    event_type: ClassVar[str] = "task_move_accepted"
    task_id: str
    event_id: str
    status: TaskStatus
    said_by: str
    note: str = ""


class EntityMerged(Payload):
    """A person says that two tasks, or two conditions, are one; ``into_id`` goes on."""

    event_type: ClassVar[str] = "entity_merged"
    entity_type: EntityKind
    from_id: str
    into_id: str
    said_by: str
    note: str = ""


class EntityMergeReverted(Payload):
    """A person takes a merge back."""

    event_type: ClassVar[str] = "entity_merge_reverted"
    entity_type: EntityKind
    from_id: str
    into_id: str
    said_by: str
    note: str = ""


class ConditionAnswered(Payload):
    """A person says what a condition is, or that it is met; with neither that it is open after all. The last word holds."""

    event_type: ClassVar[str] = "condition_answered"
    condition_id: str
    satisfied: bool = False
    to_kind: EntityKind | None = None
    to_id: str | None = None
    said_by: str
    note: str = ""
