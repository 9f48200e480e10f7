"""One of several ids that could not be answered, as it is printed; the others are."""

from __future__ import annotations

from typing import Literal

from memory_assets.results.error import ErrorV1
from memory_assets.results.model import WireModel


class UnansweredV1(WireModel):
    """An id as it was given, and what is wrong with it."""

    schema_version: Literal["unanswered.v1"] = "unanswered.v1"
    id: str
    error: ErrorV1
