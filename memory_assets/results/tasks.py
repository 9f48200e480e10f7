"""Tasks, conditions and artifacts, as they are printed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.results.model import WireModel
from memory_assets.vocabulary import Assurance, DoneBasis


class TaskName(WireModel):
    """A task where another thing is spoken of."""

    task_id: str
    title: str
    status: str
    project: str | None


class TaskBlocker(WireModel):
    """What a task waits for.

    Attributes:
        kind, title, blocker_id: what it was said to be.
        called: in which words.
        effective, effective_kind, effective_id, effective_status: what that turned out to be: its title and so on.
        cleared: it need not be waited for any more.
        suggested: nothing but a suggestion says so.
        placeholder: nobody said what it is.
        since: when it was said.
    """

    kind: str
    title: str
    effective: str
    cleared: bool
    suggested: bool
    placeholder: bool
    blocker_id: str
    called: str
    effective_id: str
    effective_kind: str
    effective_status: str | None
    since: datetime


class TaskEvidence(WireModel):
    """A quote of an entry that speaks of a task; the span counts code points of the stored message."""

    entry_id: str
    session_id: str
    message_index: int
    span_start: int
    span_end: int
    uri: str
    quote: str
    citation: str | None
    said_at: datetime


class TaskView(WireModel):
    """A task as all sessions and people leave it.

    Attributes:
        requested_status: what was asked for when it came to be, where that was refused.
        entity_status: ``contested`` while a conflict about it is open, else ``active``.
        status_since: since when it has its status.
        last_said_at: when it was last spoken of.
        done_basis: of one that is done what settles it; ``done_named`` is the commit or pull request that is named.
        quiet: it is open, and ``tasks.quiet_after_sessions`` later sessions of its project did not speak of it.
        assurance: what was proved of it, as screens say it.
    """

    task_id: str
    canonical_key: str
    title: str
    status: str
    priority: str | None
    project: str | None
    blockers: tuple[TaskBlocker, ...]
    evidence: tuple[TaskEvidence, ...]
    requested_status: str | None
    stage: str
    entity_status: str
    created_at: datetime
    status_since: datetime
    last_said_at: datetime
    done_basis: DoneBasis | None = None
    done_named: str | None = None
    quiet: bool = False

    @property
    def passed(self) -> bool:
        """Whether it was an order of one turn, which has ended."""
        return self.done_basis == "turn_ended"

    assurance: Assurance | None = None

    @property
    def waits_for(self) -> tuple[TaskBlocker, ...]:
        """What keeps it, as far as that is more than a suggestion."""
        return tuple(blocker for blocker in self.blockers if not blocker.suggested and not blocker.cleared)


class TaskEvent(WireModel):
    """One thing that became of a task.

    Attributes:
        details: the event's own fields, as ``from_status`` and ``to_status`` of a move.
        uri, quote: where a session says it; ``said_by`` and ``note`` where a person does.
    """

    event_id: str
    event_type: str
    occurred_at: datetime
    details: Mapping[str, Any]
    entry_id: str | None
    uri: str | None
    quote: str | None
    said_by: str | None
    note: str | None


class RefusedMove(WireModel):
    """A status that sessions claim and that the task was refused.

    Attributes:
        rule: why; None where it was asked for when the task came to be.
        times: how often it was claimed; the event is the last of these.
    """

    task: TaskName
    requested_status: str
    rule: str | None
    event_id: str
    occurred_at: datetime
    times: int
    uri: str | None
    quote: str | None


class RefusedBlocker(WireModel):
    """A claimed blocker that cannot be one."""

    task: TaskName
    called: str
    rule: str
    event_id: str
    occurred_at: datetime
    uri: str | None


class BlockerCycle(WireModel):
    """Tasks that wait for each other in a circle."""

    cycle_id: str
    tasks: tuple[TaskName, ...]


class PossibleDuplicate(WireModel):
    """Two tasks of one project whose titles are alike: ``method`` is ``lexical`` or ``vector``."""

    one: TaskName
    other: TaskName
    similarity: float
    method: str


class Candidate(WireModel):
    """A task that a condition may be."""

    task_id: str
    title: str
    score: float
    method: str


class ConditionView(WireModel):
    """Something that tasks wait for and that is no task and no artifact.

    Attributes:
        status: ``open``, ``resolved`` (it turned out to be something) or ``satisfied``.
        placeholder: nobody said what it is.
        tasks: those that wait for it, suggestions included.
        settled_by: the person who said so; None where a session did, whose words are at ``uri``.
    """

    condition_id: str
    canonical_key: str
    title: str
    status: str
    project: str | None
    placeholder: bool
    candidates: tuple[Candidate, ...]
    tasks: tuple[TaskName, ...]
    resolved_to: str | None
    resolved_to_id: str | None
    resolved_to_kind: str | None
    resolved_to_status: str | None
    declared_at: datetime
    settled_at: datetime | None
    settled_by: str | None
    uri: str | None


class ArtifactView(WireModel):
    """A pull request, issue, address, file or commit that sessions name.

    Attributes:
        status: ``settled`` once somebody says that it is merged, closed or done.
        tasks: those that wait for it.
        uri: where it was named last.
    """

    artifact_id: str
    canonical_key: str
    kind: str
    title: str
    raw: str
    status: str
    project: str | None
    entries: int
    sessions: int
    tasks: tuple[TaskName, ...]
    first_said_at: datetime
    last_said_at: datetime
    uri: str | None


class MergeView(WireModel):
    """Two that a person said are one. ``name`` is what the one that went was called; empty where nobody speaks of it."""

    from_id: str
    into_id: str
    name: str
    said_by: str
    note: str
    said_at: datetime


class TaskDetail(WireModel):
    """A task with its past.

    Attributes:
        also_called: its other names, in their normal form.
        holds_up: tasks that wait for it.
        merges: what people said is this task.
        cycles: circles of blockers that it is part of.
        refused: moves and blockers that wait for somebody's word.
        candidates: tasks that may be the same.
    """

    task: TaskView
    also_called: tuple[str, ...]
    holds_up: tuple[TaskName, ...]
    merges: tuple[MergeView, ...]
    cycles: tuple[BlockerCycle, ...]
    refused: tuple[RefusedMove, ...]
    refused_blockers: tuple[RefusedBlocker, ...]
    candidates: tuple[PossibleDuplicate, ...]
    history: tuple[TaskEvent, ...]


class TaskReview(WireModel):
    """What waits for somebody's word."""

    refused: tuple[RefusedMove, ...]
    refused_blockers: tuple[RefusedBlocker, ...]
    cycles: tuple[BlockerCycle, ...]
    conditions: tuple[ConditionView, ...]
    duplicates: tuple[PossibleDuplicate, ...]

    @property
    def total(self) -> int:
        return sum(
            map(len, (self.refused, self.refused_blockers, self.cycles, self.conditions, self.duplicates)),
        )
