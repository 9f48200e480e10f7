"""A quote that was found, or one that was not: the two outcomes of alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]
"""Half-open, in code points of one text."""

AlignmentMethod = Literal["exact", "normalized", "fuzzy"]
FailureReason = Literal["not_found", "below_threshold", "ambiguous", "empty_quote", "quote_too_long", "index_out_of_range"]


@dataclass(frozen=True, slots=True)
class AlignedEvidence:
    """A quote and the characters of the message that it is.

    Attributes:
        message_index: the message that holds the span; ``claimed_message_index`` is the one the extractor named, which
            differs when ``relocated``.
        span_start, span_end: half-open, in code points of the stored (masked) text.
        matched_text: ``text[span_start:span_end]``, always.
        segments: the quoted parts, when an ellipsis left something out between them; one segment otherwise.
        confidence: exact 1.0, normalized [.95, 1), fuzzy [.85, .95).
        similarity: of the quote and the matched text, in [0, 1], before the bands.
        alternative_count: further places where the quote stands just as well; ``ambiguous`` when there are any.
        critical: a number, a negation, an operator or a word differs; such evidence never supports Verified.
    """

    message_index: int
    claimed_message_index: int
    quote: str
    span_start: int
    span_end: int
    matched_text: str
    segments: tuple[tuple[int, int], ...]
    method: AlignmentMethod
    confidence: float
    similarity: float = 1.0
    ambiguous: bool = False
    alternative_count: int = 0
    relocated: bool = False
    critical: bool = False


@dataclass(frozen=True, slots=True)
class FailedEvidence:
    """A quote that is nowhere in the session, and why."""

    claimed_message_index: int
    quote: str
    failure_reason: FailureReason
    best_similarity: float | None = None


Evidence = AlignedEvidence | FailedEvidence
