"""The code location: everything that the Dagster UI shows is named here."""

from __future__ import annotations

import dagster as dg

from memory_assets.defs.checks import event_log_integrity, no_sessions_quarantined, tasks_replay_equal
from memory_assets.defs.evaluation import retrieval_eval
from memory_assets.defs.io_manager import EventLogIOManager
from memory_assets.defs.jobs import embed_waiting_units, graduate_sessions
from memory_assets.defs.leaves import ledgers, memory_index
from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.sensors import sessions_folder
from memory_assets.defs.stages.aligned import aligned
from memory_assets.defs.stages.extracted import extracted
from memory_assets.defs.stages.idris_checked import idris_checked
from memory_assets.defs.stages.ingested import ingested, session_files
from memory_assets.defs.stages.materialized import materialized
from memory_assets.defs.stages.projected import projected
from memory_assets.defs.stages.vectorized import vectorized
from memory_assets.defs.task_board import task_board
from memory_assets.defs.vectors import vectors
from memory_assets.settings import Settings


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
            vectors,
            ledgers,
            task_board,
            retrieval_eval,
        ],
        asset_checks=[no_sessions_quarantined, event_log_integrity, tasks_replay_equal],
        jobs=[graduate_sessions, embed_waiting_units],
        sensors=[sessions_folder],
        resources={"event_log": event_log, "io_manager": EventLogIOManager(store=event_log)},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
