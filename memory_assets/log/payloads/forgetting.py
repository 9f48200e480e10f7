"""What a person wants forgotten, and wants back. None of these holds a word of what it is about."""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.log.payloads.base import Payload, Value

ForgottenField = Literal["text", "name", "title"]
"""Where a span stands: in a message's text, in its speaker's name, or in the session's title."""


class ForgottenPlace(Value):
    """Spans of one field of a session.

    Attributes:
        message_index, uid: of the message; its place in the history, and the id that its source gives it. None for the title.
        spans: half-open ranges of code points, in the text as it was masked when it was forgotten.
    """

    field: ForgottenField
    message_index: int | None = None
    uid: str | None = None
    spans: list[tuple[int, int]]


class SessionForgotten(Payload):
    """Nothing of the session is to be read any more.

    Attributes:
        reason: ``asked`` by a person, or ``retention``; never a word of the session.
    """

    event_type: ClassVar[str] = "session_forgotten"
    reason: str


class SessionUnforgotten(Payload):
    """The session may be read again: all of it that is still in the log, and what is imported of it."""

    event_type: ClassVar[str] = "session_unforgotten"


class TextForgotten(Payload):
    """Parts of a session are not to be read any more; a new history of it, in the same transaction, has them overwritten.

    Attributes:
        history_event_id: the ``session_ingested`` whose messages are meant.
        reason: as in :class:`SessionForgotten`.
    """

    event_type: ClassVar[str] = "text_forgotten"
    places: list[ForgottenPlace]
    history_event_id: str
    reason: str


class TextUnforgotten(Payload):
    """What a ``text_forgotten`` took may be read again; a new history, in the same transaction, has it."""

    event_type: ClassVar[str] = "text_unforgotten"
    forgetting_event_id: str


FORGETTING = tuple(payload.event_type for payload in (SessionForgotten, SessionUnforgotten, TextForgotten, TextUnforgotten))
"""What says that something is to be hidden, or shown again."""
