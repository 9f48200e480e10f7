"""``vectorized``: units become searchable, by words and by meaning."""

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.batch import SessionResult, StageOutput, milliseconds_since, quarantine_check, run_stage, session_keys
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import SessionVectorized
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.fold import catch_up
from memory_assets.vectors.outbox import drain_outbox


@dg.asset(
    partitions_def=sessions_partitions,
    backfill_policy=backfill_policy,
    group_name="graduation",
    kinds={"lancedb", "huggingface"},
    owners=["team:memory"],
    pool="lance_write",
    code_version="1",
    retry_policy=dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS),
    check_specs=[
        dg.AssetCheckSpec("no_session_put_aside", asset="vectorized"),
        dg.AssetCheckSpec("outbox_is_empty", asset="vectorized"),
    ],
    description="""Units become searchable: one LanceDB table an embedding version holds their words and their vectors.

- **reads** the outbox that the fold fills
- **writes** rows of `units_{embedding version}`, the outbox's marks, and `session_vectorized`
- **guarantees** one row a unit, however often it is run, and that a poisoned text fails alone
""",
)
def vectorized(
    context: dg.AssetExecutionContext, event_log: EventLogResource, projected: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    opened = event_log.opened
    marks: dict[str, StoredEvent] = projected
    started = time.perf_counter()
    catch_up(opened.database, configuration.configured_versions(opened.settings))
    embedder = opened.embedder
    drained = drain_outbox(
        opened.database,
        embedder,
        configuration.vector_index(opened.settings),
        lock_folder=opened.settings.store_folder,
    )
    context.log.info(
        f"{drained.done} units written, {drained.embedded} embedded, {drained.reused} taken over, {drained.failed} failed"
    )
    states = _states(opened, list(marks), embedder.embedding_version)
    together_ms = milliseconds_since(started)
    output = run_stage(
        context,
        event_log,
        "vectorized",
        session_keys(context),
        marks,
        lambda session_id: vectorize(marks[session_id], embedder.embedding_version, states.get(session_id, {})),
        together_ms=together_ms,
    )
    yield dg.Output(output)
    yield quarantine_check(output)
    left = sum(state.get("units_failed", 0) + state.get("units_pending", 0) for state in states.values())
    yield dg.AssetCheckResult(
        check_name="outbox_is_empty", passed=left == 0, severity=dg.AssetCheckSeverity.WARN, metadata={"left": left}
    )


def vectorize(mark: StoredEvent, embedding_version: str, state: dict[str, int]) -> SessionResult:
    """The mark that a session's units were handed to the vectors."""
    event = NewEvent(
        payload=SessionVectorized(projected_event_id=mark.event_id, embedding_version=embedding_version),
        session_id=mark.session_id,
        inputs=(mark.event_id,),
        stage_version=embedding_version,
        causation_id=mark.event_id,
        chain_id=mark.chain_id,
        project=mark.project,
    )
    return SessionResult(events=[event], metadata={**state, "embedding_version": embedding_version})


def _states(opened: OpenStore, session_ids: list[str], embedding_version: str) -> dict[str, dict[str, int]]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT u.session_id, count(*) FILTER (o.status = 'done'), count(*) FILTER (o.status = 'failed'),
                  count(*) FILTER (o.status = 'pending')
                FROM memory_units u JOIN vector_outbox o ON o.item_id = u.unit_id AND o.embedding_version = ?
                WHERE u.session_id IN {IN_LIST} GROUP BY u.session_id""",
            [embedding_version, json_list(session_ids)],
        ).fetchall()
    return {row[0]: {"units_done": row[1], "units_failed": row[2], "units_pending": row[3]} for row in rows}
