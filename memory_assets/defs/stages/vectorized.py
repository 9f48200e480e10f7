"""``vectorized``: units become searchable, by words and by meaning."""

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.batch import SessionResult, StageOutput, milliseconds_since, quarantine_check, run_stage, session_keys
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.indexing import Written, write_waiting
from memory_assets.log.events import StoredEvent
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.progress import Part
from memory_assets.projections.fold import catch_up
from memory_assets.vectors.embedder import Embedder
from memory_assets.vectors.marks import vectorized_mark


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
        dg.AssetCheckSpec("index_has_every_unit", asset="vectorized"),
    ],
    description="""Units become searchable: one LanceDB table an embedding version holds their words and their vectors.

- **reads** the outbox that the fold fills
- **writes** rows of `units_{embedding version}`, the outbox's marks, `session_vectorized`, and what a self-test says of a
  model that is new
- **guarantees** one row a unit, however often it is run and wherever it is killed, and that a poisoned text fails alone

Another model is another version with a table of its own: set `embedding.model` and backfill this one asset, or run
`memory reembed --to MODEL`, which leaves the old one in force until the new one is whole.
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
    written = write_waiting(opened.settings, opened.database, embedder=embedder, progress=Part(opened.listener))
    drained = written.drained
    context.log.info(
        f"{drained.done} units written, {drained.embedded} embedded, {drained.reused} taken over, {drained.failed} failed"
    )
    of_model = _of_model(embedder, written)
    states = _states(opened, list(marks), embedder.embedding_version)
    together_ms = milliseconds_since(started)
    output = run_stage(
        context,
        event_log,
        "vectorized",
        session_keys(context),
        marks,
        lambda session_id: vectorize(marks[session_id], embedder.embedding_version, {**states.get(session_id, {}), **of_model}),
        together_ms=together_ms,
    )
    yield dg.Output(output)
    yield quarantine_check(output)
    yield from _checks(opened)


def vectorize(mark: StoredEvent, embedding_version: str, metadata: dict[str, Any]) -> SessionResult:
    """The mark that a session's units were handed to the vectors."""
    return SessionResult(
        events=[vectorized_mark(mark, embedding_version)], metadata={**metadata, "embedding_version": embedding_version}
    )


def _of_model(embedder: Embedder, written: Written) -> dict[str, Any]:
    """Of the model and of what this run wrote, for the UI; the same for each session of the run."""
    told: dict[str, Any] = {"model": embedder.model_id, "fingerprint": embedder.fingerprint[:12]}
    if (speed := written.drained.texts_per_second) is not None:
        told["texts_per_second"] = round(speed, 1)
    if written.calibration is not None:
        told["vector_weight"] = written.calibration.vector_weight
        told["korean_weight"] = written.calibration.korean_weight
    return told


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


def _checks(opened: OpenStore) -> Iterator[dg.AssetCheckResult]:
    version = opened.embedder.embedding_version
    with opened.database.reading() as connection:
        units = connection.execute("SELECT count(*) FROM memory_units").fetchall()[0][0]
        jobs = dict(
            connection.execute(
                "SELECT status, count(*) FROM vector_outbox WHERE embedding_version = ? GROUP BY status", [version]
            ).fetchall()
        )
    left = jobs.get("pending", 0) + jobs.get("failed", 0)
    yield dg.AssetCheckResult(
        check_name="outbox_is_empty",
        passed=left == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"left": left, "pending": jobs.get("pending", 0), "failed": jobs.get("failed", 0)},
    )
    rows = configuration.vector_index(opened.settings, opened.embedder).count()
    # What the outbox still holds is known to differ.
    yield dg.AssetCheckResult(
        check_name="index_has_every_unit",
        passed=rows == units or left > 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"units": units, "rows": rows},
    )
