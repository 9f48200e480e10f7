"""What is said of tasks, and what follows: the values that the resolver takes and gives.

Everything here belongs to one project. A *name* is the normal form of a title or of what a task waits for
(``tasks.canonical.normalize`` of ``tasks.naming``); names that may be taken for each other form a *cluster*, and a cluster is
resolved on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory_assets.vocabulary import DoneBasis, EntityKind, InitialStatus, MatchMethod, Priority, Stage, TaskStatus

Place = tuple[datetime, str, int, int, int]
"""Where something stands in the order of the sessions' own clocks: time, session, message, ordinal, step."""


@dataclass(frozen=True, slots=True)
class BlockerText:
    """What a task is said to wait for.

    Attributes:
        name: its normal form, by which a task or condition is recognised; empty for what names artifacts or an id.
    """

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class TaskClaim:
    """What one entry says of a task; of a todo list what one of its calls says.

    Attributes:
        name: the normal form of the title, by which the task is recognised.
        sound: every quote was found and none is flagged.
        stage: what the entry's own session carries.
        done_basis: of a claim of done what settles it, found in the claim's own session; ``done_named`` is the commit or pull
            request that is named.
    """

    claim_id: str
    entry_id: str
    project: str | None
    name: str
    title: str
    status: TaskStatus | None
    priority: Priority | None
    blockers: tuple[BlockerText, ...]
    evidence_aligned: bool
    sound: bool
    stage: Stage
    contested: bool
    occurred_at: datetime
    session_id: str
    message_index: int
    ordinal: int
    step: int
    event_id: str
    chain_id: str
    done_basis: DoneBasis | None = None
    done_named: str | None = None

    @property
    def place(self) -> Place:
        return (self.occurred_at, self.session_id, self.message_index, self.ordinal, self.step)


@dataclass(frozen=True, slots=True)
class Declared:
    """A person has a new task."""

    task_id: str
    name: str
    title: str
    project: str | None
    status: TaskStatus
    priority: Priority | None
    blockers: tuple[BlockerText, ...]
    occurrence: int


@dataclass(frozen=True, slots=True)
class StatusSaid:
    """A person says how a task stands; ``accepts`` is the refused move that was accepted so."""

    task_id: str
    status: TaskStatus
    accepts: str | None = None


@dataclass(frozen=True, slots=True)
class PrioritySaid:
    """A person says how much a task matters."""

    task_id: str
    priority: Priority


@dataclass(frozen=True, slots=True)
class BlockersSaid:
    """A person says what a task waits for."""

    task_id: str
    blockers: tuple[BlockerText, ...]


@dataclass(frozen=True, slots=True)
class ConditionAnswered:
    """A person says what a condition is, that it is met, or with neither that it is open after all."""

    condition_id: str
    satisfied: bool
    to_kind: EntityKind | None
    to_id: str | None


Said = Declared | StatusSaid | PrioritySaid | BlockersSaid | ConditionAnswered


@dataclass(frozen=True, slots=True)
class PersonStatement:
    """A person's word, at the person's own clock."""

    event_id: str
    said_at: datetime
    said: Said

    @property
    def place(self) -> Place:
        # Behind whatever sessions said at that moment.
        return (self.said_at, "\uffff" + self.event_id, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Mention:
    """A task waits for something of this name: one blocker of a claim or of a person's word.

    Attributes:
        source: what says so; ``number`` is the blocker's place in it, from 0.
    """

    source: TaskClaim | PersonStatement
    number: int
    text: str
    name: str
    project: str | None

    @property
    def place(self) -> Place:
        return self.source.place

    @property
    def key(self) -> MentionKey:
        source = self.source
        return (source.claim_id if isinstance(source, TaskClaim) else source.event_id, self.number)


MentionKey = tuple[str, int]
"""The id of a claim or word and a blocker's place in it."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two names are: 0 to 1, and what says so."""

    method: Literal["lexical", "vector"]
    similarity: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """Names that may be taken for each other, and everything that is said under them.

    Attributes:
        items: claims whose title, mentions whose text and words whose task or condition has one of the names; in any order.
        likenesses: of pairs of names, the smaller first; pairs that are never the same are left out.
        merges: which task or condition people said is which other one: from id to id, every chain followed to its end.
        embedding_version: of the likenesses by meaning.
    """

    project_key: str
    items: tuple[TaskClaim | Mention | PersonStatement, ...]
    likenesses: Mapping[tuple[str, str], Likeness] = field(default_factory=dict)
    merges: Mapping[str, str] = field(default_factory=dict)
    embedding_version: str = ""


@dataclass(frozen=True, slots=True)
class Blocker:
    """What a blocker's text turned out to name."""

    kind: EntityKind
    entity_id: str
    text: str
    confidence: float
    auto_placeholder: bool = False


# -- what follows


@dataclass(frozen=True, slots=True)
class Created:
    """The task is known from here on. ``canonical_key`` is that of its first name."""

    task_id: str
    canonical_key: str
    title: str
    project: str | None
    initial_status: InitialStatus
    requested_status: TaskStatus | None
    priority: Priority | None


@dataclass(frozen=True, slots=True)
class Linked:
    """A claim, or a person, speaks of a known task."""

    task_id: str
    entry_id: str
    method: MatchMethod
    score: float


@dataclass(frozen=True, slots=True)
class Retitled:
    """The task has another title."""

    task_id: str
    to_title: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The task changed its status; of one that is done with what settles it."""

    task_id: str
    from_status: TaskStatus
    to_status: TaskStatus
    done_basis: DoneBasis | None = None
    done_named: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A claimed move that is not allowed; the task stays as it was."""

    task_id: str
    from_status: TaskStatus
    requested_status: TaskStatus
    rule: str


@dataclass(frozen=True, slots=True)
class Reprioritized:
    """The task counts for more or less."""

    task_id: str
    from_priority: Priority | None
    to_priority: Priority


@dataclass(frozen=True, slots=True)
class BlockersSet:
    """What the task waits for."""

    task_id: str
    mode: Literal["replace", "suggest"]
    blockers: tuple[Blocker, ...]


@dataclass(frozen=True, slots=True)
class BlockerRejected:
    """A claimed blocker that cannot be one."""

    task_id: str
    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class ConditionMade:
    """Something that a task waits for and that is no task and no artifact; made again it is open again."""

    condition_id: str
    canonical_key: str
    text: str
    project: str | None
    auto_placeholder: bool = False


@dataclass(frozen=True, slots=True)
class ConditionResolved:
    """What a condition turned out to be."""

    condition_id: str
    to_kind: EntityKind
    to_id: str
    resolved_by: Literal["title", "person"]


@dataclass(frozen=True, slots=True)
class ConditionMet:
    """A condition is met."""

    condition_id: str
    satisfied_by: Literal["entry", "person"]


Result = (
    Created
    | Linked
    | Retitled
    | Moved
    | Rejected
    | Reprioritized
    | BlockersSet
    | BlockerRejected
    | ConditionMade
    | ConditionResolved
    | ConditionMet
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that follows from what was said up to ``source``.

    Attributes:
        source: the claim or word that led to it; for a condition that was made, the claim or word that mentions it.
        name: the cluster's name that the source was filed under.
        basis: hash of everything of the cluster up to the source, and of what the blockers of other clusters turned out to be.
        number: its place among the outcomes of this source with this basis, from 0.
    """

    result: Result
    source: TaskClaim | PersonStatement
    name: str
    basis: str
    number: int
