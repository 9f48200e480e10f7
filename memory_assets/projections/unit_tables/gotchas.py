"""Gotchas: an error and what ended it, from within a session; each cites both."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memory_assets.extraction.titles import title_of
from memory_assets.projections.unit_tables.fixes import WINDOW, Gotcha, Turn, gotchas
from memory_assets.projections.unit_tables.unit_facets import below, facets_of
from memory_assets.projections.unit_tables.unit_rows import Draft, citation
from memory_assets.sessions.error_lines import ERROR_HINT

if TYPE_CHECKING:
    import duckdb

_HEAD = 6_000
_TAIL = 4_000
"""Characters of the beginning and of the end of a message that are read; a program says at one of them what went wrong."""
# Calls stand before their results, and between the two others of the same turn.
_BEFORE = 8
_BEHIND = 2 * WINDOW

_TURNS = f"""
WITH hit AS (
  SELECT session_id, message_index FROM messages
  WHERE session_id IN (SELECT session_id FROM affected) AND (kind = 'tool_result' OR (kind = 'said' AND role = 'user'))
    AND (is_error OR regexp_matches(left(text, {_HEAD}), $hint)
      OR (kind = 'tool_result' AND char_len > {_HEAD} AND regexp_matches(right(text, {_TAIL}), $hint)))
)
SELECT m.session_id, s.project, s.cwd, m.message_index, m.message_uid, m.role, m.kind, m.tool_name, m.tool_use_id, m.is_error,
  m.ts, left(m.text, {_HEAD}),
  CASE WHEN m.kind = 'tool_result' AND m.char_len > {_HEAD} THEN right(m.text, least({_TAIL}, m.char_len - {_HEAD}))
    ELSE '' END,
  CASE WHEN m.char_len > {_HEAD} THEN m.char_len - least({_TAIL}, m.char_len - {_HEAD}) ELSE 0 END
FROM messages m JOIN sessions s USING (session_id)
WHERE m.kind IN ('said', 'tool_call', 'tool_result') AND m.session_id IN (SELECT session_id FROM hit)
  AND EXISTS (SELECT 1 FROM hit h WHERE h.session_id = m.session_id
    AND m.message_index BETWEEN h.message_index - {_BEFORE} AND h.message_index + {_BEHIND})
ORDER BY m.session_id, m.message_index
"""


def gotcha_drafts(connection: duckdb.DuckDBPyConnection) -> Iterator[Draft]:
    """The gotchas of the scope's sessions."""
    rows = connection.execute(_TURNS, {"hint": ERROR_HINT}).fetchall()
    for (session_id, project, worktree), of_session in itertools.groupby(rows, key=lambda row: row[:3]):
        for gotcha in gotchas([_turn(row) for row in of_session]):
            yield _draft(session_id, project, worktree, gotcha)


def _turn(row: tuple[Any, ...]) -> Turn:
    index, uid, role, kind, tool, call_id, is_error, said_at, head, tail, tail_at = row[3:]
    return Turn(index, uid, role, kind, tool, call_id, is_error, said_at, head, tail, tail_at)


def _draft(session_id: str, project: str | None, worktree: str | None, gotcha: Gotcha) -> Draft:
    title = title_of(gotcha.error.text)
    cause = gotcha.cause.text if gotcha.cause else None
    files = [below(path, worktree) for path in gotcha.files]
    changed = [f"→ {path}" for path in files] + ([f"→ $ {gotcha.command}"] if gotcha.command else [])
    around = (line for line in gotcha.excerpt.splitlines() if line.strip() != title)
    body = "\n".join(filter(None, [title, *around, *changed, f"→ {cause}" if cause else None]))
    helped = cause or (changed[-1].removeprefix("→ ") if changed else gotcha.ended[0].text)
    return Draft(
        kind="gotcha",
        source_id=f"{session_id}#{gotcha.turn.uid}",
        title=title,
        body=body,
        # Of a long line its beginning: what helped is the other half of what is to be told.
        summary=f"{title_of(gotcha.error.text[:90])} → {helped}",
        occurred_at=gotcha.turn.said_at,
        citations=[citation(session_id, place.index, place.start, place.end) for place in (gotcha.error, *gotcha.ended)],
        facets=[("tag", f"error:{gotcha.tag}"), *facets_of(body, [*files, *gotcha.files])],
        project=project,
        worktree=worktree,
        session_id=session_id,
        message_index=gotcha.turn.index,
    )
