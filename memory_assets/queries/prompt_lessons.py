"""The lessons that a proposal names, as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memory_assets.court.prompts import CitedLesson
from memory_assets.court.support import told_once
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.lessons import shared_moments

if TYPE_CHECKING:
    import duckdb

# A lesson has the sessions of those that were merged into it, too.
_LESSONS = f"""
WITH named AS (
  SELECT lesson_id, title, severity, status IN ('active', 'contested') AS stands,
    list_append(from_json(merged_json, '["VARCHAR"]'), lesson_id) AS ids
  FROM lessons WHERE lesson_id IN {IN_LIST}
), cases_of AS (
  SELECT n.lesson_id, list(DISTINCT a.session_id) AS sessions
  FROM (SELECT lesson_id, unnest(ids) AS id FROM named) n JOIN accepted_lessons a ON a.lesson_id = n.id GROUP BY n.lesson_id
)
SELECT n.lesson_id, n.title, n.severity, n.stands, coalesce(c.sessions, []) FROM named n LEFT JOIN cases_of c USING (lesson_id)
"""
_OF_ROLE = "SELECT lesson_id FROM lessons WHERE role = ? AND status IN ('active', 'contested') ORDER BY lesson_id"


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A lesson as it stands, with the cases that give it."""

    cited: CitedLesson
    title: str
    standing: Literal["stands", "set_aside"]


def lessons_named(connection: duckdb.DuckDBPyConnection, lesson_ids: Sequence[str]) -> dict[str, KnownLesson]:
    """Those of the lessons that there are, by their ids; a lesson whose evidence was forgotten is none."""
    if not lesson_ids:
        return {}
    known = fetch(connection, _LESSONS, [json_list(lesson_ids)])
    # Where two sessions tell of one moment, they are one case.
    counted = told_once(shared_moments(connection))
    return {
        lesson_id: KnownLesson(
            CitedLesson(lesson_id, severity, frozenset(counted.get(one, one) for one in given)),
            title,
            "stands" if stands else "set_aside",
        )
        for lesson_id, title, severity, stands, given in known
    }


def lessons_of_role(connection: duckdb.DuckDBPyConnection, role: str) -> list[str]:
    """The lessons that stand for a role."""
    return [lesson_id for (lesson_id,) in fetch(connection, _OF_ROLE, [role])]
