"""What the stages logged of a session, read back as values.

A session's *chain* is its latest history followed through the stages in their configured versions. Each stage's own event
names the events that hold its parts; here they are put together again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.long_texts import continuations, whole
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.entries import (
    EntriesMaterialized,
    EntryMaterialized,
    EvidenceAligned,
    MemoryExtracted,
    WindowAligned,
    WindowExtracted,
)
from memory_assets.log.payloads.sessions import MessageContinued, SessionHeading, SessionIngested
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.model import Message

_Result = TypeVar("_Result", bound=Payload)


@dataclass(frozen=True, slots=True)
class History:
    """A session's whole history at its newest revision.

    Attributes:
        logged_at: when that revision was logged; nothing of it was said later, whatever its own clock says.
    """

    session_id: str
    event_id: str
    chain_id: str
    revision: int
    heading: SessionHeading
    messages: tuple[Message, ...]
    logged_at: datetime | None = None

    @property
    def project(self) -> str | None:
        return self.heading.project

    @property
    def started_at(self) -> datetime:
        return self.heading.started_at

    def event(
        self,
        payload: Payload,
        *,
        inputs: tuple[str, ...],
        stage_version: str,
        causation_id: str | None = None,
        occurred_at: datetime | None = None,
        actor: str = "pipeline",
        telemetry: Mapping[str, Any] | None = None,
    ) -> NewEvent:
        """An event that belongs to this history; it occurred when the session began, unless it says otherwise."""
        return NewEvent(
            payload=payload,
            session_id=self.session_id,
            inputs=inputs,
            stage_version=stage_version,
            actor=actor,
            occurred_at=occurred_at or self.started_at,
            causation_id=causation_id,
            chain_id=self.chain_id,
            project=self.project,
            telemetry=dict(telemetry or {}),
        )

    def said_at(self, message_index: int) -> datetime:
        """When a message was said: its own time, else the session's start plus its index in seconds."""
        return self.messages[message_index].ts or self.started_at + timedelta(seconds=message_index)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The windows of a history, each with its event's id and the extractor's answer."""

    event_id: str
    windows: tuple[tuple[str, WindowExtracted], ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The windows of a history with their quotes aligned, in the order of the extraction's."""

    event_id: str
    windows: tuple[WindowAligned, ...]


@dataclass(frozen=True, slots=True)
class Materialization:
    """A history's entries, each with the id and the event that holds it."""

    event_id: str
    entries: tuple[tuple[StoredEvent, EntryMaterialized], ...]


def histories(log: EventLog, heads: Mapping[str, StoredEvent]) -> dict[str, History]:
    """Each session's whole history up to its newest ``session_ingested``, as :meth:`EventLog.current` gives them."""
    if not heads:
        return {}
    told = _by_session(log.of_sessions(list(heads), [SessionIngested.event_type, MessageContinued.event_type]))
    return {session_id: _history(head, told[session_id]) for session_id, head in heads.items()}


def history_of(events: Sequence[StoredEvent]) -> History:
    """The whole history of one session at the newest revision among some events.

    Args:
        events: the session's visible ``session_ingested`` and ``message_continued`` in commit order, at least one revision.
    """
    return _history(next(event for event in reversed(events) if event.event_type == SessionIngested.event_type), events)


def history_at(events: Sequence[StoredEvent], revision: str) -> History | None:
    """A session's whole history as it stood at one of its revisions; None where that is not among the events.

    Args:
        events: the session's ``session_ingested`` and ``message_continued`` in commit order, of retired histories too.
        revision: the id of the ``session_ingested``.
    """
    place = next((place for place, event in enumerate(events) if event.event_id == revision), None)
    return None if place is None else _history(events[place], [*events[: place + 1], *_continuing(events[place + 1 :])])


