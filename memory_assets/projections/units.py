"""Memory units: the one surface that search reads (requirements R-02; schema V005).

Kinds so far: ``entry`` (a memory with its quotes), ``task`` (a task entity), ``passage`` (a message that a person or an agent
wrote, which cites itself).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.identifiers import canonical_json, sha256_hex, typed_id
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.rows import insert_rows
from memory_assets.projections.task_entities import ShownTask
from memory_assets.retrieval.lexical_text import SEARCH_TEXT_VERSION, search_text
from memory_assets.retrieval.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

SUMMARY_CHARACTERS = 160
UNIT_RECIPE = "1"

# Units whose source may have changed with the scope, before the fold and after it.
_TOUCHED_SOURCES = """
INSERT INTO touched_units
SELECT unit_id FROM memory_units u
WHERE (u.unit_kind = 'passage' AND u.session_id IN (SELECT session_id FROM affected))
   OR (u.unit_kind = 'entry' AND u.source_id IN (SELECT memory_id FROM touched_memories))
"""

_MEMORIES = """
SELECT m.memory_id, m.title, m.entry_type, m.stage, m.status, m.project,
  CASE m.session_count WHEN 1 THEN any_value(n.session_id) END AS session_id, m.first_said_at,
  min(s.confidence), list(struct_pack(session_id := s.session_id, message_index := s.message_index,
    span_start := s.span_start, span_end := s.span_end, segments := s.segments_json, quote := s.matched_text)
    ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id, s.ordinal)
FROM memories m JOIN touched_memories k ON k.memory_id = m.memory_id
JOIN entries n ON n.memory_id = m.memory_id AND n.status IN ('active', 'contested')
JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
GROUP BY m.memory_id, m.title, m.entry_type, m.stage, m.status, m.project, m.session_count, m.first_said_at
"""

_PASSAGES = """
SELECT m.session_id, m.message_index, m.message_uid, m.role, m.name, m.text, m.ts, m.char_len, s.title, s.project
FROM messages m JOIN sessions s USING (session_id)
WHERE m.kind = 'said' AND m.session_id IN (SELECT session_id FROM affected) AND regexp_matches(m.text, '\\S')
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """A row of ``memory_units``; its columns, in their order."""

    unit_id: str
    unit_kind: str
    source_id: str
    title: str
    summary: str
    body: str
    search_text: str
    summary_tokens: int
    body_tokens: int
    entry_type: str | None
    stage: str
    status: str
    confidence: float
    project: str | None
    session_id: str | None
    message_index: int | None
    role: str | None
    speaker: str | None
    occurred_at: datetime
    citations_json: str
    content_hash: str


def remember_touched_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Note the units that the scope may change; before the fold of their sources, and again for what is touched later."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched_units (unit_id VARCHAR)")
    connection.execute(f"{_TOUCHED_SOURCES} EXCEPT SELECT unit_id FROM touched_units")


def fold_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the units of the scope anew. ``touched_units`` holds every unit that was or is concerned afterwards."""
    _replace(connection, [*_memory_units(connection), *_passage_units(connection)])


def fold_task_units(connection: duckdb.DuckDBPyConnection, tasks: Sequence[ShownTask]) -> None:
    """Fold the units of the tasks in ``touched_entities`` anew, which are these now."""
    touched = connection.execute("SELECT entity_id FROM touched_entities WHERE entity_type = 'task'").fetchall()
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE touched_units AS SELECT unit_id FROM {IN_LIST} AS units(unit_id)",
        [json_list(typed_id("unt", "task", task_id) for (task_id,) in touched)],
    )
    _replace(connection, [_task_unit(task) for task in tasks if task.quotes])


def _replace(connection: duckdb.DuckDBPyConnection, units: list[Unit]) -> None:
    connection.execute("DELETE FROM memory_units WHERE unit_id IN (SELECT unit_id FROM touched_units)")
    if units:
        insert_rows(connection, "memory_units", units)
        connection.execute(
            f"INSERT INTO touched_units SELECT * FROM {IN_LIST} EXCEPT SELECT unit_id FROM touched_units",
            [json_list(unit.unit_id for unit in units)],
        )


def close_touched_units(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`remember_touched_units` made."""
    connection.execute("DROP TABLE IF EXISTS touched_units")


