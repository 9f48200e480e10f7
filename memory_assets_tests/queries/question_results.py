"""A log with two builds in it and what their stages measured, written as runs write it."""

from __future__ import annotations

from typing import Any

from memory_assets.defs.builds import closing
from memory_assets.defs.model_use import ModelUse
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.log.batches import Build, StageMetric
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.builds import BuildStarted
from memory_assets.log.payloads.entries import WindowExtracted
from memory_assets.projections.fold import catch_up
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story

FIRST, SECOND = "bld_aa11", "bld_ab22"
SLOW = "talk-9"


def build(build_id: str, **telemetry: Any) -> Build:
    """A run with everything that a build says of itself."""
    opening = NewEvent(
        BuildStarted(
            build_id=build_id,
            extractor_model="openai/tiny",
            extractor_prompt_hash="llm-1-abc window 24000",
            embedder_model="hashing",
            embedding_version="hashing-1",
            idris_version="embedded 1",
            schema_version="7",
            versions=VERSIONS,
        ),
        inputs=(build_id,),
        telemetry=telemetry,
    )
    return Build(build_id, opening, f"run of {build_id}")


def window(session_id: str, number: int, **spent: Any) -> NewEvent:
    """A model's answer, with what it cost."""
    payload = WindowExtracted(
        window_hash=str(number), first_message=0, end_message=1, extractor="openai/tiny", entries=[], warnings=[]
    )
    return NewEvent(payload, session_id=session_id, inputs=(session_id, str(number)), telemetry=spent)


def fill(database: Database) -> None:
    """Ten sessions: nine of the first build, which ended well; the tenth, slow, of the second, which nobody ended."""
    log = EventLog(database)
    first, second = build(FIRST, package="0.1.0", runner="gone"), build(SECOND, runner="gone")
    for number in range(9):
        story = Story(f"talk-{number}", started=STARTED)
        kept, refused = Remark(f"Keep number {number}", 0), Remark(f"Nobody said {number}", 1, promoted=None, quoted=False)
        told = story.tell([f"We keep number {number}.", "Something else."], [kept, refused] if number == 0 else [kept])
        log.append(
            told,
            build=first,
            metrics=[
                StageMetric("extracted", story.session_id, 10.0 * (number + 1), True),
                StageMetric("aligned", story.session_id, 1.0, number != 3, error="too_long" if number == 3 else None),
            ],
        )
    log.append([window("talk-0", 1, requests=1, input_tokens=100, output_tokens=20, cost_usd=0.5, seconds=2.0)], build=first)
    use = ModelUse()
    use.add(ExtractionTelemetry(input_tokens=130, output_tokens=25, cost_usd=0.75, seconds=3.0, attempts=2), windows=1)
    log.append([closing(first, [], use)], build=first)
    catch_up(database, VERSIONS)
    slow = Story(SLOW, started=STARTED)
    log.append(
        slow.tell(["We keep the last."], [Remark("Keep the last", 0)]),
        build=second,
        metrics=[StageMetric("extracted", SLOW, 1000.0, True)],
    )
    log.append([window(SLOW, 1, requests=3, input_tokens=1000, output_tokens=40, seconds=9.0)], build=second)
    log.append([window(SLOW, 2, requests=1, input_tokens=500, output_tokens=10, seconds=1.0)], build=second)
