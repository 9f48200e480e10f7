"""Unpartitioned leaves of the graph: what all sessions together have become."""

import dagster as dg

from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.stages.vectorized import vectorized


@dg.asset(
    deps=[dg.AssetDep(vectorized, partition_mapping=dg.AllPartitionMapping())],
    group_name="retrieval",
    kinds={"duckdb", "lancedb"},
    owners=["team:memory"],
    description="Everything that search can find. A count of what is there; it costs nothing when the log has not moved.",
)
def memory_index(event_log: EventLogResource) -> dg.MaterializeResult[None]:
    with event_log.get_connection() as connection:
        counts = dict(
            connection.execute(
                """SELECT 'memories', count(*) FROM memories UNION ALL SELECT 'sessions', count(*) FROM sessions
                   UNION ALL SELECT 'units', count(*) FROM memory_units
                   UNION ALL SELECT 'tasks', count(*) FROM entities WHERE entity_type = 'task'
                   UNION ALL SELECT 'outbox_pending', count(*) FROM vector_outbox WHERE status <> 'done'
                   UNION ALL SELECT 'log_seq', coalesce(max(seq), 0) FROM events"""
            ).fetchall()
        )
    return dg.MaterializeResult(metadata={**counts}, data_version=dg.DataVersion(str(counts["log_seq"])))
