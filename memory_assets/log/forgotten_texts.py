"""What was forgotten of sessions whose rest is kept, read from the log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_assets.log.event_log import COLUMNS, EventLog
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.forgetting import TextForgotten, TextUnforgotten
from memory_assets.log.payloads.sessions import MessageContinued, SessionIngested
from memory_assets.log.session_history import History, history_at
from memory_assets.log.upcasting import payload_as

if TYPE_CHECKING:
    from memory_assets.log.database import Database

_REVISIONS = (SessionIngested.event_type, MessageContinued.event_type)


@dataclass(frozen=True, slots=True)
class ForgottenTexts:
    """What was forgotten of one session, by the ids of the ``text_forgotten`` events.

    Attributes:
        active: what is to stay away.
        unforgotten: what was wanted back.
        originals: by the same ids, the history in which what was wanted back still stands; none after a purge.
    """

    active: Mapping[str, TextForgotten] = field(default_factory=dict)
    unforgotten: Mapping[str, TextForgotten] = field(default_factory=dict)
    originals: Mapping[str, History] = field(default_factory=dict)

    def differ_from(self, applied: Collection[str]) -> bool:
        """Whether a history in which these are overwritten is another than it should be."""
        return not self.active.keys() <= set(applied) or not self.unforgotten.keys().isdisjoint(applied)

    def applied_next(self, applied: Collection[str]) -> list[str]:
        """What the next history has overwritten: what another store kept away of it stays away too."""
        return sorted((set(applied) | self.active.keys()) - self.unforgotten.keys())

    def new(self, applied: Collection[str]) -> list[TextForgotten]:
        """What a history still holds though it was forgotten."""
        return [payload for event_id, payload in self.active.items() if event_id not in applied]

    @property
    def uids(self) -> set[str]:
        """The messages of which something is to stay away."""
        return {place.uid for payload in self.active.values() for place in payload.places if place.uid is not None}

    @property
    def of_title(self) -> bool:
        """Whether words of the title are to stay away."""
        return any(place.field == "title" for payload in self.active.values() for place in payload.places)


NOTHING_FORGOTTEN = ForgottenTexts()


def forgotten_texts(log: EventLog, database: Database, session_ids: Sequence[str]) -> dict[str, ForgottenTexts]:
    """What was forgotten of some sessions; those of which nothing ever was are absent."""
    by_session: dict[str, list[StoredEvent]] = {}
    for event in log.of_sessions(session_ids, [TextForgotten.event_type, TextUnforgotten.event_type]):
        by_session.setdefault(str(event.session_id), []).append(event)
    return {session_id: _of_session(session_id, events, database) for session_id, events in by_session.items()}


def _of_session(session_id: str, events: Sequence[StoredEvent], database: Database) -> ForgottenTexts:
    active: dict[str, TextForgotten] = {}
    unforgotten: dict[str, TextForgotten] = {}
    for event in events:
        if event.event_type == TextForgotten.event_type:
            active[event.event_id] = payload_as(event, TextForgotten)
            continue
        forgetting = payload_as(event, TextUnforgotten).forgetting_event_id
        if forgetting in active:
            unforgotten[forgetting] = active.pop(forgetting)
    revisions = all_revisions(database, session_id) if unforgotten else ()
    found = {event_id: history_at(revisions, payload.history_event_id) for event_id, payload in unforgotten.items()}
    return ForgottenTexts(active, unforgotten, {event_id: history for event_id, history in found.items() if history})


def all_revisions(database: Database, session_id: str) -> list[StoredEvent]:
    """Every revision of a session that the log still holds, of the histories that nothing reads any more too."""
    with database.reading() as connection:
        rows = connection.execute(
            f"SELECT {COLUMNS} FROM events WHERE session_id = ? AND event_type IN {_REVISIONS} ORDER BY seq", [session_id]
        ).fetchall()
    return [StoredEvent._make(row) for row in rows]
