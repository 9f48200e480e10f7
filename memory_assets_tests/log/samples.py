"""Events to append: small ones that are told apart by a number, and whole batches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_assets.log.batches import Build
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.builds import BuildStarted
from memory_assets.log.payloads.sessions import SessionIngested, SourceTakenFor
from memory_assets.log.session_history import History, histories

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def taken(number: int, *, session_id: str | None = "talk-1", file_hash: str = "f", **envelope: Any) -> NewEvent:
    """An event with a key of its own for each number; another ``file_hash`` is another payload under the same key."""
    return NewEvent(
        SourceTakenFor(registration_event_id=f"ev_{number}", uri=f"/talks/{number}.md", file_hash=file_hash),
        session_id=session_id,
        inputs=(str(number),),
        **envelope,
    )


def build(name: str) -> Build:
    """A run that writes."""
    opening = NewEvent(
        BuildStarted(
            build_id=name,
            extractor_model="rules",
            extractor_prompt_hash="p",
            embedder_model="hashing",
            embedding_version="hashing-1",
            idris_version="embedded 1",
            schema_version="5",
            versions={},
        ),
        inputs=(name,),
    )
    return Build(name, opening, dagster_run_id=f"run of {name}")


def newest(log: EventLog, *session_ids: str) -> dict[str, History]:
    """The newest history of each of these sessions that has one."""
    return histories(log, log.current(session_ids, SessionIngested.event_type))
