"""Metrics by stage, as they are printed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memory_assets.results.model import WireModel


class Within(WireModel):
    """What is measured: everything, or what belongs to one build, one session, one stage, or came since a moment."""

    build_id: str | None = None
    session_id: str | None = None
    stage: str | None = None
    since: datetime | None = None


class StageTimes(WireModel):
    """How long a stage's own work on its sessions took. Times are milliseconds of one session.

    Attributes:
        runs: how often it did a session's work; ``sessions`` counts the different ones.
        failures: how many of the runs put their session aside; ``errors`` has them by code.
        slowest_session: None where it was forgotten since.
        sessions_per_second: of its own work, while it worked.
    """

    stage: str
    runs: int
    sessions: int
    failures: int
    errors: Mapping[str, int]
    total_ms: float
    mean_ms: float
    median_ms: float
    p95_ms: float
    slowest_ms: float
    slowest_session: str | None
    sessions_per_second: float | None


class ModelCosts(WireModel):
    """What a model was asked for the windows that it answered; the means are of the sessions that it was asked about.

    Requests that ended without an answer are counted by their build alone.

    Attributes:
        cost_usd: None where the price is not known.
    """

    sessions: int
    windows: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    seconds: float
    tokens_per_session: float | None
    cost_usd_per_session: float | None


class VerdictTimes(WireModel):
    """How long a checker took for a session's verdict, milliseconds."""

    checker: str
    verdicts: int
    total_ms: float
    mean_ms: float
    median_ms: float
    p95_ms: float
    slowest_ms: float
    slowest_session: str | None


class PromotionCount(WireModel):
    """How many entries took a step of the ladder, or were refused it, for one reason."""

    outcome: str
    from_stage: str
    to_stage: str
    reason: str
    count: int


class Metrics(WireModel):
    """What the stages measured. Parts that another stage than the one asked for measures are empty.

    Attributes:
        within: what it was narrowed to.
        stages: in the order of the road.
        quotes_by_method: of current entries.
        entries_by_stage: how far current entries have come, from the lowest stage up.
    """

    schema_version: str
    within: Within
    stages: tuple[StageTimes, ...]
    extraction: ModelCosts
    verdicts: tuple[VerdictTimes, ...]
    quotes_by_method: Mapping[str, int]
    entries_by_stage: Mapping[str, int]
    promotions: tuple[PromotionCount, ...]
