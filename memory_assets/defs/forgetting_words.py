"""The words of forgetting and of taking it back, as events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten, SessionUnforgotten, TextUnforgotten
from memory_assets.queries.forgettings import list_forgettings

if TYPE_CHECKING:
    from memory_assets.defs.resources import OpenStore


def session_forgotten(session_id: str, at: datetime, reason: str) -> NewEvent:
    """A session goes as a whole."""
    return NewEvent(
        SessionForgotten(reason=reason), session_id=session_id, inputs=(at.isoformat(),), actor="person", occurred_at=at
    )


def session_unforgotten(session_id: str, event_id: str) -> NewEvent:
    """It may be read again; ``event_id`` is the word that is taken back."""
    return NewEvent(SessionUnforgotten(), session_id=session_id, inputs=(event_id,), actor="person")


def text_unforgotten(session_id: str, event_id: str) -> NewEvent:
    """Parts of it may be read again; ``event_id`` is the word that is taken back."""
    payload = TextUnforgotten(forgetting_event_id=event_id)
    return NewEvent(payload, session_id=session_id, inputs=(event_id,), actor="person")


def wanted_again(opened: OpenStore, session_ids: Sequence[str]) -> list[NewEvent]:
    """What takes back everything that was forgotten of some sessions, before their files are taken in again."""
    if not session_ids:
        return []
    wanted = set(session_ids)
    with opened.database.reading() as connection:
        known = [one for one in list_forgettings(connection).forgettings if one.holds and one.session_id in wanted]
    return [
        session_unforgotten(one.session_id, one.event_id)
        if one.what == "session"
        else text_unforgotten(one.session_id, one.event_id)
        for one in known
    ]
