"""Proofs, promotions, conflicts and decisions."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from memory_assets.graduation.resolutions import Resolution
from memory_assets.log.payloads.base import Payload, Value
from memory_assets.vocabulary import Stage

ConflictType = Literal["different_value", "negation", "opposite", "status_clash", "corrected"]


class RuleFailureRecord(Value):
    """An obligation that does not hold, and of what."""

    rule: str
    subject: str


class ModuleRecord(Value):
    """A generated proof module.

    Attributes:
        windowed: messages of which it holds a window only; the offset of the window is taken on trust.
    """

    name: str
    sha256: str
    windowed: list[str] = []


class VerdictRecord(Value):
    """One checker's judgement. The compiler's own output is never kept: it quotes session text."""

    checker: Literal["embedded", "idris2"]
    checker_version: str
    accepted: bool
    rules_failed: list[RuleFailureRecord] = []
    modules: list[ModuleRecord] = []


class IdrisChecked(Payload):
    """The proof of a session's entries.

    Attributes:
        verdicts: of the session as it is, one of each checker that gave one; the last one counts.
        disagreement: one checker accepts what the other refuses; then nothing is proved.
        failed_entries: those that a checker refuses.
        proved_by: the modules that prove the others; empty where none is proved, or where it is the verdicts' own.
    """

    event_type: ClassVar[str] = "idris_checked"
    materialized_event_id: str
    verdicts: list[VerdictRecord]
    disagreement: bool = False
    failed_entries: list[str] = []
    proved_by: list[ModuleRecord] = []


class EntryPromoted(Payload):
    """An entry reached a stage.

    Attributes:
        basis: for a promotion that looks across sessions, what it rests on (a hash); None where the session alone decides.
    """

    event_type: ClassVar[str] = "entry_promoted"
    entry_id: str
    from_stage: Stage
    to_stage: Stage
    policy_version: str
    checker: str
    gates: dict[str, bool]
    basis: str | None = None


class EntryPromotionRejected(Payload):
    """An entry did not reach a stage, and why."""

    event_type: ClassVar[str] = "entry_promotion_rejected"
    entry_id: str
    from_stage: Stage
    to_stage: Stage
    policy_version: str
    checker: str
    gates: dict[str, bool]
    reason: str
    failed_quotes: list[str] = []


class PromotionConfirmed(Payload):
    """A person vouches for what these entries, which say the same, say; with ``certified``, one of the ways up."""

    event_type: ClassVar[str] = "promotion_confirmed"
    entry_ids: list[str]
    to_stage: Literal["verified", "certified"]
    confirmed_by: str
    note: str = ""


class EntriesDemoted(Payload):
    """Entries that say the same count for less from now on: by age, or by a person's word.

    Attributes:
        policy_version: of the half-life policy; ``person`` where a person said so.
        age_days: since they were last said; None where age was not the reason.
    """

    event_type: ClassVar[str] = "entries_demoted"
    entry_ids: list[str]
    from_stage: Stage
    to_stage: Stage
    policy_version: str
    age_days: float | None = None
    demoted_by: str
    note: str = ""


class ConflictDetected(Payload):
    """Two entries of one project contradict each other.

    Attributes:
        older_id, newer_id: entries, the newest of each side by the sessions' own clocks; their memories are in conflict.
        reason: the kind of difference in words; never text of a session.
    """

    event_type: ClassVar[str] = "conflict_detected"
    conflict_id: str
    older_id: str
    newer_id: str
    conflict_type: ConflictType
    reason: str


class ConflictResolved(Payload):
    """A person says which side of a conflict holds.

    Attributes:
        older_ids, newer_ids: all entries of each side then.
        older_forms, newer_forms: what these say and the other side does not (``projections.statements.forms_of``). Who says
            it, and said it by then, is on that side too: those that are named may be forgotten, or edited.
    """

    event_type: ClassVar[str] = "conflict_resolved"
    conflict_id: str
    resolution: Resolution
    older_ids: list[str]
    newer_ids: list[str]
    older_forms: list[str] = []
    newer_forms: list[str] = []
    resolved_by: str
    note: str = ""


class MemoryCorrected(Payload):
    """A person says otherwise than these entries, all of one memory: what they said is a session of its own.

    Attributes:
        older_ids: the entries.
        older_forms: what they say, as in :class:`ConflictResolved`.
        correction_session_id: what the person typed is its one message, and its entry is the other side.
    """

    event_type: ClassVar[str] = "memory_corrected"
    older_ids: list[str]
    older_forms: list[str] = []
    correction_session_id: str
    corrected_by: str


class ConflictReopened(Payload):
    """A person takes a resolution back; its sides are those of :class:`ConflictResolved`."""

    event_type: ClassVar[str] = "conflict_reopened"
    conflict_id: str
    older_ids: list[str]
    newer_ids: list[str]
    older_forms: list[str] = []
    newer_forms: list[str] = []
    reopened_by: str
    note: str = ""


class CitedEntry(Value):
    """An entry that a decision rests on, as it stood when the decision was recorded."""

    entry_id: str
    stage: Literal["verified", "certified"]
    said_at: datetime
    role: str = "supports"


class DecisionRecorded(Payload):
    """A person's or an agent's decision and the entries that it rests on.

    Attributes:
        decided_at: no evidence was said later.
        caused_by: an earlier decision.
        verdicts: of the proof that it cites what it may cite.
    """

    event_type: ClassVar[str] = "decision_recorded"
    decision_id: str
    action: str
    outcome: str = ""
    confidence: float | None = None
    project: str | None = None
    decided_at: datetime
    evidence: list[CitedEntry]
    caused_by: str | None = None
    recorded_by: str
    verdicts: list[VerdictRecord]
