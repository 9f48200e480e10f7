"""A lesson: what a role should do or leave, drawn from cases."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_assets.court.findings import Finding
from memory_assets.identifiers import sha256_hex, typed_id
from memory_assets.vocabulary import FindingKind, LessonStatus, LinkKind, Polarity, Severity

_TOLD_ROLES: Final = """
coder planner reviewer tester writer researcher designer architect operator debugger prosecutor defense jury judge user system
"""
_USUAL_ROLES: Final = frozenset(_TOLD_ROLES.split())


@dataclass(frozen=True, slots=True)
class Accepted:
    """A lesson as one case gave it.

    Attributes:
        claim_id: of the claim that the judge selected.
        at: when its last evidence was said: never the time of the hearing, so that the order of hearings decides nothing.
        said: a hash of the words that it quotes; empty where nobody knows them.
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
    said: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as all cases together give it.

    Attributes:
        told: as the newest case gave it: a correction is newer than what it corrects.
        reason: why it does not stand; empty for one that does.
        by: the lesson that it was merged into, that supersedes it or that contests it.
        merged: the lessons that were merged into it.
        support_cases: how often it was heard, its own cases and those of what was merged into it.
        support_sessions: the sessions that these tell of, each once: a bundle that was made of a session, and a session that
            another one goes on from, tell of the same.
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


def role_told(role: str, *, shows_text: bool) -> str:
    """A role where text of sessions may not stand: one that is not usual may be a model's free words, and is told by a hash."""
    return role if shows_text or role in _USUAL_ROLES else f"role {sha256_hex(role)[:8]}"