def extractions(log: EventLog, session_ids: Sequence[str]) -> dict[str, Extraction]:
    """What was extracted from each session's newest history."""
    manifests = _manifests(log, session_ids, MemoryExtracted)
    parts = log.by_id([part for _, manifest in manifests.values() for part in manifest.windows])
    return {
        session_id: Extraction(event_id, tuple((part, payload_as(parts[part], WindowExtracted)) for part in manifest.windows))
        for session_id, (event_id, manifest) in manifests.items()
    }


def alignments(log: EventLog, session_ids: Sequence[str]) -> dict[str, Alignment]:
    """What became of the quotes of each session's newest history."""
    manifests = _manifests(log, session_ids, EvidenceAligned)
    parts = log.by_id([part for _, manifest in manifests.values() for part in manifest.windows])
    return {
        session_id: Alignment(event_id, tuple(payload_as(parts[part], WindowAligned) for part in manifest.windows))
        for session_id, (event_id, manifest) in manifests.items()
    }


def materializations(log: EventLog, session_ids: Sequence[str]) -> dict[str, Materialization]:
    """The entries of each session's newest history."""
    manifests = _manifests(log, session_ids, EntriesMaterialized)
    parts = log.by_id([part for _, manifest in manifests.values() for part in manifest.entries])
    return {
        session_id: Materialization(
            event_id,
            tuple((parts[part], payload_as(parts[part], EntryMaterialized)) for part in manifest.entries),
        )
        for session_id, (event_id, manifest) in manifests.items()
    }


def _manifests(log: EventLog, session_ids: Sequence[str], result: type[_Result]) -> dict[str, tuple[str, _Result]]:
    """A stage's own result of each session's newest history, with its event's id: it names the events that hold its parts."""
    current = log.current(session_ids, result.event_type)
    return {session_id: (event.event_id, payload_as(event, result)) for session_id, event in current.items()}


def _by_session(events: Iterable[StoredEvent]) -> dict[str, list[StoredEvent]]:
    grouped: dict[str, list[StoredEvent]] = {}
    for event in events:
        grouped.setdefault(str(event.session_id), []).append(event)
    return grouped


def _history(head: StoredEvent, events: Sequence[StoredEvent]) -> History:
    assert head.chain_id is not None and head.session_id is not None
    heading: SessionHeading | None = None
    newest: list[Message] = []
    revision = 0
    for _, told, messages in _replayed(events, head.chain_id):
        heading, revision, newest = told.heading or heading, told.revision, messages
    assert heading is not None
    logged_at = head.ts.replace(tzinfo=UTC)  # the log keeps moments in UTC, without saying so
    return History(head.session_id, head.event_id, head.chain_id, revision, heading, tuple(newest), logged_at)


def _continuing(events: Sequence[StoredEvent]) -> Iterator[StoredEvent]:
    """The long texts that stand behind the revision that they belong to."""
    return (event for event in events if event.event_type == MessageContinued.event_type)


def messages_at(events: Sequence[StoredEvent], chain_id: str, revisions: Collection[str]) -> dict[str, tuple[Message, ...]]:
    """The messages of a history as they stood at some of its revisions, by the ids of these ``session_ingested``.

    Args:
        events: the session's ``session_ingested`` and ``message_continued`` in commit order; others are passed over.
    """
    return {
        event.event_id: tuple(messages) for event, _, messages in _replayed(events, chain_id) if event.event_id in revisions
    }


def _replayed(events: Sequence[StoredEvent], chain_id: str) -> Iterator[tuple[StoredEvent, SessionIngested, list[Message]]]:
    """Each revision of a history with its messages: one list, which the next revision changes."""
    messages: list[Message] = []
    further = continuations(events)
    for event in events:
        if event.event_type != SessionIngested.event_type or event.chain_id != chain_id:
            continue
        told = payload_as(event, SessionIngested)
        del messages[told.common_prefix :]
        messages += (whole(message, further.get((event.event_id, message.uid))) for message in told.messages)
        yield event, told, messages
