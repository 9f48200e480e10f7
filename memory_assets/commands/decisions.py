"""Recording a decision: what it rests on is proved before it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.commands.outcomes import NotRecorded, Recorded
from memory_assets.commands.said import command, masked, now, say, settle
from memory_assets.errors import InvalidArgumentError
from memory_assets.graduation.proofs.checker import CheckedSession, check_sessions
from memory_assets.graduation.proofs.model import OutsideCite, ProofDecision, ProofSession, RuleFailure
from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.graduation import CitedEntry, DecisionRecorded
from memory_assets.log.proofs import verdict_record
from memory_assets.moments import milliseconds_of
from memory_assets.queries.decisions import one_decision
from memory_assets.queries.entries import one_entry
from memory_assets.vocabulary import Stage

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources

_LOWERED = {
    "contested": "a conflict about it is open",
    "deprecated": "it was set aside",
    "superseded": "its session does not say it any more",
}

# Of a memory the entry that is carried furthest, and the time of the last message that it rests on.
_CITED = """
SELECT n.entry_id, n.stage, n.status, max(coalesce(t.ts, n.created_ts)), n.project
FROM entries n LEFT JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
LEFT JOIN messages t ON t.session_id = s.session_id AND t.message_index = s.message_index
WHERE n.status <> 'superseded' AND (n.entry_id = $entry OR ($whole AND n.memory_id = $memory))
GROUP BY n.entry_id, n.stage, n.status, n.project, n.created_ts
ORDER BY list_position(['certified', 'verified', 'candidate', 'working', 'raw'], n.stage), n.created_ts, n.entry_id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class _Cited:
    given: str
    entry_id: str
    stage: Stage
    status: str
    said_at: datetime
    project: str | None


def record_decision(
    resources: Resources,
    action: str,
    *,
    because: Sequence[str],
    outcome: str = "",
    confidence: float | None = None,
    caused_by: str | None = None,
    decided_at: datetime | None = None,
    by: str,
) -> Recorded | NotRecorded:
    """Write a decision and what it rests on into the ledger, if the proof of it passes.

    Args:
        because: entries or memories, by id, beginning of an id, or ``mem:`` address: verified, and said before the decision.
        caused_by: an earlier recorded decision.
        decided_at: now by default; not later.

    Raises:
        InvalidArgumentError: no action, no name, no confidence between 0 and 1, a time to come, a cause that is empty or was
            decided later, a text that is too long.
        NotFoundError, AmbiguousIdError: of an entry or a decision.
    """
    at = now()
    when = decided_at or at
    _check(action, confidence, when, at)
    _check_names(caused_by, by)
    settle(resources)
    with resources.database.reading() as connection:
        cited = list({found.entry_id: found for given in because for found in [_cited(connection, given)]}.values())
        cause = one_decision(connection, caused_by) if caused_by is not None else None
    if cause is not None and cause.decided_at > when:
        raise InvalidArgumentError(
            f"{cause.decision_id} was decided later, at {cause.decided_at:%Y-%m-%d %H:%M} UTC", hint="a cause comes first"
        )
    said = masked(resources, action)
    decision_id = typed_id("dec", said, when.isoformat(), sorted(one.entry_id for one in cited), caused_by or "")
    checked = _proved(resources, decision_id, when, cited)
    if not checked.accepted:
        failed = {failure for verdict in checked.verdicts for failure in verdict.rules_failed}
        rules = sorted(failed, key=lambda f: (f.rule, f.subject))
        reasons = tuple(_why(failure, decision_id, cited) for failure in rules)
        return NotRecorded(tuple(rules), reasons, checked.verdict.label)
    projects = {one.project for one in cited}
    word = DecisionRecorded(
        decision_id=decision_id,
        action=said,
        outcome=masked(resources, outcome),
        confidence=confidence,
        project=projects.pop() if len(projects) == 1 else None,
        decided_at=when,
        evidence=[
            CitedEntry(
                entry_id=one.entry_id, stage="certified" if one.stage == "certified" else "verified", said_at=one.said_at
            )
            for one in cited
        ],
        caused_by=cause.decision_id if cause else None,
        recorded_by=masked(resources, by),
        verdicts=[verdict_record(verdict) for verdict in checked.verdicts],
    )
    say(resources, command(word, at=when, project=word.project))
    with resources.database.reading() as connection:
        return Recorded(one_decision(connection, decision_id))


def _check(action: str, confidence: float | None, when: datetime, at: datetime) -> None:
    if not action.strip():
        raise InvalidArgumentError("the decision says nothing", hint="say what was decided")
    if confidence is not None and not 0 <= confidence <= 1:
        raise InvalidArgumentError(f"{confidence:g} is no confidence", hint="a number between 0 and 1")
    if when > at:
        raise InvalidArgumentError("a decision of a time to come cannot be recorded", hint="leave --at out for now")


def _check_names(caused_by: str | None, by: str) -> None:
    if caused_by is not None and not caused_by.strip():
        raise InvalidArgumentError("the decision that led to it is empty", hint="leave --caused-by out where none did")
    if not by.strip():
        raise InvalidArgumentError("the name of who says so is empty", hint="name somebody")


def _cited(connection: duckdb.DuckDBPyConnection, given: str) -> _Cited:
    entry = one_entry(connection, given)
    whole = given.strip().startswith("mem:")
    rows = fetch(connection, _CITED, {"entry": entry.entry_id, "memory": entry.memory_id, "whole": whole})
    found = rows[0] if rows else (entry.entry_id, "raw", entry.status, entry.said_at, entry.project)
    return _Cited(given.strip(), *found)


def _why(failure: RuleFailure, decision_id: str, cited: Sequence[_Cited]) -> str:
    """The sentence of a rule that does not hold, with the address as it was given."""
    one = next((one for one in cited if one.entry_id == failure.subject), None)
    match failure.rule:
        case "decision-cites-verified" if one is not None:
            lowered = _LOWERED.get(one.status)
            return f"{one.given} is {one.stage}, not verified" + (f": {lowered}" if lowered else "")
        case "evidence-precedes-decision" if one is not None:
            return f"{one.given} was said after the decision, at {one.said_at:%Y-%m-%d %H:%M} UTC"
        case "decision-has-evidence":
            return "the decision rests on nothing"
        case _:
            return f"{failure.rule} does not hold of " + ("the decision" if failure.subject == decision_id else failure.subject)


def _proved(resources: Resources, decision_id: str, when: datetime, cited: Sequence[_Cited]) -> CheckedSession:
    """The proof of a decision alone: stage and time of what it cites are the log's word."""
    # What does not stand any more is worth no more than a candidate, whatever its session carries.
    cites = tuple(
        OutsideCite(
            entry_id=one.entry_id,
            stage=one.stage if one.status == "active" else "candidate",
            occurred_at_ms=milliseconds_of(one.said_at),
        )
        for one in cited
    )
    decision = ProofDecision(decision_id, milliseconds_of(when), cites)
    session = ProofSession(decision_id, messages=(), entries=(), decisions=(decision,))
    return check_sessions([session], idris2=resources.usable_idris2)[decision_id]
