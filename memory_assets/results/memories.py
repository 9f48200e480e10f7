"""Entries with their evidence and the memories that group them, as they are printed."""

from __future__ import annotations

from datetime import datetime

from memory_assets.results.model import WireModel
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.results.sessions import MessageView
from memory_assets.vocabulary import Assurance


class Quote(WireModel):
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


class QuoteContext(WireModel):
    """What a quote stands under, which names what it is about where its own words do not.

    Attributes:
        session_title: what its session is called: as a rule what was asked for first.
        heading: the heading above it in its message.
        asked: of an agent's words, what the person had asked for; of a person's, what their message is about, the question that
            they answer, or what they had asked for before; its beginning, where it is long.
        asked_uri: where that stands.
    """

    session_title: str | None
    heading: str | None
    asked: str | None
    asked_uri: str | None


class EntryView(WireModel):
    """One entry with its evidence.

    Attributes:
        memory_id, citation: the memory that holds it and its address (``mem:a7Bc3x``); None for an entry without any span.
        checker: who granted or refused the stage, as in ``embedded 1``.
        blocked_reason: why it was not promoted, None where it was.
        reason, task_status, priority, blocked_by: what was said beside the title.
        assurance: what was proved of it, as screens say it.
        context: what its first quote stands under; None where that was not found, or stands under nothing.
        said_otherwise: what a person said instead of the memory that holds it.
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
    assurance: Assurance | None = None
    context: QuoteContext | None = None
    said_otherwise: SaidOtherwiseV1 | None = None


class QuoteInMessage(WireModel):
    """A quote and the message that holds it; no message where the quote was not found."""

    quote: Quote
    message: MessageView | None


class EvidenceView(WireModel):
    """An entry, each quote in its message."""

    entry: EntryView
    quotes: tuple[QuoteInMessage, ...]


class MemoryView(WireModel):
    """One memory.

    Attributes:
        uri: the address of its first quote, ``session:ID#m=12&c=140-182``.
        status: ``contested`` in an open conflict, ``deprecated`` where a resolution set it aside, else ``active``.
        superseded_by: of a deprecated one, the address of the memory that was kept.
        assurance: what was proved of it, as screens say it.
        context: what its first quote stands under; None where it stands under nothing.
        said_otherwise: what a person said instead of it.
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
    assurance: Assurance | None = None
    context: QuoteContext | None = None
    said_otherwise: SaidOtherwiseV1 | None = None


class MemoryPage(WireModel):
    """The first of several memories; ``total`` counts them all."""

    memories: tuple[MemoryView, ...]
    total: int


class Neighbour(WireModel):
    """The memory that was said before or after in the same session.

    Attributes:
        said_otherwise: what a person said instead of it.
    """

    citation: str
    entry_type: str
    preview: str
    said_at: datetime
    uri: str
    said_otherwise: SaidOtherwiseV1 | None = None


class CitedQuote(WireModel):
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
