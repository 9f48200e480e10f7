"""``extracted``: an extractor quotes what is worth remembering, window by window."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import dagster as dg

from memory_assets.defs.batch import (
    SessionResult,
    StageOutput,
    Unavailable,
    Verdict,
    handed_on,
    is_last_attempt,
    quarantine_check,
    run_stage,
    session_keys,
    waiting_check,
)
from memory_assets.defs.model_use import ModelUse, told
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.stages.stage_asset import RETRIES, stage_asset
from memory_assets.extraction.answers import SPANS_REFUSED
from memory_assets.extraction.asking import Asking, Question
from memory_assets.extraction.corrections import Corrector
from memory_assets.extraction.errors import ExtractionFailed, ModelUnavailable
from memory_assets.extraction.extractor import ExtractionAnswer, Extractor
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.extraction.windows import Window, window_hash, windows
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.entries import MemoryExtracted, WindowExtracted
from memory_assets.log.session_history import History
from memory_assets.log.upcasting import payload_as
from memory_assets.stopping import is_asked_to_stop

POOL = "llm"


@stage_asset(
    "extracted",
    kinds={"python"},
    pool=POOL,
    retry_policy=RETRIES,
    checks={
        "model_answers": "No session of this run waits for its model. What waits is not put aside: the next run asks again.",
        "quotes_only": "No answer of this run named offsets: an extractor quotes, and the pipeline finds where.",
    },
    description="""Memories as quotes: from the embedded rules, or from the model that the settings name.

- **reads** the session's messages, in windows of whole messages
- **writes** `window_extracted` for each window that was not answered yet, as it is answered, and `memory_extracted`
- **guarantees** that an answer holds quotes and never offsets, that a revision pays for its new windows only, that no
  window costs more requests than was said before, and that a model which cannot be reached puts no session aside
""",
)
def extracted(
    context: dg.AssetExecutionContext, event_log: EventLogResource, ingested: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    histories: dict[str, History] = ingested
    opened = event_log.opened
    extractor = opened.resources.extractor
    known = opened.log.known(list(histories), WindowExtracted.event_type)
    plans = _plans(session_keys(context), histories, known, opened) if _is_dear(extractor) else {}
    # A model that was down at the end of the batch before is not waited for with this one too.
    insists = is_last_attempt(context) or (context.retry_number == 0 and extractor.is_down())
    if bound := _bound(plans, extractor, turns=2 if insists else 1):
        context.log.info(bound)
        opened.listener.say(bound)
    questions = [question for plan in plans.values() for question in plan]
    at_once = requests_at_once(context, opened)
    with (
        opened.metered() as use,
        Asking(extractor, questions, at_once=at_once, insists=insists, is_asked_to_stop=is_asked_to_stop) as asking,
    ):
        try:
            output = run_stage(
                context,
                event_log,
                "extracted",
                session_keys(context),
                histories,
                lambda session_id: _extract_or_leave(histories[session_id], extractor, known, opened, asking),
                unavailable=Unavailable(insists, partial(_verdict, opened, extractor)),
            )
        finally:
            _keep(asking.rest(), plans, histories, extractor, opened)
    if use.spent.attempts:
        context.log.info(f"{extractor.name}: {told(use.as_json())}")
    yield handed_on(context, output)
    yield quarantine_check(event_log, output)
    yield waiting_check("model_answers", output)
    refused = sum((metric.counts or {}).get("spans_refused", 0) for metric in output.metrics)
    yield dg.AssetCheckResult(
        check_name="quotes_only", passed=refused == 0, severity=dg.AssetCheckSeverity.WARN, metadata={"refused": refused}
    )


def _is_dear(extractor: Extractor) -> bool:
    """Whether a model answers: its answers are in the log as soon as they can be."""
    return extractor.most_requests(1) > 0


def requests_at_once(context: dg.AssetExecutionContext, opened: OpenStore) -> int:
    """What the settings say, and no more than a limit that somebody gave to Dagster's pool ``llm``."""
    storage = context.instance.event_log_storage
    limits = storage.get_pool_limits() if storage.supports_global_concurrency_limits else ()
    given = [int(pool.limit) for pool in limits if pool.name == POOL and not pool.from_default]
    return max(1, min([opened.settings.extraction.concurrency, *given]))


def _plans(
    session_ids: Sequence[str], histories: Mapping[str, History], known: Mapping[str, StoredEvent], opened: OpenStore
) -> dict[str, list[Question]]:
    """What is to be asked about each session, in the order of the sessions and of their windows."""
    plans: dict[str, list[Question]] = {}
    for session_id in session_ids:
        if (history := histories.get(session_id)) is None or history.heading.source_format == "correction":
            continue
        with contextlib.suppress(Exception):  # a session that cannot be cut is put aside when its turn comes
            plans[session_id] = [
                Question(event.event_id, history.messages, window)
                for window, event in _windows(history, opened)
                if event.event_id not in known
            ]
    return plans


