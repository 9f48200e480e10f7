"""An entry is aligned only with at least one quote and no failed one (requirement E-20)."""

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.entries import align_entry, entry_is_aligned
from memory_assets.extraction.schema import ExtractedEntry, Quote

MESSAGES = ["we keep the log for ever", "because disks are cheap"]


def entry(*quotes: Quote) -> ExtractedEntry:
    return ExtractedEntry("decision", "keep the log", quotes)


def test_no_evidence_is_not_aligned() -> None:
    assert not entry_is_aligned(())
    assert not align_entry(Aligner(), MESSAGES, entry()).aligned


def test_all_quotes_must_be_found() -> None:
    good, bad = Quote(0, "keep the log"), Quote(0, "an invented sentence")
    assert align_entry(Aligner(), MESSAGES, entry(good, Quote(1, "disks are  cheap"))).aligned
    mixed = align_entry(Aligner(), MESSAGES, entry(good, bad))
    assert not mixed.aligned and len(mixed.evidence) == 2
    assert not align_entry(Aligner(), MESSAGES, entry(bad)).aligned
