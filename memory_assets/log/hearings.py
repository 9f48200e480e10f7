"""A hearing as events, and read back: a case is opened, three speak, the judge decides, and lessons follow.

Each event names the one before it that led to it. The same case heard twice by the same court gives the same events, to the
byte: nothing of them is the clock's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from memory_assets.court.case import Case, case_of
from memory_assets.court.findings import SPEAKS, CourtRole, Finding, Quoted
from memory_assets.court.judge import IMPROVED_ROLES, JUDGE_VERSION, Judgement, Selected, claim_id
from memory_assets.court.lessons import role_of
from memory_assets.court.policy import Policy
from memory_assets.identifiers import canonical_json, sha256_hex, typed_id
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.court import (
    CaseOpened,
    CourtClaim,
    CourtEvidence,
    CourtStatementRecorded,
    DeferredClaim,
    ImprovementRecorded,
    JudgementRendered,
    LessonAccepted,
    SelectedClaim,
)
from memory_assets.log.session_history import History
from memory_assets.text.invisible import without_unseen


@dataclass(frozen=True, slots=True)
class Saying:
    """What belongs to a statement beside the claims that stand.

    Attributes:
        actor: who speaks.
        speculation: what the case does not show: claims without evidence, which are kept apart.
        dropped: how many claims were dropped, by the reason.
        telemetry: what it cost.
    """

    actor: str = "pipeline"
    speculation: Sequence[Finding] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    telemetry: Mapping[str, Any] = field(default_factory=dict)


COURT_ROLES: tuple[CourtRole, ...] = ("prosecutor", "defense", "jury")
"""In the order in which they speak."""


def court_version(heard_by: str, policy: Policy) -> str:
    """The version of a hearing's events.

    Args:
        heard_by: who finds: ``embedded`` and its version, or a model and its prompts.
    """
    # Two files may call themselves the same: what a person activated is told by its text too.
    text = f" {policy.sha256[:12]}" if policy.sha256 else ""
    return f"{heard_by} judge {JUDGE_VERSION} policy {policy.version}{text}"


def heard(history: History) -> Case:
    """The case of a session's history."""
    return case_of(history.session_id, history.project, history.messages)


def opening(
    history: History, version: str, *, replaces: str = "", backend: Literal["embedded", "model"] = "embedded"
) -> NewEvent:
    """The event that opens the case of a history.

    Args:
        replaces: the judgement by another court that would hold otherwise, where this hearing was in the log before it.
    """
    case = heard(history)
    return history.event(
        CaseOpened(case_id=case.case_id, event_count=len(case.events), backend=backend),
        inputs=(history.event_id, *([replaces] if replaces else [])),
        stage_version=version,
        causation_id=history.event_id,
    )


def statements(
    history: History,
    opened_id: str,
    findings: Iterable[Finding],
    version: str,
    sayings: Mapping[CourtRole, Saying] | None = None,
) -> list[NewEvent]:
    """What the three say of a case that was opened: each finding is brought by the one whose part it is."""
    case = heard(history)
    by_role: dict[CourtRole, dict[str, CourtClaim]] = {role: {} for role in COURT_ROLES}
    for finding in map(_as_seen, findings):
        claim = _claim(case, finding)
        by_role[SPEAKS[finding.kind]].setdefault(claim.claim_id, claim)
    told = []
    for role in COURT_ROLES:
        saying = (sayings or {}).get(role, Saying())
        apart = (
            _claim(case, finding).model_copy(update={"is_speculative": True}) for finding in map(_as_seen, saying.speculation)
        )
        for claim in apart:
            by_role[role].setdefault(claim.claim_id, claim)
        claims, dropped = list(by_role[role].values()), dict(saying.dropped)
        told.append(
            history.event(
                CourtStatementRecorded(case_id=case.case_id, court_role=role, claims=claims, dropped=dropped),
                inputs=(opened_id, role),
                stage_version=version,
                causation_id=opened_id,
                actor=saying.actor,
                telemetry=saying.telemetry,
            )
        )
    return told


def findings_in(history: History, told: Iterable[CourtStatementRecorded], *, speculative: bool = False) -> list[Finding]:
    """What was claimed, read back against the case; what names an event that the case does not have quotes nothing.

    Args:
        speculative: what was said to be speculation, in place of all else.
    """
    places = {event.event_id: event.place for event in heard(history).events}
    claims = (claim for statement in told for claim in statement.claims)
    return [_finding(claim, places) for claim in claims if claim.is_speculative == speculative]


