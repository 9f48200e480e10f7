"""Which part of a session a module can hold at all, decided in one place and before any checker (proof layer, fence *a*).

A text with a lone surrogate, a number beyond 2^53, an unknown word, or evidence of a message that the session does not
have: each is refused by a rule with the subject's id, and takes with it only what stands on it. Both checkers then see
the same rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from memory_assets.graduation.proofs.literals import (
    KIND_WORDS,
    KNOWN_WORD,
    METHOD_WORDS,
    STAGE_WORDS,
    STATUS_WORDS,
    confidence_refusal,
    integer_refusal,
    text_refusal,
)
from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofDecision,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofSession,
    ProofTask,
    RuleFailure,
    claimed_stage,
    failures_sorted,
    subject_text,
)

KNOWN_MESSAGE: Final = "evidence-cites-known-message"
KNOWN_ENTRY: Final = "decision-cites-known-entry"
TASK_HAS_EVENT: Final = "task-has-event"


@dataclass(frozen=True, slots=True)
class Encodable:
    """The session without what no module can hold, and the reasons for what was left out."""

    session: ProofSession
    refused: tuple[RuleFailure, ...]


def encodable(session: ProofSession) -> Encodable:
    """Leave out what cannot be written. Messages that nothing cites are not looked at: they enter no module."""
    refused: set[RuleFailure] = set()

    def keeps(rules: Iterable[str | None], subject: str) -> bool:
        broken = [rule for rule in rules if rule is not None]
        refused.update(RuleFailure(rule, subject_text(subject)) for rule in broken)
        return not broken

    cited = {evidence.message_id for entry in session.entries for evidence in entry.evidence}
    messages = tuple(
        message
        for message in session.messages
        if message.message_id in cited and keeps(_of_message(message), message.message_id)
    )
    known = {message.message_id for message in session.messages}
    written = {message.message_id for message in messages}

    entries = []
    for entry in session.entries:
        # Every item is looked at, so that all reasons are named and not only the first.
        sound = [keeps(_of_evidence(item, known), item.evidence_id) for item in entry.evidence]
        own = keeps(_of_entry(entry), entry.entry_id)
        if own and all(sound) and all(item.message_id in written for item in entry.evidence):
            entries.append(entry)

    tasks = tuple(task for task in session.tasks if keeps(_of_task(task), task.task_id))
    ids = {entry.entry_id for entry in entries}
    decisions = tuple(decision for decision in session.decisions if keeps(_of_decision(decision, ids), decision.decision_id))
    rest = replace(session, messages=messages, entries=tuple(entries), tasks=tasks, decisions=decisions)
    return Encodable(rest, failures_sorted(refused))


def _word(word: str, table: dict[str, str]) -> str | None:
    return None if word in table else KNOWN_WORD


def _of_message(message: ProofMessage) -> tuple[str | None, ...]:
    return (text_refusal(message.message_id, message.text), integer_refusal(message.occurred_at_ms))


def _of_evidence(evidence: ProofEvidence, known: set[str]) -> tuple[str | None, ...]:
    bounds = [bound for segment in evidence.segments for bound in segment]
    return (
        text_refusal(evidence.evidence_id, evidence.quote, evidence.matched_text),
        integer_refusal(evidence.span_start, evidence.span_end, *bounds),
        confidence_refusal(evidence.confidence),
        _word(evidence.method, METHOD_WORDS),
        None if evidence.message_id in known else KNOWN_MESSAGE,
    )


def _of_entry(entry: ProofEntry) -> tuple[str | None, ...]:
    return (
        text_refusal(entry.entry_id, entry.title, entry.certifier),
        integer_refusal(entry.failed_count),
        _word(entry.entry_type, KIND_WORDS),
        _word(claimed_stage(entry), STAGE_WORDS),
    )


def _of_task(task: ProofTask) -> tuple[str | None, ...]:
    return (
        text_refusal(task.task_id, *(blocker for move in task.moves for blocker in move.blockers)),
        integer_refusal(*(move.occurred_at_ms for move in task.moves)),
        *(_word(move.status, STATUS_WORDS) for move in task.moves),
        None if task.moves else TASK_HAS_EVENT,
    )


def _of_decision(decision: ProofDecision, entry_ids: set[str]) -> tuple[str | None, ...]:
    outside = [cite for cite in decision.cites if isinstance(cite, OutsideCite)]
    return (
        text_refusal(decision.decision_id, *(cite.entry_id for cite in outside)),
        integer_refusal(decision.occurred_at_ms, *(cite.occurred_at_ms for cite in outside)),
        *(_word(cite.stage, STAGE_WORDS) for cite in outside),
        *(None if cite in entry_ids else KNOWN_ENTRY for cite in decision.cites if isinstance(cite, str)),
    )
