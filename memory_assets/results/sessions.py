"""Sessions and their messages, as they are printed."""

from __future__ import annotations

from datetime import datetime

from memory_assets.results.model import WireModel
from memory_assets.results.said_otherwise import SaidOtherwiseV1


class SessionSummary(WireModel):
    """One session.

    Attributes:
        source_uri: the file whose messages lead the history; ``source_uris`` are all that it was ever taken from.
        messages: how many it has.
        status: the furthest stage reached, or ``quarantined``.
        entries: how many current entries it has.
    """

    session_id: str
    source_uri: str | None
    source_uris: tuple[str, ...]
    project: str | None
    title: str | None
    messages: int
    status: str
    source_format: str | None
    language: str | None
    started_at: datetime | None
    ended_at: datetime | None
    characters: int
    revision: int
    entries: int


class MessageView(WireModel):
    """One message; ``kind`` says whether it was said or put there (sessions/model.py).

    Attributes:
        said_otherwise: what a person said instead of something of it.
    """

    session_id: str
    message_index: int
    role: str
    kind: str
    name: str | None
    ts: datetime
    text: str
    tool_name: str | None
    is_error: bool
    said_otherwise: SaidOtherwiseV1 | None = None


class Quarantined(WireModel):
    """A stage that put a session aside."""

    session_id: str
    stage: str
    error_code: str
    detail: str
    uri: str | None
    attempts: int
    quarantined_at: datetime


class SessionDetails(WireModel):
    """A session with its messages, and why it was put aside, where it was."""

    session: SessionSummary
    messages: tuple[MessageView, ...]
    quarantine: tuple[Quarantined, ...]
