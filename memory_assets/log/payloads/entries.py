"""What was extracted, aligned and materialized of a session."""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.extraction.schema import ExtractedEntry, StatusAt
from memory_assets.log.payloads.base import Payload, Value
from memory_assets.vocabulary import EntryType, Priority, TaskStatus


class WindowExtracted(Payload):
    """An extractor's answer to one window of whole messages; kept for ever, the first answer for a key is the answer."""

    event_type: ClassVar[str] = "window_extracted"
    window_hash: str
    first_message: int
    end_message: int
    extractor: str
    entries: list[ExtractedEntry]
    warnings: list[str] = []


class MemoryExtracted(Payload):
    """The windows that a revision of a session is made of, and their answers."""

    event_type: ClassVar[str] = "memory_extracted"
    extractor_kind: Literal["rules", "litellm"]
    extractor_model: str
    windows: list[str]
    entry_count: int


class EvidenceRecord(Value):
    """One quote of an entry after alignment. With method ``none`` there is no span."""

    message_index: int | None = None
    claimed_message_index: int
    quote: str
    quote_hash: str
    span_start: int | None = None
    span_end: int | None = None
    segments: list[tuple[int, int]] = []
    matched_text: str | None = None
    method: Literal["exact", "normalized", "fuzzy", "none"]
    confidence: float
    similarity: float | None = None
    ambiguous: bool = False
    alternative_count: int = 0
    relocated: bool = False
    critical: bool = False
    failure_reason: str | None = None


class WindowAligned(Payload):
    """The quotes of one window's answer, each with its span or with the reason why it has none."""

    event_type: ClassVar[str] = "window_aligned"
    window_event_id: str
    evidence: list[list[EvidenceRecord]]


class EvidenceAligned(Payload):
    """All windows of a revision, aligned."""

    event_type: ClassVar[str] = "evidence_aligned"
    source_event_id: str
    extraction_event_id: str
    windows: list[str]
    aligned_count: int
    failed_count: int
    methods: dict[str, int]


class EntryMaterialized(Payload):
    """One immutable entry with its evidence.

    Attributes:
        history: of a task whose status changed within the session, see ``extraction.schema.ExtractedEntry``.
    """

    event_type: ClassVar[str] = "entry_materialized"
    entry_id: str
    entry_type: EntryType
    title: str
    canonical_key: str
    evidence: list[EvidenceRecord]
    evidence_aligned: bool
    message_index: int
    ordinal: int
    reason: str | None = None
    status: TaskStatus | None = None
    priority: Priority | None = None
    blocked_by: list[str] = []
    history: list[StatusAt] = []
    aligner_version: str


class EntriesMaterialized(Payload):
    """Which entries a revision of a session has: ids of entry_materialized events."""

    event_type: ClassVar[str] = "entries_materialized"
    alignment_event_id: str
    entries: list[str]
