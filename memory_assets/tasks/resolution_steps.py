"""What the first phase of the resolver hands to the second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory_assets.tasks.model import Blocker, ConditionAnswered, Mention, MentionKey, PersonStatement, Result, TaskClaim
from memory_assets.vocabulary import TaskStatus


@dataclass(frozen=True, slots=True)
class Drafted:
    """An outcome whose number is not known yet.

    Attributes:
        place: of what led to it, among the cluster's items in their order.
    """

    place: int
    result: Result
    source: TaskClaim | PersonStatement
    name: str
    basis: str


@dataclass(frozen=True, slots=True)
class Step:
    """Something that may change what a task waits for.

    Attributes:
        place: of what led to it, among the cluster's items in their order.
        before: the status; None where the task began.
        waits: what the source says that the task waits for; None where it says nothing of that.
        answer: what a person says of the condition that stands for an unknown blocker.
    """

    place: int
    task_id: str
    task_key: str
    project: str | None
    name: str
    source: TaskClaim | PersonStatement
    basis: str
    before: TaskStatus | None
    after: TaskStatus
    waits: tuple[Mention, ...] | None = None
    answer: ConditionAnswered | None = None


@dataclass(frozen=True, slots=True)
class Followed:
    """What became of a cluster, but for what its tasks wait for.

    Attributes:
        mentions: what the mentions of this cluster turned out to name.
        wanted: what its tasks wait for and what some cluster, maybe another one, has to say what it is.
    """

    project_key: str
    mentions: Mapping[MentionKey, Blocker]
    wanted: tuple[Mention, ...]
    drafted: tuple[Drafted, ...]
    steps: tuple[Step, ...]
