"""What a word of forgetting takes, counted and named, before it is said."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import MessageCitation
from memory_assets.court.telling import is_told_without, texts_of
from memory_assets.log.fetching import fetch, scalar
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.forgettable import Forgettable
from memory_assets.results.forgetting import ForgetReportV1, ForgottenPartV1, ForgottenSessionV1, NamedV1

if TYPE_CHECKING:
    import duckdb

MOST_ELSEWHERE = 100
_TELLING = 12
"""Characters of words that are looked for elsewhere: what is shorter stands in much that has nothing to do with it."""

_SPAN = '[{"session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER", "end": "INTEGER"}]'
_PARTS = f"parts AS (SELECT unnest(from_json($parts, '{_SPAN}'), recursive := true))"


def report_of(connection: duckdb.DuckDBPyConnection, found: Forgettable, *, dry_run: bool) -> ForgetReportV1:
    """What goes, counted and named, and where the same words stand besides."""
    sessions = _sessions(connection, found.sessions)
    parts = _parts(connection, found)
    _list_affected(connection, found)
    ((entries,),) = fetch(connection, "SELECT count(*) FROM affected_entries")
    messages = sum(session.messages for session in sessions)
    messages += len({(part.session_id, part.message_index) for part in parts if part.message_index is not None})
    report = ForgetReportV1(
        dry_run=dry_run,
        sessions=tuple(sessions),
        parts=tuple(parts),
        messages=messages,
        entries=entries,
        memories_gone=_named(connection, _MEMORIES.format(rest="NOT EXISTS")),
        memories_kept=_named(connection, _MEMORIES.format(rest="EXISTS")),
        tasks_gone=_named(connection, _TASKS),
        lessons_gone=_named(connection, _LESSONS.format(rest="NOT EXISTS")),
        lessons_kept=_named(connection, _LESSONS.format(rest="EXISTS")),
        cases=_count(connection, _CASES, found.sessions),
        improvements=int(scalar(connection, _IMPROVEMENTS)),
        answers=_count(connection, _ANSWERS, (*found.sessions, *found.places)),
        prompts_kept=_named(connection, _PROMPTS),
        elsewhere=_elsewhere(connection, found),
    )
    for table in ("affected_entries", "affected_claims", "gone_claims"):
        connection.execute(f"DROP TABLE {table}")
    return report


# Entries of sessions that go, and those with evidence in a part that goes.
_AFFECTED = f"""
CREATE OR REPLACE TEMP TABLE affected_entries AS
WITH {_PARTS}
SELECT entry_id FROM entries
WHERE session_id IN (SELECT unnest(from_json($sessions, '["VARCHAR"]')))
UNION
SELECT e.entry_id FROM evidence_spans e JOIN parts p USING (session_id, message_index)
WHERE e.span_start < p."end" AND p.start < e.span_end
"""
# Claims of cases that rest on it.
_AFFECTED_CLAIMS = f"""
CREATE OR REPLACE TEMP TABLE affected_claims AS
WITH {_PARTS}
SELECT claim_id FROM lesson_evidence WHERE session_id IN (SELECT unnest(from_json($sessions, '["VARCHAR"]')))
UNION
SELECT e.claim_id FROM lesson_evidence e JOIN parts p USING (session_id, message_index)
WHERE e.span_start < p."end" AND p.start < e.span_end
"""
# Of these, what each says, all its quotes, and those that are left.
_THINNED = f"""
WITH {_PARTS}, told AS (
  SELECT claim_id, (payload_json -> '$.claim')::VARCHAR AS claim
  FROM (SELECT claim_id, event_id FROM accepted_lessons UNION ALL SELECT claim_id, event_id FROM improvements)
  JOIN events USING (event_id)
)
SELECT t.claim_id, any_value(t.claim), list(e.quote ORDER BY e.ordinal),
  list(e.quote ORDER BY e.ordinal) FILTER (e.session_id NOT IN (SELECT unnest(from_json($sessions, '["VARCHAR"]')))
    AND NOT EXISTS (SELECT 1 FROM parts p WHERE p.session_id = e.session_id AND p.message_index = e.message_index
      AND e.span_start < p."end" AND p.start < e.span_end))
FROM told t JOIN lesson_evidence e USING (claim_id)
WHERE t.claim_id IN (SELECT claim_id FROM affected_claims) GROUP BY t.claim_id
"""
_LESSONS = """
SELECT l.lesson_id, l.title FROM lessons l
WHERE l.lesson_id IN (SELECT lesson_id FROM accepted_lessons WHERE claim_id IN (SELECT claim_id FROM affected_claims))
  AND {rest} (SELECT 1 FROM accepted_lessons a WHERE a.lesson_id = l.lesson_id
    AND a.claim_id NOT IN (SELECT claim_id FROM gone_claims))
ORDER BY l.title, l.lesson_id
"""
_CASES = f"SELECT count(*) FROM cases WHERE session_id IN {IN_LIST}"
_IMPROVEMENTS = "SELECT count(*) FROM improvements WHERE claim_id IN (SELECT claim_id FROM gone_claims)"
# What an answer quotes stands in a history: where a part of that goes, another one stands in its place.
_ANSWERS = f"""
SELECT count(DISTINCT answer_id) FROM (
  SELECT answer_id, unnest(from_json(citations_json, '[{{"session_id": "VARCHAR"}}]')).session_id AS session_id FROM answers)
