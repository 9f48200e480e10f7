"""What sessions claim of tasks, and which names that touches.

An entry claims one thing; one with a history of statuses (a todo list) claims each of them, at the message that says it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.scope import ENTRIES_IN_SCOPE
from memory_assets.projections.task_tables.artifact_references import fold_references
from memory_assets.projections.task_tables.claim_evidence import ClaimEvidence, read_evidence
from memory_assets.tasks.canonical import project_key
from memory_assets.tasks.causes import named_causes
from memory_assets.tasks.names import blocker_text, title_name
from memory_assets.tasks.naming import task_title

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


# What a person set aside claims nothing.
_ENTRIES = f"""
SELECT n.entry_id, n.project, n.title, n.content_json ->> '$.status', n.content_json ->> '$.priority',
  coalesce(from_json(n.content_json -> '$.blocked_by', '["VARCHAR"]'), []), n.evidence_aligned,
  n.evidence_aligned AND NOT coalesce(q.critical, false), coalesce(n.granted_stage, n.stage), n.status = 'contested',
  n.created_ts, n.session_id, s.chain_id, n.message_index, n.ordinal, n.source_event_id,
  coalesce(q.message_indexes, []), coalesce(q.ordinals, [])
FROM entries n JOIN sessions s USING (session_id)
LEFT JOIN (
  SELECT entry_id, bool_or(critical) AS critical,
    list(message_index ORDER BY ordinal) FILTER (match_method <> 'none') AS message_indexes,
    list(ordinal ORDER BY ordinal) FILTER (match_method <> 'none') AS ordinals
  FROM evidence_spans WHERE {ENTRIES_IN_SCOPE} GROUP BY entry_id) q USING (entry_id)
WHERE n.entry_type = 'task' AND n.status NOT IN ('superseded', 'deprecated') AND n.stage <> 'raw'
  AND (n.session_id IN (SELECT session_id FROM affected) OR n.memory_id IN (SELECT memory_id FROM touched_memories))
ORDER BY n.entry_id
"""

_HISTORIES = f"""
SELECT payload_json ->> '$.entry_id', payload_json -> '$.history' FROM events
WHERE seq IN (SELECT seq FROM events WHERE event_type = 'entry_materialized' AND event_id IN {IN_LIST})
  AND (payload_json -> '$.history') IS NOT NULL
"""

# When the messages were said that carry the quotes of entries.
_TIMES = f"""
SELECT DISTINCT q.entry_id, q.message_index, m.ts FROM evidence_spans q JOIN messages m USING (session_id, message_index)
WHERE q.match_method <> 'none' AND q.entry_id IN {IN_LIST}
"""

_CHANGED = """
CREATE OR REPLACE TEMP TABLE changed_claims AS
SELECT project_key, name, blocker_names, is_new FROM (
  SELECT *, false AS is_new FROM (SELECT * FROM old_claims EXCEPT SELECT * FROM new_claims)
  UNION ALL SELECT *, true FROM (SELECT * FROM new_claims EXCEPT SELECT * FROM old_claims))
"""

_TOUCH_CHANGED = (
    """INSERT INTO changed_names SELECT project_key, name, is_new FROM changed_claims
       UNION SELECT project_key, blocker, is_new FROM (
         SELECT project_key, unnest(blocker_names) AS blocker, is_new FROM changed_claims) WHERE blocker <> ''""",
    "INSERT INTO touched_names SELECT project_key, name FROM changed_names EXCEPT SELECT * FROM touched_names",
    "INSERT INTO touched_titles SELECT project_key, name FROM changed_claims EXCEPT SELECT * FROM touched_titles",
)


@dataclass(frozen=True, slots=True)
class _Entry:
    entry_id: str
    project: str | None
    title: str
    status: str | None
    priority: str | None
    blocked_by: Sequence[str]
    evidence_aligned: bool
    sound: bool
    stage: str
    contested: bool
    said_at: datetime
    session_id: str
    chain_id: str
    message_index: int
    ordinal: int
    source_event_id: str
    message_indexes: Sequence[int]
    """Of each aligned quote its message, and in ``ordinals`` its number."""
    ordinals: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of ``task_claims``; its columns, in their order."""

    claim_id: str
    entry_id: str
    project_key: str
    project: str | None
    name: str
    title: str
    status: str | None
    priority: str | None
    blocked_by: Sequence[str]
    blocker_names: Sequence[str]
    evidence_aligned: bool
    sound: bool
    stage: str
    contested: bool
    occurred_at: datetime
    session_id: str
    chain_id: str
    message_index: int
    ordinal: int
    step: int
    evidence_ordinal: int | None
    source_event_id: str
    done_basis: str | None
    done_named: str | None


@dataclass(frozen=True, slots=True)
class _Step:
    """A status of a todo list, and when a message said it."""

    status: str | None
    message_index: int
    said_at: datetime


