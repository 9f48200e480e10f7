"""``materialized``: quotes with their spans become immutable entries."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from memory_assets.citations.addresses import SpanCitation
from memory_assets.defs.batch import (
    SessionResult,
    StageOutput,
    handed_on,
    quarantine_check,
    run_stage,
    session_keys,
)
from memory_assets.defs.markdown import MOST_SHOWN
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.stages.aligned import record_of
from memory_assets.defs.stages.stage_asset import stage_asset
from memory_assets.evidence.model import AlignedEvidence, Evidence, FailedEvidence
from memory_assets.extraction.aligned_entries import AlignedEntry
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.identifiers import sha256_hex, typed_id
from memory_assets.log.events import NewEvent, StoredEvent, payload_text
from memory_assets.log.payloads.entries import EntriesMaterialized, EntryMaterialized, EvidenceRecord
from memory_assets.log.session_history import Alignment, Extraction, History
from memory_assets.tasks.canonical import normalize

SHOWN_ENTRIES = 25


@stage_asset(
    "materialized",
    kinds={"duckdb", "python"},
    checks={
        "entries_have_evidence": "Every entry that is new in this run has quotes that were found in the source, all of them.",
    },
    description="""Quotes with their spans become entries, each memory of a session once.

- **reads** the extractor's answers and their spans
- **writes** `entry_materialized` for each entry that is new, and `entries_materialized`, which names all of the revision
- **guarantees** that an entry never changes: its id is the hash of session, type, title and quotes
""",
)
def materialized(
    context: dg.AssetExecutionContext,
    event_log: EventLogResource,
    ingested: dict[str, Any],
    extracted: dict[str, Any],
    aligned: dict[str, Any],
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    histories: dict[str, History] = ingested
    extractions: dict[str, Extraction] = extracted
    alignments: dict[str, Alignment] = aligned
    known = event_log.opened.log.known(list(histories), EntryMaterialized.event_type)
    output = run_stage(
        context,
        event_log,
        "materialized",
        session_keys(context),
        histories.keys() & extractions.keys() & alignments.keys(),
        lambda session_id: materialize(
            histories[session_id], extractions[session_id], alignments[session_id], known, event_log.opened
        ),
    )
    yield handed_on(context, output)
    yield quarantine_check(event_log, output)
    bare = sum(isinstance(event.payload, EntryMaterialized) and not event.payload.evidence_aligned for event in output.events)
    yield dg.AssetCheckResult(
        check_name="entries_have_evidence",
        passed=bare == 0,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"entries_with_a_failed_quote": bare},
    )


def materialize(
    history: History, extraction: Extraction, alignment: Alignment, known: Mapping[str, StoredEvent], opened: OpenStore
) -> SessionResult:
    """The entries of a revision; near-identical ones of the session merged."""
    version = opened.versions["materialized"]
    aligner_version = opened.versions["aligned"]
    merged = merge_entries(
        AlignedEntry(entry, tuple(_evidence_of(record) for record in records))
        for (_, window), found in zip(extraction.windows, alignment.windows, strict=True)
        for entry, records in zip(window.entries, found.evidence, strict=True)
    )
    result = SessionResult()
    entries: dict[str, NewEvent] = {}
    for ordinal, item in enumerate(merged):
        event = _entry_event(history, item, ordinal, version, aligner_version)
        assert isinstance(event.payload, EntryMaterialized)
        entries.setdefault(event.payload.entry_id, event)
    result.events = [event for event in entries.values() if event.event_id not in known]
    result.events.append(
        history.event(
            EntriesMaterialized(alignment_event_id=alignment.event_id, entries=[event.event_id for event in entries.values()]),
            inputs=(alignment.event_id,),
            stage_version=version,
            causation_id=alignment.event_id,
        )
    )
    payloads = [event.payload for event in entries.values() if isinstance(event.payload, EntryMaterialized)]
    result.metadata = {
        "memories": _table(history.session_id, payloads, show_quotes=opened.settings.dagster.show_quotes),
        "entries": len(payloads),
        "entries_new": len(result.events) - 1,
        "entries_merged": sum(len(window.entries) for _, window in extraction.windows) - len(payloads),
    }
    return result


def _entry_event(history: History, item: AlignedEntry, ordinal: int, version: str, aligner_version: str) -> NewEvent:
    entry = item.entry
    records = [record_of(evidence) for evidence in item.evidence]
    placed = [record.message_index for record in records if record.message_index is not None]
    message_index = placed[0] if placed else min(records[0].claimed_message_index, len(history.messages) - 1)
    quotes = [
        (
            history.messages[record.message_index].uid if record.message_index is not None else "",
            record.span_start if record.span_start is not None else record.quote_hash,
            record.span_end,
        )
        for record in records
    ]
    payload = EntryMaterialized(
        entry_id=typed_id("ent", history.session_id, entry.entry_type, entry.title, quotes),
        entry_type=entry.entry_type,
        title=entry.title,
        canonical_key=normalize(entry.title) or sha256_hex(entry.title)[:16],
        evidence=records,
        evidence_aligned=item.aligned,
        message_index=max(message_index, 0),
        ordinal=ordinal,
        reason=entry.reason,
        status=entry.status,
        priority=entry.priority,
        blocked_by=list(entry.blocked_by),
        history=list(entry.history),
        aligner_version=aligner_version,
    )
    return history.event(
        payload,
        # Its content is its identity: a later revision with the same entry adds nothing.
        inputs=(history.chain_id, sha256_hex(payload_text(payload))),
        stage_version=version,
        occurred_at=history.said_at(payload.message_index),
    )


def _evidence_of(record: EvidenceRecord) -> Evidence:
    """The log's record as the value that alignment gave."""
    if (
        record.method == "none"
        or record.message_index is None
        or record.span_start is None
        or record.span_end is None
        or record.matched_text is None
    ):
        return FailedEvidence(
            claimed_message_index=record.claimed_message_index,
            quote=record.quote,
            failure_reason=record.failure_reason or "not_found",  # type: ignore[arg-type]
            best_similarity=record.similarity,
        )
    return AlignedEvidence(
        message_index=record.message_index,
        claimed_message_index=record.claimed_message_index,
        quote=record.quote,
        span_start=record.span_start,
        span_end=record.span_end,
        matched_text=record.matched_text,
        segments=tuple(record.segments),
        method=record.method,
        confidence=record.confidence,
        similarity=1.0 if record.similarity is None else record.similarity,
        ambiguous=record.ambiguous,
        alternative_count=record.alternative_count,
        relocated=record.relocated,
        critical=record.critical,
    )


def _table(session_id: str, entries: list[EntryMaterialized], *, show_quotes: bool) -> dg.MetadataValue:
    """Types, addresses and methods; quotes only where the user lets session text into Dagster's records."""
    if not entries:
        return dg.MetadataValue.text("nothing was found worth remembering")
    records = []
    for entry in entries[:SHOWN_ENTRIES]:
        record = entry.evidence[0]
        address = ""
        if record.message_index is not None and record.span_start is not None and record.span_end is not None:
            address = SpanCitation(session_id, record.message_index, ((record.span_start, record.span_end),)).uri
        said = {"quote": " ".join(record.quote.split())[:MOST_SHOWN]} if show_quotes else {}
        told = {"type": entry.entry_type, **said, "address": address, "method": record.method}
        records.append(dg.TableRecord({**told, "confidence": round(record.confidence, 3)}))
    return dg.MetadataValue.table(records)
