"""``extracted``: an extractor quotes what is worth remembering, window by window."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.batch import SessionResult, StageOutput, quarantine_check, run_stage, session_keys
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.extraction.extractor import ExtractionAnswer, Extractor, RuleExtractor
from memory_assets.extraction.windows import Window, window_hash, windows
from memory_assets.log.chain import History
from memory_assets.log.events import MemoryExtracted, NewEvent, StoredEvent, WindowExtracted
from memory_assets.log.upcasting import payload_as


@dg.asset(
    partitions_def=sessions_partitions,
    backfill_policy=backfill_policy,
    group_name="graduation",
    kinds={"python"},
    owners=["team:memory"],
    pool="llm",
    code_version="1",
    retry_policy=dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS),
    check_specs=[
        dg.AssetCheckSpec("no_session_put_aside", asset="extracted"),
        dg.AssetCheckSpec("quotes_only", asset="extracted"),
    ],
    description="""Memories as quotes: from the embedded rules, or from the model that the settings name.

- **reads** the session's messages, in windows of whole messages
- **writes** `window_extracted` for each window that was not answered yet, as it is answered, and `memory_extracted`
- **guarantees** that an answer holds quotes and never offsets, and that a revision pays for its new windows only
""",
)
def extracted(
    context: dg.AssetExecutionContext, event_log: EventLogResource, ingested: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    histories: dict[str, History] = ingested
    opened = event_log.opened
    extractor = configuration.extractor(opened.settings)
    known = opened.log.known(list(histories), WindowExtracted.event_type)
    output = run_stage(
        context,
        event_log,
        "extracted",
        session_keys(context),
        histories,
        lambda session_id: extract(histories[session_id], extractor, known, opened),
    )
    yield dg.Output(output)
    yield quarantine_check(output)
    refused = sum(len(event.payload.warnings) for event in output.events if isinstance(event.payload, WindowExtracted))
    yield dg.AssetCheckResult(
        check_name="quotes_only", passed=refused == 0, severity=dg.AssetCheckSeverity.WARN, metadata={"refused": refused}
    )


def extract(history: History, extractor: Extractor, known: Mapping[str, StoredEvent], opened: OpenStore) -> SessionResult:
    """One answer a window; those that are known are not asked for again."""
    version = opened.versions["extracted"]
    cut = windows(history.messages, budget=opened.settings.extraction.window_characters)
    wanted = [_window_event(history, window, version) for window in cut]
    # A model's answer is dear: it is in the log before the next window is asked for.
    dear = not isinstance(extractor, RuleExtractor)
    result = SessionResult()
    entry_count = 0
    warnings = 0
    tokens: dict[str, int] = {"input_tokens": 0, "output_tokens": 0}
    cost = 0.0
    for window, event in zip(cut, wanted, strict=True):
        if event.event_id in known:
            entry_count += len(payload_as(known[event.event_id], WindowExtracted).entries)
            continue
        answer = extractor.extract(history.messages, window)
        answered = _answered(history, window, extractor, answer, version)
        entry_count += len(answer.entries)
        warnings += len(answer.warnings)
        tokens["input_tokens"] += answer.telemetry.input_tokens
        tokens["output_tokens"] += answer.telemetry.output_tokens
        cost += answer.telemetry.cost_usd or 0.0
        if dear:
            appended = opened.log.append([answered], build=opened.build)
            opened.wrote(appended.new)
        else:
            result.events.append(answered)
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
        )
    )
    result.metadata = {
        "windows": len(cut),
        "windows_answered_now": sum(event.event_id not in known for event in wanted),
        "entries": entry_count,
        "warnings": warnings,
        "extractor": f"{extractor.name} {version}",
        "cost_usd": cost,
    } | _metadata(tokens)
    return result


def _window_event(history: History, window: Window, version: str) -> NewEvent:
    """The event of a window without its answer: its id tells whether the log has it."""
    return _event(history, window, version, ExtractionAnswer(()), "", {})


def _answered(history: History, window: Window, extractor: Extractor, answer: ExtractionAnswer, version: str) -> NewEvent:
    measured = answer.telemetry
    telemetry = {
        "input_tokens": measured.input_tokens,
        "output_tokens": measured.output_tokens,
        "cost_usd": measured.cost_usd,
        "seconds": round(measured.seconds, 3),
        "attempts": measured.attempts,
    }
    return _event(history, window, version, answer, extractor.name, telemetry if measured.attempts else {})


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


def _metadata(tokens: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in tokens.items() if count}
