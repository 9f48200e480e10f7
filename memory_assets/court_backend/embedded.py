"""The embedded backend: the index of vectors beside the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.court_backend.lesson_index import LessonHit
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.vectors.units import UnitFilter

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.vectors.embedder import Vectors
    from memory_assets.vectors.index import VectorIndex


class EmbeddedLessons:
    """Lessons among the units of the store. Every vector of the role is compared, however many there are."""

    def __init__(self, index: VectorIndex, database: Database) -> None:
        self._index = index
        self._database = database

    def search_lessons(self, role: str, query: Vectors, k: int) -> Sequence[LessonHit]:
        """See ``LessonIndex``.

        Raises:
            IndexCorruptError: the index cannot be read.
        """
        where = UnitFilter(unit_kinds=("lesson",), roles=(role,))
        found = self._index.vector_search(query, k, where, exact=True)
        lessons = self._lessons_of([hit.unit_id for hit in found])
        # A unit that the tables do not know any more waits to be taken out of the index.
        return [LessonHit(hit.unit_id, lessons[hit.unit_id], hit.score) for hit in found if hit.unit_id in lessons]

    def place(self) -> None:
        """They are the store's own."""

    def _lessons_of(self, unit_ids: Sequence[str]) -> Mapping[str, str]:
        with self._database.reading() as connection:
            return dict(
                connection.execute(
                    f"SELECT unit_id, source_id FROM memory_units WHERE unit_id IN {IN_LIST}", [json_list(unit_ids)]
                ).fetchall()
            )
