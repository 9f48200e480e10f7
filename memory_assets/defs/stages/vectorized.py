"""``vectorized``: units become searchable by their words, and are queued for their vectors."""

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg

from memory_assets.defs.batch import (
    SessionResult,
    StageOutput,
    handed_on,
    milliseconds_since,
    quarantine_check,
    run_stage,
    session_keys,
)
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.stages.stage_asset import RETRIES, stage_asset
from memory_assets.log.events import StoredEvent
from memory_assets.log.sql import IN_LIST, WORDS, json_list
from memory_assets.maintenance.indexing import write_words
from memory_assets.progress import Part
from memory_assets.projections.fold import catch_up
from memory_assets.vectors.vectorized_events import vectorized_event


@stage_asset(
    "vectorized",
    kinds={"lancedb"},
    pool="lance_write",
    retry_policy=RETRIES,
    checks={
        "outbox_is_empty": "All is searchable by its words, and no text was refused; what waits for its vector is no fault.",
        "index_has_every_unit": "The index of words has a row for each unit of the tables.",
    },
    description="""Units become searchable by their words, and are queued for their vectors: no model is loaded here.

- **reads** the outbox that the fold fills
- **writes** rows of the LanceDB table `words`, the outbox's marks, `session_vectorized`; of `vectors_{embedding version}` what
  needs no model: rows that go, and units whose text has its vector already
- **guarantees** one row a unit, however often it is run and wherever it is killed, and that a poisoned text fails alone

The leaf `vectors` makes the vectors, as `memory import` does at its end and `memory outbox drain` on request. Another model is
another version with a table of its own: `memory reembed --to MODEL` leaves the old one in force until the new one is whole.
""",
)
def vectorized(
    context: dg.AssetExecutionContext, event_log: EventLogResource, projected: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    opened = event_log.opened
    marks: dict[str, StoredEvent] = projected
    started = time.perf_counter()
    catch_up(opened.database, opened.resources.configured_versions, with_marks=False)
    drained = write_words(opened.resources, progress=Part(opened.listener), more_to_come=opened.more_to_come)
    context.log.info(f"{drained.done} units written, {drained.failed} failed")
    version = opened.versions["vectorized"]
    states = _states(opened, list(marks), version)
    together_ms = milliseconds_since(started)
    output = run_stage(
        context,
        event_log,
        "vectorized",
        session_keys(context),
        marks,
        lambda session_id: vectorize(marks[session_id], version, states.get(session_id, {})),
        together_ms=together_ms,
    )
    yield handed_on(context, output)
    yield quarantine_check(event_log, output)
    yield from _checks(opened)


def vectorize(mark: StoredEvent, embedding_version: str, metadata: dict[str, Any]) -> SessionResult:
    """The mark that a session's words are searchable and its units queued for their vectors."""
    return SessionResult(
        events=[vectorized_event(mark, embedding_version)], metadata={**metadata, "embedding_version": embedding_version}
    )


def _states(opened: OpenStore, session_ids: list[str], embedding_version: str) -> dict[str, dict[str, int]]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT u.session_id, count(*) FILTER (o.status = 'done' AND o.embedding_version = $words),
                  count(*) FILTER (o.status = 'failed'),
                  count(*) FILTER (o.status = 'pending' AND o.embedding_version = $version)
                FROM memory_units u JOIN vector_outbox o ON o.item_id = u.unit_id
                  AND o.embedding_version IN ($words, $version)
                WHERE u.session_id IN {IN_LIST.replace("?", "$sessions")} GROUP BY u.session_id""",
            {"words": WORDS, "version": embedding_version, "sessions": json_list(session_ids)},
        ).fetchall()
    return {row[0]: {"units_searchable": row[1], "units_failed": row[2], "units_without_vector": row[3]} for row in rows}


def _checks(opened: OpenStore) -> Iterator[dg.AssetCheckResult]:
    version = opened.versions["vectorized"]
    with opened.database.reading() as connection:
        units = connection.execute("SELECT count(*) FROM memory_units").fetchall()[0][0]
        jobs = {
            (queue, status): count
            for queue, status, count in connection.execute(
                "SELECT embedding_version, status, count(*) FROM vector_outbox WHERE embedding_version IN (?, ?) GROUP BY ALL",
                [WORDS, version],
            ).fetchall()
        }
    pending, failed = jobs.get((WORDS, "pending"), 0), jobs.get((WORDS, "failed"), 0)
    without_vector, not_embedded = jobs.get((version, "pending"), 0), jobs.get((version, "failed"), 0)
    # Vectors are made behind this: what waits for one is no fault.
    yield dg.AssetCheckResult(
        check_name="outbox_is_empty",
        passed=pending + failed + not_embedded == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "left": pending + failed,
            "pending": pending,
            "failed": failed + not_embedded,
            "without_vector": without_vector,
        },
    )
    rows = opened.resources.word_index.count()
    # What the outbox still holds is known to differ.
    yield dg.AssetCheckResult(
        check_name="index_has_every_unit",
        passed=rows == units or pending + failed > 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"units": units, "rows": rows},
    )
