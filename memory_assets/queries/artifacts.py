"""Pull requests, issues, addresses, files and commits that sessions name."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from memory_assets.citations.addresses import MessageCitation, SpanCitation
from memory_assets.errors import check_word
from memory_assets.log.fetching import fetch
from memory_assets.queries.conditions import waiting_tasks
from memory_assets.results.tasks import ArtifactView
from memory_assets.vocabulary import ArtifactKind

if TYPE_CHECKING:
    import duckdb

KINDS: tuple[ArtifactKind, ...] = get_args(ArtifactKind)

# Where it was named last.
_ARTIFACTS = """
WITH named AS (
  SELECT artifact_id, count(DISTINCT entry_id) AS entries, count(DISTINCT session_id) AS sessions,
    min(occurred_at) AS first_said_at, max(occurred_at) AS last_said_at,
    max_by({'session_id': session_id, 'index': message_index, 'start': span_start, 'end': span_end},
      (occurred_at, session_id, message_index, ordinal, place)) AS last
  FROM artifact_references GROUP BY artifact_id
)
SELECT a.entity_id, a.canonical_key, a.current_json ->> '$.kind', a.title,
  coalesce(a.current_json ->> '$.raw', a.title), a.current_json ->> '$.status', a.project,
  coalesce(n.entries, 0), coalesce(n.sessions, 0),
  coalesce(n.first_said_at, a.created_at), coalesce(n.last_said_at, a.last_occurred_at) AS last_said_at,
  n.last.session_id, n.last.index, n.last.start, n.last.end
FROM entities a LEFT JOIN named n ON n.artifact_id = a.entity_id
WHERE a.entity_type = 'artifact' AND ($kind IS NULL OR (a.current_json ->> '$.kind') = $kind)
  AND ($project IS NULL OR a.project = $project)
ORDER BY last_said_at DESC, a.entity_id
"""


def list_artifacts(
    connection: duckdb.DuckDBPyConnection,
    *,
    kind: str | None = None,
    project: str | None = None,
    limit: int | None = None,
) -> list[ArtifactView]:
    """Artifacts, what was named last first.

    Raises:
        InvalidArgumentError: there is no such kind.
    """
    check_word("kind", kind, KINDS)
    rows = fetch(
        connection,
        _ARTIFACTS + (f" LIMIT {int(limit)}" if limit is not None else ""),
        {"kind": kind, "project": project},
    )
    waiting = waiting_tasks(connection, "effective_blocker_id") if rows else {}
    return [ArtifactView.of_row((*row[:9], tuple(waiting.get(row[0], ())), *row[9:11], _uri(*row[11:]))) for row in rows]


def _uri(session_id: str | None, index: int | None, start: int | None, end: int | None) -> str | None:
    if session_id is None or index is None:
        return None
    if start is None or end is None:
        return MessageCitation(session_id, index).uri
    return SpanCitation(session_id, index, ((start, end),)).uri
