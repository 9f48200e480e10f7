"""Checks that read the whole log or fold it anew, for a person to ask for."""

from dataclasses import asdict

import dagster as dg

from memory_assets.defs.resources import EventLogResource
from memory_assets.log.integrity import integrity
from memory_assets.log.links import Broken, Sound
from memory_assets.projections.replay import replayed


@dg.asset_check(
    asset="memory_index",
    description="The log is what was written: every event's link follows from the one before it, none is missing or twice, and "
    "the log ends where it was left.",
)
def event_log_integrity(event_log: EventLogResource) -> dg.AssetCheckResult:
    with event_log.get_connection() as connection:
        counted = integrity(connection)
        links = event_log.opened.database.verify_links(connection)
    broken = str(links) if isinstance(links, Broken) else "none"
    return dg.AssetCheckResult(
        passed=counted.is_whole and isinstance(links, Sound), metadata={**asdict(counted), "broken": broken}
    )


@dg.asset_check(
    asset="task_board",
    description="A replay of all that was ever said of tasks gives the same tasks, conditions, artifacts and edges.",
)
def tasks_replay_equal(event_log: EventLogResource) -> dg.AssetCheckResult:
    opened = event_log.opened
    differences = replayed(opened.database, opened.resources.configured_versions)
    return dg.AssetCheckResult(
        passed=differences == 0, metadata={"differences": differences, "more": "`memory rebuild --verify` names them"}
    )


ON_REQUEST = event_log_integrity.check_keys | tasks_replay_equal.check_keys
"""Checks that read the whole log or fold it anew: they are for a person to ask, not for every import to pay."""
