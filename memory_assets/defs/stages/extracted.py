"""``extracted``: an extractor quotes what is worth remembering, window by window."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.batch import (
    SessionResult,
    StageOutput,
    handed_on,
    quarantine_check,
    quarantine_check_spec,
    run_stage,
    session_keys,
)
from memory_assets.defs.model_use import ModelUse, told
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.extraction.answers import SPANS_REFUSED
from memory_assets.extraction.errors import ExtractionFailed
from memory_assets.extraction.extractor import ExtractionAnswer, Extractor
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.extraction.windows import Window, window_hash, windows
from memory_assets.log.chain import History
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.entries import MemoryExtracted, WindowExtracted
from memory_assets.log.upcasting import payload_as


@dg.asset(
    partitions_def=sessions_partitions,
    backfill_policy=backfill_policy,
    group_name="graduation",
    kinds={"python"},
    owners=["team:memory"],
    pool="llm",
    retry_policy=dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS),
    check_specs=[
        quarantine_check_spec("extracted"),
        dg.AssetCheckSpec(
            "quotes_only",
            asset="extracted",
            description="No answer of this run named offsets: an extractor quotes, and the pipeline finds where.",
        ),
    ],
    description="""Memories as quotes: from the embedded rules, or from the model that the settings name.

- **reads** the session's messages, in windows of whole messages
- **writes** `window_extracted` for each window that was not answered yet, as it is answered, and `memory_extracted`
- **guarantees** that an answer holds quotes and never offsets, that a revision pays for its new windows only, and that no
  window costs more requests than was said before
""",
)
def extracted(
    context: dg.AssetExecutionContext, event_log: EventLogResource, ingested: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    histories: dict[str, History] = ingested
    opened = event_log.opened
    extractor = configuration.extractor(opened.settings)
    known = opened.log.known(list(histories), WindowExtracted.event_type)
    if bound := _bound(histories, extractor, known, opened):
        context.log.info(bound)
        opened.listener.say(bound)
    with opened.metered() as use:
        output = run_stage(
            context,
            event_log,
            "extracted",
            session_keys(context),
            histories,
            lambda session_id: extract(histories[session_id], extractor, known, opened),
        )
    if use.spent.attempts:
        context.log.info(f"{extractor.name}: {told(use.as_json())}")
    batch = {f"batch_model_{name}": value for name, value in use.as_json().items() if value is not None}
    yield handed_on(context, output, batch)
    yield quarantine_check(event_log, output)
    refused = sum((metric.counts or {}).get("spans_refused", 0) for metric in output.metrics)
    yield dg.AssetCheckResult(
        check_name="quotes_only", passed=refused == 0, severity=dg.AssetCheckSeverity.WARN, metadata={"refused": refused}
    )


def extract(history: History, extractor: Extractor, known: Mapping[str, StoredEvent], opened: OpenStore) -> SessionResult:
    """One answer a window; those that are known are not asked for again."""
    version = opened.versions["extracted"]
    cut = windows(history.messages, budget=opened.settings.extraction.window_characters)
    wanted = [_window_event(history, window, version) for window in cut]
    # A model's answer is dear: it is in the log before the next window is asked for.
    dear = extractor.most_requests(1) > 0
    result = SessionResult()
    now, total = ModelUse(), ModelUse()
    entry_count = warnings = refused = 0
    for place, (window, event) in enumerate(zip(cut, wanted, strict=True)):
        opened.road.within("extracted", history.session_id, place, len(cut))
        stored = known.get(event.event_id)
        if stored is None:
            answer = _asked(history, window, extractor, opened)
            now.add(answer.telemetry, windows=1)
            warnings += sum(map(_count, answer.warnings))
            refused += sum(_count(warning) for warning in answer.warnings if warning.startswith(SPANS_REFUSED))
            answered = _answered(history, window, extractor, answer, version)
            if not dear:
                result.events.append(answered)
            else:
                appended = opened.log.append([answered], build=opened.build)
                opened.wrote(appended.new)
                if appended.known or appended.conflicts:  # another process was faster: its answer is the answer
                    stored = opened.log.by_id([event.event_id])[event.event_id]
            total.add(answer.telemetry, windows=1)
            entry_count += len(answer.entries if stored is None else payload_as(stored, WindowExtracted).entries)
        else:
            total.add(_spent(stored), windows=1)
            entry_count += len(payload_as(stored, WindowExtracted).entries)
    result.events.append(
        history.event(
            MemoryExtracted(
                extractor_kind="litellm" if dear else "rules",
                extractor_model=extractor.name,
                windows=[event.event_id for event in wanted],
                entry_count=entry_count,
            ),
            inputs=(history.event_id,),
            stage_version=version,
            causation_id=history.event_id,
            # What this run paid, and all that was ever paid for the windows of the session as it is now.
            telemetry=now.as_json() | {"total": total.as_json()} if dear else None,
        )
    )
    result.metadata = {
        "windows": len(cut),
        "windows_answered_now": sum(event.event_id not in known for event in wanted),
        "entries": entry_count,
        "warnings": warnings,
        "spans_refused": refused,
        "extractor": f"{extractor.name} {version}",
    } | {f"model_{name}": value for name, value in now.as_json().items() if name != "windows" and value is not None}
    return result


def _asked(history: History, window: Window, extractor: Extractor, opened: OpenStore) -> ExtractionAnswer:
    """The extractor's answer; what it cost is counted, also when there is none."""
    try:
        answer = extractor.extract(history.messages, window)
    except ExtractionFailed as failure:
        opened.paid(failure.spent)
        raise
    if answer.telemetry.attempts:
        opened.paid(answer.telemetry, windows=1)
    return answer


