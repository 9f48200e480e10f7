"""What holds where several code locations, each on a machine of its own, share Dagster's records."""

from __future__ import annotations

from collections.abc import Collection

import dagster as dg

LOCATION_TAG = "dagster/code_location"
"""Dagster's own tag: the code location that a run was asked for by."""


def runs_of_location(
    context: dg.SensorEvaluationContext, statuses: Collection[dg.DagsterRunStatus], tag: str
) -> list[dg.DagsterRun]:
    """Runs in one of these states that have a tag and that no other location asked for."""
    here = context.code_location_origin.location_name if context.code_location_origin else None
    runs = context.instance.get_runs(filters=dg.RunsFilter(statuses=list(statuses)))
    return [run for run in runs if tag in run.tags and run.tags.get(LOCATION_TAG, here) == here]


def make_pools(context: dg.SensorEvaluationContext) -> None:
    """Make the pools that Dagster does not know yet, here where one tick comes behind another.

    Dagster makes a pool with the first run that needs it; two runs that do so at once break one of them in PostgreSQL (seen in
    1.13: an UPDATE in a transaction whose INSERT failed).
    """
    if context.repository_def is None:
        return
    storage = context.instance.event_log_storage
    made_here = [asset for asset in context.repository_def.assets_defs_by_key.values() if asset.is_executable]
    needed = {pool for asset in made_here for pool in asset.node_def.pools}
    for pool in sorted(needed.difference(storage.get_concurrency_keys())):
        storage.initialize_concurrency_limit_to_default(pool)
