"""A person's correction of a memory, as it is printed."""

from __future__ import annotations

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
