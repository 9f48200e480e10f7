"""The leaf ``vectors``: what waits for its vector is embedded, behind everything that does not need a model."""

from typing import Any

import dagster as dg

from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.stages.vectorized import vectorized
from memory_assets.maintenance.indexing import write_vectors
from memory_assets.results.outbox import Drained


@dg.asset(
    deps=[dg.AssetDep(vectorized, partition_mapping=dg.AllPartitionMapping())],
    group_name="retrieval",
    kinds={"lancedb", "huggingface"},
    owners=["team:memory"],
    pool="vectors_write",
    description="""Units that are searchable by their words get their vectors: what was said last comes first.

- **reads** the outbox that the fold fills, and titles of tasks that were never compared
- **writes** rows of `vectors_{embedding version}`, `task_titles_alike` with what follows from it, and what a self-test says of
  a model that is new
- **guarantees** that each batch is kept whatever ends it, and that it makes room when another run waits

The sensor asks for it when something waits and nothing else runs; an import does the same at its end.
""",
)
def vectors(context: dg.AssetExecutionContext, event_log: EventLogResource) -> dg.MaterializeResult[None]:
    opened = event_log.opened
    embedder = opened.resources.embedder
    written = write_vectors(opened.resources, go_on=lambda: not _somebody_waits(context.instance))
    told: dict[str, Any] = {"model": embedder.model_id, "fingerprint": embedder.fingerprint[:12], **_counts(written.drained)}
    if written.calibration is not None:
        told["vector_weight"] = written.calibration.vector_weight
        told["korean_weight"] = written.calibration.korean_weight
    return dg.MaterializeResult(metadata=told)


def _counts(drained: Drained) -> dict[str, Any]:
    counted: dict[str, Any] = {
        "units_done": drained.done,
        "units_failed": drained.failed,
        "embedded": drained.embedded,
        "taken_over": drained.reused,
    }
    if (speed := drained.texts_per_second) is not None:
        counted["texts_per_second"] = round(speed, 1)
    return counted


def _somebody_waits(instance: dg.DagsterInstance) -> bool:
    """Runs go one after another, and sessions go first."""
    return instance.get_runs_count(dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED])) > 0
