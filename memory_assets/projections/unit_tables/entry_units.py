"""Units of memories and tasks: title and quotes, and what stands around the first quote in its message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.unit_tables.unit_facets import facets_of
from memory_assets.projections.unit_tables.unit_rows import Draft, citation
from memory_assets.text.lexical_text import search_text

if TYPE_CHECKING:
    import duckdb

BESIDE_A_QUOTE = 200
"""Characters of its message that are read on each side of a first quote."""

_WORD_READ = 24
"""What of it may be half a word."""

_FOUND_QUOTE = """struct_pack(session_id := s.session_id, message_index := s.message_index, span_start := s.span_start,
    span_end := s.span_end, segments := s.segments_json, quote := s.matched_text)"""

_BESIDE = f"""substr(m.text, greatest(f.first.span_start - {BESIDE_A_QUOTE}, 0) + 1,
    least(f.first.span_start, {BESIDE_A_QUOTE})),
  substr(m.text, f.first.span_end + 1, {BESIDE_A_QUOTE})"""

_MEMORIES = f"""
WITH found AS (
  SELECT m.memory_id, m.title, m.entry_type, m.stage, m.status, m.project, m.first_said_at, min(s.confidence) AS confidence,
    CASE m.session_count WHEN 1 THEN any_value(n.session_id) END AS session_id,
    CASE WHEN count(DISTINCT x.cwd) = 1 THEN min(x.cwd) END AS worktree,
    list({_FOUND_QUOTE}
      ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id, s.ordinal) AS quotes, quotes[1] AS first
  FROM memories m JOIN touched_memories k ON k.memory_id = m.memory_id
  JOIN entries n ON n.memory_id = m.memory_id AND n.status IN ('active', 'contested')
  JOIN sessions x ON x.session_id = n.session_id
  JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
  GROUP BY m.memory_id, m.title, m.entry_type, m.stage, m.status, m.project, m.session_count, m.first_said_at
)
SELECT f.memory_id, f.title, f.entry_type, f.stage, f.status, f.project, f.first_said_at, f.confidence, f.session_id,
  f.worktree, f.quotes, m.role, {_BESIDE}
FROM found f JOIN messages m ON m.session_id = f.first.session_id AND m.message_index = f.first.message_index
"""

# A task that only a person declared has no quotes. Its evidence is in the order in which it was spoken of.
_TASKS = f"""
WITH found AS (
  SELECT t.entity_id, t.title, t.stage, t.status, t.project, t.created_at, t.current_json ->> '$.status' AS task_status,
    min(s.confidence) AS confidence, CASE WHEN count(DISTINCT s.session_id) = 1 THEN min(s.session_id) END AS session_id,
    CASE WHEN count(DISTINCT x.cwd) = 1 THEN min(x.cwd) END AS worktree,
    list({_FOUND_QUOTE} ORDER BY g.created_at, s.session_id, n.message_index, n.ordinal, n.entry_id, s.ordinal)
      FILTER (s.session_id IS NOT NULL) AS quotes, quotes[1] AS first
  FROM entities t
  LEFT JOIN edges g ON g.dst_id = t.entity_id AND g.rel_type = 'evidence_of'
  LEFT JOIN entries n ON n.entry_id = g.src_id
  LEFT JOIN sessions x ON x.session_id = n.session_id
  LEFT JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
  WHERE t.entity_type = 'task' AND t.entity_id IN {IN_LIST}
  GROUP BY t.entity_id, t.title, t.stage, t.status, t.project, t.created_at, t.current_json
)
SELECT f.entity_id, f.title, f.stage, f.status, f.project, f.created_at, f.task_status, f.confidence, f.session_id, f.worktree,
  f.quotes, m.role, {_BESIDE}
FROM found f LEFT JOIN messages m ON m.session_id = f.first.session_id AND m.message_index = f.first.message_index
"""


def memory_drafts(connection: duckdb.DuckDBPyConnection) -> Iterator[Draft]:
    """The units of the memories in ``touched_memories``."""
    for row in connection.execute(_MEMORIES).fetchall():
        memory_id, title, entry_type, stage, status, project, said_at, confidence, session_id, worktree, quotes, *first = row
        body = _body(title, quotes)
        role, before, behind = first
        yield Draft(
            kind="entry",
            source_id=memory_id,
            title=title,
            body=body,
            occurred_at=said_at,
            citations=[_citation(quote) for quote in quotes],
            around_text=_around(before, behind),
            facets=facets_of(body),
            entry_type=entry_type,
            stage=stage,
            status=status,
            confidence=confidence,
            project=project,
            worktree=worktree,
            session_id=session_id,
            # An index says nothing without its session.
            message_index=quotes[0]["message_index"] if session_id else None,
            role=role,
        )


def task_drafts(connection: duckdb.DuckDBPyConnection, task_ids: Sequence[str]) -> Iterator[Draft]:
    """The units of these tasks, as far as there are such tasks."""
    for row in connection.execute(_TASKS, [json_list(task_ids)]).fetchall():
        task_id, title, stage, status, project, said_at, task_status, confidence, session_id, worktree, quotes, *first = row
        quotes = quotes or []
        body = _body(title, quotes, f"status: {task_status}")
        role, before, behind = first
        yield Draft(
            kind="task",
            source_id=task_id,
            title=title,
            body=body,
            occurred_at=said_at,
            citations=[_citation(quote) for quote in quotes],
            around_text=_around(before, behind),
            facets=facets_of(body),
            entry_type="task",
            stage=stage,
            status=status,
            confidence=1.0 if confidence is None else confidence,
            project=project,
            worktree=worktree,
            session_id=session_id,
            message_index=quotes[0]["message_index"] if session_id else None,
            role=role,
        )


def _body(title: str, quotes: Sequence[Mapping[str, Any]], *said: str) -> str:
    return "\n".join(dict.fromkeys([title, *said, *(quote["quote"] for quote in quotes)]))


def _citation(quote: Mapping[str, Any]) -> dict[str, Any]:
    return citation(quote["session_id"], quote["message_index"], quote["span_start"], quote["span_end"], quote["segments"])


def _around(before: str | None, behind: str | None) -> str:
    """The tokens beside a quote, without the word that the window cuts on either side."""
    before, behind = before or "", behind or ""
    if len(before) == BESIDE_A_QUOTE:
        before = _from_a_word(before)
    if len(behind) == BESIDE_A_QUOTE:
        behind = _from_a_word(behind[::-1])[::-1]
    return search_text(f"{before} {behind}")


def _from_a_word(text: str) -> str:
    space = text.find(" ", 0, _WORD_READ)
    return text[space + 1 :] if space >= 0 else text
