"""What came in, and how far a session has come."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from pydantic import Field

from memory_assets.log.payloads.base import Payload, Value
from memory_assets.sessions.model import Message, SourceFormat
from memory_assets.vocabulary import PipelineStage


class DefectRecord(Value):
    """Something in a file that could not be taken as it is."""

    line: int | None = None
    reason: str
    detail: str = ""


class SourceRegistered(Payload):
    """A file was read and holds the session of this event; of several sessions in one file the first names the defects."""

    event_type: ClassVar[str] = "source_registered"
    uri: str
    file_hash: str
    source_format: SourceFormat
    byte_length: int
    defects: list[DefectRecord] = []


class SourceRefused(Payload):
    """A file cannot be taken as a whole, or holds a session that we refuse: a dead letter, keyed by source and content."""

    event_type: ClassVar[str] = "session_rejected"
    uri: str
    file_hash: str | None = None
    reason: str
    line: int | None = None
    detail: str = ""
    source_session_id: str | None = None


class SourceTakenFor(Payload):
    """What a file says of a session is part of the session's history now (also when it added nothing)."""

    event_type: ClassVar[str] = "source_taken"
    registration_event_id: str
    uri: str
    file_hash: str
    redactions: dict[str, int] = {}


class Continuation(Value):
    """The text of message ``uid`` goes on in ``parts`` further events."""

    uid: str
    parts: int


class SessionHeading(Value):
    """What is said of a session beside its messages, and how they were read.

    Attributes:
        started_at: the session's own, or the file's date where it has none; taken once, kept by later revisions.
        started_by_source: that a source says ``started_at`` itself, where no message has a time that would tell.
        ordinal_uids: messages are known by their positions, as their source gives them no ids.
        forgotten: ids of the ``text_forgotten`` events whose spans are overwritten in this history.
    """

    source_format: SourceFormat
    source_id: str
    title: str | None = None
    project: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    started_at: datetime
    started_by_source: bool = False
    parser_version: str
    redaction_policy: str
    ordinal_uids: bool = False
    forgotten: list[str] = []


class SessionIngested(Payload):
    """A revision of a session: the messages behind the prefix that it shares with the revision before, its cause.

    A session that grows 200 times is 200 of these, so each says only what is new.

    Attributes:
        heading: None where it is that of the revision before.
        content_hash: of the whole history.
        common_prefix: how many messages of the whole history before stay in front.
    """

    event_type: ClassVar[str] = "session_ingested"
    revision: int
    heading: SessionHeading | None = None
    content_hash: str
    common_prefix: int = Field(default=0, ge=0)
    messages: list[Message]
    continued: list[Continuation] = []


class SourceHeading(Value):
    """What one source says of a session beside its messages.

    Attributes:
        started_at: by the session's own clock; None where the source has none.
        file_date: the source's date when it was taken first, which stands in for such a clock.
    """

    source_format: SourceFormat
    source_id: str
    ordinal_uids: bool = False
    title: str | None = None
    project: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    started_at: datetime | None = None
    file_date: datetime


class PageLeftOut(Value):
    """What a page tells that the history leaves out, as records say all of it: the messages behind those it told so before.

    Attributes:
        common_prefix: how many messages of the same source's page before stay in front.
        continued: by index in the whole page, whose text goes on in further events.
    """

    common_prefix: int = Field(default=0, ge=0)
    messages: list[Message]
    continued: list[Continuation] = []


class SourceTold(Payload):
    """Which messages of a history one source tells, where several tell of the session.

    A history without any has one source, which tells all of it.

    Attributes:
        uri: the source.
        history_event_id: the revision whose messages are counted.
        places: the source's messages in its own order, as ranges of indexes, the second outside.
        superseded: indexes of those that the source says no longer.
        page: of a source that no message of the history stands for; None where ``places`` say what it tells.
        is_alone: it shares no message with another source of the session.
        leads: the history begins as this source tells it; of several that did, it is the one that said so last.
    """

    event_type: ClassVar[str] = "source_told"
    uri: str
    heading: SourceHeading
    history_event_id: str
    places: list[tuple[int, int]]
    superseded: list[int] = []
    page: PageLeftOut | None = None
    is_alone: bool = False
    leads: bool = False


class MessageContinued(Payload):
    """A further part of a long message's text."""

    event_type: ClassVar[str] = "message_continued"
    uid: str
    part: int
    text: str


class SessionProjected(Payload):
    """The session's claims are part of the tables."""

    event_type: ClassVar[str] = "session_projected"
    checked_event_id: str


class SessionVectorized(Payload):
    """The session's units were handed to the vectors of this embedding version."""

    event_type: ClassVar[str] = "session_vectorized"
    projected_event_id: str
    embedding_version: str


class SessionQuarantined(Payload):
    """A stage put the session aside: a dead letter."""

    event_type: ClassVar[str] = "session_quarantined"
    stage: PipelineStage
    error_code: str
    detail: str
    uri: str | None = None


class QuarantineReleased(Payload):
    """The stage that had put the session aside has done it, or a person asked for another try."""

    event_type: ClassVar[str] = "quarantine_released"
    stage: PipelineStage
    quarantine_event_id: str
