"""Everything that surfaces print and that has a schema: the models of the wire, and records that are printed as they are.

A record has the fields that it has in Python (`records.as_json`), and most carry no ``schema_version``: their place in an
answer says what they are. Like the models they only grow.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, Field, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema

from memory_assets.backup.archive import Manifest
from memory_assets.backup.recover import Recovered
from memory_assets.backup.restore import Restored
from memory_assets.errors import NotFoundError
from memory_assets.exchange.exporting import Exported
from memory_assets.maintenance.indexing import InLine
from memory_assets.maintenance.outbox import OutboxStatus
from memory_assets.maintenance.reembed import Reembedded
from memory_assets.queries.builds import BuildDetails, BuildPage
from memory_assets.queries.metrics import Metrics
from memory_assets.queries.records import (
    EntryView,
    EvidenceView,
    MemoryView,
    ResolvedMemory,
    ResolvedSpan,
    SessionDetails,
    SessionSummary,
    Stats,
)
from memory_assets.queries.resolved import ResolvedEntry, ResolvedName, ResolvedTask, ResolvedUnit
from memory_assets.queries.task_records import ArtifactView, ConditionView, TaskDetail, TaskReview, TaskView
from memory_assets.search.results.registry import WIRE
from memory_assets.vectors.calibration import Calibration
from memory_assets.vectors.outbox import Drained


def _with(record: type[Any], *, named: str = "", added: tuple[str, ...] = (), **more: Any) -> type[BaseModel]:
    """A record that is printed with something in front of it.

    Args:
        named: where the record is printed as it is as well, within another one.
        added: fields that came later: what was printed before has none of them.
    """
    hints = get_type_hints(record)
    kinds = {**more, **{field.name: hints[field.name] for field in fields(record)}}
    parts: dict[str, Any] = {name: (kind | None, None) if name in added else (kind, ...) for name, kind in kinds.items()}
    model: type[BaseModel] = create_model(named or record.__name__, __doc__=record.__doc__, **parts)
    return model


# What `memory show` prints is told apart by `kind`.
_SHOWN: Any = Annotated[
    _with(ResolvedMemory, kind=Literal["memory"])
    | _with(ResolvedSpan, named="ShownSpan", kind=Literal["span", "terminal_snapshot"])
    | _with(ResolvedEntry, kind=Literal["entry"])
    | _with(ResolvedTask, kind=Literal["task"])
    | _with(ResolvedUnit, kind=Literal["unit"])
    | _with(ResolvedName, kind=Literal["file", "line", "code", "symbol", "commit", "log", "page", "region", "caption", "time"]),
    Field(discriminator="kind"),
]

_RECORDS: dict[str, Any] = {
    "artifact_list.v1": list[ArtifactView],
    "backup.v1": _with(Manifest, schema_version=Literal["backup.v1"], path=str),
    "build.v1": BuildDetails,
    "build_list.v1": BuildPage,
    "condition_list.v1": list[ConditionView],
    "entry.v1": EntryView,
    "entry_list.v1": list[EntryView],
    "evidence.v1": EvidenceView,
    "exported.v1": _with(Exported, schema_version=Literal["exported.v1"], path=str),
    "memory.v1": MemoryView,
    "metrics.v1": Metrics,
    "outbox.v1": _with(OutboxStatus, added=("words",), schema_version=Literal["outbox.v1"]),
    "outbox_drained.v1": _with(
        Drained, schema_version=Literal["outbox_drained.v1"], added=("words",), words=Drained, calibration=Calibration | None
    ),
    "outbox_reconciled.v1": _with(
        InLine, added=("words", "words_drained"), schema_version=Literal["outbox_reconciled.v1"], dry_run=bool
    ),
    "recovered.v1": _with(Recovered, schema_version=Literal["recovered.v1"]),
    "reembed.v1": _with(Reembedded, schema_version=Literal["reembed.v1"], dry_run=bool),
    "restored.v1": _with(Restored, schema_version=Literal["restored.v1"]),
    "session.v1": SessionDetails,
    "session_list.v1": list[SessionSummary],
    "shown.v1": _SHOWN,
    "stats.v1": Stats,
    "task_detail.v1": TaskDetail,
    "task_list.v1": list[TaskView],
    "task_review.v1": TaskReview,
}

PRINTED: dict[str, Any] = dict(sorted({**WIRE, **_RECORDS}.items()))
"""The type of every printed object, by schema id."""


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
