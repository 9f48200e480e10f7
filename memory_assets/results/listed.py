"""Pages of what the store holds, each with how much there is in all, as the JSON API and the live stream print them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal

from memory_assets.results.events import EventView
from memory_assets.results.memories import MemoryView
from memory_assets.results.metrics import PromotionCount
from memory_assets.results.model import WireModel
from memory_assets.results.sessions import MessageView, Quarantined, SessionSummary
from memory_assets.vocabulary import Stage


class MemoryPageV1(WireModel):
    """Memories of one stage, the newest first; ``total`` counts them all, ``page`` from 1."""

    schema_version: Literal["memory_page.v1"] = "memory_page.v1"
    stage: Stage
    memories: tuple[MemoryView, ...]
    total: int
    page: int
    page_size: int


class GraduationV1(WireModel):
    """How far memories have come, and why some go no further.

    Attributes:
        stages: by stage, how many memories stand there now.
        promotions: how many entries took a step, or were refused it, by its reason.
    """

    schema_version: Literal["graduation.v1"] = "graduation.v1"
    stages: dict[Stage, int]
    promotions: tuple[PromotionCount, ...]


class SettingsShownV1(WireModel):
    """The settings of a running server, by section. Another value counts from its next start."""

    schema_version: Literal["settings_shown.v1"] = "settings_shown.v1"
    settings: dict[str, Any]


class SessionPageV1(WireModel):
    """Some sessions, the newest first; ``total`` counts all that were asked for, ``page`` from 1."""

    schema_version: Literal["session_page.v1"] = "session_page.v1"
    sessions: tuple[SessionSummary, ...]
    total: int
    page: int
    page_size: int


class SessionCountsV1(WireModel):
    """What a session consists of.

    Attributes:
        prompts: what people said; ``responses``: what the agent said.
        tool_calls, tool_results: what tools were asked and answered.
        other: thinking, and what a program put there.
    """

    messages: int
    prompts: int
    responses: int
    tool_calls: int
    tool_results: int
    other: int
    characters: int
    memories: int
    tasks: int


class SessionOverviewV1(WireModel):
    """A session without its messages.

    Attributes:
        quarantine: why it was put aside, where it was.
        events: the newest of its events; ``event_total`` counts them all.
    """

    schema_version: Literal["session_overview.v1"] = "session_overview.v1"
    session: SessionSummary
    counts: SessionCountsV1
    quarantine: tuple[Quarantined, ...]
    events: tuple[EventView, ...]
    event_total: int


class MessagePageV1(WireModel):
    """Some messages of a session in source order, from the index ``offset`` on."""

    schema_version: Literal["message_page.v1"] = "message_page.v1"
    session_id: str
    messages: tuple[MessageView, ...]
    total: int
    offset: int
    limit: int


class EventPageV1(WireModel):
    """Some events that may be seen, the newest first, without their payloads; ``total`` counts all that were asked for."""

    schema_version: Literal["event_page.v1"] = "event_page.v1"
    events: tuple[EventView, ...]
    total: int
    offset: int
    limit: int


class EventWithRelatedV1(WireModel):
    """One event with its payload, the event that it was made from, and those that were made from it (the first hundred)."""

    schema_version: Literal["event_with_related.v1"] = "event_with_related.v1"
    event: EventView
    payload: Mapping[str, Any]
    checksum: str
    chain_id: str | None
    build_id: str | None
    telemetry: Mapping[str, Any]
    caused_by: EventView | None
    caused: tuple[EventView, ...]
    caused_total: int


class LiveEventV1(WireModel):
    """An event as the live stream shows it: what happened, when, to which session; nothing that was said.

    Attributes:
        stage: the stage of which it is the result.
        title: of the session, masked.
    """

    schema_version: Literal["live_event.v1"] = "live_event.v1"
    seq: int
    ts: datetime
    event_type: str
    stage: str | None
    actor: str
    session_id: str | None
    title: str | None
    project: str | None


class DayCountsV1(WireModel):
    """What a day (UTC) brought, by what was said on it; ``events`` were written on it."""

    day: date
    sessions: int
    messages: int
    memories: int
    decisions: int
    tasks_done: int
    events: int


class StatsTimelineV1(WireModel):
    """What the days up to ``until`` brought, the oldest first, days of nothing among them."""

    schema_version: Literal["stats_timeline.v1"] = "stats_timeline.v1"
    project: str | None
    since: date
    until: date
    days: tuple[DayCountsV1, ...]


class StageLagV1(WireModel):
    """How far a stage is behind.

    Attributes:
        waiting: sessions that stand before it and are not put aside; ``since`` is when the first of them came there.
        aside: sessions that it put aside.
        last_done_at: when it was last done with one.
    """

    stage: str
    waiting: int
    since: datetime | None
    aside: int
    last_done_at: datetime | None


class StoreHealthV1(WireModel):
    """How the store stands, counted in one look.

    Attributes:
        last_seq: of the log; ``folded_seq`` is how far the tables have come.
        queue: jobs for the search index by what they are for (``words``, or an embedding version) and how they stand.
    """

    schema_version: Literal["store_health.v1"] = "store_health.v1"
    events: int
    last_seq: int
    folded_seq: int
    sessions: int
    memories: int
    tasks: int
    units: int
    quarantined: int
    stages: tuple[StageLagV1, ...]
    queue: Mapping[str, Mapping[str, int]]
    oldest_pending_at: datetime | None
