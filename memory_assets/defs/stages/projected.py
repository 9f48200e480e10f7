"""``projected``: what the sessions claim becomes tables, and tasks across sessions move."""

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.batch import SessionResult, StageOutput, milliseconds_since, quarantine_check, run_stage, session_keys
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import SessionProjected
from memory_assets.projections.fold import catch_up


@dg.asset(
    partitions_def=sessions_partitions,
    backfill_policy=backfill_policy,
    group_name="graduation",
    kinds={"duckdb"},
    owners=["team:memory"],
    pool="duckdb_write",
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec("no_session_put_aside", asset="projected"),
        dg.AssetCheckSpec("tasks_rest_on_evidence", asset="projected"),
    ],
    description="""What the sessions claim becomes tables: sessions, messages, entries, memories, tasks, units.

- **reads** the log behind the offset of the last fold
- **writes** `task_created`, `task_status_changed` and `task_transition_rejected` with the claims they rest on,
  `conflict_detected` for what contradicts what, `entry_promoted` for what all sessions together certify,
  `session_projected`, and every derived table
- **guarantees** that any order of sessions gives the same tables, and that a replay gives them again
""",
)
def projected(
    context: dg.AssetExecutionContext, event_log: EventLogResource, idris_checked: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    opened = event_log.opened
    checked: dict[str, StoredEvent] = idris_checked
    started = time.perf_counter()
    folded = catch_up(opened.database, configuration.configured_versions(opened.settings), resolve=True, build=opened.build)
    if folded.outcomes:
        opened.wrote(folded.outcomes.new)
    counts = _counts(opened, list(checked))
    together_ms = milliseconds_since(started)
    output = run_stage(
        context,
        event_log,
        "projected",
        session_keys(context),
        checked,
        lambda session_id: project(checked[session_id], opened.versions["projected"], counts.get(session_id, {})),
        together_ms=together_ms,
    )
    yield dg.Output(output)
    yield quarantine_check(output)
    yield _tasks_check(opened)


def project(checked: StoredEvent, version: str, counts: dict[str, int]) -> SessionResult:
    """The mark that a session's claims are part of the tables."""
    event = NewEvent(
        payload=SessionProjected(checked_event_id=checked.event_id),
        session_id=checked.session_id,
        inputs=(checked.event_id,),
        stage_version=version,
        occurred_at=None,
        causation_id=checked.event_id,
        chain_id=checked.chain_id,
        project=checked.project,
    )
    return SessionResult(events=[event], metadata=dict(counts))


def _counts(opened: OpenStore, session_ids: list[str]) -> dict[str, dict[str, int]]:
    from memory_assets.log.sql import IN_LIST, json_list

    wanted = json_list(session_ids)
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT s.session_id, count(DISTINCT e.memory_id), count(DISTINCT c.canonical_key),
                  (SELECT count(*) FROM memory_units u WHERE u.session_id = s.session_id)
                FROM sessions s LEFT JOIN entries e ON e.session_id = s.session_id AND e.status = 'active'
                LEFT JOIN task_claims c ON c.session_id = s.session_id
                WHERE s.session_id IN {IN_LIST} GROUP BY s.session_id""",
            [wanted],
        ).fetchall()
    return {row[0]: {"memories": row[1], "tasks_touched": row[2], "units": row[3]} for row in rows}


def _tasks_check(opened: OpenStore) -> dg.AssetCheckResult:
    with opened.database.reading() as connection:
        stubs = connection.execute(
            """SELECT count(*) FROM entities WHERE entity_type = 'task'
               AND canonical_key NOT IN (SELECT canonical_key FROM task_claims)"""
        ).fetchall()[0][0]
    return dg.AssetCheckResult(check_name="tasks_rest_on_evidence", passed=stubs == 0, metadata={"stubs": stubs})
