"""Long texts of messages go on in further events, so that no single row grows without bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import Continuation, MessageContinued
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.model import Message

EVENT_CHARACTERS = 1_000_000


def split(messages: Iterable[tuple[str, Message]]) -> tuple[list[Message], dict[str, list[str]]]:
    """Messages as one event holds them, and what goes on in further events, by the name that each message is given."""
    held: list[Message] = []
    rest: dict[str, list[str]] = {}
    for name, message in messages:
        if len(message.text) > EVENT_CHARACTERS:
            starts = range(EVENT_CHARACTERS, len(message.text), EVENT_CHARACTERS)
            rest[name] = [message.text[start : start + EVENT_CHARACTERS] for start in starts]
            message = replace(message, text=message.text[:EVENT_CHARACTERS])
        held.append(message)
    return held, rest


def announced(rest: Mapping[str, Sequence[str]]) -> list[Continuation]:
    """What the event that holds the messages says of their continuations."""
    return [Continuation(uid=name, parts=len(parts)) for name, parts in rest.items()]


def continuing(
    event: NewEvent, rest: Mapping[str, Sequence[str]], *, chain_id: str, occurred_at: datetime | None
) -> list[NewEvent]:
    """The events that a message's text goes on in, behind the event that holds its beginning."""
    return [
        NewEvent(
            payload=MessageContinued(uid=name, part=part, text=text),
            session_id=event.session_id,
            inputs=(event.event_id, name),
            stage_version=event.stage_version,
            ordinal=part,
            occurred_at=occurred_at,
            causation_id=event.event_id,
            chain_id=chain_id,
            project=event.project,
        )
        for name, parts in rest.items()
        for part, text in enumerate(parts)
    ]


def continuations(events: Iterable[StoredEvent]) -> dict[tuple[str | None, str], str]:
    """How texts go on, by the event that holds their beginning and the name of the message in it."""
    parts: dict[tuple[str | None, str], dict[int, str]] = {}
    for event in events:
        if event.event_type == MessageContinued.event_type:
            part = payload_as(event, MessageContinued)
            parts.setdefault((event.causation_id, part.uid), {})[part.part] = part.text
    return {key: "".join(text for _, text in sorted(texts.items())) for key, texts in parts.items()}


def whole(message: Message, rest: str | None) -> Message:
    """The message with what its text goes on with."""
    return message if rest is None else replace(message, text=message.text + rest)
