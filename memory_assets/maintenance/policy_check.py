"""What another policy of the judge would make of the cases that were heard. Nothing is written.

What was claimed in each case is judged twice, by the policy in force and by the other one, so that only the policy makes a
difference. What a model judged is not judged again: it counts as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

from memory_assets.court.judge import IMPROVED_ROLES, Judgement, Selected, judge
from memory_assets.court.lessons import Accepted
from memory_assets.court.policy import FILE, Policy, policy
from memory_assets.court.policy_file import PolicyTrouble, flat, policy_of
from memory_assets.court.standing import standing
from memory_assets.log.court_policy import Activation, activations, in_force, shipped_sha256
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import StoredEvent
from memory_assets.log.fetching import fetch
from memory_assets.log.hearings import findings_in, heard
from memory_assets.log.payloads.court import CourtStatementRecorded, JudgementRendered
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.session_history import History, histories
from memory_assets.log.upcasting import payload_as
from memory_assets.projections.fold import catch_up
from memory_assets.projections.lessons import standing_rests_on
from memory_assets.results.policy import PolicyActivationV1, PolicyChangeV1, PolicyCheckV1, PolicyTroubleV1, PolicyV1

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources

CASES_AT_ONCE = 50
_EMBEDDED = "embedded "


def active_policy(connection: duckdb.DuckDBPyConnection) -> PolicyV1:
    """The policy in force, and under which versions the cases were judged."""
    rows = fetch(connection, "SELECT policy_version, count(*) FROM judgements GROUP BY 1 ORDER BY 1")
    told = activations(connection)
    activation = in_force(told)
    active = (activation and activation.policy) or policy()
    from_file = activation is not None and activation.is_of_a_file
    return PolicyV1(
        version=active.version,
        source="a file that a person activated" if from_file else f"court/{FILE}, shipped with this version",
        sha256=activation.sha256 if activation is not None and from_file else shipped_sha256(),
        history=tuple(_activation(one, is_active=one is activation) for one in reversed(told)),
        numbers=flat(active),
        critical=active.critical.pattern,
        cases=dict(rows),
    )


def _activation(told: Activation, *, is_active: bool) -> PolicyActivationV1:
    return PolicyActivationV1(
        event_id=told.event_id,
        version=told.version,
        sha256=told.sha256,
        source="file" if told.is_of_a_file else "shipped",
        activated_by=told.activated_by,
        activated_at=told.activated_at,
        is_active=is_active,
        is_usable=told.policy is not None,
    )


@dataclass(slots=True)
class _Kept:
    """Claims that a policy keeps, as lessons of cases."""

    claims: set[str] = field(default_factory=set)
    accepted: list[Accepted] = field(default_factory=list)


def check_policy(resources: Resources, text: str) -> PolicyCheckV1:
    """What a policy file would change: nothing where it says nothing usable, and why."""
    active = resources.court_policy
    found = policy_of(text)
    if not isinstance(found, Policy):
        return PolicyCheckV1(active_version=active.version, troubles=tuple(map(_trouble, found)))
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        known, words, use = standing_rests_on(connection)
        judged = fetch(connection, "SELECT DISTINCT session_id FROM judgements ORDER BY 1")
    stored = {one.claim_id: one for one in known}
    log = EventLog(resources.database)
    now, then, cases, of_models = _Kept(), _Kept(), 0, set[str]()
    for session_id, history, findings_by, statements in _cases(log, [str(row[0]) for row in judged]):
        if not findings_by.startswith(_EMBEDDED):
            of_models.add(session_id)
            continue
        cases += 1
        case, findings = heard(history), findings_in(history, statements)
        for kept, by in ((now, active), (then, found)):
            _keep(kept, judge(case, findings, by), history, stored)
    for kept in (now, then):
        kept.accepted += [one for one in known if one.session_id in of_models]
    stands_now, stands_then = (
        {
            lesson.told.lesson_id
            for lesson in standing(kept.accepted, by, words=words, use=use).lessons
            if lesson.status == "active"
        }
        for kept, by in ((now, active), (then, found))
    )
    numbers = flat(active)
    changes = tuple(
        PolicyChangeV1(key=key, now=numbers[key], then=value) for key, value in flat(found).items() if value != numbers[key]
    )
    return PolicyCheckV1(
        version=found.version,
        active_version=active.version,
        same_version=found.version == active.version and (bool(changes) or found.critical.pattern != active.critical.pattern),
        changes=changes,
        critical_changed=found.critical.pattern != active.critical.pattern,
        cases=cases,
        cases_of_a_model=len(of_models),
        claims_gained=len(then.claims - now.claims),
        claims_lost=len(now.claims - then.claims),
        lessons_now=len(stands_now),
        lessons_then=len(stands_then),
        lessons_gained=len(stands_then - stands_now),
        lessons_lost=len(stands_now - stands_then),
    )


def _cases(log: EventLog, session_ids: Sequence[str]) -> Iterator[tuple[str, History, str, list[CourtStatementRecorded]]]:
    """Each session's history, who heard it, and what was claimed at the hearing in force: the newest that was judged."""
    types = [CourtStatementRecorded.event_type, JudgementRendered.event_type]
    for start in range(0, len(session_ids), CASES_AT_ONCE):
        part = session_ids[start : start + CASES_AT_ONCE]
        known = histories(log, log.current(part, SessionIngested.event_type))
        told = log.of_sessions(part, types)
        judgements: dict[str, StoredEvent] = {
            str(event.session_id): event for event in told if event.event_type == JudgementRendered.event_type
        }
        for session_id, judgement in judgements.items():
            if session_id in known:
                statements = [
                    payload_as(event, CourtStatementRecorded)
                    for event in told
                    if event.event_type == CourtStatementRecorded.event_type and event.causation_id == judgement.causation_id
                ]
                yield session_id, known[session_id], judgement.stage_version or "", statements


def _keep(kept: _Kept, judgement: Judgement, history: History, stored: dict[str, Accepted]) -> None:
    for selected in judgement.selected:
        kept.claims.add(selected.claim_id)
        if selected.finding.role not in IMPROVED_ROLES:
            kept.accepted.append(stored.get(selected.claim_id) or _accepted(selected, history))


def _accepted(selected: Selected, history: History) -> Accepted:
    """A claim that was not kept by now, as a lesson of its case: of the time that a hearing would give it."""
    case, finding = heard(history), selected.finding
    said_at = max(history.said_at(quoted.place) for quoted in finding.evidence)
    return Accepted(
        claim_id=selected.claim_id,
        lesson_id=selected.lesson_id,
        case_id=case.case_id,
        session_id=history.session_id,
        project=history.heading.project,
        kind=finding.kind,
        role=finding.role,
        polarity=finding.polarity,
        severity=finding.severity,
        title=finding.title,
        rule=finding.rule,
        trigger=finding.trigger,
        exceptions=finding.exceptions,
        confidence=finding.confidence,
        at=min(said_at, history.logged_at or said_at).astimezone(UTC).replace(tzinfo=None),
    )


def _trouble(one: PolicyTrouble) -> PolicyTroubleV1:
    return PolicyTroubleV1(key=one.key, what=one.what)
