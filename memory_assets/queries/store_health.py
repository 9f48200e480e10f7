"""How the store stands, counted in one look: how far each stage is behind, what is put aside, what waits for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.put_aside import put_aside
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
_STEPS = f"""
SELECT session_id, event_type, max(seq), max(ts) FROM events
WHERE event_type IN ({", ".join(f"'{event_type}'" for event_type in CHAIN.values())})
  AND NOT EXISTS (SELECT 1 FROM forgotten_sessions f WHERE f.session_id = events.session_id AND events.seq < f.seq)
  AND NOT EXISTS (SELECT 1 FROM configured_versions c
    WHERE c.event_type = events.event_type AND c.stage_version <> events.stage_version)
GROUP BY session_id, event_type
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
        stages=_lags(fetch(connection, _STEPS), aside),
        queue=queue,
        oldest_pending_at=min(waiting_since, default=None),
    )


def _lags(rows: list[tuple[str, str, int, datetime]], aside: dict[str, set[str]]) -> tuple[StageLagV1, ...]:
    stage_of = {event_type: stage for stage, event_type in CHAIN.items()}
    reached: dict[str, dict[str, tuple[int, datetime]]] = {}
    for session_id, event_type, seq, ts in rows:
        reached.setdefault(session_id, {})[stage_of[event_type]] = (seq, ts)
    waiting: dict[str, list[datetime]] = {stage: [] for stage in PIPELINE_STAGES}
    for session_id, steps in reached.items():
        if any(session_id in sessions for sessions in aside.values()):
            continue
        before = steps.get(PIPELINE_STAGES[0])
        for stage in PIPELINE_STAGES[1:]:
            step = steps.get(stage)
            if before is not None and (step is None or step[0] < before[0]):
                waiting[stage].append(before[1])
                break
            before = step
    last_done = {
        stage: max((steps[stage][1] for steps in reached.values() if stage in steps), default=None) for stage in PIPELINE_STAGES
    }
    return tuple(
        StageLagV1(
            stage=stage,
            waiting=len(waiting[stage]),
            since=min(waiting[stage], default=None),
            aside=len(aside.get(stage, ())),
            last_done_at=last_done[stage],
        )
        for stage in PIPELINE_STAGES
    )
