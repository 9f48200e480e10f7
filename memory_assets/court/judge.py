"""The judge: of all claims it keeps what the case holds and what is sure enough, not too many, and says why of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_assets.court.case import Case
from memory_assets.court.findings import Finding, Quoted, Severity
from memory_assets.court.lessons import lesson_id_of
from memory_assets.court.likeness import likeness, words_of
from memory_assets.court.policy import Policy
from memory_assets.identifiers import typed_id

JUDGE_VERSION = "1"
"""Changes whenever the same findings under the same policy would be judged otherwise."""

IMPROVED_ROLES = ("user", "system")
"""What concerns these is no lesson for an agent: it is recorded as an improvement."""

_SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Selected:
    """A claim that becomes a lesson, or an improvement."""

    claim_id: str
    lesson_id: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Deferred:
    """A claim that becomes none, and why; the reason quotes nothing."""

    claim_id: str
    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of every claim, the weightiest first."""

    policy_version: str
    selected: tuple[Selected, ...]
    deferred: tuple[Deferred, ...]


def judge(case: Case, findings: Iterable[Finding], policy: Policy) -> Judgement:
    """Select the lessons of a case. A function of its arguments; the order of the findings decides nothing."""
    selected: list[Selected] = []
    deferred: list[Deferred] = []
    claims = sorted({claim_id(case, finding): finding for finding in findings}.items(), key=_weight)
    for claim, finding in claims:
        reason = _against(case, finding, selected, policy)
        if reason is None:
            selected.append(Selected(claim, lesson_id_of(finding), finding))
        else:
            deferred.append(Deferred(claim, finding, reason))
    return Judgement(policy.version, tuple(selected), tuple(deferred))


def claim_id(case: Case, finding: Finding) -> str:
    """``clm_`` and a hash of what is claimed and of the places that show it."""
    events = case.events
    places = [
        (events[quoted.place].event_id if 0 <= quoted.place < len(events) else None, quoted.start, quoted.end)
        for quoted in finding.evidence
    ]
    return typed_id("clm", case.case_id, finding.kind, lesson_id_of(finding), finding.rule, places)


def why_no_evidence(case: Case, evidence: Sequence[Quoted]) -> str | None:
    """The law of evidence: why some words show nothing; None where they do."""
    if not evidence:
        return "it quotes nothing"
    for quoted in evidence:
        if not 0 <= quoted.place < len(case.events):
            return "it names an event that the case does not have"
        event = case.events[quoted.place]
        if not quoted.quote.strip() or event.message.text[quoted.start : quoted.end] != quoted.quote:
            return "its quote is not in the case"
        written_by = {one.origin for one in event.stretches if one.start < quoted.end and quoted.start < one.end}
        if event.actor == "system" or "template" in written_by:
            return "it quotes what a program put into the session"
    return None


def _against(case: Case, finding: Finding, selected: Sequence[Selected], policy: Policy) -> str | None:
    """Why a finding is no lesson of the case, beside those selected by now; None where it is one."""
    if lost := why_no_evidence(case, finding.evidence):
        return lost
    least = policy.least_confidence[finding.kind]
    if finding.confidence < least:
        return f"it is less sure ({finding.confidence:.2f}) than the policy asks of its kind ({least:.2f})"
    lesson_id = lesson_id_of(finding)
    words = words_of(finding.rule, finding.trigger)
    for other in selected:
        if other.lesson_id == lesson_id:
            return f"the same lesson as {other.claim_id}"
        if likeness(words, words_of(other.finding.rule, other.finding.trigger)) >= policy.same:
            return f"it says the same as {other.claim_id}"
    if len(selected) >= policy.lessons_of_a_case:
        return f"the case has given its {policy.lessons_of_a_case} weightiest lessons"
    return None


def _weight(claim: tuple[str, Finding]) -> tuple[int, float, int, str]:
    """The weightiest first: the worst, then the surest, then what came first."""
    identity, finding = claim
    place = min((quoted.place for quoted in finding.evidence), default=0)
    return (_SEVERITIES.index(finding.severity), -finding.confidence, place, identity)