def judged(
    history: History,
    opened_id: str,
    statement_ids: Sequence[str],
    judgement: Judgement,
    version: str,
    saying: Saying | None = None,
) -> list[NewEvent]:
    """The judgement of a case, and the lessons and improvements that it gives."""
    judge = saying or Saying()
    case = heard(history)
    rendered = history.event(
        JudgementRendered(
            case_id=case.case_id,
            policy_version=judgement.policy_version,
            selected=[SelectedClaim(claim_id=one.claim_id, lesson_id=one.lesson_id) for one in judgement.selected],
            deferred=[DeferredClaim(claim_id=one.claim_id, reason=one.reason) for one in judgement.deferred],
        ),
        inputs=tuple(statement_ids),
        stage_version=version,
        causation_id=opened_id,
        actor=judge.actor,
        telemetry=judge.telemetry,
    )
    return [rendered, *(_given(history, case, one, rendered, judge.actor) for one in judgement.selected)]


def _given(history: History, case: Case, selected: Selected, judgement: NewEvent, actor: str) -> NewEvent:
    """What a selected claim becomes; it happened when its last evidence was said, and not after that was logged.

    A file from elsewhere may tell any time: what is said in the year 2099 would contradict every lesson for ever.
    """
    claim = _claim(case, selected.finding)
    payload: LessonAccepted | ImprovementRecorded
    if claim.role in IMPROVED_ROLES:
        target = cast(Literal["user", "system"], claim.role)
        improvement_id = typed_id("imp", target, selected.lesson_id)
        payload = ImprovementRecorded(improvement_id=improvement_id, case_id=case.case_id, target=target, claim=claim)
    else:
        payload = LessonAccepted(lesson_id=selected.lesson_id, case_id=case.case_id, claim=claim)
    said_at = max(history.said_at(quoted.place) for quoted in selected.finding.evidence)
    return history.event(
        payload,
        inputs=(judgement.event_id, sha256_hex(canonical_json(claim.model_dump(mode="json")))),
        stage_version=judgement.stage_version,
        causation_id=judgement.event_id,
        actor=actor,
        occurred_at=min(said_at, history.logged_at or said_at),
    )


def _as_seen(finding: Finding) -> Finding:
    """A finding whose words are those that a person sees: an agent is told no others. Its quotes stay what the case says."""
    return replace(
        finding,
        role=without_unseen(finding.role),
        title=without_unseen(finding.title),
        rule=without_unseen(finding.rule),
        trigger=without_unseen(finding.trigger),
        exceptions=tuple(without_unseen(one) for one in finding.exceptions),
        key=without_unseen(finding.key),
    )


def _claim(case: Case, finding: Finding) -> CourtClaim:
    events = case.events
    return CourtClaim(
        claim_id=claim_id(case, finding),
        kind=finding.kind,
        role=role_of(finding.role),
        polarity=finding.polarity,
        severity=finding.severity,
        title=finding.title,
        rule=finding.rule,
        trigger=finding.trigger,
        exceptions=list(finding.exceptions),
        key=finding.key,
        confidence=finding.confidence,
        why_apart=finding.why_apart,
        evidence=[
            CourtEvidence(
                part=quoted.part,
                case_event_id=events[quoted.place].event_id,
                message_uid=events[quoted.place].message.uid,
                start=quoted.start,
                end=quoted.end,
                quote=quoted.quote,
            )
            for quoted in finding.evidence
        ],
    )


def _finding(claim: CourtClaim, places: dict[str, int]) -> Finding:
    return Finding(
        kind=claim.kind,
        role=claim.role,
        polarity=claim.polarity,
        severity=claim.severity,
        title=claim.title,
        rule=claim.rule,
        trigger=claim.trigger,
        key=claim.key,
        evidence=tuple(
            Quoted(one.part, places.get(one.case_event_id, -1), one.start, one.end, one.quote) for one in claim.evidence
        ),
        confidence=claim.confidence,
        exceptions=tuple(claim.exceptions),
        why_apart=claim.why_apart,
    )
