"""Which events a purge takes out: what no fold reads any more, and what people said of that alone.

What is left is what `visible_events` shows, with the tombstones. Of that goes a person's word whose subject existed only in
what is gone, for its note or title is text about the forgotten; a word that still has a subject stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.projections.commands import COMMANDS, close_commands, open_commands
from memory_assets.projections.usage import IS_A_UNIT, USES

if TYPE_CHECKING:
    import duckdb

TOMBSTONES = ("session_forgotten", "session_unforgotten", "text_forgotten", "text_unforgotten", "purged")
"""They say that something was forgotten, or wanted back, without its text."""

# Each statement reads what those before it found: `going` grows.
_STEPS = (
    "CREATE OR REPLACE TEMP TABLE seen AS SELECT seq FROM visible_events",
    f"""CREATE OR REPLACE TEMP TABLE going AS
    SELECT seq FROM events WHERE seq NOT IN (SELECT seq FROM seen) AND NOT (event_type IN {TOMBSTONES}
      AND (chain_id IS NULL OR chain_id NOT IN (SELECT chain_id FROM hidden_chains)))""",
)

_OF_ENTRIES = f"""
CREATE OR REPLACE TEMP TABLE gone_entries AS
WITH told AS (
  SELECT payload_json ->> '$.entry_id' AS entry_id, seq IN (SELECT seq FROM going) AS goes FROM events
  WHERE event_type = 'entry_materialized'
)
SELECT entry_id FROM told GROUP BY entry_id HAVING bool_and(goes);

