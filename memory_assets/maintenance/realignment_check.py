"""A session's quotes aligned again, as the stage ``aligned`` does, to compare with what the log says of them."""

from __future__ import annotations

from collections.abc import Callable

from memory_assets.errors import MemoryAssetsError
from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence, Evidence
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.windows import quotable_texts
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.entries import EvidenceRecord, WindowExtracted
from memory_assets.log.session_history import Extraction, History, extractions


class Realigner:
    """Aligns sessions again."""

    def __init__(self, log: EventLog, new_aligner: Callable[[], Aligner]) -> None:
        self._log = log
        self._new_aligner = new_aligner

    def of_session(self, history: History) -> Realigned:
        """The quotes of a session's current answers, each looked up in the window that it is from."""
        aligner = self._new_aligner()
        try:
            extraction = extractions(self._log, [history.session_id]).get(history.session_id)
        except (MemoryAssetsError, KeyError):  # a damaged answer; its event is named by its checksum
            extraction = None
        return Realigned(history, extraction, aligner)


class Realigned:
    """What became of a session's quotes when they were aligned again."""

    def __init__(self, history: History, extraction: Extraction | None, aligner: Aligner) -> None:
        self._aligner = aligner
        self._messages = history.messages
        self._texts = quotable_texts(history.messages, 0, len(history.messages))
        self._found: dict[tuple[int, str], list[Evidence]] = {}
        for _, window in extraction.windows if extraction is not None else ():
            self._align(window)

    def differs(self, record: EvidenceRecord) -> str | None:
        """What the aligner finds for a quote, in words, where it is not what the record says; else None.

        One quote may be in the answers to two windows, which overlap: either will do. One that is in none is looked up in
        the whole session.
        """
        found = self._found.get((record.claimed_message_index, record.quote)) or [
            self._aligner.align(self._texts, record.quote, record.claimed_message_index)
        ]
        if any(_same(record, evidence) for evidence in found):
            return None
        return f"logged as {_words_of_record(record)}; aligned again {_words(found[0])}"

    def _align(self, window: WindowExtracted) -> None:
        texts = quotable_texts(self._messages, window.first_message, window.end_message)
        for entry in window.entries:
            for quote, evidence in zip(entry.evidence, align_entry(self._aligner, texts, entry).evidence, strict=True):
                self._found.setdefault((quote.message_index, quote.quote), []).append(evidence)


def _same(record: EvidenceRecord, evidence: Evidence) -> bool:
    if not isinstance(evidence, AlignedEvidence):
        return record.method == "none"
    return (record.method, record.message_index, record.span_start, record.span_end, tuple(record.segments)) == (
        evidence.method,
        evidence.message_index,
        evidence.span_start,
        evidence.span_end,
        evidence.segments,
    )


def _words(evidence: Evidence) -> str:
    if not isinstance(evidence, AlignedEvidence):
        return f"it fails: {evidence.failure_reason}"
    return f"it is {evidence.method}, message {evidence.message_index}, {_parts(evidence.segments)}"


def _words_of_record(record: EvidenceRecord) -> str:
    if record.method == "none":
        return f"failed ({record.failure_reason})"
    return f"{record.method}, message {record.message_index}, {_parts(record.segments)}"


def _parts(segments: tuple[tuple[int, int], ...] | list[tuple[int, int]]) -> str:
    return ",".join(f"{start}-{end}" for start, end in segments)
