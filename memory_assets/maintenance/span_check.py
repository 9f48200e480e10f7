"""Whether a logged quote is what the log's messages say it is, told from the text alone: nothing is aligned again.

These are the promises of evidence/model.py, checked by other code than that which made
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from memory_assets.identifiers import sha256_hex
from memory_assets.log.payloads.entries import EvidenceRecord
from memory_assets.text.characters import inner_offsets, is_certain_boundary

# The confidences of each method, half-open; exact is 1 and nothing else.
BANDS = {"exact": (1.0, 1.0), "normalized": (0.95, 1.0), "fuzzy": (0.85, 0.95)}
SHOWN_CHARACTERS = 40


class Texts:
    """A session's message texts, and what was worked out about those that spans stand in."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._inner: dict[int, frozenset[int]] = {}

    def cuts_a_cluster(self, index: int, offset: int) -> bool:
        """Whether an offset of a message lies inside a grapheme cluster."""
        text = self.texts[index]
        if is_certain_boundary(text, offset):
            return False
        if index not in self._inner:
            self._inner[index] = inner_offsets(text)
        return offset in self._inner[index]


def defects_of(record: EvidenceRecord, messages: Texts) -> list[str]:
    """What is wrong with a quote, a line each; nothing for one that is sound."""
    found = []
    if sha256_hex(record.quote) != record.quote_hash:
        found.append("quote_hash is not the hash of the quote")
    return [*found, *(_failed(record) if record.method == "none" else _aligned(record, messages))]


def excerpt(text: str | None) -> str:
    """The beginning of a text, for a message."""
    if text is None:
        return "nothing"
    return f"“{text[:SHOWN_CHARACTERS]}{'…' if len(text) > SHOWN_CHARACTERS else ''}”"


def _failed(record: EvidenceRecord) -> Iterator[str]:
    placed = (record.message_index, record.span_start, record.span_end, record.matched_text)
    if any(value is not None for value in placed) or record.segments:
        yield "it has a span, and its method is none"
    if record.confidence != 0:
        yield f"its method is none, with confidence {record.confidence:g}"
    if not record.failure_reason:
        yield "its method is none, without a reason"


def _aligned(record: EvidenceRecord, messages: Texts) -> Iterator[str]:
    yield from _band(record)
    if record.failure_reason:
        yield f"it is aligned, with a reason why it is not: {record.failure_reason}"
    index, start, end = record.message_index, record.span_start, record.span_end
    if index is None or start is None or end is None:
        yield f"its method is {record.method}, and it has no span"
        return
    if record.relocated != (index != record.claimed_message_index):
        yield f"relocated is {record.relocated}: claimed in message {record.claimed_message_index}, found in {index}"
    if not 0 <= index < len(messages.texts):
        yield f"the session has no message {index}"
        return
    text = messages.texts[index]
    if not 0 <= start < end <= len(text):
        yield f"message {index} has {len(text)} characters, and the span is {start} to {end}"
        return
    if text[start:end] != record.matched_text:
        yield f"the message says {excerpt(text[start:end])} there, matched_text says {excerpt(record.matched_text)}"
    segments = record.segments or [(start, end)]
    yield from _segments(segments, start, end)
    cut = sorted({offset for part in segments for offset in part if messages.cuts_a_cluster(index, offset)})
    if cut:
        yield f"it begins or ends inside a character as people see it, at {', '.join(map(str, cut))}"


def _band(record: EvidenceRecord) -> Iterator[str]:
    low, high = BANDS[record.method]
    if not (record.confidence == low or low < record.confidence < high):
        yield f"its method is {record.method}, with confidence {record.confidence:g}"
    if record.similarity is not None and not 0 <= record.similarity <= 1:
        yield f"its similarity is {record.similarity:g}"
    if record.method == "exact" and record.quote != record.matched_text:
        yield f"its method is exact, and the quote {excerpt(record.quote)} is not matched_text {excerpt(record.matched_text)}"
    if record.method == "exact" and len(record.segments) > 1:
        yield "its method is exact, and it leaves something out"


def _segments(segments: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[str]:
    shown = ", ".join(f"{low}-{high}" for low, high in segments)
    if any(low >= high for low, high in segments):
        yield f"it has a segment without a character: {shown}"
    if any(after < before for (_, before), (after, _) in pairwise(segments)):
        yield f"its segments overlap or are out of order: {shown}"
    if (segments[0][0], segments[-1][1]) != (start, end):
        yield f"its segments are {shown}, and its span is {start} to {end}"
