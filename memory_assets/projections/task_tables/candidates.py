"""Which tasks an open condition may be: suggestions for people, kept beside the condition.

A function of the names that tasks and conditions have now. A condition is looked at again when it changed, when one of its
candidates did, and when a task has a touched name that shares enough words with it, or that an embedder finds alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memory_assets.identifiers import canonical_json
from memory_assets.tasks.likeness import CANDIDATE_FLOOR, lexical_likeness, never_the_same

if TYPE_CHECKING:
    import duckdb

SHOWN_CANDIDATES = 5


class _Candidate(NamedTuple):
    """How well a task fits; the better of two is the greater."""

    score: float
    method: str
    title: str


LEAST_SHARED = 0.4
"""Names that share fewer of their words than this, counted on both sides, are less alike than the floor (a test compares)."""

_OPEN = """
CREATE OR REPLACE TEMP TABLE open_conditions AS
SELECT c.entity_id, c.current_json, n.project_key, n.name, n.name_hash, n.tokens
FROM entities c JOIN task_names n ON n.condition_id = c.entity_id
WHERE c.entity_type = 'condition' AND (c.current_json ->> '$.status') = 'open'
"""

_NAMED_TASKS = """
SELECT t.entity_id, t.title, n.project_key, n.name, n.name_hash, n.tokens
FROM task_names n JOIN entity_aliases a ON a.canonical_key = 'task:' || n.project_key || ':' || n.name
JOIN entities t ON t.entity_id = a.entity_id
"""

# Pairs of a condition's name and a task's that may be alike enough: by their words,
_BY_WORDS = """
SELECT w.entity_id, w.name, o.entity_id AS task_id, o.title, o.name AS task_name, NULL::DOUBLE AS similarity
FROM (SELECT entity_id, project_key, name, len(tokens) AS count, unnest(tokens) AS token FROM {conditions}) w
JOIN (SELECT entity_id, title, project_key, name, len(tokens) AS count, unnest(tokens) AS token FROM {tasks}) o
  USING (project_key, token)
GROUP BY w.entity_id, w.name, w.count, o.entity_id, o.title, o.name, o.count
HAVING 2 * count(*) >= {least} * (w.count + o.count)
"""
# and by what an embedder measured.
_BY_MEANING = """
SELECT c.entity_id, c.name, t.entity_id, t.title, t.name, a.similarity
FROM {conditions} c JOIN name_likenesses a ON a.method = 'vector' AND a.project_key = c.project_key
  AND (a.one = c.name_hash OR a.other = c.name_hash)
JOIN {tasks} t ON t.project_key = c.project_key AND t.name_hash = CASE a.one WHEN c.name_hash THEN a.other ELSE a.one END
"""

_TOUCHED_TASKS = f"({_NAMED_TASKS} WHERE (n.project_key, n.name) IN (SELECT (project_key, name) FROM touched_names))"

_ASKED = """
CREATE OR REPLACE TEMP TABLE asked AS
WITH others AS (
  SELECT * FROM open_conditions WHERE entity_id NOT IN (SELECT entity_id FROM touched_entities)
), chosen AS (
  SELECT entity_id FROM open_conditions WHERE entity_id IN (SELECT entity_id FROM touched_entities)
  UNION ALL
  SELECT entity_id FROM (SELECT entity_id, unnest(current_json ->> '$.candidates[*].task_id') AS task_id FROM others)
  WHERE task_id IN (SELECT entity_id FROM touched_entities)
  UNION ALL
  SELECT entity_id FROM ({pairs})
)
SELECT * FROM open_conditions WHERE entity_id IN (SELECT entity_id FROM chosen)
"""


def fold_candidates(connection: duckdb.DuckDBPyConnection) -> None:
    """Choose the candidates of the open conditions that are concerned anew; behind the fold of tasks."""
    connection.execute(_OPEN)
    if connection.execute("SELECT 1 FROM open_conditions LIMIT 1").fetchall():
        connection.execute(_ASKED.format(pairs=_pairs(connection, "others", _TOUCHED_TASKS)))
        shown = dict(connection.execute("SELECT entity_id, current_json FROM asked").fetchall())
        if shown:
            found = _candidates(connection)
            chosen = {condition_id: canonical_json(_current(found.get(condition_id, {}))) for condition_id in shown}
            _write(connection, {entity_id: told for entity_id, told in chosen.items() if told != shown[entity_id]})
        connection.execute("DROP TABLE asked")
    connection.execute("DROP TABLE open_conditions")


def _pairs(connection: duckdb.DuckDBPyConnection, conditions: str, tasks: str) -> str:
    """What to select from: the pairs of these conditions and tasks that are worth a look."""
    told = {"conditions": conditions, "tasks": tasks, "least": LEAST_SHARED}
    if connection.execute("SELECT 1 FROM name_likenesses WHERE method = 'vector' LIMIT 1").fetchall():
        return f"{_BY_WORDS.format(**told)} UNION ALL {_BY_MEANING.format(**told)}"
    return _BY_WORDS.format(**told)


def _candidates(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, _Candidate]]:
    """Of each condition that was asked for the tasks that it may be."""
    pairs = connection.execute(_pairs(connection, "asked", f"({_NAMED_TASKS})")).fetchall()
    found: dict[str, dict[str, _Candidate]] = {}
    for condition_id, name, task_id, title, task_name, similarity in pairs:
        method, score = ("vector", similarity) if similarity is not None else ("lexical", lexical_likeness(name, task_name))
        if score >= CANDIDATE_FLOOR and not never_the_same(name, task_name):
            best = found.setdefault(condition_id, {})
            candidate = _Candidate(round(score, 4), method, title)
            best[task_id] = max(best.get(task_id, candidate), candidate)
    return found


def _current(candidates: dict[str, _Candidate]) -> dict[str, Any]:
    """What an open condition shows."""
    ranked = sorted(candidates.items(), key=lambda pair: (-pair[1].score, pair[0]))[:SHOWN_CANDIDATES]
    shown = [{"task_id": task_id, **candidate._asdict()} for task_id, candidate in ranked]
    return {"status": "open", "auto_placeholder": False, "candidates": shown}


def _write(connection: duckdb.DuckDBPyConnection, changed: dict[str, str]) -> None:
    import pyarrow as pa

    if not changed:
        return
    columns = {"entity_id": pa.array(changed.keys(), pa.string()), "current_json": pa.array(changed.values(), pa.string())}
    connection.register("changed", pa.table(columns))
    connection.execute(
        "UPDATE entities SET current_json = c.current_json FROM changed c WHERE c.entity_id = entities.entity_id"
    )
    connection.unregister("changed")
