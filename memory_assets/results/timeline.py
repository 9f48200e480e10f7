"""What was said around something, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.results.unanswered import UnansweredV1
from memory_assets.vocabulary import Origin

Relation = Literal["target", "before", "after", "same_task"]


class TimelineTargetV1(WireModel):
    """What a timeline is around.

    Attributes:
        given: the id as it was given.
        id: the memory's address or the task's id, where it is one.
        uris: where it is said, the first said first.
    """

    given: str
    id: str | None = None
    unit_id: str | None = None
    unit_kind: str | None = None
    title: str = ""
    uris: tuple[str, ...] = ()


class TimelineItemV1(WireModel):
    """Something that was said: what the timeline is around, beside it in its session, or elsewhere of the same task.

    Attributes:
        relation: to the nearest target; what is a target of one id is that, whatever it is to another.
        targets: the ids, as they were given, that it is shown for.
        id: of what is of the same task, the memory's address.
        preview: at most 200 characters, fewer where the budget is spent; ``is_cut`` where it is not all.
        task: the title of the task that it speaks of, where it is shown for that.
        origin: of a passage, who wrote it.
        said_otherwise: what a person said instead of something that it shows.
    """

    relation: Relation
    is_target: bool = False
    targets: tuple[str, ...] = ()
    uri: str
    id: str | None = None
    unit_id: str | None = None
    session_id: str
    session_title: str = ""
    project: str | None = None
    message_index: int = Field(ge=0)
    ts: datetime
    speaker: str = ""
    preview: str
    is_cut: bool = False
    task: str | None = None
    origin: Origin | None = None
    said_otherwise: SaidOtherwiseV1 | None = None


class TimelineV1(WireModel):
    """What was said around some ids, session by session, in the order of time within each, everything once.

    Attributes:
        window: passages on each side of a target.
        errors: ids that name nothing.
        estimated_tokens: what the previews cost a language model; at most ``budget``.
    """

    schema_version: Literal["timeline.v1"] = "timeline.v1"
    window: int = Field(ge=0)
    targets: tuple[TimelineTargetV1, ...] = ()
    items: tuple[TimelineItemV1, ...] = ()
    errors: tuple[UnansweredV1, ...] = ()
    budget: int = Field(default=0, ge=0)
    estimated_tokens: int = Field(default=0, ge=0)
