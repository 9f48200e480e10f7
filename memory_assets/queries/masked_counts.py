"""What was masked where: by kind and count, never a text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch

if TYPE_CHECKING:
    import duckdb

_MASKED = """
WITH counted AS (
  SELECT session_id, title, project, started_at, unnest(map_entries(CAST(redactions_json AS MAP(VARCHAR, BIGINT)))) AS one
  FROM sessions
), told AS (SELECT * EXCLUDE (one), one.key AS kind, one.value AS many FROM counted)
"""
_BY_KIND = f"{_MASKED} SELECT kind, sum(many), count(*) FROM told GROUP BY kind ORDER BY 2 DESC, 1"
_BY_SESSION = f"""
{_MASKED}
SELECT session_id, any_value(title), any_value(project), any_value(started_at), sum(many),
  list(struct_pack(kind := kind, many := many) ORDER BY many DESC, kind), count(*) OVER ()
FROM told GROUP BY session_id ORDER BY any_value(started_at) DESC, session_id LIMIT $limit OFFSET $offset
"""


@dataclass(frozen=True, slots=True)
class MaskedKind:
    """How many places of a kind were masked, and in how many sessions."""

    kind: str
    places: int
    sessions: int


@dataclass(frozen=True, slots=True)
class MaskedSession:
    """A session in which something was masked: how many places of which kind, the most first."""

    session_id: str
    title: str | None
    project: str | None
    started_at: datetime
    places: int
    kinds: tuple[tuple[str, int], ...]


def masked_by_kind(connection: duckdb.DuckDBPyConnection) -> list[MaskedKind]:
    """What was masked in the sessions that there are, the most first."""
    return [MaskedKind(kind, int(places), sessions) for kind, places, sessions in fetch(connection, _BY_KIND)]


def masked_sessions(
    connection: duckdb.DuckDBPyConnection, *, limit: int = 50, offset: int = 0
) -> tuple[list[MaskedSession], int]:
    """Some of the sessions in which anything was masked, the newest first, and how many there are."""
    rows = fetch(connection, _BY_SESSION, {"limit": limit, "offset": offset})
    found = [
        MaskedSession(
            session_id=session_id,
            title=title,
            project=project,
            started_at=started_at,
            places=int(places),
            kinds=tuple((one["kind"], int(one["many"])) for one in kinds),
        )
        for session_id, title, project, started_at, places, kinds, _ in rows
    ]
    if rows or not offset:
        return found, rows[0][6] if rows else 0
    return found, masked_sessions(connection, limit=1)[1]
