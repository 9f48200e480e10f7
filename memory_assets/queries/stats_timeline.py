"""What each day brought: sessions, messages, memories, decisions, tasks done, and events."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.fetching import fetch
from memory_assets.results.listed import DayCountsV1, StatsTimelineV1

if TYPE_CHECKING:
    import duckdb

MOST_DAYS = 3_660

_OF_PROJECT = "($project IS NULL OR {table}.project = $project)"
_SINCE = "{moment} >= $since AND {moment} < $behind"


def _counted(moment: str, source: str, what: str, table: str = "t") -> str:
    within = f"{_SINCE.format(moment=moment)} AND {_OF_PROJECT.format(table=table)}"
    return f"SELECT CAST({moment} AS DATE) AS day, '{what}' AS what, count(*) AS many FROM {source} AND {within} GROUP BY 1"


_DAYS = " UNION ALL ".join(
    (
        _counted("t.started_at", "sessions t WHERE true", "sessions"),
        _counted("m.ts", "messages m JOIN sessions t USING (session_id) WHERE true", "messages"),
        _counted("t.first_said_at", "memories t WHERE true", "memories"),
        _counted("t.first_said_at", "memories t WHERE t.entry_type = 'decision'", "decisions"),
        _counted(
            "o.occurred_at",
            """task_outcomes o JOIN events e USING (event_id) JOIN entities t ON t.entity_id = o.entity_id
               WHERE o.entity_type = 'task' AND o.event_type = 'task_status_changed'
                 AND (e.payload_json ->> '$.to_status') = 'done'""",
            "tasks_done",
        ),
        _counted("t.ts", "visible_events t WHERE true", "events"),
    )
)


def stats_timeline(
    connection: duckdb.DuckDBPyConnection, *, days: int = 30, project: str | None = None, until: date | None = None
) -> StatsTimelineV1:
    """What the last ``days`` days (UTC) brought, ``until`` (today by default) among them.

    Raises:
        InvalidArgumentError: no days, or too many.
    """
    if not 1 <= days <= MOST_DAYS:
        raise InvalidArgumentError(f"days is {days}", hint=f"a number from 1 to {MOST_DAYS:,}")
    last = until or datetime.now(UTC).date()
    first = last - timedelta(days=days - 1)
    rows = fetch(connection, _DAYS, {"project": project, "since": first, "behind": last + timedelta(days=1)})
    found = {(day, what): many for day, what, many in rows}
    fields = [name for name in DayCountsV1.model_fields if name != "day"]
    counted = (first + timedelta(days=place) for place in range(days))
    return StatsTimelineV1(
        project=project,
        since=first,
        until=last,
        days=tuple(DayCountsV1.of_row((day, *(found.get((day, name), 0) for name in fields))) for day in counted),
    )
