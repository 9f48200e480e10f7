"""Hits in layers, as they are printed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel
from memory_assets.vocabulary import DisclosureReason


class DisclosedV1(WireModel):
    """One text of a layer; ``is_cut`` where it is not all."""

    id: str
    text: str
    is_cut: bool = False
    tokens: int = Field(default=0, ge=0)


class DisclosureV1(WireModel):
    """The hits of a search, and what of them was opened.

    Attributes:
        reason: why something, or nothing, was opened.
        index: a line for each hit that there is room for.
        timeline: what was said around the ones that were opened; ``details`` their full text.
        total_matches: hits of the search; ``expanded_count`` of them were opened.
        estimated_tokens: what all layers cost together, at most ``budget``.
    """

    schema_version: Literal["disclosure.v1"] = "disclosure.v1"
    query: str
    reason: DisclosureReason
    index: tuple[DisclosedV1, ...] = ()
    timeline: tuple[DisclosedV1, ...] = ()
    details: tuple[DisclosedV1, ...] = ()
    total_matches: int = Field(default=0, ge=0)
    expanded_count: int = Field(default=0, ge=0)
    budget: int = Field(ge=1)
    estimated_tokens: int = Field(default=0, ge=0)
