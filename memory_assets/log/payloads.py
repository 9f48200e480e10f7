"""The payload of every event type (requirements.md section (a)).

A payload holds only what is a function of the event's inputs. What was measured (durations, tokens, costs, attempts) goes
into the envelope's telemetry, outside key and checksum. Fields that stand at their default are not written, so a new
optional field changes no checksum of old events.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from memory_assets.extraction.schema import EntryType, ExtractedEntry, Priority, TaskStatus
from memory_assets.sessions.model import Message, SourceFormat

Stage = Literal["raw", "working", "candidate", "verified", "certified"]
PipelineStage = Literal["ingested", "extracted", "aligned", "materialized", "idris_checked", "projected", "vectorized"]
PIPELINE_STAGES: tuple[PipelineStage, ...] = (
    "ingested",
    "extracted",
    "aligned",
    "materialized",
    "idris_checked",
    "projected",
    "vectorized",
)


class Payload(BaseModel):
    """Base of all payloads."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event_type: ClassVar[str]
    payload_version: ClassVar[int] = 1


class Value(BaseModel):
    """Base of what payloads are made of."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
        ordinal_uids: messages are known by their positions, as their source gives them no ids.
    """

    source_format: SourceFormat
    source_id: str
    title: str | None = None
    project: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    started_at: datetime
    parser_version: str
    redaction_policy: str
    ordinal_uids: bool = False


class SessionIngested(Payload):
    """A revision of a session: the messages behind the prefix that it shares with the revision before, its cause.

    A session that grows 200 times is 200 of these, so each says only what is new (architecture.md section 4, *Size*).

    Attributes:
        heading: None where it is that of the revision before.
        content_hash: of the whole history.
        common_prefix: how many messages of the whole history before stay in front.
    """

    event_type: ClassVar[str] = "session_ingested"
    revision: int
    heading: SessionHeading | None = None
    content_hash: str
    common_prefix: int = 0
    messages: list[Message]
    continued: list[Continuation] = []


class MessageContinued(Payload):
    """A further part of a long message's text."""

    event_type: ClassVar[str] = "message_continued"
    uid: str
    part: int
    text: str


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
    """All windows of a revision, aligned (requirements E-19)."""

    event_type: ClassVar[str] = "evidence_aligned"
    source_event_id: str
    extraction_event_id: str
    windows: list[str]
    aligned_count: int
    failed_count: int
    methods: dict[str, int]


class EntryMaterialized(Payload):
    """One immutable entry with its evidence (requirements G-54)."""

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
    aligner_version: str


class EntriesMaterialized(Payload):
    """Which entries a revision of a session has: ids of entry_materialized events."""

    event_type: ClassVar[str] = "entries_materialized"
    alignment_event_id: str
    entries: list[str]


class RuleFailureRecord(Value):
    """An obligation that does not hold, and of what."""

    rule: str
    subject: str


class ModuleRecord(Value):
    """A generated proof module."""

    name: str
    sha256: str


class VerdictRecord(Value):
    """One checker's judgement. The compiler's own output is never kept: it quotes session text."""

    checker: Literal["embedded", "idris2"]
    checker_version: str
    accepted: bool
    rules_failed: list[RuleFailureRecord] = []
    modules: list[ModuleRecord] = []


class IdrisChecked(Payload):
    """The proof of a session's entries."""

    event_type: ClassVar[str] = "idris_checked"
    materialized_event_id: str
    verdicts: list[VerdictRecord]
    disagreement: bool = False
    refused: list[RuleFailureRecord] = []


class EntryPromoted(Payload):
    """An entry reached a stage."""

    event_type: ClassVar[str] = "entry_promoted"
    entry_id: str
    from_stage: Stage
    to_stage: Stage
    policy_version: str
    checker: str
    gates: dict[str, bool]


class EntryPromotionRejected(Payload):
    """An entry did not reach a stage, and why (requirements E-21, E-22)."""

    event_type: ClassVar[str] = "entry_promotion_rejected"
    entry_id: str
    from_stage: Stage
    to_stage: Stage
    policy_version: str
    checker: str
    gates: dict[str, bool]
    reason: str
    failed_quotes: list[str] = []


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


class SessionForgotten(Payload):
    """Nothing of the session is to be read any more."""

    event_type: ClassVar[str] = "session_forgotten"
    reason: str


class TaskCreated(Payload):
    """A task came to be; it is never born done (requirements G-91)."""

    event_type: ClassVar[str] = "task_created"
    task_id: str
    canonical_key: str
    basis: str
    project: str | None = None
    title: str
    initial_status: Literal["pending", "in_progress", "blocked"]
    requested_status: TaskStatus | None = None
    priority: Priority | None = None
    source_entry_id: str


class TaskStatusChanged(Payload):
    """A task moved."""

    event_type: ClassVar[str] = "task_status_changed"
    task_id: str
    canonical_key: str
    basis: str
    from_status: TaskStatus
    to_status: TaskStatus
    source_entry_id: str


class TaskTransitionRejected(Payload):
    """A claimed move that the transition table does not allow; kept for review."""

    event_type: ClassVar[str] = "task_transition_rejected"
    task_id: str
    canonical_key: str
    basis: str
    from_status: TaskStatus
    requested_status: TaskStatus
    rule: str
    source_entry_id: str


class BuildStarted(Payload):
    """A run that appended something began, with these versions (requirements G-130, G-10)."""

    event_type: ClassVar[str] = "build_started"
    build_id: str
    extractor_model: str
    extractor_prompt_hash: str
    embedder_model: str
    embedding_version: str
    idris_version: str
    schema_version: str
    versions: dict[str, str]


class BuildFinished(Payload):
    """The run ended."""

    event_type: ClassVar[str] = "build_finished"
    build_id: str
    status: Literal["success", "failed"]
    error: str | None = None


PAYLOADS: dict[str, type[Payload]] = {
    payload.event_type: payload
    for payload in (
        SourceRegistered,
        SourceRefused,
        SourceTakenFor,
        SessionIngested,
        MessageContinued,
        WindowExtracted,
        MemoryExtracted,
        WindowAligned,
        EvidenceAligned,
        EntryMaterialized,
        EntriesMaterialized,
        IdrisChecked,
        EntryPromoted,
        EntryPromotionRejected,
        SessionProjected,
        SessionVectorized,
        SessionQuarantined,
        QuarantineReleased,
        SessionForgotten,
        TaskCreated,
        TaskStatusChanged,
        TaskTransitionRejected,
        BuildStarted,
        BuildFinished,
    )
}

# The stages' own results, in the order of the road: each is made from the one before it.
CHAIN: dict[PipelineStage, str] = {
    "ingested": SessionIngested.event_type,
    "extracted": MemoryExtracted.event_type,
    "aligned": EvidenceAligned.event_type,
    "materialized": EntriesMaterialized.event_type,
    "idris_checked": IdrisChecked.event_type,
    "projected": SessionProjected.event_type,
    "vectorized": SessionVectorized.event_type,
}
