"""A stage over a batch of sessions: one bad session neither fails the others nor is skipped.

Whatever goes wrong with one session becomes a dead letter in the log and a status in that partition's metadata; the others
go on. What goes wrong with the store fails the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import dagster as dg

from memory_assets.defs.dagster_storage import DATA_VERSION, TO_BE_DONE, EventLogStorage
from memory_assets.defs.viewer import viewed
from memory_assets.errors import MemoryAssetsError, UnavailableError
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.batches import StageMetric
from memory_assets.log.errors import StoreError
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.payloads.sessions import QuarantineReleased, SessionQuarantined
from memory_assets.log.put_aside import put_aside
from memory_assets.log.upcasting import payload_as
from memory_assets.stopping import is_asked_to_stop, stop_if_asked
from memory_assets.vocabulary import PipelineStage

if TYPE_CHECKING:
    from memory_assets.defs.resources import EventLogResource

Metadata = dict[str, Any]
SHOWN_SESSIONS = 20

OUTAGE_RETRIES = 2
OUTAGE_SECONDS = 10.0
"""Before a batch whose model is out of reach is tried again; twice as long before the next time."""

TRIED_AGAIN: frozenset[PipelineStage] = frozenset({"extracted", "vectorized"})
"""Stages with a retry policy: Dagster would try again, after a pause, also what was interrupted. They do nothing instead, and
the run ends with the next stage."""


@dataclass(slots=True)
class SessionResult:
    """What a stage made of one session.

    Attributes:
        events: to be appended.
        metadata: for this partition in the UI, what a person reads first; counts as numbers, text of the session only where
            the settings let it into Dagster's records.
        standing: the id of the event that says what came of it before, where it still does and no event says so anew.
    """

    events: list[NewEvent] = field(default_factory=list)
    metadata: Metadata = field(default_factory=dict)
    standing: str | None = None


@dataclass(slots=True)
class StageOutput:
    """What a stage made of its batch: the value that the IO manager appends to the log.

    Attributes:
        heads: checked when the batch is appended; None where no session's history grows.
        repeat: makes the output again when another process was faster.
        quarantined: sessions that this stage put aside, with the reason.
        waiting: sessions that this stage left for another run, with what could not be reached.
        data_versions: by session the id of the event that says what came of it; another id is another result.
    """

    stage: PipelineStage
    events: list[NewEvent] = field(default_factory=list)
    metrics: list[StageMetric] = field(default_factory=list)
    heads: dict[str, str | None] | None = None
    repeat: Callable[[], StageOutput] | None = None
    quarantined: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    data_versions: dict[str, str] = field(default_factory=dict)


def handed_on(context: dg.AssetExecutionContext, output: StageOutput) -> dg.Output[StageOutput]:
    """What a stage gives to Dagster, with the data version of its batch.

    Dagster knows one for all partitions of a run. Where our storage keeps that of each, it is the last one's, which Dagster
    compares it with; elsewhere it is one of all of them.
    """
    versions = [output.data_versions[session_id] for session_id in session_keys(context)]
    keeps_own = isinstance(context.instance.event_log_storage, EventLogStorage)
    version = versions[-1] if keeps_own or len(versions) == 1 else sha256_hex(canonical_json(versions))
    return dg.Output(output, data_version=dg.DataVersion(version))


Work = Callable[[str], SessionResult]
Verdict = Literal["it waits", "once more", "it is put aside"]


@dataclass(frozen=True, slots=True)
class Unavailable:
    """What a stage does where something that it needs does not answer.

    Attributes:
        insists: go on with the other sessions, as no attempt comes behind this one; else the whole batch is tried again.
        verdict: what becomes of a session that got no answer, once all had their turn. The second argument tells whether
            it had another one by then.
    """

    insists: bool
    verdict: Callable[[Any, bool], Verdict]


def is_last_attempt(context: dg.AssetExecutionContext) -> bool:
    """Whether a stage is not tried again in this run, should what it needs not answer."""
    return int(context.retry_number) >= OUTAGE_RETRIES


def session_keys(context: dg.AssetExecutionContext) -> list[str]:
    """The sessions of this run."""
    return list(context.partition_keys)


def run_stage(
    context: dg.AssetExecutionContext,
    store: EventLogResource,
    stage: PipelineStage,
    session_ids: Sequence[str],
    ready: Iterable[str],
    work: Work,
    *,
    together_ms: float = 0.0,
    unavailable: Unavailable | None = None,
) -> StageOutput:
    """Do a stage's work for each session that has its input; say for the others that they wait.

    Args:
        ready: the sessions whose input is there.
        work: for one session; what it raises puts that session aside, unless the store itself failed.
        together_ms: what was done before for all of them at once; an equal part of it counts as each session's.
        unavailable: for a stage that needs something from outside.

    Raises:
        dagster.RetryRequested: what the stage needs does not answer. What was made of the sessions before is logged.
        KeyboardInterrupt: somebody asked for the run to stop before this stage. Asked for later, the sessions that are left
            are left out, and what was made of the others is kept.
    """
    road = store.opened.road
    if stage not in TRIED_AGAIN:
        stop_if_asked()
    output = StageOutput(stage)
    letters = _dead_letters(store, stage, session_ids)
    prepared = set(ready)
    part = together_ms / max(1, len(prepared.intersection(session_ids)))
    unanswered: dict[str, UnavailableError] = {}
    for session_id in session_ids:
        if is_asked_to_stop():
            break  # what is made by now is logged
        if session_id not in prepared:
            waiting = {"status": "waiting", "reason": "the stage before has no result for this session"}
            _say(context, output, session_id, waiting, data_version="waiting")
            continue
        started = time.perf_counter() - part / 1000
        road.passes(stage, session_id)
        try:
            result = work(session_id)
        except StoreError:
            raise
        except UnavailableError as error:
            if unavailable is not None and error.passes and not unavailable.insists:
                _try_again(context, store, output, error)
            unanswered[session_id] = error
        except Exception as error:
            _put_aside(context, output, session_id, error, letters.get(session_id), milliseconds_since(started))
        else:
            _finish(context, store, output, session_id, result, letters.get(session_id), milliseconds_since(started))
        finally:
            road.passed(stage, session_id)
    for session_id, failure in unanswered.items():
        started = time.perf_counter()
        outcome = _after_the_others(session_id, failure, work, unavailable)
        elapsed = milliseconds_since(started)
        match outcome:
            case SessionResult():
                _finish(context, store, output, session_id, outcome, letters.get(session_id), elapsed)
            case UnavailableError():
                _leave_waiting(context, store, output, session_id, outcome)
            case _PutAside(error=cause):
                _put_aside(context, output, session_id, cause, letters.get(session_id), elapsed)
    for session_id in session_ids:
        if session_id not in output.data_versions:
            left_out = {"status": "left out", "reason": "somebody asked for the run to stop before this session"}
            _say(context, output, session_id, left_out, data_version=TO_BE_DONE)
    return output


@dataclass(frozen=True, slots=True)
class _PutAside:
    """The session is why something went wrong."""

    error: Exception


def _after_the_others(
    session_id: str, failure: UnavailableError, work: Work, unavailable: Unavailable | None
) -> SessionResult | UnavailableError | _PutAside:
    """What becomes of a session that got no answer: another turn, where that makes sense, else it waits or is put aside."""
    if unavailable is None or is_asked_to_stop():
        return failure
    verdict = unavailable.verdict(failure, False)
    if verdict == "once more":
        try:
            return work(session_id)
        except StoreError:
            raise
        except UnavailableError as again:
            failure, verdict = again, unavailable.verdict(again, True)
        except Exception as error:
            return _PutAside(error)
    return _PutAside(failure) if verdict == "it is put aside" else failure


def _finish(
    context: dg.AssetExecutionContext,
    store: EventLogResource,
    output: StageOutput,
    session_id: str,
    result: SessionResult,
    letter: DeadLetter | None,
    elapsed: float,
) -> None:
    output.events += result.events
    store.opened.waiting.pop(session_id, None)  # it may have waited in a run before of the same command
    if letter is not None and not letter.released:
        output.events.append(_release(letter, output.stage))
    counts = {name: value for name, value in result.metadata.items() if isinstance(value, int)}
    output.metrics.append(StageMetric(output.stage, session_id, elapsed, True, counts=counts))
    link = dg.MetadataValue.md(viewed(f"session:{session_id}", store.opened.settings.dagster.viewer_url))
    done = _title(store, session_id) | result.metadata | {"session": link, "status": "done", "duration_ms": round(elapsed, 1)}
    _say(context, output, session_id, done, data_version=_data_version(output.stage, result))


def _title(store: EventLogResource, session_id: str) -> Metadata:
    """What the session is called, where the settings let its text into Dagster's records."""
    if not store.opened.settings.dagster.show_quotes:
        return {}
    history = store.opened.histories([session_id]).get(session_id)
    return {"title": history.heading.title} if history is not None and history.heading.title else {}


