"""An extracted entry with the outcome of each of its quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence, Evidence
from memory_assets.extraction.schema import ExtractedEntry


@dataclass(frozen=True, slots=True)
class AlignedEntry:
    """What an extractor proposed and, quote by quote, where it stands in the session."""

    entry: ExtractedEntry
    evidence: tuple[Evidence, ...]

    @property
    def aligned(self) -> bool:
        """Whether the entry may be promoted at all."""
        return entry_is_aligned(self.evidence)


def entry_is_aligned(evidence: Sequence[Evidence]) -> bool:
    """At least one quote, and none that failed. An entry without evidence is not aligned."""
    return bool(evidence) and all(isinstance(item, AlignedEvidence) for item in evidence)


def align_entry(aligner: Aligner, messages: Sequence[str], entry: ExtractedEntry) -> AlignedEntry:
    """Every quote of an entry, looked up in the session's texts.

    A quote that stands in several places is taken where the entry's other quotes are.
    """
    found = [aligner.align(messages, quote.quote, quote.message_index) for quote in entry.evidence]
    certain = [
        (item.message_index, item.span_start) for item in found if isinstance(item, AlignedEvidence) and not item.ambiguous
    ]
    if certain:
        for place, (item, quote) in enumerate(zip(found, entry.evidence, strict=True)):
            if isinstance(item, AlignedEvidence) and item.ambiguous:
                found[place] = aligner.align(messages, quote.quote, quote.message_index, near=certain)
    return AlignedEntry(entry, tuple(found))