WHERE session_id IN {IN_LIST}
"""
_PROMPTS = f"""
WITH gone AS (SELECT lesson_id FROM ({_LESSONS.format(rest="NOT EXISTS")})), naming AS (
  SELECT update_id, role, applied_version FROM prompt_updates WHERE list_has_any(lesson_ids, (SELECT list(lesson_id) FROM gone))
)
SELECT update_id, role || CASE WHEN applied_version IS NULL THEN '' ELSE ', version ' || applied_version END FROM naming
ORDER BY 2, 1
"""
_MEMORIES = """
SELECT 'mem:' || m.short_id, m.title FROM memories m
WHERE m.memory_id IN (SELECT memory_id FROM entries WHERE entry_id IN (SELECT entry_id FROM affected_entries))
  AND {rest} (SELECT 1 FROM entries n WHERE n.memory_id = m.memory_id AND n.status <> 'superseded'
    AND n.entry_id NOT IN (SELECT entry_id FROM affected_entries))
ORDER BY m.title, m.short_id
"""
_TASKS = """
SELECT t.entity_id, t.title FROM entities t
WHERE t.entity_type = 'task'
  AND EXISTS (SELECT 1 FROM edges g JOIN affected_entries a ON a.entry_id = g.src_id
    WHERE g.rel_type = 'evidence_of' AND g.dst_id = t.entity_id)
  AND NOT EXISTS (SELECT 1 FROM edges g JOIN entries n ON n.entry_id = g.src_id AND n.status <> 'superseded'
    WHERE g.rel_type = 'evidence_of' AND g.dst_id = t.entity_id AND n.entry_id NOT IN (SELECT entry_id FROM affected_entries))
ORDER BY 2, 1
"""


def _list_affected(connection: duckdb.DuckDBPyConnection, found: Forgettable) -> None:
    parts = [
        {"session_id": session_id, "message_index": place.message_index, "start": start, "end": end}
        for session_id, places in found.places.items()
        for place in places
        if place.field == "text"
        for start, end in place.spans
    ]
    given = {"parts": json.dumps(parts), "sessions": json_list(found.sessions)}
    for statement in (_AFFECTED, _AFFECTED_CLAIMS):
        connection.execute(statement, given)
    # As the fold has it: a claim goes with its last quote, or with one that alone says what it says.
    gone = [
        claim_id
        for claim_id, claim, quotes, left in connection.execute(_THINNED, given).fetchall()
        if not left or not is_told_without(texts_of(json.loads(claim)), quotes, left)
    ]
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE gone_claims AS SELECT unnest(from_json($gone, '[\"VARCHAR\"]')) AS claim_id",
        {"gone": json_list(gone)},
    )


def _count(connection: duckdb.DuckDBPyConnection, statement: str, session_ids: Iterable[str]) -> int:
    return int(scalar(connection, statement, [json_list(session_ids)]))


def _named(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[NamedV1, ...]:
    return tuple(NamedV1(address=address, title=title) for address, title in fetch(connection, statement))


def _sessions(connection: duckdb.DuckDBPyConnection, session_ids: Iterable[str]) -> list[ForgottenSessionV1]:
    rows = fetch(
        connection,
        f"""SELECT session_id, title, project, started_at, message_count, source_uris FROM sessions
            WHERE session_id IN {IN_LIST} ORDER BY started_at, session_id""",
        [json_list(session_ids)],
    )
    return [
        ForgottenSessionV1(
            session_id=row[0], title=row[1], project=row[2], started_at=row[3], messages=row[4], sources=tuple(row[5])
        )
        for row in rows
    ]


def _parts(connection: duckdb.DuckDBPyConnection, found: Forgettable) -> list[ForgottenPartV1]:
    rows = fetch(
        connection,
        f"SELECT session_id, message_index, char_len FROM messages WHERE session_id IN {IN_LIST}",
        [json_list(found.places)],
    )
    lengths = {(row[0], row[1]): row[2] for row in rows}
    parts = []
    for session_id, places in sorted(found.places.items()):
        for place in places:
            characters = len({at for start, end in place.spans for at in range(start, end)})
            whole = place.field == "text" and characters == lengths.get((session_id, place.message_index or 0))
            parts.append(
                ForgottenPartV1(
                    session_id=session_id,
                    message_index=place.message_index,
                    field=place.field,
                    characters=characters,
                    whole=whole,
                )
            )
    return parts


def _elsewhere(connection: duckdb.DuckDBPyConnection, found: Forgettable) -> tuple[str, ...]:
    """Other messages with the same words: they stay."""
    spans = [
        {"session_id": session_id, "message_index": place.message_index, "start": start, "end": end}
        for session_id, places in found.places.items()
        for place in places
        if place.field == "text"
        for start, end in place.spans
        if end - start >= _TELLING
    ][:MOST_ELSEWHERE]
    if not spans:
        return ()
    rows = fetch(
        connection,
        f"""WITH {_PARTS}, gone AS (
             SELECT DISTINCT p.session_id, p.message_index, trim(substring(m.text, p.start + 1, p."end" - p.start)) AS words
             FROM parts p JOIN messages m USING (session_id, message_index)
           )
           SELECT DISTINCT m.session_id, m.message_index FROM messages m JOIN gone g
             ON contains(m.text, g.words) AND length(g.words) >= $least
           WHERE (m.session_id, m.message_index) NOT IN (SELECT (session_id, message_index) FROM gone)
           ORDER BY 1, 2 LIMIT $most""",
        {"parts": json.dumps(spans), "least": _TELLING, "most": MOST_ELSEWHERE},
    )
    return tuple(MessageCitation(session_id, index).uri for session_id, index in rows)
