"""How a project stands: what holds, what changed of late, what is open and what is contested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from memory_assets.errors import NotFoundError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.changes import task_moves
from memory_assets.queries.conflicts import ConflictSide, ConflictView, count_conflicts, list_conflicts
from memory_assets.queries.digest_quotes import first_quotes, quote_of, told_as
from memory_assets.queries.digest_tasks import SAID_DONE
from memory_assets.queries.session_digest import session_goals
from memory_assets.queries.tasks import unfinished_tasks
from memory_assets.results.digest import (
    DigestConflictV1,
    DigestLineV1,
    DigestQuoteV1,
    ProjectCountsV1,
    ProjectDigestV1,
    RecentSessionV1,
)
from memory_assets.search.answers.backing import backings
from memory_assets.search.answers.said_otherwise import said_instead_of
from memory_assets.vocabulary import ASSURANCES

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.said_otherwise import SaidOtherwiseV1
    from memory_assets.results.tasks import TaskView
    from memory_assets.vocabulary import Assurance

LATELY = 7
"""Days before the last session of a project that are *lately*."""

_SESSIONS = """
SELECT count(*), min(started_at), max(started_at), max(ended_at) FROM sessions WHERE project = ?
"""
# The first quote of each memory stands for it; one without is told nowhere.
_MEMORIES = """
SELECT m.memory_id, m.entry_type, m.stage FROM memories m
WHERE m.project = $project AND {condition} AND m.first_entry_id IN (
  SELECT s.entry_id FROM evidence_spans s
  JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index WHERE s.match_method <> 'none')
ORDER BY list_position(['decision', 'preference', 'insight', 'fact'], m.entry_type), m.last_said_at DESC, m.memory_id
"""
_TOLD = f"""
SELECT m.memory_id, m.entry_type, 'mem:' || m.short_id, m.title, m.checker, m.status, 'mem:' || k.short_id,
  s.session_id, s.message_index, s.segments_json, s.matched_text, coalesce(w.name, w.role), w.ts
