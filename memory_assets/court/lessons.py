"""A lesson: what a role should do or leave, drawn from cases."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime

from memory_assets.court.findings import Finding
from memory_assets.identifiers import typed_id
from memory_assets.vocabulary import FindingKind, LessonStatus, LinkKind, Polarity, Severity


@dataclass(frozen=True, slots=True)
class Accepted:
    """A lesson as one case gave it.

    Attributes:
        claim_id: of the claim that the judge selected.
        at: when the session began: never the time of the hearing, so that the order of hearings decides nothing.
    """

    claim_id: str
    lesson_id: str
    case_id: str
    session_id: str
    project: str | None
    kind: FindingKind
    role: str
    polarity: Polarity
    severity: Severity
    title: str
    rule: str
    trigger: str
    exceptions: tuple[str, ...]
    confidence: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as all cases together give it.

    Attributes:
        told: as the newest case gave it: a correction is newer than what it corrects.
        reason: why it does not stand; empty for one that does.
        by: the lesson that it was merged into, that supersedes it or that contests it.
        merged: the lessons that were merged into it.
        support_cases, support_sessions: of its own and of those merged into it.
        project: where all its sessions are of one.
    """

    told: Accepted
    status: LessonStatus
    reason: str
    by: str | None
    merged: tuple[str, ...]
    support_cases: int
    support_sessions: int
    helpful: int
    harmful: int
    confidence: float
    first_at: datetime
    last_at: datetime
    project: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """How two lessons of one role stand to each other; ``lesson_id`` is the newer one."""

    lesson_id: str
    other_lesson_id: str
    link: LinkKind
    likeness: float
    reason: str


@dataclass(frozen=True, slots=True)
class PersonsWord:
    """The last that a person said of a lesson: it is to be read no more, or it is to be kept."""

    keeps: bool
    by: str
    note: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Use:
    """What those who were shown a lesson said of it."""

    helpful: int = 0
    harmful: int = 0


def lesson_id_of(finding: Finding) -> str:
    """``les_`` and a hash of what two findings of the same lesson have in common, in any case."""
    return typed_id("les", role_of(finding.role), finding.polarity, finding.key)


def role_of(text: str) -> str:
    """A role as it is kept: roles are free words, in any case, spacing and spelling of Hangul."""
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold()
