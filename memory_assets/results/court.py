"""Cases, lessons and what a hearing came to, as they are printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.citation import CitationV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.model import WireModel
from memory_assets.vocabulary import Actor, CourtRole, EvidencePart, FindingKind, LessonStatus, LinkKind, Polarity, Severity


class CourtEvidenceV1(WireModel):
    """Words of a session that show a claim: the failure, its cause, the remedy, an order, a praise or a question."""

    part: EvidencePart
    case_event_id: str
    citation: CitationV1


class LessonLinkV1(WireModel):
    """How another lesson of the role stands to this one; ``newer`` tells whether that one is the newer.

    Attributes:
        link: what the newer one does to the older one.
        likeness: the share of their words that both have.
    """

    lesson_id: str
    title: str
    link: LinkKind
    newer: bool
    likeness: float = Field(ge=0, le=1)
    reason: str


class LessonV1(WireModel):
    """What a role should do, or leave.

    Attributes:
        rule: one sentence that can be followed without the session.
        trigger: when it applies; empty where it always does.
        exceptions: when it does not.
        status, reason: whether it stands, and why not; ``by_lesson_id`` names the newer lesson that is why.
        merged: lessons that say the same; their evidence and support are counted here.
        helpful, harmful: how often it was said of it that it helped, or that it is wrong.
        confidence: from its support, its severity, and what was said of it.
        evidence: of the newest cases first; each quote is what stands there.
    """

    schema_version: Literal["lesson.v1"] = "lesson.v1"
    lesson_id: str
    unit_id: str
    role: str
    polarity: Polarity
    kind: FindingKind
    severity: Severity
    title: str
    rule: str
    trigger: str = ""
    exceptions: tuple[str, ...] = ()
    status: LessonStatus
    reason: str = ""
    by_lesson_id: str | None = None
    merged: tuple[str, ...] = ()
    support_cases: int = Field(ge=1)
    support_sessions: int = Field(ge=1)
    helpful: int = Field(default=0, ge=0)
    harmful: int = Field(default=0, ge=0)
    confidence: float = Field(ge=0, le=1)
    project: str | None = None
    first_at: datetime
    last_at: datetime
    evidence: tuple[CourtEvidenceV1, ...] = ()
    links: tuple[LessonLinkV1, ...] = ()


class LessonListV1(WireModel):
    """Lessons, the surest first; ``total`` counts those that are not listed too.

    Attributes:
        query: where they were searched for.
    """

    schema_version: Literal["lesson_list.v1"] = "lesson_list.v1"
    query: str | None = None
    role: str | None = None
    lessons: tuple[LessonV1, ...] = ()
    total: int = Field(default=0, ge=0)
    notes: tuple[str, ...] = ()


class CaseClaimV1(WireModel):
    """What was claimed, and what the judge made of it.

    Attributes:
        decision: the reason says why a claim was deferred.
        lesson_id: what a selected claim became, where that is a lesson.
    """

    claim_id: str
    court_role: CourtRole
    kind: FindingKind
    role: str
    polarity: Polarity
    severity: Severity
    title: str
    rule: str
    trigger: str = ""
    confidence: float = Field(ge=0, le=1)
    decision: Literal["selected", "deferred"]
    reason: str = ""
    lesson_id: str | None = None
    evidence: tuple[CourtEvidenceV1, ...] = ()


class CaseSummaryV1(WireModel):
    """A session that was heard.

    Attributes:
        is_behind: the session says more by now than what was heard of it.
        version: of the court that heard it; ``is_current`` tells whether that is the one that would hear it now.
        dropped: claims that the judge never saw.
    """

    case_id: str
    session_id: str
    project: str | None = None
    title: str | None = None
    backend: Literal["embedded", "model"]
    version: str
    is_current: bool
    is_behind: bool
    event_count: int = Field(ge=0)
    claims: int = Field(ge=0)
    selected: int = Field(ge=0)
    deferred: int = Field(ge=0)
    dropped: int = Field(ge=0)
    occurred_at: datetime
    heard_at: datetime


class CaseListV1(WireModel):
    """Cases, the newest sessions first; ``total`` counts those that are not listed too."""

    schema_version: Literal["case_list.v1"] = "case_list.v1"
    cases: tuple[CaseSummaryV1, ...] = ()
    total: int = Field(default=0, ge=0)


class CaseV1(CaseSummaryV1):
    """A case with every claim, kept or not, and why.

    Attributes:
        dropped_by_reason: how many claims the judge never saw, by the reason.
    """

    schema_version: Literal["case.v1"] = "case.v1"
    policy_version: str
    judged: tuple[CaseClaimV1, ...] = ()
    dropped_by_reason: dict[str, int] = Field(default_factory=dict)


class CaseEventV1(WireModel):
    """A message of a session that was heard, as evidence.

    Attributes:
        case_event_id: what claims name; the same however the session grows.
        uri: the whole message, to cite or to open.
        actor: who acts: what a program says in somebody's name is the system's.
        type: whether it was said, thought, called, given back by a tool, or put there by a program (sessions/model.py).
        text: masked; its beginning where it is cut.
        text_length: of the whole text.
    """

    case_event_id: str
    message_index: int = Field(ge=0)
    uri: str
    actor: Actor
    type: str
    name: str | None = None
    tool_name: str | None = None
    is_error: bool = False
    ts: datetime
    text: str
    text_length: int = Field(ge=0)
    is_cut: bool = False


class CaseEventListV1(WireModel):
    """A page of a case's events, in the order in which they were said.

    Attributes:
        after: the event that the page follows on.
        next_after: the page's last event, to ask for the next page with; None where nothing follows.
        total: all events that the session has by now.
    """

    schema_version: Literal["case_event_list.v1"] = "case_event_list.v1"
    case_id: str
    session_id: str
    events: tuple[CaseEventV1, ...] = ()
    after: str | None = None
    next_after: str | None = None
    total: int = Field(ge=0)
    estimated_tokens: int = Field(default=0, ge=0)


class CourtProjectionV1(WireModel):
    """What became of the court's tables in PostgreSQL.

    Attributes:
        upto_seq: the event of the log that they rest on now.
        written, deleted: rows; ``embedded``: vectors of lessons.
        rebuilt: why all was written anew; None where it was gone on from what was there.
        vectors: ``pgvector``, or ``arrays`` where the server has none: then every lesson of a role is compared.
        has_index: whether a role is large enough for an index.
        compared, differing: whether both sides were compared, and how many rows of each table are not the same.
    """

    schema_version: Literal["court_projection.v1"] = "court_projection.v1"
    upto_seq: int = Field(ge=0)
    written: int = Field(ge=0)
    deleted: int = Field(ge=0)
    embedded: int = Field(ge=0)
    rebuilt: str | None = None
    vectors: Literal["pgvector", "arrays"]
    has_index: bool
    compared: bool = False
    differing: dict[str, int] = Field(default_factory=dict)


class CourtRunV1(WireModel):
    """What a run of the court came to.

    Attributes:
        cases: sessions that were to be heard; ``heard`` of them anew, ``failed`` not, or not as they are now.
        errors: why, by session.
        lessons, new_lessons: that stand now, and of these the ones that no case gave before.
    """

    schema_version: Literal["court_run.v1"] = "court_run.v1"
    cases: int = Field(ge=0)
    heard: int = Field(ge=0)
    unchanged: int = Field(ge=0)
    failed: tuple[str, ...] = ()
    errors: dict[str, ErrorV1] = Field(default_factory=dict)
    case_ids: tuple[str, ...] = ()
    claims: int = Field(ge=0)
    selected: int = Field(ge=0)
    deferred: int = Field(ge=0)
    lessons: int = Field(ge=0)
    new_lessons: int = Field(ge=0)
    events_appended: int = Field(ge=0)
