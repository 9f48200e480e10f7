"""How a project stands: what holds, what changed of late, what is open and what is contested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from memory_assets.errors import NotFoundError
from memory_assets.log.fetching import fetch
from memory_assets.queries.changes import task_moves
from memory_assets.queries.conflicts import ConflictSide, ConflictView, list_conflicts
from memory_assets.queries.digest_quotes import first_quotes, quote_of, told_as
from memory_assets.queries.digest_tasks import SAID_DONE
from memory_assets.queries.session_digest import session_goals
from memory_assets.queries.tasks import list_tasks
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
from memory_assets.vocabulary import ASSURANCES, FINISHED

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
# The first quote of each memory stands for it. What is not proved, or not true any more for somebody, does not hold.
_MEMORIES = """
SELECT m.entry_type, 'mem:' || m.short_id, m.title, m.memory_id, m.stage, m.checker, m.status, m.last_said_at,
  'mem:' || k.short_id, s.session_id, s.message_index, s.segments_json, s.matched_text, coalesce(w.name, w.role), w.ts
FROM memories m JOIN entries n ON n.entry_id = m.first_entry_id
JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index
LEFT JOIN memories k ON k.memory_id = m.superseded_by
WHERE m.project = $project AND {condition}
QUALIFY row_number() OVER (PARTITION BY m.memory_id ORDER BY s.ordinal) = 1
ORDER BY list_position(['decision', 'preference', 'insight', 'fact'], m.entry_type), m.last_said_at DESC, m.memory_id
"""
_HOLDS = "m.status = 'active' AND m.stage IN ('verified', 'certified') AND m.entry_type NOT IN ('task', 'reference')"
_REPLACED = "m.status = 'deprecated' AND m.last_said_at >= $since"
_RECENT = "SELECT session_id FROM sessions WHERE project = ? AND ended_at >= ? ORDER BY started_at DESC, session_id"


def project_digest(connection: duckdb.DuckDBPyConnection, project: str, *, days: int = LATELY) -> ProjectDigestV1:
    """The digest of a project.

    Args:
        days: *lately* begins so many days before its last session began: a project that rests is told as it was left.

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
    holds = _lines(connection, _HOLDS, {"project": project})
    recent = session_goals(connection, [row[0] for row in fetch(connection, _RECENT, [project, moment])])
    moved = task_moves(connection, since, project=project)
    replaced = _lines(connection, _REPLACED, {"project": project, "since": moment})
    tasks = [task for task in list_tasks(connection, project=project) if task.status not in FINISHED]
    tasks.sort(key=lambda task: _status(task) == SAID_DONE)
    contested = list_conflicts(connection, status="open", project=project)
    sides = first_quotes(connection, (side.entry_id for one in contested for side in (one.older, one.newer)))
    return ProjectDigestV1(
        project=project,
        first_session_at=first,
        last_session_at=last,
        since=since,
        holds=holds,
        recent_sessions=tuple(RecentSessionV1(session=head, goal=goal) for head, goal in recent),
        moved=moved,
        replaced=replaced,
        open=tuple(_task(task) for task in tasks),
        contested=tuple(_conflict(conflict, sides) for conflict in contested),
        counts=ProjectCountsV1(
            sessions=count,
            holds=len(holds),
            holds_by_type=dict(Counter(line.kind for line in holds)),
            recent_sessions=len(recent),
            moved=len(moved),
            replaced=len(replaced),
            open=len(tasks),
            contested=len(contested),
        ),
    )


def first_of_each_part(digest: ProjectDigestV1, most: int | None) -> ProjectDigestV1:
    """At most so many lines of each part, and of what holds of each type, or all; ``counts`` still says how many there are."""
    parts = ("recent_sessions", "moved", "replaced", "open", "contested")
    holds = [line for kind in digest.counts.holds_by_type for line in _of_kind(digest.holds, kind)[:most]]
    return digest.model_copy(update={part: getattr(digest, part)[:most] for part in parts} | {"holds": tuple(holds)})


def _of_kind(lines: Sequence[DigestLineV1], kind: str) -> list[DigestLineV1]:
    return [line for line in lines if line.kind == kind]


def _lines(connection: duckdb.DuckDBPyConnection, condition: str, parameters: dict[str, object]) -> tuple[DigestLineV1, ...]:
    """Memories by type, of each type what is confirmed first, and of that what was said last."""
    rows = fetch(connection, _MEMORIES.format(condition=condition), parameters)
    backed = backings(connection, (row[3] for row in rows))
    instead = said_instead_of(connection, (row[3] for row in rows if row[8] is not None))
    lines = [_memory(row, backed.of(row[3]).assurance(row[4]), instead.get(row[3])) for row in rows]
    kinds = list(dict.fromkeys(line.kind for line in lines))
    return tuple(sorted(lines, key=lambda line: (kinds.index(line.kind), -ASSURANCES.index(line.assurance))))


def _memory(row: tuple[Any, ...], assurance: Assurance, instead: SaidOtherwiseV1 | None) -> DigestLineV1:
    kind, address, title, _, _, checker, status, _, superseded_by, *place = row
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
