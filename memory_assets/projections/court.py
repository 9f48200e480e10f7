"""Cases: the newest hearing of each session, and the lessons and improvements that it gives.

A lesson stays while its session grows: its quotes are looked for in the message that said them, wherever it stands by now. A
quote that is not there any more is no evidence, and a lesson without evidence is none. Nor is one whose words stood in a quote
that is gone, whatever other quotes are left: its rule would go on saying them. Where nothing was ever heard, nothing
is asked but whether that is so.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memory_assets.court.telling import is_told_without, texts_of
from memory_assets.log.payloads.court import (
    CaseOpened,
    CourtPolicyActivated,
    CourtStatementRecorded,
    ImprovementRecorded,
    JudgementRendered,
    LessonAccepted,
    LessonKept,
    LessonRetired,
)
from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.log.sql import seen
from memory_assets.projections.lessons import fold_lessons, roles_of_scope

if TYPE_CHECKING:
    import duckdb

_OF_HEARINGS = tuple(
    payload.event_type
    for payload in (CaseOpened, CourtStatementRecorded, JudgementRendered, LessonAccepted, ImprovementRecorded)
)
_OF_PERSONS = (LessonRetired.event_type, LessonKept.event_type)
# What changes the words of a session, or whether it may be read.
_OF_SESSIONS = ("session_ingested", "message_continued", "session_forgotten", "session_unforgotten")

# Whether anything was ever heard: else a store pays for this question alone.
_HEARD = f"""
SELECT 1 FROM cases UNION ALL SELECT 1 FROM lessons
UNION ALL SELECT 1 FROM events WHERE seq > ? AND event_type IN {(*_OF_HEARINGS, "session_unforgotten")} LIMIT 1
"""

_SCOPE = f"""
CREATE OR REPLACE TEMP TABLE court_scope AS
SELECT DISTINCT session_id FROM events
WHERE seq > $since AND event_type IN {(*_OF_HEARINGS, *_OF_SESSIONS)}
  AND session_id IN (SELECT session_id FROM cases UNION SELECT session_id FROM events WHERE event_type = 'case_opened')
UNION SELECT session_id FROM cases WHERE $since = 0
"""

_EVENTS = "CREATE OR REPLACE TEMP TABLE court_events AS SELECT * FROM "
_OF_SCOPE = f"event_type IN {_OF_HEARINGS} AND session_id IN (SELECT session_id FROM court_scope)"

# The last word holds: a hearing by other detectors, or of more messages, replaces the one before.
_HEARINGS = """
CREATE OR REPLACE TEMP TABLE hearings AS
WITH newest AS (
  SELECT session_id, arg_max(event_id, seq) AS event_id FROM court_events
  WHERE event_type = 'judgement_rendered' GROUP BY session_id
)
SELECT j.session_id, j.event_id, j.payload_json, o.event_id AS opened_event_id, o.payload_json AS opened_json,
  o.causation_id AS revision_event_id, j.stage_version, j.project, j.occurred_at
FROM newest JOIN court_events j USING (event_id) JOIN court_events o ON o.event_id = j.causation_id
"""

# What a hearing gives is what its own judgement selected: two that hear a case at once make one judgement, and each may append
# what its judge chose. Of two events with one claim the first holds.
_GIVEN = """
CREATE OR REPLACE TEMP TABLE given AS
WITH selected AS (
  SELECT event_id, unnest(from_json(payload_json -> '$.selected', '[{"claim_id": "VARCHAR", "lesson_id": "VARCHAR"}]')) AS s
  FROM hearings
)
SELECT e.*, s.s.claim_id AS claim_id FROM court_events e
JOIN selected s ON s.event_id = e.causation_id AND s.s.claim_id = (e.payload_json ->> '$.claim.claim_id')
WHERE e.event_type = 'improvement_recorded'
  OR (e.event_type = 'lesson_accepted' AND (e.payload_json ->> '$.lesson_id') = s.s.lesson_id)
QUALIFY row_number() OVER (PARTITION BY s.s.claim_id ORDER BY e.seq) = 1
"""

_STATEMENTS = """
SELECT s.event_id, s.payload_json ->> '$.case_id' AS case_id, s.session_id, s.payload_json ->> '$.court_role' AS court_role,
  coalesce(s.payload_json -> '$.claims', '[]') AS claims_json, coalesce(s.payload_json -> '$.dropped', '{}') AS dropped_json