def _try_again(
    context: dg.AssetExecutionContext, store: EventLogResource, output: StageOutput, error: UnavailableError
) -> NoReturn:
    """Ask Dagster for another attempt at the batch; what is made by now need not be made again."""
    opened = store.opened
    opened.wrote(opened.log.append(output.events, build=opened.build).new)
    wait = OUTAGE_SECONDS * 2**context.retry_number
    context.log.warning(f"{error}; the sessions that are left are tried again in {wait:g} s")
    opened.listener.say(f"{error}; trying again in {wait:g} s")
    raise dg.RetryRequested(max_retries=OUTAGE_RETRIES, seconds_to_wait=wait) from error


def _leave_waiting(
    context: dg.AssetExecutionContext, store: EventLogResource, output: StageOutput, session_id: str, error: UnavailableError
) -> None:
    """The session is as it was before the stage: nothing is wrong with it, and the next run does it."""
    output.waiting[session_id] = str(error)
    store.opened.waiting[session_id] = error
    said = {"status": "waiting", "reason": str(error), "hint": error.hint}
    _say(context, output, session_id, said, data_version=TO_BE_DONE)
    context.log.warning(f"{session_id} waits at {output.stage}: {error}")


def milliseconds_since(started: float) -> float:
    """How long ago a reading of ``time.perf_counter`` was."""
    return (time.perf_counter() - started) * 1000


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """The last time that a stage put a session aside, and whether that is over."""

    event: StoredEvent
    released: bool


