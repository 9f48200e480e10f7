"""What people and agents did with what they were shown, and what they say of it."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from memory_assets.log.payloads.base import Payload, Value
from memory_assets.vocabulary import Signal


class UnitFeedback(Payload):
    """Somebody says that a unit was used, that it helped, or that it is wrong.

    The event belongs to the session that the unit is of, so that it is hidden with it; to none where the unit spans sessions.

    Attributes:
        unit_kind, source_id: as in ``memory_units``; what is shown under another unit id later is still the same source.
        note: masked, as every text of people.
    """

    event_type: ClassVar[str] = "unit_feedback"
    unit_kind: str
    source_id: str
    signal: Signal
    said_by: str
    note: str = ""


class UnitUse(Value):
    """How often a unit was of use on one day (UTC).

    Attributes:
        unit_kind, source_id: as in ``memory_units``; what is shown under another unit id later is still the same source.
        shown: delivered as a hit, or in a context. ``opened``: looked at in full. ``cited``: an answer quotes words of it.
        first_at, last_at: when, in UTC; of all three.
    """

    unit_kind: str
    source_id: str
    shown: int = 0
    opened: int = 0
    cited: int = 0
    first_at: datetime
    last_at: datetime


class UsageCounted(Payload):
    """Uses that were noted off the log are counted: what was used and when, never a question and no text.

    The event belongs to no session, for it counts units of many. What is forgotten of them the fold leaves out.

    Attributes:
        spool: the file that they were noted in. It is the event's identity: who counts a file again appends nothing.
    """

    event_type: ClassVar[str] = "usage_counted"
    spool: str
    uses: list[UnitUse]
