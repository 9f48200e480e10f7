"""Whether anything was said in the time that a question speaks of, or that a search is kept to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch

if TYPE_CHECKING:
    import duckdb

    from memory_assets.search.question.time_cues import TimeWindow
    from memory_assets.vectors.units import UnitFilter

_SAID = """
SELECT min(occurred_at), max(occurred_at),
  count(*) FILTER (($since IS NULL OR occurred_at >= $since) AND ($until IS NULL OR occurred_at < $until))
FROM memory_units WHERE $project IS NULL OR project = $project
"""


def note_on_time(connection: duckdb.DuckDBPyConnection, where: UnitFilter, window: TimeWindow | None) -> str | None:
    """That nothing is known of a time, and of which time something is; None where something is, or no time was named."""
    spans = [(where.since, where.until)]
    if window is not None and window.kind != "recency":
        spans.append((window.since, window.until))
    for since, until in spans:
        if since is None and until is None:
            continue
        named = {"since": _stored(since), "until": _stored(until), "project": where.project}
        ((first, last, count),) = fetch(connection, _SAID, named)
        if first is not None and not count:
            of = f" of project {where.project}" if where.project else ""
            return f"nothing{of} was said {_told(since, until)}: what is known is from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return None


def _stored(moment: datetime | None) -> datetime | None:
    """As the store keeps times: UTC, without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment else None


def _told(since: datetime | None, until: datetime | None) -> str:
    if since is None:
        return f"before {until:%Y-%m-%d}"
    if until is None:
        return f"since {since:%Y-%m-%d}"
    first, last = since, until - timedelta(microseconds=1)
    return f"on {first:%Y-%m-%d}" if first.date() == last.date() else f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
