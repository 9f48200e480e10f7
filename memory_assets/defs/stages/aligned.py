"""``aligned``: every quote becomes exact characters of a message, or a failure with a reason."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.stages.stage_asset import stage_asset
from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence, Evidence
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.windows import quotable_texts
from memory_assets.identifiers import sha256_hex
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.entries import EvidenceAligned, EvidenceRecord, WindowAligned, WindowExtracted
from memory_assets.log.session_history import Extraction, History
from memory_assets.log.upcasting import payload_as

ALIGNMENT_RATE = 0.9
SHOWN_ADDRESSES = 50


@stage_asset(
    "aligned",
    kinds={"python"},
    checks={
        "spans_are_the_text": "For every span of this run the message's characters from its start to its end are the matched "
        "text.",
        "alignment_rate": f"At least {ALIGNMENT_RATE:.0%} of the quotes that are new in this run were found in the source.",
    },
    description="""Every quote becomes a span of exact characters, or a failure with a reason.

- **reads** the messages and the extractor's quotes
- **writes** `window_aligned` and `evidence_aligned`
- **guarantees** that `text[span_start:span_end]` is the matched text, in code points of the masked message
""",
)
def aligned(
    context: dg.AssetExecutionContext,
    event_log: EventLogResource,
    ingested: dict[str, Any],
    extracted: dict[str, Any],
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    histories: dict[str, History] = ingested
    extractions: dict[str, Extraction] = extracted
    known = event_log.opened.log.known(list(histories), WindowAligned.event_type)
    output = run_stage(
        context,
        event_log,
        "aligned",
        session_keys(context),
        histories.keys() & extractions.keys(),
        lambda session_id: align(histories[session_id], extractions[session_id], known, event_log.opened),
    )
    yield handed_on(context, output)
    yield quarantine_check(event_log, output)
    yield _spans_check(output, histories)
    yield _rate_check(output)


def align(history: History, extraction: Extraction, known: Mapping[str, StoredEvent], opened: OpenStore) -> SessionResult:
    """Each window's quotes against that window's messages; a window that is known is not aligned again."""
    version = opened.versions["aligned"]
    aligner = opened.resources.new_aligner()
    result = SessionResult()
    methods: Counter[str] = Counter()
    parts = []
    listed: list[str] = []
    for place, (window_id, window) in enumerate(extraction.windows):
        opened.road.within("aligned", history.session_id, place, len(extraction.windows))
        event = _window_event(history, window_id, version, [])
        if event.event_id in known:
            evidence = payload_as(known[event.event_id], WindowAligned).evidence
        else:
            evidence = _evidence(history, window, aligner)
            event = _window_event(history, window_id, version, evidence)
            result.events.append(event)
        parts.append(event.event_id)
        for record in (record for quotes in evidence for record in quotes):
            methods[record.method] += 1
            if record.method == "none" or _flags(record):
                listed.append(_address(history.session_id, record))
    counted = sum(methods.values())
    result.events.append(
        history.event(
            EvidenceAligned(
                source_event_id=history.event_id,
                extraction_event_id=extraction.event_id,
                windows=parts,
                aligned_count=counted - methods["none"],
                failed_count=methods["none"],
                methods=dict(sorted(methods.items())),
            ),
            inputs=(extraction.event_id,),
            stage_version=version,
            causation_id=extraction.event_id,
        )
    )
    result.metadata = {
        "quotes": counted,
        "quotes_aligned": counted - methods["none"],
        "quotes_failed": methods["none"],
        **{f"method_{method}": count for method, count in sorted(methods.items())},
        "failed_or_flagged": dg.MetadataValue.md(_listing(listed)),
    }
    return result


def _window_event(history: History, window_id: str, version: str, evidence: list[list[EvidenceRecord]]) -> NewEvent:
    return history.event(
        WindowAligned(window_event_id=window_id, evidence=evidence),
        inputs=(window_id,),
        stage_version=version,
        causation_id=window_id,
    )


def _evidence(history: History, window: WindowExtracted, aligner: Aligner) -> list[list[EvidenceRecord]]:
    texts = quotable_texts(history.messages, window.first_message, window.end_message)
    return [[record_of(found) for found in align_entry(aligner, texts, entry).evidence] for entry in window.entries]


def record_of(evidence: Evidence) -> EvidenceRecord:
    """An outcome of alignment as the log keeps it."""
    quote_hash = sha256_hex(evidence.quote)
    match evidence:
        case AlignedEvidence():
            return EvidenceRecord(
                message_index=evidence.message_index,
                claimed_message_index=evidence.claimed_message_index,
                quote=evidence.quote,
                quote_hash=quote_hash,
                span_start=evidence.span_start,
                span_end=evidence.span_end,
                segments=list(evidence.segments),
                matched_text=evidence.matched_text,
                method=evidence.method,
                confidence=evidence.confidence,
                similarity=evidence.similarity,
                ambiguous=evidence.ambiguous,
                alternative_count=evidence.alternative_count,
                relocated=evidence.relocated,
                critical=evidence.critical,
            )
        case _:
            return EvidenceRecord(
                claimed_message_index=evidence.claimed_message_index,
                quote=evidence.quote,
                quote_hash=quote_hash,
                method="none",
                confidence=0.0,
                similarity=evidence.best_similarity,
                failure_reason=evidence.failure_reason,
            )


def _address(session_id: str, record: EvidenceRecord) -> str:
    if record.message_index is None or record.span_start is None or record.span_end is None:
        # As it was claimed, which may be no address: a message before the first one.
        return f"session:{session_id}#m={record.claimed_message_index} {record.failure_reason}"
    uri = SpanCitation(session_id, record.message_index, ((record.span_start, record.span_end),)).uri
    return f"{uri} {' '.join(_flags(record))}"


def _flags(record: EvidenceRecord) -> list[str]:
    """The flags of a quote that was aligned (docs/words.md, *Flag*)."""
    raised = (("critical", record.critical), ("relocated", record.relocated), ("ambiguous", record.ambiguous))
    return [name for name, is_raised in raised if is_raised]


def _listing(addresses: Sequence[str]) -> str:
    """What failed or was flagged, as Markdown; addresses and reasons, never session text."""
    lines = [f"- `{address}`" for address in addresses[:SHOWN_ADDRESSES]]
    if len(addresses) > SHOWN_ADDRESSES:
        lines.append(f"- … and {len(addresses) - SHOWN_ADDRESSES} more")
    return "\n".join(lines) or "none"


def _spans_check(output: StageOutput, histories: dict[str, History]) -> dg.AssetCheckResult:
    wrong = 0
    for session_id, record in _records(output):
        if record.method == "none" or record.message_index is None:
            continue
        text = histories[session_id].messages[record.message_index].text
        wrong += text[record.span_start : record.span_end] != record.matched_text
    return dg.AssetCheckResult(check_name="spans_are_the_text", passed=wrong == 0, metadata={"wrong": wrong})


def _rate_check(output: StageOutput) -> dg.AssetCheckResult:
    methods = [record.method for _, record in _records(output)]
    rate = 1.0 if not methods else 1 - methods.count("none") / len(methods)
    return dg.AssetCheckResult(
        check_name="alignment_rate",
        passed=rate >= ALIGNMENT_RATE,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"rate": rate, "quotes": len(methods)},
    )


def _records(output: StageOutput) -> Sequence[tuple[str, EvidenceRecord]]:
    return [
        (str(event.session_id), record)
        for event in output.events
        if isinstance(event.payload, WindowAligned)
        for quotes in event.payload.evidence
        for record in quotes
    ]
