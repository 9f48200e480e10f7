"""Lessons: what all cases together give to a role, and how the lessons of one role stand to each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.court.lessons import Accepted, Lesson, Link, PersonsWord, Use
from memory_assets.court.standing import standing
from memory_assets.court.support import Moment, moment_of
from memory_assets.identifiers import canonical_json
from memory_assets.log.court_policy import policy_in_force
from memory_assets.log.payloads.court import LessonKept, LessonRetired
from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.log.sql import IN_LIST, json_list, visible
from memory_assets.projections.rows import insert_rows
from memory_assets.projections.unit_tables.outbox import enqueue
from memory_assets.projections.unit_tables.units import close_touched_units, fold_lesson_units

if TYPE_CHECKING:
    import duckdb

# The words that a claim quotes, as one hash.
SAID = (
    "(SELECT md5(string_agg(DISTINCT e.quote, chr(0) ORDER BY e.quote)) FROM lesson_evidence e WHERE e.claim_id = a.claim_id)"
)

_ACCEPTED = f"""
SELECT claim_id, lesson_id, case_id, session_id, project, kind, role, polarity, severity, title, rule, trigger_text,
  exceptions_json, confidence, occurred_at, {SAID} AS said FROM accepted_lessons a WHERE role IN {IN_LIST} ORDER BY claim_id
"""

# A person's words are no events of a session; the last one holds, by the speaker's clock.
_WORDS = f"""
SELECT payload_json ->> '$.lesson_id' AS lesson_id, event_type = '{LessonKept.event_type}' AS keeps,
  payload_json ->> '$.said_by' AS said_by, coalesce(payload_json ->> '$.note', '') AS note, coalesce(occurred_at, ts) AS said_at
FROM events WHERE event_type IN ('{LessonRetired.event_type}', '{LessonKept.event_type}') ORDER BY said_at, event_id
"""

_USE = f"""
SELECT payload_json ->> '$.source_id' AS lesson_id, count(*) FILTER ((payload_json ->> '$.signal') = 'helpful'),
  count(*) FILTER ((payload_json ->> '$.signal') = 'wrong')
FROM {visible(f"event_type = '{UnitFeedback.event_type}' AND (payload_json ->> '$.unit_kind') = 'lesson'")} GROUP BY 1
"""


# What several sessions tell of one second, whatever role it is a lesson for: where the words are the same, the sessions are.
# Of others nothing has to be read, which is nearly all.
SHARED_MOMENTS = f"""
WITH shared AS (
  SELECT claim_id, session_id, role, occurred_at, date_trunc('second', occurred_at) AS told_at FROM accepted_lessons
  QUALIFY min(session_id) OVER (PARTITION BY told_at) <> max(session_id) OVER (PARTITION BY told_at)
)
SELECT a.session_id, a.role, a.occurred_at, {SAID} AS said FROM shared a
"""

# The roles that get lessons of some sessions, and of all that are the same session as one of these.
_ROLES_OF = f"""
WITH RECURSIVE moments AS ({SHARED_MOMENTS}),
same AS (
  SELECT session_id FROM court_scope
  UNION SELECT o.session_id FROM same s JOIN moments m USING (session_id)
    JOIN moments o ON o.said = m.said AND date_trunc('second', o.occurred_at) = date_trunc('second', m.occurred_at)
)
SELECT DISTINCT role FROM accepted_lessons WHERE session_id IN (SELECT session_id FROM same)
"""


@dataclass(frozen=True, slots=True)
class _LessonRow:
    """A row of ``lessons``; its columns."""

    lesson_id: str
    role: str
    polarity: str
    kind: str
    severity: str
    title: str
    rule: str
    trigger_text: str
    exceptions_json: str
    status: str
    reason: str
    by_lesson_id: str | None
    merged_json: str
    claim_id: str
    support_cases: int
    support_sessions: int
    helpful: int
    harmful: int
    confidence: float
    project: str | None
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class _LinkRow:
    """A row of ``lesson_links``; its columns."""

    lesson_id: str
    other_lesson_id: str
    link: str
    likeness: float
    reason: str


def fold_lessons(
    connection: duckdb.DuckDBPyConnection, roles: Sequence[str], embedding_version: str, *, everything: bool
) -> None:
    """Fold the lessons of some roles anew, and their units.

    Args:
        everything: also forget the lessons of roles that no case gives a lesson to any more.
    """
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE lessons_before AS
            SELECT * FROM lessons WHERE role IN {IN_LIST} {"OR true" if everything else ""}""",
        [json_list(roles)],
    )
    accepted = [_accepted(row) for row in connection.execute(_ACCEPTED, [json_list(roles)]).fetchall()]
    words = {row[0]: PersonsWord(*row[1:]) for row in connection.execute(_WORDS).fetchall()}
    use = {row[0]: Use(row[1], row[2]) for row in connection.execute(_USE).fetchall()}
    moments = shared_moments(connection)
    stands = standing(accepted, policy_in_force(connection), words=words, use=use, moments=moments)
    connection.execute(
        "DELETE FROM lesson_links WHERE lesson_id IN (SELECT lesson_id FROM lessons_before)"
        " OR other_lesson_id IN (SELECT lesson_id FROM lessons_before)"
    )
    connection.execute("DELETE FROM lessons WHERE lesson_id IN (SELECT lesson_id FROM lessons_before)")
    insert_rows(connection, "lessons", [_row(lesson) for lesson in stands.lessons])
    insert_rows(connection, "lesson_links", [_link(link) for link in stands.links])
    fold_lesson_units(connection, _changed(connection))
    enqueue(connection, embedding_version)
    close_touched_units(connection)
    connection.execute("DROP TABLE lessons_before")


