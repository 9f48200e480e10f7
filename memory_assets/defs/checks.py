"""Checks of the store as a whole; those of a stage's own batch are yielded by the stage."""

from dataclasses import asdict

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.resources import EventLogResource
from memory_assets.log.integrity import integrity
from memory_assets.log.links import Broken, Sound
from memory_assets.log.put_aside import put_aside
from memory_assets.projections.replay import replayed

SHOWN = 20


@dg.asset_check(
    asset="vectorized",
    description="The sessions that some stage has put aside, in whichever run: looked at behind every run of all stages and at "
    "every tick of the sensor. `memory retry --quarantined` runs them again.",
)
def no_sessions_quarantined(event_log: EventLogResource) -> dg.AssetCheckResult:
    with event_log.get_connection() as connection:
        waiting = put_aside(connection)
    shown = "\n".join(f"- `{session_id}` at {stage}: {code}" for session_id, stage, code in waiting[:SHOWN])
    return dg.AssetCheckResult(
        passed=not waiting,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"quarantined": len(waiting), "sessions": dg.MetadataValue.md(shown or "none")},
    )


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
    differences = replayed(opened.database, configuration.configured_versions(opened.settings))
    return dg.AssetCheckResult(
        passed=differences == 0, metadata={"differences": differences, "more": "`memory rebuild --verify` names them"}
    )


ON_REQUEST = event_log_integrity.check_keys | tasks_replay_equal.check_keys
"""Checks that read the whole log or fold it anew: they are for a person to ask, not for every import to pay."""