FROM court_events s JOIN hearings h ON h.opened_event_id = s.causation_id WHERE s.event_type = 'court_statement_recorded'
"""

_JUDGEMENTS = """
SELECT event_id, payload_json ->> '$.case_id' AS case_id, session_id, payload_json ->> '$.policy_version' AS policy_version,
  coalesce(payload_json -> '$.selected', '[]') AS selected_json, coalesce(payload_json -> '$.deferred', '[]') AS deferred_json
FROM hearings
"""

_CASES = """
SELECT h.payload_json ->> '$.case_id' AS case_id, h.session_id, h.project,
  coalesce(h.opened_json ->> '$.backend', 'embedded') AS backend, h.stage_version AS version,
  (h.opened_json ->> '$.event_count')::INTEGER AS event_count, s.claims, s.dropped,
  json_array_length(coalesce(h.payload_json -> '$.selected', '[]')) AS selected,
  json_array_length(coalesce(h.payload_json -> '$.deferred', '[]')) AS deferred,
  h.revision_event_id, h.opened_event_id, h.event_id, h.occurred_at
FROM hearings h JOIN (
  SELECT session_id, sum(json_array_length(claims_json))::INTEGER AS claims,
    coalesce(sum(list_sum(from_json(json_extract(dropped_json, '$.*'), '["INTEGER"]'))), 0)::INTEGER AS dropped
  FROM new_case_statements GROUP BY session_id) s USING (session_id)
"""

_CLAIMED = """
CREATE OR REPLACE TEMP TABLE claimed AS
  SELECT e.session_id, e.claim_id,
    unnest(from_json(e.payload_json -> '$.claim.evidence', '[{"part": "VARCHAR", "case_event_id": "VARCHAR",
      "message_uid": "VARCHAR", "start": "INTEGER", "end": "INTEGER", "quote": "VARCHAR"}]')) AS q,
    generate_subscripts(from_json(e.payload_json -> '$.claim.evidence', '["JSON"]'), 1) - 1 AS ordinal
  FROM given e
"""

_EVIDENCE = """
SELECT c.claim_id, c.ordinal, c.session_id, c.q.part AS part, c.q.case_event_id AS case_event_id, m.message_index,
  c.q.start AS span_start, c.q."end" AS span_end, c.q.quote AS quote
FROM claimed c JOIN messages m ON m.session_id = c.session_id AND m.message_uid = c.q.message_uid
WHERE m.kind NOT IN ('injected', 'superseded') AND substr(m.text, c.q.start + 1, c.q."end" - c.q.start) = c.q.quote
"""

# Claims of which some quotes are there and others are not: what each says, all its quotes, and those that are left.
_THINNED = """
SELECT c.claim_id, any_value(g.payload_json -> '$.claim')::VARCHAR, list(c.q.quote),
  list(e.quote) FILTER (e.claim_id IS NOT NULL)
FROM claimed c JOIN given g USING (claim_id) LEFT JOIN new_lesson_evidence e USING (claim_id, ordinal)
GROUP BY c.claim_id HAVING count(e.claim_id) BETWEEN 1 AND count(*) - 1 ORDER BY c.claim_id
"""

_CLAIM = """e.claim_id, e.payload_json ->> '$.case_id' AS case_id,
  e.session_id, e.project, e.payload_json ->> '$.claim.severity' AS severity, e.payload_json ->> '$.claim.title' AS title,
  e.payload_json ->> '$.claim.rule' AS rule, (e.payload_json ->> '$.claim.confidence')::DOUBLE AS confidence, e.occurred_at,
  e.event_id"""
_SHOWN = "e.claim_id IN (SELECT claim_id FROM new_lesson_evidence)"

_ACCEPTED = f"""
SELECT {_CLAIM}, e.payload_json ->> '$.lesson_id' AS lesson_id, e.payload_json ->> '$.claim.kind' AS kind,
  e.payload_json ->> '$.claim.role' AS role, e.payload_json ->> '$.claim.polarity' AS polarity,
  coalesce(e.payload_json ->> '$.claim.trigger', '') AS trigger_text,
  coalesce(e.payload_json -> '$.claim.exceptions', '[]') AS exceptions_json