def _bound(histories: Mapping[str, History], extractor: Extractor, known: Mapping[str, StoredEvent], opened: OpenStore) -> str:
    """What this batch can cost at most, told before the first request; empty when nothing is asked of a model."""
    if extractor.most_requests(1) == 0:
        return ""
    version = opened.versions["extracted"]
    waiting = [
        sum(
            _window_event(history, window, version).event_id not in known
            for window in windows(history.messages, budget=opened.settings.extraction.window_characters)
        )
        for history in histories.values()
    ]
    if not any(waiting):
        return ""
    return (
        f"{extractor.name}: {sum(waiting):,} windows of {sum(map(bool, waiting)):,} sessions to be answered, "
        f"at most {extractor.most_requests(sum(waiting)):,} requests"
    )


def _spent(stored: StoredEvent) -> ExtractionTelemetry:
    """What a window's answer cost when it was given."""
    measured: dict[str, Any] = json.loads(stored.telemetry_json or "{}")
    return ExtractionTelemetry(
        input_tokens=measured.get("input_tokens", 0),
        output_tokens=measured.get("output_tokens", 0),
        cost_usd=measured.get("cost_usd"),
        seconds=measured.get("seconds", 0.0),
        attempts=measured.get("requests", 0),
    )


def _count(warning: str) -> int:
    """How often an extractor met what it warns of."""
    number = warning.rpartition(" ")[2]
    return int(number) if number.isascii() and number.isdigit() else 1


def _window_event(history: History, window: Window, version: str) -> NewEvent:
    """The event of a window without its answer: its id tells whether the log has it."""
    return _event(history, window, version, ExtractionAnswer(()), "", {})


def _answered(history: History, window: Window, extractor: Extractor, answer: ExtractionAnswer, version: str) -> NewEvent:
    return _event(
        history, window, version, answer, extractor.name, answer.telemetry.as_json() if answer.telemetry.attempts else {}
    )


def _event(
    history: History, window: Window, version: str, answer: ExtractionAnswer, extractor: str, telemetry: dict[str, Any]
) -> NewEvent:
    hashed = window_hash(history.messages, window)
    return history.event(
        WindowExtracted(
            window_hash=hashed,
            first_message=window.context_start,
            end_message=window.end,
            extractor=extractor,
            entries=list(answer.entries),
            warnings=list(answer.warnings),
        ),
        inputs=(history.chain_id, hashed),
        stage_version=version,
        actor=f"llm:{extractor}" if telemetry else "pipeline",
        occurred_at=history.said_at(window.start),
        telemetry=telemetry,
    )
