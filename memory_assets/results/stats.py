"""What the store holds, as it is printed."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from memory_assets.results.model import WireModel


class Stats(WireModel):
    """What the store holds, counted, and of what use it was.

    Attributes:
        deliveries: how often a search delivered a unit that is still there.
        units_shown: how many of the units were delivered at all; ``memories_shown`` are those that are memories.
        feedback_by_signal: what was said of units that are still there: used, helpful, wrong.
    """

    schema_version: str
    sessions: int
    sessions_by_status: Mapping[str, int]
    sessions_by_format: Mapping[str, int]
    messages: int
    characters: int
    entries: int
    entries_by_type: Mapping[str, int]
    entries_by_stage: Mapping[str, int]
    quotes_by_method: Mapping[str, int]
    memories: int
    tasks_by_status: Mapping[str, int]
    units_by_kind: Mapping[str, int]
    outbox_by_status: Mapping[str, int]
    quarantined: int
    events: int
    store_bytes: int
    vectors_bytes: int
    deliveries: int = 0
    units_shown: int = 0
    memories_shown: int = 0
    feedback_by_signal: Mapping[str, int] = Field(default_factory=dict)
