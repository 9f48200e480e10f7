"""The code location: everything that the Dagster UI shows is named here."""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

from memory_assets.defs.checks import event_log_integrity, tasks_replay_equal
from memory_assets.defs.court.leaves import improvements, lessons
from memory_assets.defs.court.mirror import court_mirror
from memory_assets.defs.court.proposals import prompt_proposals
from memory_assets.defs.court.steps import court_case, court_judgement, court_statements
from memory_assets.defs.evaluation import ask_eval, retrieval_eval
from memory_assets.defs.io_manager import EventLogIOManager
from memory_assets.defs.jobs import embed_waiting_units, graduate_and_hear, graduate_sessions, hear_cases, refresh_leaves
from memory_assets.defs.leaves import ledgers, memory_index
from memory_assets.defs.resources import EventLogResource, open_store
from memory_assets.defs.retention import forget_old_sessions, nightly_retention, retention
from memory_assets.defs.sensors import sessions_folder
from memory_assets.defs.stages.aligned import aligned
from memory_assets.defs.stages.extracted import extracted
from memory_assets.defs.stages.idris_checked import idris_checked
from memory_assets.defs.stages.ingested import ingested, session_files
from memory_assets.defs.stages.materialized import materialized
from memory_assets.defs.stages.projected import projected
from memory_assets.defs.stages.vectorized import vectorized
from memory_assets.defs.store_state import store_state
from memory_assets.defs.task_board import task_board
from memory_assets.defs.vectors import vectors
from memory_assets.defs.versions import code_versions
from memory_assets.errors import MemoryAssetsError
from memory_assets.settings import Settings, load_settings


def build_definitions(settings: Settings | None = None, versions: Mapping[dg.AssetKey, str] | None = None) -> dg.Definitions:
    """The code location under some settings; None for those of the environment, read anew by each run.

    Args:
        versions: of the stages' code; None for those of now.
    """
    versions = known_versions(settings) if versions is None else versions
    assets: list[dg.AssetsDefinition | dg.AssetSpec] = [
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
        ask_eval,
        retention,
        court_case,
        court_statements,
        court_judgement,
        lessons,
        improvements,
        prompt_proposals,
        court_mirror,
    ]
    event_log = EventLogResource(settings_json=settings.model_dump_json() if settings else None)
    return dg.Definitions(
        assets=dg.map_asset_specs(lambda spec: spec.replace_attributes(code_version=versions.get(spec.key)), assets),
        asset_checks=[store_state, event_log_integrity, tasks_replay_equal],
        jobs=[graduate_sessions, graduate_and_hear, embed_waiting_units, refresh_leaves, hear_cases, forget_old_sessions],
        schedules=[nightly_retention],
        sensors=[sessions_folder],
        resources={"event_log": event_log, "io_manager": EventLogIOManager(store=event_log)},
        executor=dg.in_process_executor,
    )


def known_versions(settings: Settings | None) -> dict[dg.AssetKey, str]:
    """What each stage's version is; none where the settings cannot be used, which each run says in its own words."""
    try:
        return code_versions(open_store(settings or load_settings()).resources)
    except MemoryAssetsError:
        return {}
