"""Demotion by age: a policy of its own beside the one for promotions.

What nobody has said again for long counts for less: its score halves with every half-life of its type, and below the floor it
goes one stage down. Saying it again, or a person's word, starts its time anew. How often it is read or found is no fact here.
Pure: the caller says what time it is, and applies nothing without being asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_assets.vocabulary import STAGES, EntryType, Stage

HALF_LIFE_VERSION: Final = "1"
DEMOTABLE: Final[tuple[Stage, ...]] = ("verified", "certified")
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class HalfLife:
    """The numbers of the policy.

    Attributes:
        days: the half-life of each type of entry.
        floor: the score, between 0 and 1, below which a memory goes down.
    """

    days: Mapping[EntryType, int]
    floor: float

    @property
    def version(self) -> str:
        """The policy with its numbers, as a demotion records it."""
        numbers = " ".join(f"{kind} {days}" for kind, days in sorted(self.days.items()))
        return f"half-life {HALF_LIFE_VERSION} {numbers} floor {self.floor:g}"


@dataclass(frozen=True, slots=True)
class Aged:
    """A memory and since when its time runs: since it was last said, demoted, or confirmed by a person."""

    memory_id: str
    entry_type: EntryType
    stage: Stage
    since: datetime


@dataclass(frozen=True, slots=True)
class DueDemotion:
    """A memory that goes one stage down, and why."""

    memory_id: str
    from_stage: Stage
    to_stage: Stage
    age_days: float
    score: float


def due(memories: Iterable[Aged], policy: HalfLife, as_of: datetime) -> list[DueDemotion]:
    """The memories that go down at ``as_of``, the oldest first. One from the future has no age."""
    found = []
    for memory in memories:
        age = max((as_of - memory.since).total_seconds() / _DAY_SECONDS, 0.0)
        score = 0.5 ** (age / policy.days[memory.entry_type])
        if memory.stage in DEMOTABLE and score < policy.floor:
            below = STAGES[STAGES.index(memory.stage) - 1]
            found.append(DueDemotion(memory.memory_id, memory.stage, below, round(age, 3), round(score, 6)))
    return sorted(found, key=lambda demotion: (-demotion.age_days, demotion.memory_id))
