"""What of tasks waits for somebody's word: refused moves and blockers, circles, open conditions, possible duplicates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation
from memory_assets.log.fetching import fetch
from memory_assets.queries.conditions import list_conditions
from memory_assets.queries.entries import address
from memory_assets.results.tasks import BlockerCycle, PossibleDuplicate, RefusedBlocker, RefusedMove, TaskName, TaskReview
from memory_assets.tasks.likeness import CANDIDATE_FLOOR, lexical_likeness, never_the_same
from memory_assets.vocabulary import FINISHED

if TYPE_CHECKING:
    import duckdb

# Words that more titles than this have say nothing of likeness; pairs beyond the second number are too many to be looked at.
_COMMON = 40
_MOST_PAIRS = 2_000
_LEAST_SHARED = 0.4

_SAID = """
LEFT JOIN task_claims c ON c.claim_id = r.source_id
LEFT JOIN evidence_spans s ON s.entry_id = c.entry_id AND s.ordinal = c.evidence_ordinal
"""
# Waits until the task moves, gets what was claimed, or a person says how it stands.
_MOVES = f"""
WITH refused AS (
  SELECT task_id, event_id, place, occurred_at, session_id, message_index, source_id,
    payload_json ->> '$.requested_status' AS requested, payload_json ->> '$.rule' AS rule
  FROM v_task_history WHERE ($task IS NULL OR task_id = $task) AND (event_type = 'task_transition_rejected'
    OR (event_type = 'task_created' AND (payload_json ->> '$.requested_status') <> (payload_json ->> '$.initial_status')))
), moved AS (
  SELECT entity_id, max(place) AS place FROM task_outcomes WHERE event_type = 'task_status_changed' GROUP BY entity_id
), said AS (
  SELECT entity_id, max(occurred_at) AS at FROM task_words WHERE event_type IN ('task_status_said', 'task_move_accepted')
  GROUP BY entity_id
)
SELECT t.task_id, t.title, t.task_status, t.project, r.requested, r.rule, r.event_id, r.occurred_at,
  count(*) OVER (PARTITION BY r.task_id, r.requested), r.session_id, r.message_index, s.message_index, s.segments_json,
  s.matched_text
FROM refused r JOIN v_tasks t USING (task_id) LEFT JOIN moved m ON m.entity_id = r.task_id
LEFT JOIN said w ON w.entity_id = r.task_id {_SAID}
WHERE r.requested <> t.task_status AND r.place > coalesce(m.place, -1) AND (w.at IS NULL OR w.at < r.occurred_at)
  AND ($project IS NULL OR t.project = $project)
QUALIFY row_number() OVER (PARTITION BY r.task_id, r.requested ORDER BY r.place DESC) = 1
ORDER BY r.occurred_at DESC, r.event_id
"""
# Waits until something else is said of what the task waits for.
_BLOCKERS = f"""
WITH refused AS (
  SELECT task_id, event_id, place, occurred_at, session_id, message_index, source_id,
    payload_json ->> '$.raw_text' AS raw_text, payload_json ->> '$.rule' AS rule
  FROM v_task_history WHERE event_type = 'task_blocker_rejected' AND ($task IS NULL OR task_id = $task)
), said AS (
  SELECT entity_id, max(occurred_at) AS at FROM task_words WHERE event_type IN ('task_status_said', 'task_blockers_said')
  GROUP BY entity_id
)
SELECT t.task_id, t.title, t.task_status, t.project, r.raw_text, r.rule, r.event_id, r.occurred_at, r.session_id,
  r.message_index, s.message_index, s.segments_json
FROM refused r JOIN v_tasks t USING (task_id) LEFT JOIN said w ON w.entity_id = r.task_id {_SAID}
WHERE t.task_status NOT IN {FINISHED} AND (w.at IS NULL OR w.at < r.occurred_at)
  AND ($project IS NULL OR t.project = $project)
  AND NOT EXISTS (SELECT 1 FROM task_outcomes o WHERE o.entity_id = r.task_id AND o.event_type = 'task_blockers_set'
    AND o.source_id <> r.source_id AND o.place > r.place)
QUALIFY row_number() OVER (PARTITION BY r.task_id, r.rule, r.raw_text ORDER BY r.place DESC) = 1
ORDER BY r.occurred_at DESC, r.event_id
"""
_CYCLES = """
SELECT y.cycle_id, t.task_id, t.title, t.task_status, t.project
FROM (SELECT cycle_id, unnest(task_ids) AS task_id, generate_subscripts(task_ids, 1) AS place FROM blocker_cycles
      WHERE $task IS NULL OR list_contains(task_ids, $task)) y JOIN v_tasks t USING (task_id)
ORDER BY y.cycle_id, y.place
"""
_NAMED = """
named AS (
  SELECT n.project_key, n.name, n.name_hash, n.tokens, t.task_id, t.title, t.task_status, t.project
  FROM task_names n JOIN entity_aliases a ON a.entity_type = 'task'
    AND a.canonical_key = 'task:' || n.project_key || ':' || n.name JOIN v_tasks t ON t.task_id = a.entity_id
  WHERE t.task_status <> 'cancelled'
)
"""
_PAIR = "o.task_id, o.title, o.task_status, o.project, x.task_id, x.title, x.task_status, x.project"
# Two that are done need nobody's word.
_ARE_TWO = """
o.task_id <> x.task_id AND NOT (o.task_status = 'done' AND x.task_status = 'done')
  AND ($task IS NULL OR $task IN (o.task_id, x.task_id)) AND ($project IS NULL OR o.project = $project)