FROM given e WHERE e.event_type = 'lesson_accepted' AND {_SHOWN}
"""

_IMPROVEMENTS = f"""
SELECT {_CLAIM}, e.payload_json ->> '$.improvement_id' AS improvement_id, e.payload_json ->> '$.target' AS target
FROM given e WHERE e.event_type = 'improvement_recorded' AND {_SHOWN}
"""

# In the order in which they rest on each other.
_TABLES = {
    "case_statements": _STATEMENTS,
    "judgements": _JUDGEMENTS,
    "cases": _CASES,
    "lesson_evidence": _EVIDENCE,
    "accepted_lessons": _ACCEPTED,
    "improvements": _IMPROVEMENTS,
}

# Roles whose lessons may stand otherwise now: a case gives another one, or shows it elsewhere; somebody spoke of one, or put
# another policy in force, by which all of them stand.
_TOUCHED_ROLES = f"""
SELECT role FROM accepted_lessons WHERE $since = 0 OR claim_id IN (SELECT claim_id FROM touched_claims)
  OR EXISTS (SELECT 1 FROM events WHERE seq > $since AND event_type = '{CourtPolicyActivated.event_type}')
UNION SELECT role FROM touched_claims WHERE role IS NOT NULL
UNION SELECT role FROM lessons WHERE $since = 0 OR lesson_id IN (
  SELECT payload_json ->> '$.lesson_id' FROM events WHERE seq > $since AND event_type IN {_OF_PERSONS}
  UNION SELECT payload_json ->> '$.source_id' FROM events WHERE seq > $since AND event_type = '{UnitFeedback.event_type}')
"""


def fold_court(connection: duckdb.DuckDBPyConnection, since: int, embedding_version: str) -> None:
    """Bring the tables of the court, and the units of its lessons, up to the log's end; behind the fold of the messages."""
    if not connection.execute(_HEARD, [since]).fetchall():
        return
    connection.execute(_SCOPE, {"since": since})
    connection.execute("CREATE OR REPLACE TEMP TABLE touched_claims (claim_id VARCHAR, role VARCHAR)")
    beside: set[str] = set()
    if connection.execute("SELECT 1 FROM court_scope LIMIT 1").fetchall():
        connection.execute(_EVENTS + seen(connection)(_OF_SCOPE))
        connection.execute(_HEARINGS)
        connection.execute(_GIVEN)
        connection.execute(_CLAIMED)
        for table, statement in _TABLES.items():
            connection.execute(f"CREATE OR REPLACE TEMP TABLE new_{table} AS {statement}")
            if table == "lesson_evidence":
                _drop_what_is_told_of_what_is_gone(connection)
        # Which sessions are one may change with them, and with it the support in roles that are not theirs.
        before = roles_of_scope(connection)
        _replace(connection)
        if connection.execute("SELECT 1 FROM touched_claims LIMIT 1").fetchall():
            beside = before | roles_of_scope(connection)
    touched = connection.execute(_TOUCHED_ROLES, {"since": since}).fetchall()
    roles = beside.union(row[0] for row in touched)
    if roles or since == 0:
        fold_lessons(connection, sorted(roles), embedding_version, everything=since == 0)
    for table in (
        "court_scope",
        "court_events",
        "hearings",
        "given",
        "claimed",
        "touched_claims",
        *(f"new_{table}" for table in _TABLES),
    ):
        connection.execute(f"DROP TABLE IF EXISTS {table}")


def _drop_what_is_told_of_what_is_gone(connection: duckdb.DuckDBPyConnection) -> None:
    """Take the evidence from claims that say what only a quote says which is gone: without evidence they are none."""
    for claim_id, claim_json, quotes, left in connection.execute(_THINNED).fetchall():
        if not is_told_without(texts_of(json.loads(claim_json)), quotes, left):
            connection.execute("DELETE FROM new_lesson_evidence WHERE claim_id = ?", [claim_id])


def _replace(connection: duckdb.DuckDBPyConnection) -> None:
    """Put the scope's new rows in the place of the old ones; of lessons, note which are others now."""
    for table in _TABLES:
        mine = f"SELECT * FROM {table} WHERE session_id IN (SELECT session_id FROM court_scope)"
        if table in ("lesson_evidence", "accepted_lessons"):
            columns = ", ".join(row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall())
            role = "role" if table == "accepted_lessons" else "NULL"
            connection.execute(
                f"""INSERT INTO touched_claims
                    WITH old AS ({mine}), new AS (SELECT {columns} FROM new_{table})
                    SELECT claim_id, {role} FROM (SELECT * FROM old EXCEPT SELECT * FROM new)
                    UNION SELECT claim_id, {role} FROM (SELECT * FROM new EXCEPT SELECT * FROM old)"""
            )
        connection.execute(f"DELETE FROM {table} WHERE session_id IN (SELECT session_id FROM court_scope)")
        connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM new_{table}")
