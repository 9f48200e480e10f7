"""What the court heard, and what a person said of its lessons.

All but the person's words are events of a session's history: they are hidden with it. Nothing of them is read where the case
does not say any more what they quote.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.court.findings import CourtRole, EvidencePart, FindingKind, Polarity, Severity
from memory_assets.log.payloads.base import Payload, Value


class CourtEvidence(Value):
    """Words of a case event.

    Attributes:
        message_uid: of the message; with its session it names the case event, wherever the message stands by now.
        start, end: half-open code points of its text, which are the quote.
    """

    part: EvidencePart
    case_event_id: str
    message_uid: str
    start: int
    end: int
    quote: str


class CourtClaim(Value):
    """What somebody claims before the judge: a finding, with the events that show it.

    Attributes:
        key: what two findings of the same lesson have in common.
        is_speculative: nothing of the case shows it; it never becomes a lesson.
        why_apart: why it does not; empty where whoever claims it says so.
    """

    claim_id: str
    kind: FindingKind
    role: str
    polarity: Polarity
    severity: Severity
    title: str
    rule: str
    trigger: str = ""
    exceptions: list[str] = []
    key: str
    confidence: float
    evidence: list[CourtEvidence]
    is_speculative: bool = False
    why_apart: str = ""


class CaseOpened(Payload):
    """A session is heard as a case, at one of its revisions.

    Attributes:
        event_count: how many events the case has.
        backend: who hears it.
    """

    event_type: ClassVar[str] = "case_opened"
    case_id: str
    event_count: int
    backend: Literal["embedded", "model"] = "embedded"


class CourtStatementRecorded(Payload):
    """What the prosecutor, the defense or the jury claims.

    Attributes:
        dropped: how many claims were dropped before the judge saw them, by the reason.
    """

    event_type: ClassVar[str] = "court_statement_recorded"
    case_id: str
    court_role: CourtRole
    claims: list[CourtClaim]
    dropped: dict[str, int] = {}


class SelectedClaim(Value):
    """A claim that the judge keeps."""

    claim_id: str
    lesson_id: str


class DeferredClaim(Value):
    """A claim that the judge does not keep, and why; the reason quotes nothing."""

    claim_id: str
    reason: str


class JudgementRendered(Payload):
    """What the judge kept of all claims."""

    event_type: ClassVar[str] = "judgement_rendered"
    case_id: str
    policy_version: str
    selected: list[SelectedClaim]
    deferred: list[DeferredClaim]


class CourtPolicyActivated(Payload):
    """A person puts a policy of the judge in force, which holds until another one is. It belongs to no session.

    Attributes:
        version: the name that the policy gives itself; every judgement by it names it.
        sha256: of the text.
        text: the whole file; empty where the policy that ships with the program is to hold, whichever that is.
    """

    event_type: ClassVar[str] = "court_policy_activated"
    version: str
    sha256: str
    text: str
    activated_by: str


class LessonAccepted(Payload):
    """A case gives a lesson; the same lesson of several cases has one id."""

    event_type: ClassVar[str] = "lesson_accepted"
    lesson_id: str
    case_id: str
    claim: CourtClaim


class ImprovementRecorded(Payload):
    """A case shows what people or the system around the agents could do better: no lesson of an agent."""

    event_type: ClassVar[str] = "improvement_recorded"
    improvement_id: str
    case_id: str
    target: Literal["user", "system"]
    claim: CourtClaim


class LessonRetired(Payload):
    """A person says that a lesson is to be read no more. It is said of the lesson, whatever case gives it again.

    Attributes:
        note: why, masked.
    """

    event_type: ClassVar[str] = "lesson_retired"
    lesson_id: str
    said_by: str
    note: str = ""


class LessonKept(Payload):
    """A person says that a lesson is to be kept: it takes a retirement back, and no budget retires it."""

    event_type: ClassVar[str] = "lesson_kept"
    lesson_id: str
    said_by: str
    note: str = ""
