"""What the seven stages have in common as assets: their partitions, their group, and the check that no session is put aside."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import dagster as dg

from memory_assets.defs.batch import quarantine_check_spec
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.vocabulary import PipelineStage

RETRIES = dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
"""Of a stage that needs something from outside."""


def stage_asset(
    stage: PipelineStage,
    *,
    kinds: Collection[str],
    description: str,
    checks: Mapping[str, str] | None = None,
    pool: str = "duckdb_write",
    **more: Any,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Declare the function below as a stage.

    Args:
        checks: the stage's own checks by name, each with what it says where it passes.
        more: of ``dagster.asset``, for what one stage alone has.
    """
    own = [dg.AssetCheckSpec(name, asset=stage, description=said) for name, said in (checks or {}).items()]
    declare: Callable[[Callable[..., Any]], dg.AssetsDefinition] = dg.asset(
        partitions_def=sessions_partitions,
        backfill_policy=backfill_policy,
        group_name="graduation",
        kinds=set(kinds),
        owners=["team:memory"],
        pool=pool,
        check_specs=[quarantine_check_spec(stage), *own],
        description=description,
        **more,
    )
    return declare
