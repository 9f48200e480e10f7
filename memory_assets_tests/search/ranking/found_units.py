"""Hits of the index for the tests of ranking."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_assets.text.lexical_text import search_text
from memory_assets.vectors.units import LexicalHits, UnitHit

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def hit(unit_id: str, score: float, text: str = "", **fields: Any) -> UnitHit:
    """A passage that a leg found; other values where ``fields`` give them."""
    values: dict[str, Any] = {
        "unit_kind": "passage",
        "project": "shop",
        "session_id": "s1",
        "message_index": 0,
        "place": 0,
        "role": "user",
        "speaker": None,
        "stage": "raw",
        "status": "active",
        "confidence": 1.0,
        "occurred_at": DAY,
    } | fields
    return UnitHit(unit_id=unit_id, score=score, own_text=search_text(text), **values)


def lexical(*hits: UnitHit, own: tuple[UnitHit, ...] = ()) -> LexicalHits:
    """What the two fields gave."""
    return LexicalHits(context=hits, own=own)
