"""What the log has of the step before, for the next step of the court."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.hearings_read import Hearings

if TYPE_CHECKING:
    from memory_assets.defs.resources import OpenStore
    from memory_assets.log.events import StoredEvent


def opened_cases(opened: OpenStore, session_ids: list[str]) -> dict[str, StoredEvent]:
    """By session the event that opened its newest history for the configured court; a session without one is absent."""
    hearings = Hearings(opened.log, session_ids, opened.resources.court_version)
    found = {session_id: hearings.opened(history) for session_id, history in opened.histories(session_ids).items()}
    return {session_id: event for session_id, event in found.items() if event is not None}


def spoken_statements(opened: OpenStore, session_ids: list[str]) -> dict[str, list[StoredEvent]]:
    """By session what the three said of its opened case; a session of which not all have spoken is absent."""
    hearings = Hearings(opened.log, session_ids, opened.resources.court_version)
    spoken = {
        session_id: hearings.statements(session_id, event.event_id)
        for session_id, event in opened_cases(opened, session_ids).items()
    }
    return {session_id: events for session_id, events in spoken.items() if events}
