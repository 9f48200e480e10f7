"""Everything that surfaces print and that has a schema, by its id.

To print a new object: write its model in a module of this package, a `WireModel` whose first field is
``schema_version: Literal["thing.v1"] = "thing.v1"``, add a line to :data:`PRINTED`, and run ``make schemas``. Inside v1 a model
only grows: new fields have a default, words are added to enums, nothing else changes; a test holds that.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from memory_assets.errors import NotFoundError
from memory_assets.results.answer import AnswerV1, BulkAnswerItemV1
from memory_assets.results.builds import BuildDetails, BuildPage
from memory_assets.results.certificate import CertificateV1
from memory_assets.results.citation import AnyCitationV1
from memory_assets.results.context import ContextBundleV1
from memory_assets.results.copies import Exported, Manifest, Recovered, Restored
from memory_assets.results.correction import CorrectionV1
from memory_assets.results.court import (
    CaseEventListV1,
    CaseListV1,
    CaseV1,
    CourtProjectionV1,
    CourtRunV1,
    LessonListV1,
    LessonV1,
)
from memory_assets.results.details import DetailsV1
from memory_assets.results.digest import DayDigestV1, ProjectDigestV1, SessionDigestV1
from memory_assets.results.disclosure import DisclosureV1
from memory_assets.results.doctor import DoctorV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.evaluation import EvalCalibrationV1, EvalComparisonV1, EvalInitV1, EvalRunV1
from memory_assets.results.feedback import AckV1, UnitStandingV1
from memory_assets.results.forgetting import ForgetReportV1, ForgettingListV1, KeptAwayListV1, UnforgetReportV1
from memory_assets.results.gotchas import GotchaListV1
from memory_assets.results.listed import (
    EventPageV1,
    EventWithRelatedV1,
    GraduationV1,
    LiveEventV1,
    MemoryPageV1,
    MessagePageV1,
    SessionOverviewV1,
    SessionPageV1,
    SettingsShownV1,
    StatsTimelineV1,
    StoreHealthV1,
)
from memory_assets.results.memories import EntryView, EvidenceView, MemoryView
from memory_assets.results.metrics import Metrics
from memory_assets.results.mirror import MirrorBuiltV1, MirrorV1, MirrorVerifiedV1
from memory_assets.results.moved import MovedV1
from memory_assets.results.outbox import InLine, OutboxDrained, OutboxStatus, Reembedded
from memory_assets.results.policy import PolicyCheckV1, PolicyV1
from memory_assets.results.prompts import PromptUpdateV1, RolePromptV1
from memory_assets.results.purge import PurgeReportV1
from memory_assets.results.recorded_answer import RecordedAnswerListV1, RecordedAnswerV1
from memory_assets.results.retrieval import RetrievalV1
from memory_assets.results.schema import SchemaDefinitionV1, SchemaV1
from memory_assets.results.search import BulkSearchItemV1, SearchHitV1, SearchResponseV1
from memory_assets.results.sessions import SessionDetails, SessionSummary
from memory_assets.results.shown import Shown
from memory_assets.results.stats import Stats
from memory_assets.results.tasks import ArtifactView, ConditionView, TaskDetail, TaskReview, TaskView
from memory_assets.results.timeline import TimelineV1
from memory_assets.results.unanswered import UnansweredV1

PRINTED: dict[str, Any] = {
    "ack.v1": AckV1,
    "answer.v1": AnswerV1,
    "artifact_list.v1": list[ArtifactView],
    "backup.v1": Manifest,
    "build.v1": BuildDetails,
    "build_list.v1": BuildPage,
    "bulk_answer_item.v1": BulkAnswerItemV1,
    "bulk_search_item.v1": BulkSearchItemV1,
    "case.v1": CaseV1,
    "case_event_list.v1": CaseEventListV1,
    "case_list.v1": CaseListV1,
    "certificate.v1": CertificateV1,
    "citation.v1": AnyCitationV1,
    "condition_list.v1": list[ConditionView],
    "context_bundle.v1": ContextBundleV1,
    "correction.v1": CorrectionV1,
    "court_projection.v1": CourtProjectionV1,
    "court_run.v1": CourtRunV1,
    "day_digest.v1": DayDigestV1,
    "details.v1": DetailsV1,
    "disclosure.v1": DisclosureV1,
    "doctor.v1": DoctorV1,
    "entry.v1": EntryView,
    "entry_list.v1": list[EntryView],
    "error.v1": ErrorV1,
    "eval_comparison.v1": EvalComparisonV1,
    "eval_calibration.v1": EvalCalibrationV1,
    "eval_init.v1": EvalInitV1,
    "eval_run.v1": EvalRunV1,
    "event_page.v1": EventPageV1,
    "event_with_related.v1": EventWithRelatedV1,
    "evidence.v1": EvidenceView,
    "exported.v1": Exported,
    "forget_report.v1": ForgetReportV1,
    "forgetting_list.v1": ForgettingListV1,
    "gotcha_list.v1": GotchaListV1,
    "kept_away_list.v1": KeptAwayListV1,
    "lesson.v1": LessonV1,
    "lesson_list.v1": LessonListV1,
    "live_event.v1": LiveEventV1,
    "memory.v1": MemoryView,
    "message_page.v1": MessagePageV1,
    "metrics.v1": Metrics,
    "mirror.v1": MirrorV1,
    "mirror_built.v1": MirrorBuiltV1,
    "mirror_verified.v1": MirrorVerifiedV1,
    "moved.v1": MovedV1,
    "outbox.v1": OutboxStatus,
    "outbox_drained.v1": OutboxDrained,
    "outbox_reconciled.v1": InLine,
    "project_digest.v1": ProjectDigestV1,
    "prompt_update.v1": PromptUpdateV1,
    "policy.v1": PolicyV1,
    "policy_check.v1": PolicyCheckV1,
    "prompt_update_list.v1": list[PromptUpdateV1],
    "recorded_answer.v1": RecordedAnswerV1,
    "recorded_answer_list.v1": RecordedAnswerListV1,
    "purge_report.v1": PurgeReportV1,
    "recovered.v1": Recovered,
    "reembed.v1": Reembedded,
    "restored.v1": Restored,
    "retrieval.v1": RetrievalV1,
    "role_prompt.v1": RolePromptV1,
    "role_prompt_list.v1": list[RolePromptV1],
    "schema.v1": SchemaV1,
    "schema_definition.v1": SchemaDefinitionV1,
    "search_hit.v1": SearchHitV1,
    "search_response.v1": SearchResponseV1,
    "session.v1": SessionDetails,
    "session_digest.v1": SessionDigestV1,
    "session_list.v1": list[SessionSummary],
    "session_overview.v1": SessionOverviewV1,
    "session_page.v1": SessionPageV1,
    "settings_shown.v1": SettingsShownV1,
    "memory_page.v1": MemoryPageV1,
    "graduation.v1": GraduationV1,
    "shown.v1": Shown,
    "stats.v1": Stats,
    "stats_timeline.v1": StatsTimelineV1,
    "store_health.v1": StoreHealthV1,
    "task_detail.v1": TaskDetail,
    "task_list.v1": list[TaskView],
    "task_review.v1": TaskReview,
    "timeline.v1": TimelineV1,
    "unanswered.v1": UnansweredV1,
    "unforget_report.v1": UnforgetReportV1,
    "unit_standing.v1": UnitStandingV1,
}
"""The type of every printed object."""


class _Schema(GenerateJsonSchema):
    """Fields have names; a title that repeats the name says nothing."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@cache
def schema_of(schema_id: str) -> dict[str, Any]:
    """The JSON Schema of what is printed under an id, ``citation.v1`` or ``citation``.

    Raises:
        NotFoundError: there is none.
    """
    known = next((known for known in (schema_id, f"{schema_id}.v1") if known in PRINTED), None)
    if known is None:
        raise NotFoundError(f"there is no schema {schema_id[:100]!r}", hint="`memory schema` lists them")
    schema = TypeAdapter(PRINTED[known]).json_schema(mode="serialization", schema_generator=_Schema)
    return {**schema, "$schema": _Schema.schema_dialect, "$id": known}
