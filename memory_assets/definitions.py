"""The code location: everything that the Dagster UI shows is named here."""

from __future__ import annotations

import warnings

import dagster as dg

# Per-partition metadata and backfill policies are marked beta or preview; their warnings would fill every run's log.
for _category in (dg.BetaWarning, dg.PreviewWarning):
    warnings.filterwarnings("ignore", category=_category)

from memory_assets.defs.checks import event_log_integrity, no_sessions_quarantined  # noqa: E402
from memory_assets.defs.io_manager import EventLogIOManager  # noqa: E402
from memory_assets.defs.jobs import graduate_sessions  # noqa: E402
from memory_assets.defs.leaves import memory_index  # noqa: E402
from memory_assets.defs.resources import EventLogResource  # noqa: E402
from memory_assets.defs.sensors import sessions_folder  # noqa: E402
from memory_assets.defs.stages.aligned import aligned  # noqa: E402
from memory_assets.defs.stages.extracted import extracted  # noqa: E402
from memory_assets.defs.stages.idris_checked import idris_checked  # noqa: E402
from memory_assets.defs.stages.ingested import ingested, session_files  # noqa: E402
from memory_assets.defs.stages.materialized import materialized  # noqa: E402
from memory_assets.defs.stages.projected import projected  # noqa: E402
from memory_assets.defs.stages.vectorized import vectorized  # noqa: E402
from memory_assets.settings import Settings  # noqa: E402


def build_definitions(settings: Settings | None = None) -> dg.Definitions:
    """The code location under some settings; None for those of the environment, read anew by each run."""
    event_log = EventLogResource(settings_json=settings.model_dump_json() if settings else None)
    return dg.Definitions(
        assets=[
            session_files,
            ingested,
            extracted,
            aligned,
            materialized,
            idris_checked,
            projected,
            vectorized,
            memory_index,
        ],
        asset_checks=[no_sessions_quarantined, event_log_integrity],
        jobs=[graduate_sessions],
        sensors=[sessions_folder],
        resources={"event_log": event_log, "io_manager": EventLogIOManager(store=event_log)},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
