"""The mark that a session's units were handed to the vectors."""

from __future__ import annotations

from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import SessionVectorized


def vectorized_event(projected: StoredEvent, embedding_version: str) -> NewEvent:
    """The event of a session whose ``session_projected`` this is; the same whoever makes it."""
    return NewEvent(
        payload=SessionVectorized(projected_event_id=projected.event_id, embedding_version=embedding_version),
        session_id=projected.session_id,
        inputs=(projected.event_id,),
        stage_version=embedding_version,
        causation_id=projected.event_id,
        chain_id=projected.chain_id,
        project=projected.project,
    )
