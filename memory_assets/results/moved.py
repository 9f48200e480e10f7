"""What became of a log that was moved, as it is printed."""

from __future__ import annotations

from typing import Literal

from memory_assets.results.model import WireModel


class MovedV1(WireModel):
    """Where a log lies now, or would.

    Attributes:
        source, target: a file, or a PostgreSQL without user and password.
        events: of the whole log, each of which was read behind the move and follows from the one before it.
        sent: how many of them this call took over; the others were there.
        link_hash: of the newest one, in hex: the same in both places.
        next_steps: what a person does now, one thing a line.
    """

    schema_version: Literal["moved.v1"] = "moved.v1"
    dry_run: bool
    source: str
    target: str
    events: int
    sent: int
    link_hash: str
    next_steps: tuple[str, ...]
