"""What a detector finds in a case: a moment that a lesson may be drawn from, with the words that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from memory_assets.vocabulary import CourtRole as CourtRole
from memory_assets.vocabulary import EvidencePart as EvidencePart
from memory_assets.vocabulary import FindingKind as FindingKind
from memory_assets.vocabulary import Polarity as Polarity
from memory_assets.vocabulary import Severity as Severity

FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)
"""A tool failed and worked with another input; the same failure again and again; a person says that it is not what was wanted;
a person refuses a call; what was done is taken back; an order for all that follows; an approach that a person praises; a call
without a result; a question that nobody answers."""

SPEAKS: dict[FindingKind, CourtRole] = {
    "changed_input": "prosecutor",
    "repeated_failure": "prosecutor",
    "user_correction": "prosecutor",
    "refused_call": "prosecutor",
    "reverted": "prosecutor",
    "standing_order": "defense",
    "praised": "defense",
    "missing_result": "jury",
    "unanswered_question": "jury",
}
"""Who brings a finding before the judge."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a case event, and what they are evidence of: ``quote == text[start:end]`` of the message at ``place``."""

    part: EvidencePart
    place: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A candidate for a lesson.

    Attributes:
        role: who should learn it, in free words (``coder``, ``planner``, ``user`` …).
        title: one line that names it, of at most 120 characters.
        rule: one sentence that can be followed a month later without the session, in the session's language.
        trigger: when it applies; empty where it always does.
        exceptions: when it does not.
        key: what two findings of the same lesson have in common, in any session, whoever says it: without numbers, paths,
            times and ids.
        evidence: the failure first, then what put it right; never empty.
        confidence: between 0 and 1, how sure the detector is that a person would keep it.
        why_apart: of what is kept apart as speculation, why the case does not show it; in words of ours.
    """

    kind: FindingKind
    role: str
    polarity: Polarity
    severity: Severity
    title: str
    rule: str
    trigger: str
    key: str
    evidence: tuple[Quoted, ...]
    confidence: float
    exceptions: tuple[str, ...] = ()
    why_apart: str = ""
