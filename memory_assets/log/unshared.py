"""Whether a log holds what `sharing.projects` keeps on one machine: asked of a whole log, or an export, that goes to others."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from memory_assets.log.payloads.sessions import SessionIngested

if TYPE_CHECKING:
    import duckdb

# A project that an event names is a column of it or a key of its payload, at whatever depth. In a text of a session the same
# characters stand escaped.
_HERE = "seq > $after AND ($through IS NULL OR seq <= $through)"
_PROJECTS = f"""
SELECT DISTINCT to_json(project) FROM events WHERE {_HERE} AND project IS NOT NULL
UNION
SELECT DISTINCT unnest(regexp_extract_all(CAST(payload_json AS VARCHAR), '"project":("(?:[^"\\\\]|\\\\.)*")', 1))
FROM events WHERE {_HERE} AND contains(CAST(payload_json AS VARCHAR), '"project":"')
UNION
SELECT 'null' FROM events WHERE {_HERE} AND event_type = '{SessionIngested.event_type}' AND project IS NULL
"""


def holds_unshared(
    connection: duckdb.DuckDBPyConnection, projects: Collection[str], *, after: int = 0, through: int | None = None
) -> bool:
    """Whether an event is of another project, or a session of none: of those behind a seq, up to one or to the end."""
    rows = connection.execute(_PROJECTS, {"after": after, "through": through}).fetchall()
    return any(json.loads(text) not in projects for (text,) in rows)
