"""Unpartitioned leaves of the graph: what all sessions together have become."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from memory_assets.defs.last_made import LOG_SEQ, last_metadata, log_seq_of
from memory_assets.defs.ledger_tables import (
    builds_table,
    conflicts_table,
    counts_table,
    decisions_table,
    refusals_table,
    times_table,
)
from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.stages.vectorized import vectorized
from memory_assets.queries.builds import list_builds, metrics_within
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.queries.decisions import list_decisions

SHOWN_BUILDS = 10
SHOWN_CONFLICTS = 20
SHOWN_DECISIONS = 20


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
                     AND embedding_version = 'words'
                   UNION ALL SELECT 'without_vector', count(*) FROM vector_outbox WHERE status <> 'done'
                     AND embedding_version IN (SELECT stage_version FROM configured_versions)
                   UNION ALL SELECT 'log_seq', coalesce(max(seq), 0) FROM events"""
            ).fetchall()
        )
    return dg.MaterializeResult(metadata={**counts}, data_version=dg.DataVersion(str(counts[LOG_SEQ])))


@dg.asset(
    deps=[dg.AssetDep(vectorized, partition_mapping=dg.AllPartitionMapping())],
    group_name="ledgers",
    kinds={"duckdb"},
    owners=["team:memory"],
    check_specs=[
        dg.AssetCheckSpec("no_open_conflict", asset="ledgers", description="No memory contradicts another one that stands."),
        dg.AssetCheckSpec("decisions_stand", asset="ledgers", description="What recorded decisions rest on is Verified still."),
    ],
    description="""What the runs did: the newest builds, how long each stage takes, how far the entries have come, and what
kept back those that came no further; what contradicts what, and which recorded decisions still stand.
When the log has not moved it is what it was, and nothing is counted again.

The build of the run that makes it shows as running: it ends after this. `memory builds`, `memory metrics`,
`memory promote review`, `memory conflicts` and `memory decisions` say more.
""",
)
def ledgers(context: dg.AssetExecutionContext, event_log: EventLogResource) -> Iterator[dg.MaterializeResult[None]]:
    opened = event_log.opened
    before = last_metadata(context.instance, context.asset_key)
    with opened.database.reading() as connection:  # one connection for all of it: to open one costs more than the questions
        seq = opened.log.last_seq()
        if log_seq_of(before) == seq:
            yield _ledgers(seq, before)
            return
        builds = list_builds(connection, opened.settings.store_folder, limit=SHOWN_BUILDS)
        measured = metrics_within(connection)
        conflicts, decisions = list_conflicts(connection), list_decisions(connection, source="recorded")
    weakened = sum(decision.weakened for decision in decisions)
    yield _ledgers(
        seq,
        {
            "builds": builds.total,
            "last_builds": builds_table(builds.builds),
            "times_by_stage": times_table(measured),
            "entries_by_stage": counts_table("stage", measured.entries_by_stage),
            "refusals": sum(item.count for item in measured.promotions if item.outcome != "promoted"),
            "refusals_by_reason": refusals_table(measured),
            "open_conflicts": dg.MetadataValue.int(len(conflicts)),
            "newest_conflicts": conflicts_table(conflicts[:SHOWN_CONFLICTS]),
            "weakened_decisions": dg.MetadataValue.int(weakened),
            "last_decisions": decisions_table(decisions[:SHOWN_DECISIONS]),
            LOG_SEQ: seq,
        },
    )


def _ledgers(seq: int, metadata: Mapping[str, Any]) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(
        metadata=metadata,
        data_version=dg.DataVersion(str(seq)),
        check_results=[
            _warning("no_open_conflict", metadata["open_conflicts"].value, "`memory conflicts` lists them"),
            _warning("decisions_stand", metadata["weakened_decisions"].value, "`memory decisions` shows what they rest on"),
        ],
    )


def _warning(name: str, count: int, hint: str) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=name,
        asset_key="ledgers",
        passed=count == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"count": count, "more": hint},
    )
