"""Every payload by its event type (requirements.md section (a)), and the stages' own results."""

from __future__ import annotations

from memory_assets.log.payloads import (
    builds,
    entries,
    evaluation,
    graduation,
    log_end,
    purged,
    sessions,
    task_words,
    tasks,
    usage,
)
from memory_assets.log.payloads.base import Payload
from memory_assets.vocabulary import PipelineStage

PAYLOADS: dict[str, type[Payload]] = {
    payload.event_type: payload
    for payload in (
        sessions.SourceRegistered,
        sessions.SourceRefused,
        sessions.SourceTakenFor,
        sessions.SourceTold,
        sessions.SessionIngested,
        sessions.MessageContinued,
        entries.WindowExtracted,
        entries.MemoryExtracted,
        entries.WindowAligned,
        entries.EvidenceAligned,
        entries.EntryMaterialized,
        entries.EntriesMaterialized,
        graduation.IdrisChecked,
        graduation.EntryPromoted,
        graduation.EntryPromotionRejected,
        graduation.PromotionConfirmed,
        graduation.EntriesDemoted,
        graduation.ConflictDetected,
        graduation.ConflictResolved,
        graduation.ConflictReopened,
        graduation.DecisionRecorded,
        sessions.SessionProjected,
        sessions.SessionVectorized,
        sessions.SessionQuarantined,
        sessions.QuarantineReleased,
        sessions.SessionForgotten,
        tasks.TaskCreated,
        tasks.TaskEvidenceLinked,
        tasks.TaskTitleChanged,
        tasks.TaskStatusChanged,
        tasks.TaskPriorityChanged,
        tasks.TaskBlockersSet,
        tasks.TaskTransitionRejected,
        tasks.TaskBlockerRejected,
        tasks.ConditionDeclared,
        tasks.ConditionResolvedTo,
        tasks.ConditionSatisfied,
        tasks.ArtifactDeclared,
        tasks.ArtifactSettled,
        tasks.TaskTitlesAlike,
        tasks.BlockerCycleDetected,
        task_words.TaskDeclared,
        task_words.TaskStatusSaid,
        task_words.TaskPrioritySaid,
        task_words.TaskBlockersSaid,
        task_words.TaskMoveAccepted,
        task_words.EntityMerged,
        task_words.EntityMergeReverted,
        task_words.ConditionAnswered,
        usage.UnitFeedback,
        evaluation.EvalRunRecorded,
        builds.BuildStarted,
        builds.BuildFinished,
        log_end.LogEndAccepted,
        purged.Purged,
    )
}
# The stages' own results, in the order of the road: each is made from the one before it.
CHAIN: dict[PipelineStage, str] = {
    "ingested": sessions.SessionIngested.event_type,
    "extracted": entries.MemoryExtracted.event_type,
    "aligned": entries.EvidenceAligned.event_type,
    "materialized": entries.EntriesMaterialized.event_type,
    "idris_checked": graduation.IdrisChecked.event_type,
    "projected": sessions.SessionProjected.event_type,
    "vectorized": sessions.SessionVectorized.event_type,
}
