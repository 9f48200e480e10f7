"""What people and agents say of what they were shown."""

from __future__ import annotations

from typing import ClassVar

from memory_assets.log.payloads.base import Payload
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
