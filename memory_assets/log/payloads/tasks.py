"""What follows for tasks, conditions and artifacts from all that sessions claim and people say.

Each outcome rests on what was said of its entity up to then: ``basis`` is the hash of that, in the order of the sessions' own
clocks. Of the first mention of a task its key is kept, which holds the title's words; every later outcome names the id alone,
so that what a forgotten session said stands nowhere else.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.log.payloads.base import Payload, Value
from memory_assets.vocabulary import ArtifactKind, DoneBasis, EntityKind, MatchMethod, Priority, TaskStatus


class BlockerRef(Value):
    """What a task waits for.

    Attributes:
        raw_text: as it was named; of a placeholder what is shown in its place.
        confidence: 1 for what was named by its id or exact title, less for what was recognised, 0 for a placeholder.
    """

    kind: EntityKind
    entity_id: str
    raw_text: str
    confidence: float
    auto_placeholder: bool = False


class TaskCreated(Payload):
    """A task came to be; it is never born done.

    Attributes:
        source_entry_id: None where a person made it.
        requested_status: what was asked for; another than ``initial_status`` waits for review.
    """

    event_type: ClassVar[str] = "task_created"
    task_id: str
    canonical_key: str
    basis: str
    project: str | None = None
    title: str
    initial_status: Literal["pending", "in_progress", "blocked"]
    requested_status: TaskStatus | None = None
    priority: Priority | None = None
    source_entry_id: str | None = None


class TaskEvidenceLinked(Payload):
    """An entry speaks of a task that was known, and how it was recognised."""

    event_type: ClassVar[str] = "task_evidence_linked"
    task_id: str
    basis: str
    entry_id: str
    match_method: MatchMethod
    score: float


class TaskTitleChanged(Payload):
    """A task is called by another title from here on; the old one stays an alias."""

    event_type: ClassVar[str] = "task_title_changed"
    task_id: str
    basis: str
    to_title: str
    source_entry_id: str | None = None


class TaskStatusChanged(Payload):
    """A task moved.

    Attributes:
        done_basis: of one that is done what settles it; ``done_named`` is the commit or pull request that is named.
    """

    event_type: ClassVar[str] = "task_status_changed"
    task_id: str
    basis: str
    from_status: TaskStatus
    to_status: TaskStatus
    done_basis: DoneBasis | None = None
    done_named: str | None = None
    source_entry_id: str | None = None


class TaskPriorityChanged(Payload):
    """A task counts for more or less."""

    event_type: ClassVar[str] = "task_priority_changed"
    task_id: str
    basis: str
    from_priority: Priority | None = None
    to_priority: Priority
    source_entry_id: str | None = None


class TaskBlockersSet(Payload):
    """What a task waits for: said with evidence that stands it replaces what was known, otherwise it is a suggestion.

    An empty ``replace`` says that nothing is in its way any more.
    """

    event_type: ClassVar[str] = "task_blockers_set"
    task_id: str
    basis: str
    mode: Literal["replace", "suggest"]
    blockers: list[BlockerRef]
    source_entry_id: str | None = None


class TaskTransitionRejected(Payload):
    """A claimed move that the transition table does not allow; kept for review."""

    event_type: ClassVar[str] = "task_transition_rejected"
    task_id: str
    basis: str
    from_status: TaskStatus
    requested_status: TaskStatus
    rule: str
    source_entry_id: str | None = None


class TaskBlockerRejected(Payload):
    """A claimed blocker that cannot be one, such as the task itself; kept for review."""

    event_type: ClassVar[str] = "task_blocker_rejected"
    task_id: str
    basis: str
    raw_text: str
    rule: str
    source_entry_id: str | None = None


class ConditionDeclared(Payload):
    """Something that a task waits for and that is no task and no artifact. Declared again it is
    open again."""

    event_type: ClassVar[str] = "condition_declared"
    condition_id: str
    canonical_key: str
    basis: str
    project: str | None = None
    text: str
    auto_placeholder: bool = False
    source_entry_id: str | None = None


class ConditionResolvedTo(Payload):
    """What a condition turned out to be."""

    event_type: ClassVar[str] = "condition_resolved_to"
    condition_id: str
    basis: str
    to_kind: EntityKind
    to_id: str
    resolved_by: Literal["title", "person"]
    source_entry_id: str | None = None


class ConditionSatisfied(Payload):
    """A condition is met."""

    event_type: ClassVar[str] = "condition_satisfied"
    condition_id: str
    basis: str
    satisfied_by: Literal["entry", "person"]
    source_entry_id: str | None = None


class ArtifactDeclared(Payload):
    """A pull request, issue, address, file or commit that entries name."""

    event_type: ClassVar[str] = "artifact_declared"
    artifact_id: str
    canonical_key: str
    basis: str
    artifact_kind: ArtifactKind
    title: str
    raw: str
    project: str | None = None
    source_entry_id: str | None = None


class ArtifactSettled(Payload):
    """A pull request was merged, an issue closed: whoever waits for it need not any more."""

    event_type: ClassVar[str] = "artifact_settled"
    artifact_id: str
    basis: str
    source_entry_id: str


class TaskTitlesAlike(Payload):
    """Two titles of a project mean nearly the same, as an embedder measured it.

    Attributes:
        one, other: hashes of the titles' names, the smaller first.
        similarity: calibrated, 0 to 1 (``tasks.likeness``).
    """

    event_type: ClassVar[str] = "task_titles_alike"
    project: str
    one: str
    other: str
    similarity: float
    embedding_version: str


class BlockerCycleDetected(Payload):
    """Tasks that wait for each other in a circle. It stops nothing; somebody has to say which of them comes first."""

    event_type: ClassVar[str] = "blocker_cycle_detected"
    cycle_id: str
    task_ids: list[str]