def open_touched_tasks(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the temporary tables that collect over all scopes of a fold what changed.

    ``touched_names`` (project_key, name): the names that something else is said under than before. ``touched_titles``: those of
    them that more was said of than that a task waits for them. ``changed_names``: those that a claim uses that is new, or has
    gone. ``touched_artifacts`` (canonical_key).
    """
    for table in ("touched_names", "touched_titles"):
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} (project_key VARCHAR, name VARCHAR)")
    connection.execute("CREATE OR REPLACE TEMP TABLE changed_names (project_key VARCHAR, name VARCHAR, is_new BOOLEAN)")
    connection.execute("CREATE OR REPLACE TEMP TABLE touched_artifacts (canonical_key VARCHAR)")


def close_touched_tasks(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`open_touched_tasks` made."""
    for table in ("touched_names", "touched_titles", "changed_names", "touched_artifacts"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")


def fold_claims(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the claims and references of the scope's sessions and of touched memories anew, and touch what changes by it.

    Behind ``fold_standing``, which says what of them is contested or set aside. What was claimed before is compared row by
    row: a session that is read again with one more message touches what is new in it, and nothing else.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE old_claims AS SELECT * FROM task_claims WHERE {ENTRIES_IN_SCOPE}")
    connection.execute(f"DELETE FROM task_claims WHERE {ENTRIES_IN_SCOPE}")
    connection.register("new_claims", _table(list(_claims(connection))))
    connection.execute("INSERT INTO task_claims BY NAME SELECT * FROM new_claims")
    connection.execute(_CHANGED)
    for statement in _TOUCH_CHANGED:
        connection.execute(statement)
    connection.unregister("new_claims")
    for table in ("old_claims", "changed_claims"):
        connection.execute(f"DROP TABLE {table}")
    fold_references(connection)


def _claims(connection: duckdb.DuckDBPyConnection) -> Iterator[_Row]:
    entries = [_Entry(*row) for row in connection.execute(_ENTRIES).fetchall()]
    steps = _steps(connection, entries)
    heard = read_evidence(connection, [entry.entry_id for entry in entries])
    for entry in entries:
        yield from _of_entry(entry, steps.get(entry.entry_id, ()), heard)


def _steps(connection: duckdb.DuckDBPyConnection, entries: Sequence[_Entry]) -> Mapping[str, Sequence[_Step]]:
    """Of the entries with a history its steps, but for those that no quote carries."""
    if not entries:
        return {}
    told = connection.execute(_HISTORIES, [json_list(entry.source_event_id for entry in entries)]).fetchall()
    if not told:
        return {}
    times = {
        (entry_id, message_index): said_at
        for entry_id, message_index, said_at in connection.execute(_TIMES, [json_list(row[0] for row in told)]).fetchall()
    }
    return {
        entry_id: [
            _Step(step["status"], step["message_index"], times[entry_id, step["message_index"]])
            for step in json.loads(history)
            if (entry_id, step["message_index"]) in times
        ]
        for entry_id, history in told
    }


def _of_entry(entry: _Entry, steps: Sequence[_Step], heard: ClaimEvidence) -> Iterator[_Row]:
    scope = project_key(entry.project)
    causes = named_causes(entry.blocked_by, heard.quotes(entry.entry_id), scope)
    blockers = [blocker_text(text, scope) for text in causes]
    only = (_Step(entry.status, entry.message_index, entry.said_at),)
    for number, step in enumerate(steps or only):
        is_first = number == 0
        borne_out = heard.status(entry.session_id, entry.entry_id, step.status, step.message_index if steps else None, scope)
        yield _Row(
            claim_id=entry.entry_id if is_first else f"{entry.entry_id}#{number}",
            entry_id=entry.entry_id,
            project_key=scope,
            project=entry.project,
            name=title_name(entry.title),
            title=task_title(entry.title),
            status=borne_out.status,
            # What a later call of a todo list says anew is the status.
            priority=entry.priority if is_first else None,
            blocked_by=[blocker.text for blocker in blockers] if is_first else [],
            blocker_names=[blocker.name for blocker in blockers] if is_first else [],
            evidence_aligned=entry.evidence_aligned,
            sound=entry.sound,
            stage=entry.stage,
            contested=entry.contested,
            occurred_at=step.said_at,
            session_id=entry.session_id,
            chain_id=entry.chain_id,
            message_index=step.message_index,
            ordinal=entry.ordinal,
            step=number,
            evidence_ordinal=_quote_in(entry, step.message_index),
            source_event_id=entry.source_event_id,
            done_basis=borne_out.basis,
            done_named=borne_out.named,
        )


def _quote_in(entry: _Entry, message_index: int) -> int | None:
    """The first quote in this message, or the first that was found at all."""
    quotes = list(zip(entry.message_indexes, entry.ordinals, strict=True))
    in_message = (ordinal for index, ordinal in quotes if index == message_index)
    return next(itertools.chain(in_message, entry.ordinals), None)


def _table(rows: Sequence[_Row]) -> pa.Table:
    import pyarrow as pa

    names = [field.name for field in fields(_Row)]
    return pa.table({name: pa.array([getattr(row, name) for row in rows], _arrow_type(name)) for name in names})


def _arrow_type(name: str) -> Any:
    import pyarrow as pa

    match name:
        case "blocked_by" | "blocker_names":
            return pa.list_(pa.string())
        case "evidence_aligned" | "sound" | "contested":
            return pa.bool_()
        case "message_index" | "ordinal" | "step" | "evidence_ordinal":
            return pa.int32()
        case "occurred_at":
            return pa.timestamp("us")
        case _:
            return pa.string()
