"""What a session is, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "tool", "system"]
MessageKind = Literal["said", "thinking", "tool_call", "tool_result", "injected", "superseded"]
SourceFormat = Literal[
    "claude_code", "codex", "chatgpt", "specstory", "aider", "markdown", "chat.v1", "context_bundle", "correction"
]
"""``correction`` is no file: a person said otherwise than a memory does (`memory correct`)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance, call or result, in source order.

    Attributes:
        uid: id of the source record, with ``#n`` behind it for the n-th further message of one record. Two messages of one
            source are the same message when their uid is the same, never because their text is. Where two sources tell a
            record in different words, the second has ``~`` and a hash of its words behind its uid.
        role: who speaks. A tool result has the role ``tool`` even where the source files it under the user.
        kind: ``said`` is what a person or an agent wrote for the other to read; ``injected`` is text that a program put
            there (reminders, skill dumps, command output), in whoever's name; ``superseded`` is what its source said
            before and says otherwise now: it can be read, and nothing is remembered from it.
        text: the masked text. Spans of evidence count its code points.
        ts: the record's own time, aware, UTC; None where the source gives none.
        name: the speaker's name where the source gives one.
        sidechain: said between agents (a sub-agent's prompt and answers), not with the person.
        is_error: a tool result that reports a failure.
        source_uid: the id of the source record, where another message of the history has it as its uid.
        superseded_kind: what a superseded message was while its source said it.
    """

    uid: str
    role: Role
    kind: MessageKind = "said"
    text: str = ""
    ts: datetime | None = None
    name: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    sidechain: bool = False
    is_error: bool = False
    source_uid: str | None = None
    superseded_kind: MessageKind | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation as one source file tells it.

    Attributes:
        session_id: the partition key (see ``sessions.keys``).
        source_id: the id that the source itself uses, before it became a key.
        ordinal_uids: the source gives its records no ids, so that uids are positions; such a history is related to
            another by its texts.
    """

    session_id: str
    source_id: str
    source_format: SourceFormat
    messages: tuple[Message, ...]
    project: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    cwd: str | None = None
    git_branch: str | None = None
    ordinal_uids: bool = False


DefectReason = Literal[
    "truncated_record",  # the last record is half-written: taken at the next revision
    "malformed_record",
    "record_too_large",
    "invalid_utf8",
    "nul_character",
    "lone_surrogate",
    "invalid_time",
    "missing_time",
    "unknown_record",
    "unclosed_private",
    "unreadable_file",
    "not_a_session",
    "empty_file",
    "no_messages",
    "symlink_loop",
    "unrelated_history",
    "invalid_session_id",
    "session_forgotten",
    "own_session",
    "project_not_shared",
    "export_invalid",
    "export_newer",
    "export_holds_secrets",
    "session_differs",
]


@dataclass(frozen=True, slots=True)
class Defect:
    """Something in a source that could not be taken as it is; counted and named, never silently dropped.

    Attributes:
        line: 1-based line of the file, None where the defect is the whole file's.
        detail: one line for people; never quotes the text of the session.
    """

    path: str
    line: int | None
    reason: DefectReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SourceTaken:
    """A file that holds at least one session."""

    path: str
    source_format: SourceFormat
    file_hash: str
    byte_length: int
    sessions: tuple[Session, ...]
    defects: tuple[Defect, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceSkipped:
    """A file without a session: nothing is wrong with it, there is nothing to take."""

    path: str
    defect: Defect
    file_hash: str | None = None


@dataclass(frozen=True, slots=True)
class SourceRefused:
    """A file that cannot be taken as a whole (it cannot be read, a record is over the limit …)."""

    path: str
    defect: Defect
    file_hash: str | None = None


SourceOutcome = SourceTaken | SourceSkipped | SourceRefused