def roles_of_scope(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The roles that are given lessons by the sessions of the scope, or by sessions that are the same as one of these."""
    return {str(row[0]) for row in connection.execute(_ROLES_OF).fetchall()}


def shared_moments(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, Moment]]:
    """What lessons of several sessions were heard of in one second."""
    rows = connection.execute(f"SELECT session_id, occurred_at, said FROM ({SHARED_MOMENTS}) ORDER BY ALL").fetchall()
    return [(session_id, moment_of(at, said or "")) for session_id, at, said in rows]


def _changed(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The lessons that stand otherwise than before, or are shown elsewhere; with those that they were merged into."""
    rows = connection.execute(
        """WITH claimed AS (
             SELECT lesson_id FROM accepted_lessons WHERE claim_id IN (SELECT claim_id FROM touched_claims)
           )
           SELECT lesson_id FROM (SELECT * FROM lessons_before EXCEPT SELECT * FROM lessons)
           UNION SELECT lesson_id FROM (SELECT * FROM lessons EXCEPT SELECT * FROM lessons_before)
           UNION SELECT lesson_id FROM claimed
           UNION SELECT by_lesson_id FROM lessons
             WHERE by_lesson_id IS NOT NULL AND lesson_id IN (SELECT lesson_id FROM claimed)
           ORDER BY 1"""
    ).fetchall()
    return [row[0] for row in rows]


def _accepted(row: tuple[Any, ...]) -> Accepted:
    *before, exceptions_json, confidence, at, said = row
    told: list[Any] = [*before, tuple(json.loads(exceptions_json)), confidence, at, said or ""]
    return Accepted(*told)


def _row(lesson: Lesson) -> _LessonRow:
    told = lesson.told
    return _LessonRow(
        lesson_id=told.lesson_id,
        role=told.role,
        polarity=told.polarity,
        kind=told.kind,
        severity=told.severity,
        title=told.title,
        rule=told.rule,
        trigger_text=told.trigger,
        exceptions_json=canonical_json(list(told.exceptions)),
        status=lesson.status,
        reason=lesson.reason,
        by_lesson_id=lesson.by,
        merged_json=canonical_json(list(lesson.merged)),
        claim_id=told.claim_id,
        support_cases=lesson.support_cases,
        support_sessions=lesson.support_sessions,
        helpful=lesson.helpful,
        harmful=lesson.harmful,
        confidence=lesson.confidence,
        project=lesson.project,
        first_at=lesson.first_at,
        last_at=lesson.last_at,
    )


def _link(link: Link) -> _LinkRow:
    return _LinkRow(link.lesson_id, link.other_lesson_id, link.link, link.likeness, link.reason)


def standing_rests_on(connection: duckdb.DuckDBPyConnection) -> tuple[list[Accepted], dict[str, PersonsWord], dict[str, Use]]:
    """All that ``standing`` is given: what cases gave, people's last words on lessons, and what was said of their use."""
    roles = [row[0] for row in connection.execute("SELECT DISTINCT role FROM accepted_lessons").fetchall()]
    accepted = [_accepted(row) for row in connection.execute(_ACCEPTED, [json_list(roles)]).fetchall()]
    words = {row[0]: PersonsWord(*row[1:]) for row in connection.execute(_WORDS).fetchall()}
    return accepted, words, {row[0]: Use(row[1], row[2]) for row in connection.execute(_USE).fetchall()}
