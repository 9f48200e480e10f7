"""A person's correction of a memory, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from memory_assets.results.memories import MemoryView
from memory_assets.results.model import WireModel


class CorrectionV1(WireModel):
    """What a person said instead of a memory.

    Attributes:
        corrected: the memory as it was, by its address and title; it stays, set aside in favour of ``correction``.
        said_by: masked, as every word of people.
    """

    schema_version: Literal["correction.v1"] = "correction.v1"
    corrected: MemoryView
    correction: MemoryView
    said_by: str


class SaidOtherwiseV1(WireModel):
    """What a person said instead of words that are shown.

    Attributes:
        id: the memory that it is, ``mem:a7Bc3x``; ``uri`` is where it was said.
        text: its first words, a hundred characters of them.
        said_by: masked, as every word of people.
    """

    id: str
    uri: str
    text: str
    said_by: str
    said_at: datetime

    @property
    def told(self) -> str:
        """When it was said, and where it stands."""
        return f"a person said otherwise on {self.said_at:%Y-%m-%d}: {self.id}"
