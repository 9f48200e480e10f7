"""A case: a session as evidence, event by event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_assets.identifiers import typed_id
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import Stretch, origins_of
from memory_assets.vocabulary import Actor


@dataclass(frozen=True, slots=True)
class CaseEvent:
    """One message of the session, as evidence.

    Attributes:
        event_id: the same for the same message of the same session, however the session grows.
        place: the message's index in its session.
        stretches: who wrote which characters of its text, in order, without gaps.
    """

    event_id: str
    place: int
    message: Message
    stretches: tuple[Stretch, ...]

    @property
    def actor(self) -> Actor:
        """Who acts: a program that speaks in somebody's name is the system."""
        message = self.message
        if message.kind in ("injected", "superseded") or message.role == "system":
            return "system"
        if message.kind == "tool_result" or message.role == "tool":
            return "tool"
        return "human" if message.role == "user" and not message.sidechain else "ai"


@dataclass(frozen=True, slots=True)
class Case:
    """A session that lessons may be drawn from; snapshots of one growing session are one case."""

    case_id: str
    session_id: str
    project: str | None
    events: tuple[CaseEvent, ...]


def case_of(session_id: str, project: str | None, messages: Sequence[Message]) -> Case:
    """The case of a session's history."""
    events = tuple(
        CaseEvent(case_event_id(session_id, message.uid), place, message, origins_of(message))
        for place, message in enumerate(messages)
    )
    return Case(case_id(session_id), session_id, project, events)


def case_id(session_id: str) -> str:
    """``case_`` and a hash of the session's id."""
    return typed_id("case", session_id)


def case_event_id(session_id: str, message_uid: str) -> str:
    """``cev_`` and a hash of the message's place of origin."""
    return typed_id("cev", session_id, message_uid)
