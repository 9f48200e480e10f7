"""The aligner in the shape that alignment benchmarks call: ``align(messages, message_index, quote)``.

It keeps one aligner as a session would, so that a message is prepared once however many of its quotes are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence

Answer = tuple[int, int, int, str, float, dict[str, Any]]

_aligner = Aligner()


def align(messages: Sequence[str], message_index: int, quote: str) -> Answer | None:
    """Message, span, method, confidence and flags of a quote; None where it is refused."""
    found = _aligner.align(messages, quote, message_index)
    if not isinstance(found, AlignedEvidence):
        return None
    flags = {"critical": found.critical, "ambiguous": found.alternative_count, "relocated": found.relocated}
    return found.message_index, found.span_start, found.span_end, found.method, found.confidence, flags
