"""What is to be proved of a session, as the log tells it: the same value for the stage and for whoever looks later."""

from __future__ import annotations

from memory_assets.graduation.proofs.model import ProofEntry, ProofEvidence, ProofMessage, ProofSession
from memory_assets.log.payloads.entries import EntryMaterialized, EvidenceRecord
from memory_assets.log.session_history import History, Materialization
from memory_assets.moments import milliseconds_of


def proof_session(history: History, materialization: Materialization) -> ProofSession:
    """A session's entries, their spans, and the messages that they cite."""
    cited = {
        record.message_index
        for _, entry in materialization.entries
        for record in entry.evidence
        if record.message_index is not None
    }
    return ProofSession(
        session_id=history.session_id,
        messages=tuple(
            ProofMessage(
                message_id=_message_id(index),
                occurred_at_ms=milliseconds_of(history.said_at(index)),
                text=history.messages[index].text,
            )
            for index in sorted(cited)
        ),
        entries=tuple(
            ProofEntry(
                entry_id=entry.entry_id,
                entry_type=entry.entry_type,
                title=entry.title,
                evidence=_evidence(entry),
                failed_count=sum(record.method == "none" for record in entry.evidence),
            )
            for _, entry in materialization.entries
        ),
    )


def is_flawless(entry: EntryMaterialized) -> bool:
    """Whether every quote of an entry was found, none with a critical difference: what verified rests on beside the proof."""
    return bool(entry.evidence) and not any(record.method == "none" or record.critical for record in entry.evidence)


def _message_id(index: int) -> str:
    return f"msg-{index:06d}"


def _evidence(entry: EntryMaterialized) -> tuple[ProofEvidence, ...]:
    found = (_placed(f"{entry.entry_id}-{place:03d}", record) for place, record in enumerate(entry.evidence))
    return tuple(evidence for evidence in found if evidence is not None)


def _placed(evidence_id: str, record: EvidenceRecord) -> ProofEvidence | None:
    if (
        record.method == "none"
        or record.message_index is None
        or record.span_start is None
        or record.span_end is None
        or record.matched_text is None
    ):
        return None
    return ProofEvidence(
        evidence_id=evidence_id,
        message_id=_message_id(record.message_index),
        method=record.method,
        confidence=record.confidence,
        span_start=record.span_start,
        span_end=record.span_end,
        quote=record.quote,
        matched_text=record.matched_text,
        segments=tuple(record.segments),
    )
