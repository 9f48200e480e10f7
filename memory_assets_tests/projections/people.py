"""What people say of entries, as events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from memory_assets.graduation.resolutions import Resolution
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.graduation import (
    CitedEntry,
    ConflictReopened,
    ConflictResolved,
    DecisionRecorded,
    EntriesDemoted,
    PromotionConfirmed,
    VerdictRecord,
)
from memory_assets.vocabulary import Stage

LATER = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def resolved(
    conflict_id: str, older: Sequence[str], newer: Sequence[str], resolution: Resolution, at: datetime = LATER
) -> NewEvent:
    """A person says which side holds."""
    return _said(
        ConflictResolved(
            conflict_id=conflict_id, resolution=resolution, older_ids=list(older), newer_ids=list(newer), resolved_by="kim"
        ),
        at,
    )


def reopened(conflict_id: str, older: Sequence[str], newer: Sequence[str], at: datetime) -> NewEvent:
    """A person takes that back."""
    return _said(ConflictReopened(conflict_id=conflict_id, older_ids=list(older), newer_ids=list(newer), reopened_by="kim"), at)


def confirmed(entry_ids: Sequence[str], to_stage: Stage = "certified", at: datetime = LATER) -> NewEvent:
    """A person vouches for entries."""
    return _said(PromotionConfirmed(entry_ids=list(entry_ids), to_stage=to_stage, confirmed_by="kim"), at)  # type: ignore[arg-type]


def demoted(
    entry_ids: Sequence[str], to_stage: Stage = "candidate", at: datetime = LATER, *, by_person: bool = False
) -> NewEvent:
    """Entries grew old, or a person counts them for less."""
    return _said(
        EntriesDemoted(
            entry_ids=list(entry_ids),
            from_stage="verified",
            to_stage=to_stage,
            policy_version="half-life 1",
            age_days=None if by_person else 400.0,
            demoted_by="policy",
        ),
        at,
    )


def recorded(action: str, *entry_ids: str, caused_by: str | None = None, at: datetime = LATER) -> NewEvent:
    """A person records a decision."""
    return _said(
        DecisionRecorded(
            decision_id=f"dec_{action}",
            action=action,
            decided_at=at,
            evidence=[
                CitedEntry(entry_id=entry_id, stage="verified", said_at=datetime(2026, 3, 1, tzinfo=UTC))
                for entry_id in entry_ids
            ],
            caused_by=caused_by,
            recorded_by="kim",
            verdicts=[VerdictRecord(checker="embedded", checker_version="1", accepted=True)],
        ),
        at,
    )


def said(payload: Payload, at: datetime = LATER) -> NewEvent:
    """A person says something of a task or condition."""
    return _said(payload, at)


def _said(payload: Payload, at: datetime) -> NewEvent:
    return NewEvent(payload, inputs=(payload.model_dump_json(), at.isoformat()), actor="person", occurred_at=at)
