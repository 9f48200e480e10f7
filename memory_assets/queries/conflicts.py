"""Conflicts with both of their sides, each with where it was said last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation
from memory_assets.errors import check_word
from memory_assets.graduation.conflicts.contradictions import contradiction
from memory_assets.log.fetching import fetch, full_id, scalar
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.search.answers.backing import Backings, backings
from memory_assets.search.answers.corrections import has_corrections
from memory_assets.search.answers.said_otherwise import said_instead_of

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import Assurance

STATUSES = ("open", "resolved", "moot", "all")

_SIDE = """
LEFT JOIN (
  SELECT n.entry_id, n.entry_type, n.title, n.session_id, n.message_index, n.created_ts, n.stage, n.checker, n.memory_id,
    'mem:' || m.short_id AS citation, s.said, q.quote
  FROM entries n LEFT JOIN memories m USING (memory_id) LEFT JOIN statements s USING (entry_id)
  LEFT JOIN (SELECT entry_id, arg_min(matched_text, ordinal) AS quote FROM evidence_spans WHERE match_method <> 'none'
             GROUP BY entry_id) q USING (entry_id)) {name} ON {name}.entry_id = c.{name}_id
"""
_COLUMNS = """{name}.entry_id, {name}.memory_id, {name}.citation, {name}.entry_type, {name}.title, {name}.session_id,
  {name}.message_index, {name}.created_ts, {name}.stage, {name}.checker, {name}.quote, {name}.said, c.{name}_entries"""
# A conflict with what another resolution set aside needs nobody's word.
_STATUS = """CASE WHEN c.status = 'open' AND c.conflict_type <> 'status_clash' AND EXISTS (
    SELECT 1 FROM memories m WHERE m.memory_id IN (c.older_memory_id, c.newer_memory_id) AND m.status = 'deprecated')
  THEN 'moot' ELSE c.status END"""
_CONFLICTS = f"""
SELECT c.conflict_id, c.conflict_type, c.reason, {_STATUS} AS state, c.project, c.detected_at,
  c.resolved_at, c.resolution, c.resolved_by,
  c.note, {_COLUMNS.format(name="older")}, {_COLUMNS.format(name="newer")}
FROM conflicts c {_SIDE.format(name="older")} {_SIDE.format(name="newer")}
WHERE true
"""
_WHICH = "AND ($status = 'all' OR state = $status) AND ($project IS NULL OR c.project = $project)"
_OLDER, _NEWER = 10, 23
"""Where the columns of each side begin."""


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One side: the entry that said it last, in its memory.

    Attributes:
        entries: all entries of the side.
        differs: the words of it that the other side contradicts; empty where they cannot be named.
        said_otherwise: what a person said instead of it.
    """

    entry_id: str
    memory_id: str | None
    citation: str | None
    entry_type: str
    title: str
    session_id: str
    said_at: datetime
    stage: str
    checker: str | None
    quote: str | None
    uri: str
    entries: tuple[str, ...]
    differs: str
    assurance: Assurance
    said_otherwise: SaidOtherwiseV1 | None


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Two sides of one project that contradict each other; ``older`` was said last longer ago."""

    conflict_id: str
    conflict_type: str
    reason: str
    status: str
    project: str | None
    older: ConflictSide
    newer: ConflictSide
    detected_at: datetime
    resolved_at: datetime | None
    resolution: str | None
    resolved_by: str | None
    note: str | None


def list_conflicts(
    connection: duckdb.DuckDBPyConnection, *, status: str = "open", project: str | None = None, limit: int | None = None
) -> list[ConflictView]:
    """Conflicts of this status, the newest first.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, STATUSES)
    rows = fetch(
        connection,
        f"{_CONFLICTS} {_WHICH} ORDER BY c.detected_at DESC, c.conflict_id"
        + (f" LIMIT {int(limit)}" if limit is not None else ""),
        {"status": status, "project": project},
    )
    known = _known(connection, rows)
    return [_conflict(row, known) for row in rows]


def count_conflicts(connection: duckdb.DuckDBPyConnection, *, status: str = "open", project: str | None = None) -> int:
    """How many :func:`list_conflicts` lists.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, STATUSES)
    given = {"status": status, "project": project}
    return int(scalar(connection, f"SELECT count(*) FROM ({_CONFLICTS} {_WHICH})", given))


def one_conflict(connection: duckdb.DuckDBPyConnection, given: str) -> ConflictView:
    """The conflict with this id, or with an id that begins so.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    conflict_id = full_id(
        connection,
        "SELECT conflict_id AS id FROM conflicts",
        given,
        what="conflict",
        listed_by="memory conflicts list --status all",
        prefix="cfl_",
    )
    rows = fetch(connection, f"{_CONFLICTS} AND c.conflict_id = ?", [conflict_id])
    return _conflict(rows[0], _known(connection, rows))


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the memories of some conflicts: who proved them, and what a person said instead."""

    backed: Backings
    instead: Mapping[str, SaidOtherwiseV1]


def _known(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> _Known:
    memories = {memory_id for row in rows for memory_id in (row[_OLDER + 1], row[_NEWER + 1]) if memory_id is not None}
    is_corrected = any(row[1] == "corrected" for row in rows) or (bool(rows) and has_corrections(connection))
    return _Known(backings(connection, memories), said_instead_of(connection, memories) if is_corrected else {})


def _conflict(row: tuple[Any, ...], known: _Known) -> ConflictView:
    older, newer = row[_OLDER:_NEWER], row[_NEWER:]
    found = contradiction(older[11], newer[11]) if older[11] and newer[11] else None
    return ConflictView(
        conflict_id=row[0],
        conflict_type=row[1],
        reason=row[2],
        status=row[3],
        project=row[4],
        older=_side(older, found.one if found else "", known),
        newer=_side(newer, found.other if found else "", known),
        detected_at=row[5],
        resolved_at=row[6],
        resolution=row[7],
        resolved_by=row[8],
        note=row[9],
    )


def _side(row: tuple[Any, ...], differs: str, known: _Known) -> ConflictSide:
    entry_id, memory_id, citation, entry_type, title, session_id, index, said_at, stage, checker, quote, _, entries = row
    return ConflictSide(
        entry_id=entry_id,
        memory_id=memory_id,
        citation=citation,
        entry_type=entry_type,
        title=title,
        session_id=session_id,
        said_at=said_at,
        stage=stage,
        checker=checker,
        quote=quote,
        uri=MessageCitation(session_id, index).uri,
        entries=tuple(entries),
        differs=differs,
        assurance=known.backed.of(memory_id).assurance(stage),
        said_otherwise=known.instead.get(memory_id or ""),
    )
