"""Every payload by its event type (requirements.md section (a)), and the stages' own results."""

from __future__ import annotations

from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.builds import BuildFinished, BuildStarted
from memory_assets.log.payloads.entries import (
    EntriesMaterialized,
    EntryMaterialized,
    EvidenceAligned,
    MemoryExtracted,
    WindowAligned,
    WindowExtracted,
)
from memory_assets.log.payloads.evaluation import EvalRunRecorded
from memory_assets.log.payloads.graduation import (
    ConflictDetected,
    ConflictReopened,
    ConflictResolved,
    DecisionRecorded,
    EntriesDemoted,
    EntryPromoted,
    EntryPromotionRejected,
    IdrisChecked,
    PromotionConfirmed,
)
from memory_assets.log.payloads.log_end import LogEndAccepted
from memory_assets.log.payloads.sessions import (
    MessageContinued,
    QuarantineReleased,
    SessionForgotten,
    SessionIngested,
    SessionProjected,
    SessionQuarantined,
    SessionVectorized,
    SourceRefused,
    SourceRegistered,
    SourceTakenFor,
    SourceTold,
)
from memory_assets.log.payloads.task_words import (
    ConditionAnswered,
    EntityMerged,
    EntityMergeReverted,
    TaskBlockersSaid,
    TaskDeclared,
    TaskMoveAccepted,
    TaskPrioritySaid,
    TaskStatusSaid,
)
from memory_assets.log.payloads.tasks import (
    ArtifactDeclared,
    ArtifactSettled,
    BlockerCycleDetected,
    ConditionDeclared,
    ConditionResolvedTo,
    ConditionSatisfied,
    TaskBlockerRejected,
    TaskBlockersSet,
    TaskCreated,
    TaskEvidenceLinked,
    TaskPriorityChanged,
    TaskStatusChanged,
    TaskTitleChanged,
    TaskTitlesAlike,
    TaskTransitionRejected,
)
from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.vocabulary import PipelineStage

PAYLOADS: dict[str, type[Payload]] = {
    payload.event_type: payload
    for payload in (
        SourceRegistered,
        SourceRefused,
        SourceTakenFor,
        SourceTold,
        SessionIngested,
        MessageContinued,
        WindowExtracted,
        MemoryExtracted,
        WindowAligned,
        EvidenceAligned,
        EntryMaterialized,
        EntriesMaterialized,
        IdrisChecked,
        EntryPromoted,
        EntryPromotionRejected,
        PromotionConfirmed,
        EntriesDemoted,
        ConflictDetected,
        ConflictResolved,
        ConflictReopened,
        DecisionRecorded,
        SessionProjected,
        SessionVectorized,
        SessionQuarantined,
        QuarantineReleased,
        SessionForgotten,
        TaskCreated,
        TaskEvidenceLinked,
        TaskTitleChanged,
        TaskStatusChanged,
        TaskPriorityChanged,
        TaskBlockersSet,
        TaskTransitionRejected,
        TaskBlockerRejected,
        ConditionDeclared,
        ConditionResolvedTo,
        ConditionSatisfied,
        ArtifactDeclared,
        ArtifactSettled,
        TaskTitlesAlike,
        BlockerCycleDetected,
        TaskDeclared,
        TaskStatusSaid,
        TaskPrioritySaid,
        TaskBlockersSaid,
        TaskMoveAccepted,
        EntityMerged,
        EntityMergeReverted,
        ConditionAnswered,
        UnitFeedback,
        EvalRunRecorded,
        BuildStarted,
        BuildFinished,
        LogEndAccepted,
    )
}
# The stages' own results, in the order of the road: each is made from the one before it.
CHAIN: dict[PipelineStage, str] = {
    "ingested": SessionIngested.event_type,
    "extracted": MemoryExtracted.event_type,
    "aligned": EvidenceAligned.event_type,
    "materialized": EntriesMaterialized.event_type,
    "idris_checked": IdrisChecked.event_type,
    "projected": SessionProjected.event_type,
    "vectorized": SessionVectorized.event_type,
}
