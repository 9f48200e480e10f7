"""One run of some assets in this process, recorded in the instance as the UI's runs are."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

import dagster as dg

from memory_assets.defs.dead_runs import runner_tag
from memory_assets.defs.run_failures import failure_of
from memory_assets.settings import Settings
from memory_assets.stopping import stop_if_asked

# What goes wrong is reported by us; a line for each of Dagster's events would bury it. The UI has them all.
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def materialize(
    settings: Settings,
    instance: dg.DagsterInstance,
    selection: Set[dg.AssetKey],
    tags: dict[str, str],
    *,
    more_to_come: bool = False,
) -> None:
    """Materialize assets with their checks.

    Args:
        tags: of the run, with the sessions that it is about.
        more_to_come: the store as a whole is looked at later, by whoever comes to rest behind this.

    Raises:
        KeyboardInterrupt: somebody asked for an end.
        RunFailedError: a stage failed; under the code of the disk's or the store's failure where it was that.
    """
    from memory_assets.defs.code_location import known_versions

    versions = frozenset(known_versions(settings).items())
    result = _job(settings, versions, frozenset(selection), more_to_come).execute_in_process(
        instance=instance,
        tags={**tags, **runner_tag(settings)},
        run_config=QUIET,
        raise_on_error=False,
    )
    if not result.success:
        stop_if_asked()  # then that is why
        raise failure_of(result)


def leaves() -> tuple[dg.AssetsDefinition, ...]:
    """The assets that no session has a partition of and that follow the stages."""
    from memory_assets.defs.jobs import LEAVES

    return LEAVES


@lru_cache(maxsize=8)
def _job(
    settings: Settings,
    versions: frozenset[tuple[dg.AssetKey, str]],
    selection: frozenset[dg.AssetKey],
    more_to_come: bool,
) -> dg.JobDefinition:
    """Some assets with their checks. Kept, for Dagster keeps with it what it makes of it.

    Args:
        versions: of the stages' code: a file that the settings name may have changed.
        more_to_come: whoever comes to rest behind this looks at the store as a whole.
    """
    from memory_assets.defs.checks import ON_REQUEST
    from memory_assets.defs.code_location import build_definitions
    from memory_assets.defs.store_state import store_state

    whole = build_definitions(settings, dict(versions)).resolve_implicit_global_asset_job_def()
    checks = set(whole.asset_layer.asset_graph.get_check_keys_for_assets(selection)) - ON_REQUEST
    if more_to_come:
        checks -= store_state.check_keys
    elif selection >= {leaf.key for leaf in leaves()}:
        checks |= store_state.check_keys
    return whole.get_subset(asset_selection=selection, asset_check_selection=checks)
