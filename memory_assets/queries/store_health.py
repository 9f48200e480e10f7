"""How the store stands, counted in one look: how far each stage is behind, what is put aside, what waits for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.put_aside import put_aside
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.listed import StageLagV1, StoreHealthV1
from memory_assets.vocabulary import PIPELINE_STAGES

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

_COUNTS = """
SELECT (SELECT count(*) FROM events), (SELECT coalesce(max(seq), 0) FROM events),
  (SELECT coalesce(max(last_seq), 0) FROM projection_offsets), (SELECT count(*) FROM sessions), (SELECT count(*) FROM memories),
  (SELECT count(*) FROM entities WHERE entity_type = 'task'), (SELECT count(*) FROM memory_units)
"""
_QUEUE = """
SELECT embedding_version, status, count(*), min(updated_at) FILTER (status = 'pending') FROM vector_outbox GROUP BY ALL
ORDER BY 1, 2
"""
# The newest result of each stage for each session, as the log has it, whether or not it is folded, by the version that the
# settings choose: a session waits for the first stage that has no such result behind the one before.
_PLACES = range(1, len(PIPELINE_STAGES))
_TYPES = ", ".join(f"'{CHAIN[stage]}'" for stage in PIPELINE_STAGES)
_STEPS = f"""
WITH steps AS (
  SELECT session_id, list_position([{_TYPES}], event_type) - 1 AS place, max(seq) AS seq, max(ts) AS ts FROM events e
  WHERE event_type IN ({_TYPES})
    AND NOT EXISTS (SELECT 1 FROM forgotten_sessions f WHERE f.session_id = e.session_id AND e.seq < f.seq)
    AND NOT EXISTS (SELECT 1 FROM configured_versions c
      WHERE c.event_type = e.event_type AND c.stage_version <> e.stage_version)
  GROUP BY ALL
)
"""
_LAST_DONE = f"{_STEPS} SELECT place, max(ts) FROM steps GROUP BY place"
_WAITING = f"""
{_STEPS}, roads AS (
  SELECT session_id, {", ".join(f"max(seq) FILTER (place = {place}) AS seq_{place}" for place in (0, *_PLACES))},
    {", ".join(f"max(ts) FILTER (place = {place}) AS ts_{place}" for place in (0, *_PLACES))}
  FROM steps WHERE session_id NOT IN {IN_LIST} GROUP BY session_id
), waiting AS (
  SELECT CASE {" ".join(f"WHEN seq_{at} IS NULL OR seq_{at} < seq_{at - 1} THEN {at}" for at in _PLACES)} END AS place,
    CASE {" ".join(f"WHEN seq_{at} IS NULL OR seq_{at} < seq_{at - 1} THEN ts_{at - 1}" for at in _PLACES)} END AS since
  FROM roads WHERE seq_0 IS NOT NULL
)
SELECT place, count(*), min(since) FROM waiting WHERE place IS NOT NULL GROUP BY place
"""


def store_health(connection: duckdb.DuckDBPyConnection) -> StoreHealthV1:
    """Everything that is counted of how the store stands."""
    events, last, folded, sessions, memories, tasks, units = fetch(connection, _COUNTS)[0]
    aside: dict[str, set[str]] = {}
    for session_id, stage, _ in put_aside(connection):
        aside.setdefault(stage, set()).add(session_id)
    queue: dict[str, dict[str, int]] = {}
    waiting_since: list[datetime] = []
    for version, status, count, oldest in fetch(connection, _QUEUE):
        queue.setdefault(version, {})[status] = count
        waiting_since += [oldest] if oldest is not None else []
    return StoreHealthV1(
        events=events,
        last_seq=last,
        folded_seq=folded,
        sessions=sessions,
        memories=memories,
        tasks=tasks,
        units=units,
        quarantined=len(set().union(*aside.values())),
        stages=_lags(connection, aside),
        queue=queue,
        oldest_pending_at=min(waiting_since, default=None),
    )


def _lags(connection: duckdb.DuckDBPyConnection, aside: dict[str, set[str]]) -> tuple[StageLagV1, ...]:
    put_away = json_list(set().union(*aside.values()))
    waiting = {place: (count, since) for place, count, since in fetch(connection, _WAITING, [put_away])}
    last_done = dict(fetch(connection, _LAST_DONE))
    return tuple(
        StageLagV1(
            stage=stage,
            waiting=waiting.get(place, (0, None))[0],
            since=waiting.get(place, (0, None))[1],
            aside=len(aside.get(stage, ())),
            last_done_at=last_done.get(place),
        )
        for place, stage in enumerate(PIPELINE_STAGES)
    )
