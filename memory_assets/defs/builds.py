"""What the log says of a run: its build's first and its last word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets import __version__
from memory_assets.defs.model_use import ModelUse
from memory_assets.graduation.proofs.checker import checker_version
from memory_assets.log.batches import Build
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.migrations import schema_version
from memory_assets.log.payloads.builds import BuildFinished, BuildStarted
from memory_assets.log.runners import is_at_work, runner_here
from memory_assets.log.upcasting import payload_as
from memory_assets.projections.ledgers import INTERRUPTED
from memory_assets.vocabulary import PipelineStage

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.settings import Settings

_UNFINISHED = """
SELECT event_id FROM events WHERE event_type = 'build_started'
  AND build_id NOT IN (SELECT build_id FROM events WHERE event_type = 'build_finished' AND build_id IS NOT NULL)
"""


def new_build(resources: Resources, versions: dict[PipelineStage, str], run_id: str) -> Build:
    """The build of a Dagster run, with everything that its results depend on beside the sessions.

    The package's version and the process that does it are no part of what was built: they stand beside the payload.
    """
    settings = resources.settings
    build_id = f"bld_{run_id.replace('-', '')}"
    opening = NewEvent(
        payload=BuildStarted(
            build_id=build_id,
            extractor_model=settings.extraction.model or "rules",
            extractor_prompt_hash=versions["extracted"],
            embedder_model=settings.embedding.model,
            embedding_version=versions["vectorized"],
            idris_version=checker_version(resources.usable_idris2),
            schema_version=str(schema_version()),
            versions={str(stage): version for stage, version in versions.items()},
        ),
        inputs=(build_id,),
        telemetry={"package": __version__, "runner": runner_here(settings.store_folder)},
    )
    return Build(build_id, opening, run_id)


def closing(build: Build, failures: Sequence[str], use: ModelUse) -> NewEvent:
    """The event that ends a build.

    Args:
        failures: what failed in it, as stage and kind of error: what an error says may quote a session.
        use: what it asked of a model.
    """
    finished = BuildFinished(
        build_id=build.build_id, status="failed" if failures else "success", error="; ".join(failures) or None
    )
    return NewEvent(payload=finished, inputs=(build.build_id,), telemetry=use.as_json())


def end_dead_builds(settings: Settings, database: Database, log: EventLog) -> int:
    """End the builds of processes that are gone as failed; how many there were. Nobody else would ever say so."""
    with database.reading() as connection:
        unfinished = [row[0] for row in connection.execute(_UNFINISHED).fetchall()]
        openings = log.by_id(unfinished)
    dead = [event for event in openings.values() if not is_at_work(settings.store_folder, _runner(event))]
    for event in dead:
        build = Build(payload_as(event, BuildStarted).build_id, _as_new(event))
        log.append([closing(build, [INTERRUPTED], ModelUse())], build=build)
    return len(dead)


def _runner(opening: StoredEvent) -> str:
    return str(json.loads(opening.telemetry_json or "{}").get("runner", ""))


def _as_new(opening: StoredEvent) -> NewEvent:
    """The opening as it was offered: the log knows it, and writes it no second time."""
    payload = payload_as(opening, BuildStarted)
    return NewEvent(payload=payload, inputs=(payload.build_id,))
