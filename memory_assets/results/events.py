"""Events of the log, as they are printed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_assets.results.model import WireModel


class EventView(WireModel):
    """One event of the log without its payload."""

    seq: int
    event_id: str
    ts: datetime
    event_type: str
    session_id: str | None
    actor: str
    occurred_at: datetime | None
    stage_version: str | None
    payload_bytes: int


class EventDetails(WireModel):
    """One event with its payload and what was measured."""

    event: EventView
    payload: Mapping[str, Any]
    checksum: str
    causation_id: str | None
    chain_id: str | None
    build_id: str | None
    telemetry: Mapping[str, Any]


class EventStats(WireModel):
    """What the log holds."""

    total: int
    by_type: Mapping[str, int]
    last_seq: int
    first_ts: datetime | None
    last_ts: datetime | None
    payload_bytes: int
