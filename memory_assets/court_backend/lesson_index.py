"""Lessons of a role by meaning: one question, which every backend answers alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory_assets.court_backend.court_rows import Place
    from memory_assets.vectors.embedder import Vectors

LIKENESS_DIGITS = 5
"""Digits beyond these depend on the order in which sums are taken: what is equal up to here is ordered by its id."""


@dataclass(frozen=True, slots=True)
class LessonHit:
    """A lesson that was found.

    Attributes:
        unit_id: of the lesson's unit, by which equal ones are ordered.
        likeness: cosine of the angle between question and lesson, rounded.
    """

    unit_id: str
    lesson_id: str
    likeness: float


class LessonIndex(Protocol):
    """Lessons that stand (active or contested), each with a vector of length one."""

    def search_lessons(self, role: str, query: Vectors, k: int) -> Sequence[LessonHit]:
        """The ``k`` lessons of a role that are nearest to a question by cosine, nearest first, then by unit.

        Args:
            role: as ``court.lessons.role_of`` spells it.
            query: of length one, by the embedder whose vectors are searched.

        Raises:
            MemoryAssetsError: the backend cannot answer; its message says what to do.
        """
        ...

    def place(self) -> Place | None:
        """The event of the log that its lessons rest on; None where they are the store's own, as it is.

        Raises:
            MemoryAssetsError: the backend cannot answer.
        """
        ...
