"""Units of lessons: what to do or to leave, when, and the words of the sessions that show it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.unit_tables.unit_facets import facets_of
from memory_assets.projections.unit_tables.unit_rows import Draft, citation

if TYPE_CHECKING:
    import duckdb

MOST_CITED = 12
"""Places that one lesson cites; those of the newest cases first."""
_QUOTED = 200
"""Characters of a quote that are read with its lesson."""

# What is retired, or says what another lesson says, is found no more.
_LESSONS = f"""
WITH told AS (
  SELECT * FROM lessons WHERE lesson_id IN {IN_LIST} AND status IN ('active', 'contested')
), shown AS (
  SELECT t.lesson_id, a.session_id, a.occurred_at, a.claim_id, e.*
  FROM told t JOIN accepted_lessons a
    ON a.lesson_id = t.lesson_id OR list_contains(from_json(t.merged_json, '["VARCHAR"]'), a.lesson_id)
  JOIN lesson_evidence e ON e.claim_id = a.claim_id
)
SELECT t.lesson_id, t.role, t.polarity, t.title, t.rule, t.trigger_text, t.exceptions_json, t.status, t.confidence, t.project,
  t.last_at, list({{"session_id": s.session_id, "message_index": s.message_index, "start": s.span_start, "end": s.span_end,
    "quote": s.quote}} ORDER BY s.occurred_at DESC, s.session_id, s.claim_id, s.ordinal) AS quotes
FROM told t JOIN shown s USING (lesson_id) GROUP BY ALL ORDER BY t.lesson_id
"""


def lesson_drafts(connection: duckdb.DuckDBPyConnection, lesson_ids: Sequence[str]) -> Iterator[Draft]:
    """The units of these lessons, as far as they stand."""
    for row in connection.execute(_LESSONS, [json_list(lesson_ids)]).fetchall():
        lesson_id, role, polarity, title, rule, trigger, exceptions_json, status, confidence, project, last_at, quotes = row
        sessions = {quote["session_id"] for quote in quotes}
        said = [
            title,
            rule,
            *([f"when: {trigger}"] if trigger else []),
            *(f"not when: {exception}" for exception in json.loads(exceptions_json)),
        ]
        cited = quotes[:MOST_CITED]
        body = "\n".join(dict.fromkeys([*said, *(quote["quote"][:_QUOTED] for quote in cited)]))
        yield Draft(
            kind="lesson",
            source_id=lesson_id,
            title=title,
            body=body,
            summary=rule,
            occurred_at=last_at,
            citations=[citation(quote["session_id"], quote["message_index"], quote["start"], quote["end"]) for quote in cited],
            facets=[("tag", f"lesson:{polarity}"), *facets_of(body)],
            status=status,
            confidence=confidence,
            project=project,
            role=role,
            session_id=quotes[0]["session_id"] if len(sessions) == 1 else None,
            message_index=quotes[0]["message_index"] if len(sessions) == 1 else None,
        )
