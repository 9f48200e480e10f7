"""A project over time: what was decided, what of it was taken back and by what, and which tasks were done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from memory_assets.errors import NotFoundError
from memory_assets.log.fetching import fetch, scalar

if TYPE_CHECKING:
    import duckdb

MOST_POINTS = 150

# What is contested or set aside has lost its stage; it is a part of how things came to be as they are.
_DECISIONS = """
SELECT 'decision', 'mem:' || m.short_id, m.title, m.first_said_at, m.status
FROM memories m WHERE m.project = $project AND m.entry_type = 'decision'
  AND (m.stage IN ('verified', 'certified') OR m.status IN ('contested', 'deprecated'))
"""
_DONE = """
SELECT 'done', t.entity_id, t.title, max(o.occurred_at), 'done'
FROM task_outcomes o JOIN events e USING (event_id) JOIN entities t ON t.entity_id = o.entity_id
WHERE o.entity_type = 'task' AND o.event_type = 'task_status_changed' AND (e.payload_json ->> '$.to_status') = 'done'
  AND t.project = $project AND (t.current_json ->> '$.status') = 'done' GROUP BY t.entity_id, t.title
"""
_POINTS = f"""
SELECT *, count(*) OVER () FROM ({_DECISIONS} UNION ALL {_DONE}) AS points(kind, id, title, moment, status)
ORDER BY moment DESC, id LIMIT {MOST_POINTS}
"""
# A decision gives way where a conflict was settled for the other side, where it is still open, or where a person corrected it.
_TURNS = """
SELECT 'mem:' || o.short_id, 'mem:' || n.short_id,
  CASE WHEN c.status = 'open' THEN 'contested' WHEN c.resolution = 'keep_older' THEN 'kept' ELSE 'reversed' END, c.reason
FROM conflicts c JOIN memories o ON o.memory_id = c.older_memory_id JOIN memories n ON n.memory_id = c.newer_memory_id
WHERE c.project = $project AND coalesce(c.resolution, '') NOT IN ('both', 'merge')
  AND (o.entry_type = 'decision' OR n.entry_type = 'decision')
ORDER BY c.detected_at, c.conflict_id
"""

PointKind = Literal["decision", "done"]
TurnKind = Literal["reversed", "contested", "kept"]


@dataclass(frozen=True, slots=True)
class Point:
    """Something of a moment: a decision, or a task that was done.

    Attributes:
        status: of a decision ``active``, ``contested`` or ``deprecated`` (set aside).
    """

    kind: PointKind
    id: str
    title: str
    at: datetime
    status: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Two memories of which the ``newer`` speaks against the ``older``, and what became of that."""

    older: str
    newer: str
    kind: TurnKind
    reason: str


@dataclass(frozen=True, slots=True)
class ProjectMap:
    """What a project decided and did, the oldest first; ``total`` counts the points that are too many to be shown too."""

    project: str
    points: tuple[Point, ...]
    turns: tuple[Turn, ...]
    total: int


def project_map(connection: duckdb.DuckDBPyConnection, project: str) -> ProjectMap:
    """The newest points of a project, with the turns between those that are shown.

    Raises:
        NotFoundError: no session is of it.
    """
    if not scalar(connection, "SELECT count(*) FROM sessions WHERE project = ?", [project]):
        raise NotFoundError(
            f"there is no project {project[:100]!r}", hint="`memory sessions list` names the project of each session"
        )
    rows = fetch(connection, _POINTS, {"project": project})
    points = tuple(Point(*row[:5]) for row in reversed(rows))
    shown = {point.id for point in points}
    turns = (Turn(*row) for row in fetch(connection, _TURNS, {"project": project}))
    return ProjectMap(
        project=project,
        points=points,
        turns=tuple(turn for turn in turns if {turn.older, turn.newer} <= shown),
        total=rows[0][5] if rows else 0,
    )
