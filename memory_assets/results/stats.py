"""What the store holds, as it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field

from memory_assets.results.model import WireModel


class UsedMemoryV1(WireModel):
    """A memory that was of use, and how often it was what."""

    citation: str
    title: str
    shown: int = 0
    opened: int = 0
    cited: int = 0
    used: int = 0
    helpful: int = 0
    wrong: int = 0


class UsageV1(WireModel):
    """What the memory was good for: of the units that are still there, of all kinds.

    Attributes:
        project: of which alone is counted; None for the whole store.
        shown: how often a unit was delivered, as a hit or in a context; ``opened`` how often one was looked at in full;
            ``cited`` how often an answer quoted words of one.
        used, helpful, wrong: how often somebody said so of one.
        days: on how many days (UTC) any was shown, opened or cited, between ``first_at`` and ``last_at``.
        memories: that search can show; ``memories_never_shown`` of them it never did.
        of_most_use: the memories that were of most use, the best first: what was said of them counts before what was cited,
            that before what was opened, and that before what was shown. None that was never more than shown.
    """

    project: str | None = None
    shown: int = 0
    opened: int = 0
    cited: int = 0
    used: int = 0
    helpful: int = 0
    wrong: int = 0
    days: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    memories: int = 0
    memories_never_shown: int = 0
    of_most_use: tuple[UsedMemoryV1, ...] = ()


class Stats(WireModel):
    """What the store holds, counted, and of what use it was.

    Attributes:
        deliveries: how often a search delivered a unit that is still there.
        units_shown: how many of the units were delivered at all; ``memories_shown`` are those that are memories.
        feedback_by_signal: what was said of units that are still there: used, helpful, wrong.
        usage: of what use the memory was.
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
    usage: UsageV1 = Field(default_factory=UsageV1)