-- Whose only side, or one of whose sides, has no entry any more, and nobody else says the same.
INSERT INTO going
WITH words AS (
  SELECT seq, event_id, payload_json FROM events
  WHERE session_id IS NULL AND event_type IN {(*COMMANDS, "decision_recorded")} AND seq NOT IN (SELECT seq FROM going)
), named AS (
  SELECT seq, 'entry' AS side, payload_json ->> '$.entry_id' AS entry_id FROM words
  UNION ALL SELECT seq, 'entry', unnest(from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')) FROM words
  UNION ALL SELECT seq, 'older', unnest(from_json(payload_json -> '$.older_ids', '["VARCHAR"]')) FROM words
  UNION ALL SELECT seq, 'newer', unnest(from_json(payload_json -> '$.newer_ids', '["VARCHAR"]')) FROM words
  UNION ALL SELECT seq, 'entry', unnest(from_json(payload_json -> '$.evidence[*].entry_id', '["VARCHAR"]')) FROM words
)
SELECT DISTINCT seq FROM (
  SELECT seq, side FROM named WHERE entry_id IS NOT NULL
  GROUP BY seq, side HAVING bool_and(entry_id IN (SELECT entry_id FROM gone_entries)))
WHERE (seq, side) NOT IN (
  SELECT (w.seq, c.side) FROM command_entries c JOIN words w USING (event_id)
  WHERE c.entry_id NOT IN (SELECT entry_id FROM gone_entries));
"""

# A word about an id that nobody knows any more does nothing.
_OF_TASKS = """
CREATE OR REPLACE TEMP TABLE known_ids AS
SELECT task_id AS id FROM task_names UNION SELECT condition_id FROM task_names UNION SELECT placeholder_id FROM task_names
UNION SELECT artifact_id FROM artifact_references UNION SELECT entity_id FROM entities
UNION SELECT coalesce(payload_json ->> '$.task_id', payload_json ->> '$.condition_id', payload_json ->> '$.artifact_id')
FROM events WHERE event_type IN ('task_declared', 'task_created', 'condition_declared', 'artifact_declared')
  AND seq NOT IN (SELECT seq FROM going);

INSERT INTO going
WITH words AS (
  SELECT seq, coalesce(payload_json ->> '$.task_id', payload_json ->> '$.from_id', payload_json ->> '$.condition_id') AS id,
    payload_json ->> '$.into_id' AS into_id
  FROM events WHERE session_id IS NULL AND event_type IN ('task_status_said', 'task_priority_said', 'task_blockers_said',
    'task_move_accepted', 'entity_merged', 'entity_merge_reverted', 'condition_answered')
    AND seq NOT IN (SELECT seq FROM going)
)
SELECT seq FROM words
WHERE id NOT IN (SELECT id FROM known_ids) AND (into_id IS NULL OR into_id NOT IN (SELECT id FROM known_ids));
"""

_OF_UNITS = """
INSERT INTO going
WITH sources AS (
  SELECT 'mem_' || substr(sha256(entry_id), 1, 32) AS id FROM gone_entries
  UNION SELECT payload_json ->> '$.task_id' FROM events
  WHERE event_type IN ('task_created', 'task_evidence_linked') AND seq IN (SELECT seq FROM going)
)
SELECT seq FROM events WHERE event_type = 'unit_feedback' AND seq NOT IN (SELECT seq FROM going)
  AND (payload_json ->> '$.unit_kind', payload_json ->> '$.source_id') NOT IN (SELECT (unit_kind, source_id) FROM memory_units)
  AND ((payload_json ->> '$.source_id') IN (SELECT id FROM sources)
    OR session_id IN (SELECT session_id FROM events WHERE seq IN (SELECT seq FROM going)));
"""

# One that counts a unit which is there no more; what else it counts is counted anew in the new store.
_OF_USAGE = f"""
INSERT INTO going
SELECT DISTINCT seq FROM (SELECT seq, {USES} FROM events WHERE event_type = 'usage_counted') WHERE NOT {IS_A_UNIT}
"""

# A person's word on a lesson that no case gives any more, of those that stay: its note speaks of what is gone.
_OF_LESSONS = """
INSERT INTO going
WITH told AS (
  SELECT payload_json ->> '$.lesson_id' AS lesson_id, seq IN (SELECT seq FROM going) AS goes FROM events
  WHERE event_type = 'lesson_accepted'
), gone AS (SELECT lesson_id FROM told GROUP BY lesson_id HAVING bool_and(goes))
SELECT seq FROM events WHERE seq NOT IN (SELECT seq FROM going) AND (
  (event_type IN ('lesson_retired', 'lesson_kept') AND (payload_json ->> '$.lesson_id') IN (SELECT lesson_id FROM gone))
  OR (event_type = 'unit_feedback' AND (payload_json ->> '$.unit_kind') = 'lesson'
    AND (payload_json ->> '$.source_id') IN (SELECT lesson_id FROM gone)));
"""

# Files that were refused and hold nothing that stays, by their names.
_OF_FILES = """
INSERT INTO going
WITH told AS (
  SELECT payload_json ->> '$.uri' AS uri, seq IN (SELECT seq FROM going) AS goes FROM events
  WHERE event_type IN ('source_registered', 'source_taken', 'source_told', 'session_quarantined')
    AND (payload_json ->> '$.uri') IS NOT NULL
), gone AS (SELECT uri FROM told GROUP BY uri HAVING bool_and(goes))
SELECT seq FROM events WHERE event_type = 'session_rejected' AND seq NOT IN (SELECT seq FROM going)
  AND (payload_json ->> '$.uri') IN (SELECT uri FROM gone);
"""

# A conversation about what is gone: a question that nothing answered rests on no history, and speaks of it all the same.
_OF_ANSWERS = """
INSERT INTO going
SELECT seq FROM events WHERE event_type = 'answer_recorded' AND seq NOT IN (SELECT seq FROM going)
  AND (payload_json ->> '$.conversation_id') IN (
    SELECT payload_json ->> '$.conversation_id' FROM events
    WHERE event_type = 'answer_recorded' AND seq IN (SELECT seq FROM going));
"""

# Runs that wrote nothing but what is gone.
_OF_BUILDS = """
CREATE OR REPLACE TEMP TABLE gone_builds AS
SELECT build_id FROM events WHERE build_id IS NOT NULL AND event_type NOT IN ('build_started', 'build_finished')
GROUP BY build_id HAVING bool_and(seq IN (SELECT seq FROM going));

INSERT INTO going
SELECT seq FROM events WHERE event_type IN ('build_started', 'build_finished')
  AND (payload_json ->> '$.build_id') IN (SELECT build_id FROM gone_builds);
"""

# No tombstone alone makes a session: of these nothing is left.
_SESSIONS = f"""
CREATE OR REPLACE TEMP TABLE gone_sessions AS
SELECT session_id, bool_and(event_type IN {TOMBSTONES} OR seq IN (SELECT seq FROM going)) AS wholly FROM events
WHERE session_id IS NOT NULL AND session_id IN (SELECT session_id FROM events WHERE seq IN (SELECT seq FROM going))
GROUP BY session_id
"""


def find_going(connection: duckdb.DuckDBPyConnection) -> int:
    """Fill ``going`` (the seq of each event that goes), ``gone_builds`` and ``gone_sessions``; how many events go.

    Args:
        connection: its current database is the store, folded up to its log's end.
    """
    for statement in _STEPS:
        connection.execute(statement)
    if _count(connection):
        open_commands(connection)
        for statements in (_OF_ENTRIES, _OF_TASKS, _OF_UNITS, _OF_LESSONS, _OF_USAGE, _OF_FILES, _OF_ANSWERS, _OF_BUILDS):
            connection.execute(statements)
        close_commands(connection)
        find_sessions(connection)
    return _count(connection)


def find_sessions(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill ``gone_sessions``, of the events in ``going``."""
    connection.execute(_SESSIONS)


def counted_by_type(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How many events of each type go, behind :func:`find_going`."""
    rows = connection.execute(
        "SELECT event_type, count(*) FROM events WHERE seq IN (SELECT seq FROM going) GROUP BY 1 ORDER BY 1"
    )
    return dict(rows.fetchall())


def sessions_concerned(connection: duckdb.DuckDBPyConnection) -> dict[str, bool]:
    """The sessions that lose something, by key, and whether they lose everything; behind :func:`find_going`."""
    return dict(connection.execute("SELECT session_id, wholly FROM gone_sessions ORDER BY 1").fetchall())


def _count(connection: duckdb.DuckDBPyConnection) -> int:
    return int(connection.execute("SELECT count(*) FROM going").fetchall()[0][0])