def _windows(history: History, opened: OpenStore) -> list[tuple[Window, NewEvent]]:
    """The windows of a session, each with its event without an answer: that one's id tells whether the log has it."""
    version = opened.versions["extracted"]
    return [
        (window, _event(history, window, version, ExtractionAnswer(()), "", {}))
        for window in windows(history.messages, budget=opened.settings.extraction.window_characters)
    ]


def _extract_or_leave(
    history: History, extractor: Extractor, known: dict[str, StoredEvent], opened: OpenStore, asking: Asking
) -> SessionResult:
    """See ``extract``. Where it fails, no other answer of the session is waited for, and none is asked for twice."""
    try:
        return extract(history, extractor, known, opened, asking)
    except Exception:
        with contextlib.suppress(Exception):  # what failed first is what is told
            windows_of_it = [event.event_id for _, event in _windows(history, opened)]
            asking.leave_out(windows_of_it)
            known.update(opened.log.by_id(windows_of_it))
        raise


def extract(
    history: History, extractor: Extractor, known: Mapping[str, StoredEvent], opened: OpenStore, asking: Asking
) -> SessionResult:
    """One answer a window; those that are known are not asked for again."""
    version = opened.versions["extracted"]
    wanted = _windows(history, opened)
    extractor = _extractor_of(history, extractor)
    # A model's answer is dear: it is in the log before the next one is taken.
    dear = _is_dear(extractor)
    result = SessionResult()
    now, total = ModelUse(), ModelUse()
    entry_count = warnings = refused = 0
    for place, (window, event) in enumerate(wanted):
        opened.road.within("extracted", history.session_id, place, len(wanted))
        stored = known.get(event.event_id)
        if stored is None:
            answer = _taken(asking, event.event_id, opened) if dear else extractor.extract(history.messages, window)
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
                windows=[event.event_id for _, event in wanted],
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
        "windows": len(wanted),
        "windows_answered_now": sum(event.event_id not in known for _, event in wanted),
        "entries": entry_count,
        "warnings": warnings,
        "spans_refused": refused,
        "extractor": f"{extractor.name} {version}",
    } | {f"model_{name}": value for name, value in now.as_json().items() if name != "windows" and value is not None}
    return result


def _extractor_of(history: History, extractor: Extractor) -> Extractor:
    """What a person typed to correct a memory is taken as it is, whoever extracts all else."""
    return Corrector(source_id=history.heading.source_id) if history.heading.source_format == "correction" else extractor


def _taken(asking: Asking, event_id: str, opened: OpenStore) -> ExtractionAnswer:
    """The model's answer; what it cost is counted, also when there is none."""
    try:
        answer = asking.answer(event_id)
    except Exception as failure:
        _paid(failure, opened)
        raise
    _paid(answer, opened)
    return answer


def _paid(result: ExtractionAnswer | Exception, opened: OpenStore) -> None:
    match result:
        case ExtractionAnswer(telemetry=spent) if spent.attempts:
            opened.paid(spent, windows=1)
        case ExtractionFailed():
            opened.paid(result.spent)


def _keep(
    results: Mapping[str, ExtractionAnswer | Exception],
    plans: Mapping[str, Sequence[Question]],
    histories: Mapping[str, History],
    extractor: Extractor,
    opened: OpenStore,
) -> None:
    """Append the answers that nobody took: they are paid for, and whoever comes back to their sessions need not ask again."""
    kept = []
    for session_id, plan in plans.items():
        for question in plan:
            result = results.get(question.event_id)
            if result is None:
                continue
            _paid(result, opened)
            if isinstance(result, ExtractionAnswer):
                version = opened.versions["extracted"]
                with contextlib.suppress(Exception):  # an answer that cannot be logged puts its session aside, when it is taken
                    kept.append(_answered(histories[session_id], question.window, extractor, result, version))
    if kept:
        opened.wrote(opened.log.append(kept, build=opened.build).new)


def _verdict(opened: OpenStore, extractor: Extractor, failure: ModelUnavailable, had_another_turn: bool) -> Verdict:
    """Whether a session is why its model gave no answer: a model that is out of reach puts nothing aside."""
    if had_another_turn:
        spent = extractor.answers_now() if failure.was_heard else None
        if spent is not None:
            opened.paid(spent)
        return "it waits" if spent is None else "it is put aside"
    if failure.is_of_all or not extractor.answered_since(failure):
        return "it waits"
    return "once more" if failure.passes else "it is put aside"


def _bound(plans: Mapping[str, Sequence[Question]], extractor: Extractor, *, turns: int) -> str:
    """What this batch can cost at most, told before the first request; empty when nothing is asked of a model.

    Args:
        turns: how often a window is asked about that gets no answer; behind the second time the model is asked something
            plain, once for each session.
    """
    waiting = [len(plan) for plan in plans.values() if plan]
    if not waiting:
        return ""
    most = extractor.most_requests(sum(waiting) * turns) + len(waiting) * (turns - 1)
    return f"{extractor.name}: {sum(waiting):,} windows of {len(waiting):,} sessions to be answered, at most {most:,} requests"


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
