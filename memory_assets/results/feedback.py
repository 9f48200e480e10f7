"""What is answered to a word on what was shown."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel


class UnitStandingV1(WireModel):
    """A unit with what was said of it.

    Attributes:
        source_id: what the unit was made of: a memory, a task, a message of a session.
        shown: how often a search delivered it, as far as that is counted.
        uplift: what it means for its place in a ranking, from -1 to 1.
    """

    schema_version: Literal["unit_standing.v1"] = "unit_standing.v1"
    unit_id: str
    unit_kind: str
    source_id: str
    title: str = ""
    shown: int = Field(default=0, ge=0)
    used: int = Field(default=0, ge=0)
    helpful: int = Field(default=0, ge=0)
    wrong: int = Field(default=0, ge=0)
    uplift: float = Field(default=0.0, ge=-1, le=1)


class AckV1(WireModel):
    """A word was written.

    Attributes:
        event_type: what was written, ``unit_feedback`` for one; ``event_id`` names the event.
        id: what it was said of, as it was given.
        at: the speaker's clock.
        unit: what the id names, as it stands now; None where the word is on no unit.
    """

    schema_version: Literal["ack.v1"] = "ack.v1"
    event_type: str
    event_id: str
    id: str
    said_by: str
    at: datetime
    unit: UnitStandingV1 | None = None
