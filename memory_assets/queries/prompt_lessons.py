"""The lessons that a proposal names, where this store keeps lessons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memory_assets.court.prompts import CitedLesson
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    import duckdb

_TABLES = "SELECT count(*) FROM duckdb_tables() WHERE table_name IN ('lessons', 'accepted_lessons')"

_LESSONS = f"""
SELECT l.lesson_id, l.title, l.severity, l.status IN ('active', 'contested') AS stands,
  (SELECT list(DISTINCT a.case_id) FROM accepted_lessons a WHERE a.lesson_id = l.lesson_id)
FROM lessons l WHERE l.lesson_id IN {IN_LIST} ORDER BY l.lesson_id
"""
_OF_ROLE = "SELECT lesson_id FROM lessons WHERE role = ? AND status IN ('active', 'contested') ORDER BY lesson_id"


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A lesson as it stands, with the cases that give it."""

    cited: CitedLesson
    title: str
    standing: Literal["stands", "set_aside"]


def keeps_lessons(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether lessons are drawn in this store at all."""
    ((tables,),) = connection.execute(_TABLES).fetchall()
    return int(tables) == 2


def lessons_named(connection: duckdb.DuckDBPyConnection, lesson_ids: Sequence[str]) -> dict[str, KnownLesson]:
    """Those of the lessons that there are, by their ids; a lesson whose evidence was forgotten is none."""
    if not lesson_ids or not keeps_lessons(connection):
        return {}
    return {
        lesson_id: KnownLesson(
            CitedLesson(lesson_id, severity, frozenset(cases or ())), title, "stands" if stands else "set_aside"
        )
        for lesson_id, title, severity, stands, cases in fetch(connection, _LESSONS, [json_list(lesson_ids)])
    }


def lessons_of_role(connection: duckdb.DuckDBPyConnection, role: str) -> list[str]:
    """The lessons that stand for a role."""
    if not keeps_lessons(connection):
        return []
    return [lesson_id for (lesson_id,) in fetch(connection, _OF_ROLE, [role])]