def _dead_letters(store: EventLogResource, stage: PipelineStage, session_ids: Sequence[str]) -> dict[str, DeadLetter]:
    told = store.opened.log.of_sessions(session_ids, [SessionQuarantined.event_type, QuarantineReleased.event_type])
    released = {
        payload_as(event, QuarantineReleased).quarantine_event_id
        for event in told
        if event.event_type == QuarantineReleased.event_type
    }
    letters: dict[str, DeadLetter] = {}
    for event in told:
        if event.event_type == SessionQuarantined.event_type and payload_as(event, SessionQuarantined).stage == stage:
            letters[str(event.session_id)] = DeadLetter(event, event.event_id in released)
    return letters


def _put_aside(
    context: dg.AssetExecutionContext,
    output: StageOutput,
    session_id: str,
    error: Exception,
    letter: DeadLetter | None,
    elapsed: float,
) -> None:
    # The text of an unexpected error may quote the session: only its name is kept. Our own messages never do.
    known = isinstance(error, MemoryAssetsError)
    detail = str(error) if known else f"unexpected {type(error).__name__} in {_place(error)}"
    code = error.code if isinstance(error, MemoryAssetsError) else "unexpected"
    # The same failure of the same attempt is one letter; after a release the next attempt is another.
    inputs = (output.stage, code, detail, letter.event.event_id if letter and letter.released else "")
    put_aside = NewEvent(
        payload=SessionQuarantined(stage=output.stage, error_code=code, detail=detail), session_id=session_id, inputs=inputs
    )
    output.events.append(put_aside)
    output.metrics.append(StageMetric(output.stage, session_id, elapsed, False, error=code))
    output.quarantined[session_id] = code
    said = {"status": "quarantined", "error": code, "detail": detail}
    _say(context, output, session_id, said, data_version=put_aside.event_id)
    context.log.warning(f"{session_id} is quarantined at {output.stage}: {detail}")


def _release(letter: DeadLetter, stage: PipelineStage) -> NewEvent:
    return NewEvent(
        payload=QuarantineReleased(stage=stage, quarantine_event_id=letter.event.event_id),
        session_id=letter.event.session_id,
        inputs=(letter.event.event_id,),
        causation_id=letter.event.event_id,
    )


def _place(error: Exception) -> str:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return f"{frame.tb_frame.f_code.co_name}:{frame.tb_lineno}" if frame else "an unknown place"


def _data_version(stage: PipelineStage, result: SessionResult) -> str:
    said = [event.event_id for event in result.events if event.payload.event_type == CHAIN[stage]]
    return said[-1] if said else str(result.standing)


def _say(
    context: dg.AssetExecutionContext, output: StageOutput, session_id: str, metadata: Metadata, *, data_version: str
) -> None:
    output.data_versions[session_id] = data_version
    context.add_asset_metadata(metadata | {DATA_VERSION: data_version}, partition_key=session_id)


def quarantine_check_spec(stage: PipelineStage) -> dg.AssetCheckSpec:
    """The check that every stage has."""
    return dg.AssetCheckSpec(
        "no_session_put_aside", asset=stage, description="No session is put aside here, by this run or one before."
    )


def quarantine_check(store: EventLogResource, output: StageOutput) -> dg.AssetCheckResult:
    """The check of every stage: it has put no session aside that is not released, in this run or in one before."""
    with store.get_connection() as connection:
        waiting = [session.session_id for session in put_aside(connection, output.stage)]
    return dg.AssetCheckResult(
        check_name="no_session_put_aside",
        passed=not waiting,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "quarantined": len(waiting),
            "sessions": _some(waiting),
            "quarantined_in_this_run": len(output.quarantined),
            "sessions_of_this_run": _some(output.quarantined),
        },
    )


def waiting_check(name: str, output: StageOutput) -> dg.AssetCheckResult:
    """The check of a stage that needs something from outside: it answered for every session of this run."""
    return dg.AssetCheckResult(
        check_name=name,
        passed=not output.waiting,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "waiting": len(output.waiting),
            "sessions": _some(output.waiting),
            "why": "; ".join(sorted(set(output.waiting.values()))) or "nothing waits",
        },
    )


def _some(session_ids: Iterable[str]) -> str:
    return ", ".join(sorted(session_ids)[:SHOWN_SESSIONS])
