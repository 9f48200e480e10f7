"""An entry is aligned only with at least one quote and no failed one."""

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.aligned_entries import align_entry, entry_is_aligned
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


def test_a_repeated_quote_is_taken_where_the_entrys_other_quotes_are() -> None:
    messages = ["run the tests. first we talked about food. run the tests. then about the release plan. run the tests."]
    beside, repeated = Quote(0, "then about the release plan"), Quote(0, "run the tests.")
    alone = align_entry(Aligner(), messages, entry(repeated)).evidence[0]
    assert isinstance(alone, AlignedEvidence) and (alone.span_start, alone.alternative_count) == (0, 2)
    _, near = align_entry(Aligner(), messages, entry(beside, repeated)).evidence
    assert isinstance(near, AlignedEvidence) and near.ambiguous and near.alternative_count == 2
    assert near.span_start == messages[0].index("run the tests. then")
