"""What was forgotten of sessions whose rest is kept, read from the log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memory_assets.log.event_log import COLUMNS, EventLog
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.forgetting import ForgottenField, ForgottenPlace, TextForgotten, TextUnforgotten
from memory_assets.log.payloads.sessions import MessageContinued, SessionIngested
from memory_assets.log.session_history import History, history_at
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.masking.forgotten_spans import overwritten
from memory_assets.sessions.model import Message

if TYPE_CHECKING:
    from memory_assets.log.database import Database

_REVISIONS = (SessionIngested.event_type, MessageContinued.event_type)


@dataclass(frozen=True, slots=True)
class ForgottenTexts:
    """What was forgotten of one session, by the ids of the ``text_forgotten`` events.

    Attributes:
        said: every word of forgetting, in the order in which they were said.
        back: those that were wanted back.
        originals: the history in which the words still stand; none after a purge.
    """

    said: Mapping[str, TextForgotten] = field(default_factory=dict)
    back: frozenset[str] = frozenset()
    originals: Mapping[str, History] = field(default_factory=dict)

    @property
    def active(self) -> dict[str, TextForgotten]:
        """What is to stay away."""
        return {event_id: payload for event_id, payload in self.said.items() if event_id not in self.back}

    @property
    def unforgotten(self) -> dict[str, TextForgotten]:
        """What was wanted back."""
        return {event_id: payload for event_id, payload in self.said.items() if event_id in self.back}

    def and_also(self, event_id: str, payload: TextForgotten, history: History) -> ForgottenTexts:
        """One word more, about a history."""
        return replace(self, said={**self.said, event_id: payload}, originals={**self.originals, event_id: history})

    def wanting_back(self, event_ids: Iterable[str]) -> ForgottenTexts:
        """Some words taken back."""
        return replace(self, back=self.back.union(event_ids))

    def differ_from(self, applied: Collection[str]) -> bool:
        """Whether a history in which these are overwritten is another than it should be."""
        return not self.active.keys() <= set(applied) or not self.unforgotten.keys().isdisjoint(applied)

    def applied_next(self, applied: Collection[str]) -> list[str]:
        """What the next history has overwritten: what another store kept away of it stays away too."""
        return sorted((set(applied) | self.active.keys()) - self.unforgotten.keys())

    def new(self, applied: Collection[str]) -> dict[str, TextForgotten]:
        """What a history still holds though it was forgotten."""
        return {event_id: payload for event_id, payload in self.active.items() if event_id not in applied}

    @property
    def places(self) -> list[tuple[str, ForgottenPlace]]:
        """All that is to stay away, each with the id of its word."""
        return [(event_id, place) for event_id, payload in self.active.items() for place in payload.places]

    @property
    def uids(self) -> set[str]:
        """The messages of which something is to stay away."""
        return {place.uid for _, place in self.places if place.uid is not None}

    def spans_of(self, uid: str | None, of_field: ForgottenField) -> list[tuple[int, int]]:
        """What is to stay away of a message, or of the title."""
        return [span for _, place in self.places if (place.uid, place.field) == (uid, of_field) for span in place.spans]

    def original(self, event_id: str, place: ForgottenPlace) -> Message | None:
        """The message of a place before its words were overwritten, as far as the log still holds it."""
        history = self.originals.get(event_id)
        return None if history is None else message_at_place(history, place)

    @property
    def original_texts(self) -> list[tuple[str, Message, ForgottenPlace]]:
        """The messages of whose texts something was ever forgotten, as far as the log still holds them."""
        return [
            (event_id, original, place)
            for event_id, payload in self.said.items()
            for place in payload.places
            if place.field == "text" and (original := self.original(event_id, place)) is not None
        ]

    @property
    def names_away(self) -> dict[str | None, str]:
        """By what speakers were called, what is left of their names; as far as the log still holds these."""
        named = [(self.original(event_id, place), place) for event_id, place in self.places if place.field == "name"]
        return {one.name: overwritten(one.name, place.spans) for one, place in named if one is not None and one.name}

    def original_titles(self, words: Mapping[str, TextForgotten]) -> list[tuple[str, Sequence[tuple[int, int]]]]:
        """The titles of which something was forgotten, with the spans of it, as far as the log still holds them."""
        return [
            (original, place.spans)
            for event_id, payload in words.items()
            for place in payload.places
            if place.field == "title" and event_id in self.originals
            if (original := self.originals[event_id].heading.title)
        ]

    @property
    def of_title(self) -> bool:
        """Whether words of the title are to stay away."""
        return any(place.field == "title" for _, place in self.places)


def message_at_place(history: History, place: ForgottenPlace) -> Message | None:
    """The message of a history that a place of it names."""
    index = place.message_index
    return None if index is None or index >= len(history.messages) else history.messages[index]


NOTHING_FORGOTTEN = ForgottenTexts()


def forgotten_texts(log: EventLog, database: Database, session_ids: Sequence[str]) -> dict[str, ForgottenTexts]:
    """What was forgotten of some sessions; those of which nothing ever was are absent."""
    by_session: dict[str, list[StoredEvent]] = {}
    for event in log.of_sessions(session_ids, [TextForgotten.event_type, TextUnforgotten.event_type]):
        by_session.setdefault(str(event.session_id), []).append(event)
    return {session_id: _of_session(session_id, events, database) for session_id, events in by_session.items()}


def _of_session(session_id: str, events: Sequence[StoredEvent], database: Database) -> ForgottenTexts:
    said: dict[str, TextForgotten] = {}
    back: set[str] = set()
    for event in events:
        if event.event_type == TextForgotten.event_type:
            said[event.event_id] = payload_as(event, TextForgotten)
        else:
            back.add(payload_as(event, TextUnforgotten).forgetting_event_id)
    revisions = all_revisions(database, session_id)
    found = {event_id: history_at(revisions, payload.history_event_id) for event_id, payload in said.items()}
    return ForgottenTexts(said, frozenset(back), {event_id: history for event_id, history in found.items() if history})


def forgotten_sessions(database: Database, session_ids: Sequence[str]) -> set[str]:
    """Those that were forgotten as a whole, and that nobody wanted back."""
    with database.reading() as connection:
        rows = connection.execute(
            f"SELECT session_id FROM forgotten_sessions WHERE session_id IN {IN_LIST}", [json_list(session_ids)]
        ).fetchall()
    return {row[0] for row in rows}


def all_revisions(database: Database, session_id: str) -> list[StoredEvent]:
    """Every revision of a session that the log still holds, of the histories that nothing reads any more too."""
    with database.reading() as connection:
        rows = connection.execute(
            f"SELECT {COLUMNS} FROM events WHERE session_id = ? AND event_type IN {_REVISIONS} ORDER BY seq", [session_id]
        ).fetchall()
    return [StoredEvent._make(row) for row in rows]
