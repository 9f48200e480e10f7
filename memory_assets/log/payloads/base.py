"""What every payload is.

A payload holds only what is a function of the event's inputs. What was measured (durations, tokens, costs, attempts) goes into
the envelope's telemetry, outside key and checksum. Fields that stand at their default are not written, so a new optional field
changes no checksum of old events.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Payload(BaseModel):
    """Base of all payloads."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event_type: ClassVar[str]
    payload_version: ClassVar[int] = 1


class Value(BaseModel):
    """Base of what payloads are made of."""

    model_config = ConfigDict(extra="forbid", frozen=True)
