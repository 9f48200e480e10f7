"""Which known task a name means, if any.

Exact names and aliases never come here: they are final. A wrong match joins two tasks and hides one of them, a missed one
leaves two that a person can merge. So everything that makes a match doubtful makes it weaker, and only what is beyond doubt is
taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType

from memory_assets.tasks.model import Likeness
from memory_assets.vocabulary import Stage, TaskStatus

MATCH_POLICY_VERSION = "1"


@dataclass(frozen=True, slots=True)
class MatchPolicy:
    """The weights of a match; `MATCH_POLICY_VERSION` changes with them.

    With these a name in other words reaches a recent, open task of any stage only if it says the same to the word (0.95 x 0.97
    = 0.9215), and with another verb for the same work one that carries at least the stage candidate (0.95 x 0.98 x 0.99 =
    0.9217). A task that is done is never reached (0.95 x 0.9), nor is a contested one. One that nobody has spoken of for half a
    year is reached only if it is verified and the words are the same (0.95 x 0.977), and after a year by the exact name alone.
    Vectors reach none: no cosine of the bundled model tells a task from its neighbour (`likeness.vector_likeness`).

    Attributes:
        strict: a score below this names no task; ``gap``: nor one that another task comes nearer to than this.
        base: of a method; ``stages``, ``statuses``: of what a task carries and how it stands; ``contested``: of one in dispute.
        fresh: how long a task counts as spoken of just now; from there to ``faded`` its weight falls evenly to ``oldest``.
    """

    strict: float = 0.92
    gap: float = 0.03
    base: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({"lexical": 0.95, "vector": 0.9}))
    stages: Mapping[Stage, float] = field(
        default_factory=lambda: MappingProxyType(
            {"raw": 0.97, "working": 0.98, "candidate": 0.99, "verified": 1.0, "certified": 1.0}
        )
    )
    statuses: Mapping[TaskStatus, float] = field(
        default_factory=lambda: MappingProxyType(
            {"pending": 1.0, "in_progress": 1.0, "blocked": 1.0, "done": 0.9, "cancelled": 0.0}
        )
    )
    contested: float = 0.9
    fresh: timedelta = timedelta(days=30)
    faded: timedelta = timedelta(days=365)
    oldest: float = 0.95


POLICY = MatchPolicy()


@dataclass(frozen=True, slots=True)
class Known:
    """A known task that a name may mean.

    Attributes:
        likeness: of the name and that of the task's names that is most like it.
    """

    task_id: str
    likeness: Likeness
    stage: Stage
    contested: bool
    status: TaskStatus
    last_said: datetime


@dataclass(frozen=True, slots=True)
class Match:
    """The name means this task."""

    known: Known
    score: float


def score(known: Known, at: datetime) -> float:
    """Method x stage x entity status x task status x recency, 0 to 1; ``at`` is when the name is used."""
    weight = POLICY.base[known.likeness.method] * POLICY.stages[known.stage] * POLICY.statuses[known.status]
    disputed = POLICY.contested if known.contested else 1.0
    return round(known.likeness.similarity * weight * disputed * _recency(at - known.last_said), 6)


def match(candidates: Sequence[Known], at: datetime) -> Match | None:
    """The one task that a name means beyond doubt, or None.

    The best score must reach the threshold, and every other task stay behind it by the gap: two tasks that a name may mean are
    a question for a person. A cancelled task is never meant, and one that is done keeps no other from being meant.
    """
    best: dict[str, Match] = {}
    for known in candidates:
        found = Match(known, score(known, at))
        if known.task_id not in best or found.score > best[known.task_id].score:
            best[known.task_id] = found
    ranked = sorted(best.values(), key=lambda found: (-found.score, found.known.task_id))
    if not ranked or ranked[0].score < POLICY.strict:
        return None
    if len(ranked) > 1 and ranked[0].score - ranked[1].score < POLICY.gap:
        return None
    return ranked[0]


def _recency(age: timedelta) -> float:
    """1 for what was just spoken of; a claim that is older than the task's last one is not held against it."""
    share = (age - POLICY.fresh) / (POLICY.faded - POLICY.fresh)
    return 1.0 - (1.0 - POLICY.oldest) * min(1.0, max(0.0, share))
