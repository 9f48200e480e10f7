"""The rows that surfaces show. Times are aware, UTC; spans count code points of the stored text, half-open.

The field names are the names in ``--json``; fields are only ever added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class SessionSummary:
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


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message; ``kind`` says whether it was said or put there (sessions/model.py)."""

    session_id: str
    message_index: int
    role: str
    kind: str
    name: str | None
    ts: datetime
    text: str
    tool_name: str | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A stage that put a session aside."""

    session_id: str
    stage: str
    error_code: str
    detail: str
    uri: str | None
    attempts: int
    quarantined_at: datetime


@dataclass(frozen=True, slots=True)
class SessionDetails:
    """A session with its messages, and why it was put aside, where it was."""

    session: SessionSummary
    messages: tuple[MessageView, ...]
    quarantine: tuple[Quarantined, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """One quote of an entry. With method ``none`` matched text, span and message are None, and ``uri`` too.

    Attributes:
        similarity: of the quote and the matched text; with method ``none`` of the best place, where there was one.
        alternative_count: further places where it stands just as well.
    """

    session_id: str
    quote: str
    matched_text: str | None
    message_index: int | None
    span_start: int | None
    span_end: int | None
    segments: tuple[tuple[int, int], ...]
    method: str
    confidence: float
    claimed_message_index: int
    similarity: float | None
    ambiguous: bool
    relocated: bool
    critical: bool
    failure_reason: str | None
    uri: str | None
    alternative_count: int = 0


@dataclass(frozen=True, slots=True)
class EntryView:
    """One entry with its evidence.

    Attributes:
        memory_id, citation: the memory that holds it and its address (``mem:a7Bc3x``); None for an entry without any span.
        checker: who granted or refused the stage, as in ``embedded 1``.
        blocked_reason: why it was not promoted, None where it was.
        reason, task_status, priority, blocked_by: what was said beside the title.
    """

    entry_id: str
    memory_id: str | None
    citation: str | None
    session_id: str
    project: str | None
    entry_type: str
    title: str
    stage: str
    checker: str | None
    status: str
    said_at: datetime
    message_index: int
    confidence: float
    evidence_aligned: bool
    blocked_reason: str | None
    reason: str | None
    task_status: str | None
    priority: str | None
    blocked_by: tuple[str, ...]
    evidence: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class QuoteInMessage:
    """A quote and the message that holds it; no message where the quote was not found."""

    quote: Quote
    message: MessageView | None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """An entry, each quote in its message."""

    entry: EntryView
    quotes: tuple[QuoteInMessage, ...]


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One memory.

    Attributes:
        uri: the address of its first quote, ``session:ID#m=12&c=140-182``.
        status: ``contested`` in an open conflict, ``deprecated`` where a resolution set it aside, else ``active``.
        superseded_by: of a deprecated one, the address of the memory that was kept.
    """

    memory_id: str
    citation: str
    entry_type: str
    title: str
    project: str | None
    stage: str
    checker: str | None
    entry_count: int
    session_count: int
    first_said_at: datetime
    last_said_at: datetime
    session_id: str
    uri: str
    status: str = "active"
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """The first of several memories; ``total`` counts them all."""

    memories: tuple[MemoryView, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The memory that was said before or after in the same session."""

    citation: str
    entry_type: str
    preview: str
    said_at: datetime
    uri: str


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """A quote in its place: who said it, what stands around it, and what was remembered just before and after it.

    Attributes:
        text_before, text_after: of its message, up to 100 characters each, with … where there is more; empty where the quote
            has no span, or the message is no longer the one that it is of.
    """

    entry_id: str
    quote: Quote
    role: str | None
    name: str | None
    ts: datetime | None
    previous: Neighbour | None
    next: Neighbour | None
    text_before: str = ""
    text_after: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedMemory:
    """What ``mem:a7Bc3x`` names: the memory that holds the entry now, with the evidence of all its entries."""

    memory: MemoryView
    quotes: tuple[CitedQuote, ...]


@dataclass(frozen=True, slots=True)
class ResolvedSpan:
    """What ``session:ID#m=12&c=140-182`` names.

    Attributes:
        text: the cited characters; of several segments, joined by `` … ``.
        segments: within ``message.text``.
        before, after: the messages around it.
        memories: those that rest on some of these characters.
        previous, next: what was remembered before and after it in the session.
    """

    uri: str
    session: SessionSummary
    message: MessageView
    text: str
    segments: tuple[tuple[int, int], ...]
    before: MessageView | None
    after: MessageView | None
    memories: tuple[MemoryView, ...]
    previous: Neighbour | None
    next: Neighbour | None


@dataclass(frozen=True, slots=True)
class EventView:
    """One event of the log without its payload."""

    seq: int
    event_id: str
    ts: datetime
    event_type: str
    session_id: str | None
    actor: str
    occurred_at: datetime | None
    stage_version: str | None
    payload_bytes: int


@dataclass(frozen=True, slots=True)
class EventDetails:
    """One event with its payload and what was measured."""

    event: EventView
    payload: Mapping[str, Any]
    checksum: str
    causation_id: str | None
    chain_id: str | None
    build_id: str | None
    telemetry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventStats:
    """What the log holds."""

    total: int
    by_type: Mapping[str, int]
    last_seq: int
    first_ts: datetime | None
    last_ts: datetime | None
    payload_bytes: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What the store holds, counted, and of what use it was.

    Attributes:
        deliveries: how often a search delivered a unit that is still there.
        units_shown: how many of the units were delivered at all; ``memories_shown`` are those that are memories.
        feedback_by_signal: what was said of units that are still there: used, helpful, wrong.
    """

    schema_version: str
    sessions: int
    sessions_by_status: Mapping[str, int]
    sessions_by_format: Mapping[str, int]
    messages: int
    characters: int
    entries: int
    entries_by_type: Mapping[str, int]
    entries_by_stage: Mapping[str, int]
    quotes_by_method: Mapping[str, int]
    memories: int
    tasks_by_status: Mapping[str, int]
    units_by_kind: Mapping[str, int]
    outbox_by_status: Mapping[str, int]
    quarantined: int
    events: int
    store_bytes: int
    vectors_bytes: int
    deliveries: int = 0
    units_shown: int = 0
    memories_shown: int = 0
    feedback_by_signal: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that doctor looked at. ``hint`` is what to do about it, also where all is well but could be better.

    ``warning`` marks what is sound and still wants somebody: it makes nothing unhealthy.
    """

    name: str
    ok: bool
    detail: str
    hint: str = ""
    warning: bool = False


def as_json(value: Any) -> Any:
    """A record as plain JSON values; times as ``2025-01-02T03:04:05Z``."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value