FROM memories m JOIN evidence_spans s ON s.entry_id = m.first_entry_id AND s.match_method <> 'none'
JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index
LEFT JOIN memories k ON k.memory_id = m.superseded_by
WHERE m.memory_id IN {IN_LIST}
QUALIFY row_number() OVER (PARTITION BY m.memory_id ORDER BY s.ordinal) = 1
"""
# What is not proved, or not true any more for somebody, does not hold.
_HOLDS = "m.status = 'active' AND m.stage IN ('verified', 'certified') AND m.entry_type NOT IN ('task', 'reference')"
_REPLACED = "m.status = 'deprecated' AND m.last_said_at >= $since"
_RECENT = "SELECT session_id FROM sessions WHERE project = ? AND ended_at >= ? ORDER BY started_at DESC, session_id"


def project_digest(
    connection: duckdb.DuckDBPyConnection, project: str, *, days: int = LATELY, most: int | None = None
) -> ProjectDigestV1:
    """The digest of a project.

    Args:
        days: *lately* begins so many days before its last session began: a project that rests is told as it was left.
        most: at most so many lines of each part, and of what holds of each type, or all; ``counts`` says how many there are.

    Raises:
        NotFoundError: no session is of it.
    """
    count, first, last, _ = fetch(connection, _SESSIONS, [project])[0]
    if not count:
        raise NotFoundError(
            f"there is no project {project[:100]!r}", hint="`memory sessions list` names the project of each session"
        )
    since = last - timedelta(days=days)
    moment = since.replace(tzinfo=None)  # the store keeps UTC without saying so
    holding = _ranked(connection, _HOLDS, {"project": project})
    replaced = _ranked(connection, _REPLACED, {"project": project, "since": moment})
    recent = [row[0] for row in fetch(connection, _RECENT, [project, moment])]
    moved = task_moves(connection, since, project=project)
    open_count, tasks = unfinished_tasks(connection, project, most=most)
    contested_count = count_conflicts(connection, status="open", project=project)
    contested = list_conflicts(connection, status="open", project=project, limit=most)
    sides = first_quotes(connection, (side.entry_id for one in contested for side in (one.older, one.newer)))
    holds_by_type = dict(Counter(one.kind for one in holding))
    return ProjectDigestV1(
        project=project,
        first_session_at=first,
        last_session_at=last,
        since=since,
        holds=_lines(connection, _firsts_of_each_type(holding, most)),
        recent_sessions=tuple(
            RecentSessionV1(session=head, goal=goal) for head, goal in session_goals(connection, recent[:most])
        ),
        moved=moved[:most],
        replaced=_lines(connection, replaced[:most]),
        open=tuple(_task(task) for task in tasks),
        contested=tuple(_conflict(conflict, sides) for conflict in contested),
        counts=ProjectCountsV1(
            sessions=count,
            holds=len(holding),
            holds_by_type=holds_by_type,
            recent_sessions=len(recent),
            moved=len(moved),
            replaced=len(replaced),
            open=open_count,
            contested=contested_count,
        ),
    )


class _Ranked(NamedTuple):
    """A memory of a part, before its words are looked up."""

    memory_id: str
    kind: str
    assurance: Assurance


def _ranked(connection: duckdb.DuckDBPyConnection, condition: str, parameters: dict[str, object]) -> list[_Ranked]:
    """Memories by type, of each type what is confirmed first, and of that what was said last."""
    rows = fetch(connection, _MEMORIES.format(condition=condition), parameters)
    backed = backings(connection, (row[0] for row in rows))
    ranked = [_Ranked(memory_id, kind, backed.of(memory_id).assurance(stage)) for memory_id, kind, stage in rows]
    kinds = list(dict.fromkeys(one.kind for one in ranked))
    return sorted(ranked, key=lambda one: (kinds.index(one.kind), -ASSURANCES.index(one.assurance)))


def _firsts_of_each_type(ranked: Sequence[_Ranked], most: int | None) -> list[_Ranked]:
    return [one for _, of_type in groupby(ranked, key=lambda one: one.kind) for one in islice(of_type, most)]


def _lines(connection: duckdb.DuckDBPyConnection, ranked: Sequence[_Ranked]) -> tuple[DigestLineV1, ...]:
    """A line for each, in their order."""
    if not ranked:
        return ()
    told = {row[0]: row[1:] for row in fetch(connection, _TOLD, [json_list(one.memory_id for one in ranked)])}
    set_aside = (memory_id for memory_id, row in told.items() if row[5] is not None)
    instead = said_instead_of(connection, set_aside)
    return tuple(_memory(told[one.memory_id], one.assurance, instead.get(one.memory_id)) for one in ranked)


def _memory(row: tuple[Any, ...], assurance: Assurance, instead: SaidOtherwiseV1 | None) -> DigestLineV1:
    kind, address, title, checker, status, superseded_by, *place = row
    quote = quote_of(*place)
    return DigestLineV1(
        kind=kind,
        id=address,
        text=told_as(title, quote),
        quote=quote,
        assurance=assurance,
        checker=checker,
        status=status,
        superseded_by=superseded_by,
        said_otherwise=instead,
    )


def _task(task: TaskView) -> DigestLineV1:
    """A task with the first quote of what speaks of it last; none where it is a person's word."""
    last = next((one for one in task.evidence if one.entry_id == task.evidence[-1].entry_id), None)
    quote = DigestQuoteV1(text=last.quote, uri=last.uri, said_at=last.said_at) if last is not None else None
    return DigestLineV1(
        kind="task",
        id=task.task_id,
        text=told_as(task.title, quote),
        quote=quote,
        assurance=task.assurance or "unproved",
        status=_status(task),
        waits_for=tuple(blocker.effective for blocker in task.waits_for if not blocker.placeholder),
    )


def _status(task: TaskView) -> str:
    return SAID_DONE if task.requested_status == "done" else task.status


def _conflict(conflict: ConflictView, quotes: Mapping[str, DigestQuoteV1]) -> DigestConflictV1:
    return DigestConflictV1(
        id=conflict.conflict_id,
        reason=conflict.reason,
        older=_side(conflict.older, quotes),
        newer=_side(conflict.newer, quotes),
    )


def _side(side: ConflictSide, quotes: Mapping[str, DigestQuoteV1]) -> DigestLineV1:
    quote = quotes.get(side.entry_id)
    return DigestLineV1(
        kind=side.entry_type,
        id=side.citation,
        text=told_as(side.title, quote),
        quote=quote,
        assurance=side.assurance,
        checker=side.checker,
        status="contested",
    )
