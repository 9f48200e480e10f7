"""What thousands of files cost that the log knows already."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memory_assets.defs import registration
from memory_assets.defs.resources import open_store
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionVectorized, SourceRegistered, SourceTakenFor
from memory_assets.settings import Settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.sensor.ticks import Tick, asked, settled, text_file


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_known_files_cost_a_listing(
    count: int, folder: Path, settings: Settings, tick: Tick, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(settings, [text_file(folder / f"s{number:05}.json", "{}") for number in range(count)])
    settled(chat(folder, "t-new", talk(1)))

    def unread(path: str) -> Any:
        raise AssertionError(f"{path} was read though the log knows it")

    with monkeypatch.context() as patch:
        load = registration.load_source
        patch.setattr(registration, "load_source", lambda path: load(path) if path.endswith("t-new.json") else unread(path))
        started = time.process_time()
        assert asked(tick()) == [("t-new", "t-new")]
        spent = time.process_time() - started
        print(f"{count} files: {spent:.2f} s")
        assert spent < 8


def known(settings: Settings, paths: Sequence[Path]) -> None:
    """The log as it stands when all of these files were taken long ago, each with a session of its own."""
    settled(*paths)
    opened = open_store(settings)
    opened.follow_versions()
    version = opened.sources.version
    told: list[NewEvent] = []
    for path in paths:
        stamp = registration.stamp_of(path.stat())
        registered = NewEvent(
            SourceRegistered(uri=str(path), file_hash="h", source_format="chat.v1", byte_length=2),
            session_id=path.stem,
            inputs=(str(path),),
            stage_version=version,
            telemetry=stamp,
        )
        told += [registered, *_through(path, registered.event_id, version, opened.versions)]
    opened.log.append(told)


def _through(path: Path, registration_id: str, version: str, versions: Any) -> list[NewEvent]:
    from memory_assets.log.payloads.entries import EntriesMaterialized, EvidenceAligned, MemoryExtracted
    from memory_assets.log.payloads.graduation import IdrisChecked
    from memory_assets.log.payloads.sessions import SessionHeading, SessionIngested, SessionProjected
    from memory_assets_tests.defs.files import STARTED

    taken = NewEvent(
        SourceTakenFor(registration_event_id=registration_id, uri=str(path), file_hash="h"),
        session_id=path.stem,
        inputs=(registration_id,),
        stage_version=version,
    )
    steps: list[tuple[str, Any]] = [
        ("extracted", lambda _: MemoryExtracted(extractor_kind="rules", extractor_model="", windows=[], entry_count=0)),
        (
            "aligned",
            lambda before: EvidenceAligned(
                source_event_id="", extraction_event_id=before, windows=[], aligned_count=0, failed_count=0, methods={}
            ),
        ),
        ("materialized", lambda before: EntriesMaterialized(alignment_event_id=before, entries=[])),
        ("idris_checked", lambda before: IdrisChecked(materialized_event_id=before, verdicts=[])),
        ("projected", lambda before: SessionProjected(checked_event_id=before)),
        ("vectorized", lambda before: SessionVectorized(projected_event_id=before, embedding_version="v")),
    ]
    ingested = NewEvent(
        SessionIngested(
            revision=1,
            heading=SessionHeading(
                source_format="chat.v1", source_id=path.stem, started_at=STARTED, parser_version="1", redaction_policy="p"
            ),
            content_hash="h",
            messages=[],
        ),
        session_id=path.stem,
        inputs=("", "h"),
    )
    chain = [ingested]
    for stage, made in steps:
        before = chain[-1].event_id
        chain.append(
            NewEvent(
                made(before),
                session_id=path.stem,
                inputs=(before,),
                stage_version=versions[stage],
                causation_id=before,
                chain_id=ingested.event_id,
            )
        )
    return [taken, *chain]