def _memory_units(connection: duckdb.DuckDBPyConnection) -> list[Unit]:
    return [
        _unit(
            "entry",
            memory_id,
            title,
            "\n".join(dict.fromkeys([title, *(quote["quote"] for quote in quotes)])),
            said_at,
            quotes,
            stage=stage,
            status=status,
            entry_type=entry_type,
            confidence=confidence,
            project=project,
            session_id=session_id,
        )
        for memory_id, title, entry_type, stage, status, project, session_id, said_at, confidence, quotes in connection.execute(
            _MEMORIES
        ).fetchall()
    ]


def _task_unit(task: ShownTask) -> Unit:
    state = task.state
    return _unit(
        "task",
        task.entity_id,
        state.title,
        "\n".join(dict.fromkeys([state.title, f"status: {state.status}", *(quote.text for quote in task.quotes)])),
        state.created_at,
        [
            {
                "session_id": quote.session_id,
                "message_index": quote.message_index,
                "span_start": quote.span_start,
                "span_end": quote.span_end,
                "segments": quote.segments_json,
            }
            for quote in task.quotes
        ],
        stage=task.stage,
        status=task.status,
        entry_type="task",
        project=state.project,
    )


def _passage_units(connection: duckdb.DuckDBPyConnection) -> list[Unit]:
    return [
        _unit(
            "passage",
            f"{session_id}#{uid}",
            title or session_id,
            text,
            said_at,
            [{"session_id": session_id, "message_index": index, "span_start": 0, "span_end": length}],
            stage="raw",
            speaker=name,
            project=project,
            session_id=session_id,
            message_index=index,
            role=role,
        )
        for session_id, index, uid, role, name, text, said_at, length, title, project in connection.execute(
            _PASSAGES
        ).fetchall()
    ]


def _unit(
    kind: str,
    source_id: str,
    title: str,
    body: str,
    occurred_at: datetime,
    citations: list[dict[str, Any]],
    *,
    stage: str,
    status: str = "active",
    speaker: str | None = None,
    entry_type: str | None = None,
    confidence: float = 1.0,
    project: str | None = None,
    session_id: str | None = None,
    message_index: int | None = None,
    role: str | None = None,
) -> Unit:
    summary = _summary(body)
    words = search_text(spoken(speaker, body))
    # What the index keeps of a unit: while none of it changes its vector need not be written again.
    indexed = [
        UNIT_RECIPE,
        SEARCH_TEXT_VERSION,
        kind,
        sha256_hex(spoken(speaker, body)),
        project,
        session_id,
        message_index,
        occurred_at.isoformat(),
    ]
    return Unit(
        unit_id=typed_id("unt", kind, source_id),
        unit_kind=kind,
        source_id=source_id,
        title=title,
        summary=summary,
        body=body,
        search_text=words,
        summary_tokens=estimate_tokens(summary),
        body_tokens=estimate_tokens(body),
        entry_type=entry_type,
        stage=stage,
        status=status,
        confidence=confidence,
        project=project,
        session_id=session_id,
        message_index=message_index,
        role=role,
        speaker=speaker,
        occurred_at=occurred_at,
        citations_json=canonical_json([_citation(citation) for citation in citations]),
        content_hash=sha256_hex(canonical_json(indexed))[:32],
    )


def spoken(speaker: str | None, text: str) -> str:
    """What is indexed and embedded of a text: with the name of who says it, where it is known."""
    return f"{speaker}: {text}" if speaker else text


def _citation(quote: dict[str, Any]) -> dict[str, Any]:
    segments = json.loads(quote["segments"]) if quote.get("segments") else None
    whole = [[quote["span_start"], quote["span_end"]]]
    return {
        "session_id": quote["session_id"],
        "message_index": quote["message_index"],
        "span_start": quote["span_start"],
        "span_end": quote["span_end"],
        "segments": segments or whole,
    }


def _summary(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_CHARACTERS else line[: SUMMARY_CHARACTERS - 1].rstrip() + "…"