"""
_BY_WORDS = f"""
WITH {_NAMED}, words AS (
  SELECT project_key, name, len(tokens) AS size, unnest(tokens) AS token FROM named
), telling AS (
  SELECT project_key, token FROM words GROUP BY project_key, token HAVING count(*) BETWEEN 2 AND {_COMMON}
), told AS (
  SELECT * FROM words SEMI JOIN telling USING (project_key, token)
), pairs AS (
  SELECT o.project_key, o.name AS one, x.name AS other, count(*) / greatest(any_value(o.size), any_value(x.size)) AS shared
  FROM told o JOIN told x USING (project_key, token)
  WHERE o.name < x.name GROUP BY o.project_key, o.name, x.name
)
SELECT {_PAIR}, p.one, p.other
FROM pairs p JOIN named o ON o.project_key = p.project_key AND o.name = p.one
JOIN named x ON x.project_key = p.project_key AND x.name = p.other
WHERE p.shared >= {_LEAST_SHARED} AND {_ARE_TWO} ORDER BY p.shared DESC, p.one, p.other LIMIT {_MOST_PAIRS}
"""
# What the resolver knows to be alike, by words or by meaning.
_KNOWN_ALIKE = f"""
WITH {_NAMED}
SELECT {_PAIR}, o.name, x.name, l.similarity, l.method
FROM name_likenesses l JOIN named o ON o.project_key = l.project_key AND o.name_hash = l.one
JOIN named x ON x.project_key = l.project_key AND x.name_hash = l.other
WHERE {_ARE_TWO}
"""


def task_review(connection: duckdb.DuckDBPyConnection, *, project: str | None = None) -> TaskReview:
    """All that waits for somebody's word, the newest first."""
    cycles = blocker_cycles(connection)
    return TaskReview(
        refused=refused_moves(connection, project=project),
        refused_blockers=refused_blockers(connection, project=project),
        cycles=tuple(cycle for cycle in cycles if project is None or any(task.project == project for task in cycle.tasks)),
        conditions=tuple(
            condition
            for condition in list_conditions(connection, status="open", project=project)
            if condition.candidates and any(task.status not in FINISHED for task in condition.tasks)
        ),
        duplicates=possible_duplicates(connection, project=project),
    )


def refused_moves(
    connection: duckdb.DuckDBPyConnection, *, task_id: str | None = None, project: str | None = None
) -> tuple[RefusedMove, ...]:
    """Statuses that sessions claim last of tasks that were refused them; of each task and status the newest claim."""
    return tuple(
        RefusedMove.of_row((TaskName.of_row(row[:4]), *row[4:9], _uri(*row[9:13]), row[13]))
        for row in fetch(connection, _MOVES, {"task": task_id, "project": project})
    )


def refused_blockers(
    connection: duckdb.DuckDBPyConnection, *, task_id: str | None = None, project: str | None = None
) -> tuple[RefusedBlocker, ...]:
    """Blockers that cannot be, of tasks that are not finished and of whose blockers nothing was said since."""
    return tuple(
        RefusedBlocker.of_row((TaskName.of_row(row[:4]), *row[4:8], _uri(*row[8:12])))
        for row in fetch(connection, _BLOCKERS, {"task": task_id, "project": project})
    )


def blocker_cycles(connection: duckdb.DuckDBPyConnection, *, task_id: str | None = None) -> tuple[BlockerCycle, ...]:
    """Circles of tasks that wait for each other: all, or those with a task."""
    tasks: dict[str, list[TaskName]] = {}
    for cycle_id, *name in fetch(connection, _CYCLES, {"task": task_id}):
        tasks.setdefault(cycle_id, []).append(TaskName.of_row(name))
    return tuple(BlockerCycle(cycle_id=cycle_id, tasks=tuple(names)) for cycle_id, names in tasks.items())


def possible_duplicates(
    connection: duckdb.DuckDBPyConnection, *, task_id: str | None = None, project: str | None = None
) -> tuple[PossibleDuplicate, ...]:
    """Pairs of tasks with titles that are alike and were not taken for each other, the likest first."""
    chosen = {"task": task_id, "project": project}
    best: dict[tuple[str, str], PossibleDuplicate] = {}
    for row in fetch(connection, _BY_WORDS, chosen):
        _keep(best, row, lexical_likeness(row[8], row[9]), "lexical")
    for row in fetch(connection, _KNOWN_ALIKE, chosen):
        _keep(best, row, row[10], row[11])
    return tuple(sorted(best.values(), key=lambda pair: (-pair.similarity, pair.one.task_id, pair.other.task_id)))


def _keep(best: dict[tuple[str, str], PossibleDuplicate], row: tuple[Any, ...], similarity: float, method: str) -> None:
    if similarity < CANDIDATE_FLOOR or never_the_same(row[8], row[9]):
        return
    one, other = sorted((TaskName.of_row(row[:4]), TaskName.of_row(row[4:8])), key=lambda task: task.task_id)
    key = (one.task_id, other.task_id)
    if key not in best or best[key].similarity < similarity:
        best[key] = PossibleDuplicate(one=one, other=other, similarity=round(similarity, 4), method=method)


def _uri(session_id: str | None, message_index: int | None, placed: int | None, segments_json: str | None) -> str | None:
    if session_id is None:
        return None
    whole = MessageCitation(session_id, message_index or 0).uri
    return address(session_id, placed, json.loads(segments_json or "[]")) or whole
