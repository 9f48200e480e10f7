"""A stage over a batch of sessions: one bad session neither fails the others nor is skipped (architecture.md section 6).

Whatever goes wrong with one session becomes a dead letter in the log and a status in that partition's metadata; the others
go on. What goes wrong with the store fails the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_assets.defs.dagster_storage import DATA_VERSION, EventLogStorage
from memory_assets.defs.viewer import viewed
from memory_assets.errors import MemoryAssetsError
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.errors import StoreError
from memory_assets.log.event_log import StageMetric
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.base import PipelineStage
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.payloads.sessions import QuarantineReleased, SessionQuarantined
from memory_assets.log.put_aside import put_aside
from memory_assets.log.upcasting import payload_as
from memory_assets.stopping import is_asked_to_stop, stop_if_asked

if TYPE_CHECKING:
    from memory_assets.defs.resources import EventLogResource

Metadata = dict[str, Any]
SHOWN_SESSIONS = 20

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
        data_versions: by session the id of the event that says what came of it; another id is another result.
    """

    stage: PipelineStage
    events: list[NewEvent] = field(default_factory=list)
    metrics: list[StageMetric] = field(default_factory=list)
    heads: dict[str, str | None] | None = None
    repeat: Callable[[], StageOutput] | None = None
    quarantined: dict[str, str] = field(default_factory=dict)
    data_versions: dict[str, str] = field(default_factory=dict)


def handed_on(
    context: dg.AssetExecutionContext, output: StageOutput, metadata: Metadata | None = None
) -> dg.Output[StageOutput]:
    """What a stage gives to Dagster, with the data version of its batch.

    Dagster knows one for all partitions of a run. Where our storage keeps that of each, it is the last one's, which Dagster
    compares it with; elsewhere it is one of all of them.
    """
    versions = list(output.data_versions.values())
    if not versions:  # somebody asked for the run to stop before the first session
        return dg.Output(output, metadata=metadata)
    keeps_own = isinstance(context.instance.event_log_storage, EventLogStorage)
    version = versions[-1] if keeps_own or len(versions) == 1 else sha256_hex(canonical_json(versions))
    return dg.Output(output, metadata=metadata, data_version=dg.DataVersion(version))


Work = Callable[[str], SessionResult]


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
) -> StageOutput:
    """Do a stage's work for each session that has its input; say for the others that they wait.

    Args:
        ready: the sessions whose input is there.
        work: for one session; what it raises puts that session aside, unless the store itself failed.
        together_ms: what was done before for all of them at once; an equal part of it counts as each session's.

    Raises:
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
    for session_id in session_ids:
        if is_asked_to_stop():
            break  # what is made by now is logged
        if session_id not in prepared:
            waiting = {"status": "waiting", "reason": "the stage before has no result for this session"}
            _say(context, output, session_id, waiting, data_version="waiting")
            continue
        started = time.perf_counter()
        road.passes(stage, session_id)
        try:
            result = work(session_id)
        except StoreError:
            raise
        except Exception as error:
            _put_aside(context, output, session_id, error, letters.get(session_id), milliseconds_since(started) + part)
            continue
        finally:
            road.passed(stage, session_id)
        elapsed = milliseconds_since(started) + part
        output.events += result.events
        if session_id in letters and not letters[session_id].released:
            output.events.append(_release(letters[session_id], stage))
        counts = {name: value for name, value in result.metadata.items() if isinstance(value, int)}
        output.metrics.append(StageMetric(stage, session_id, elapsed, True, counts=counts))
        link = dg.MetadataValue.md(viewed(f"session:{session_id}", store.opened.settings.dagster.viewer_url))
        done = result.metadata | {"session": link, "status": "done", "duration_ms": round(elapsed, 1)}
        _say(context, output, session_id, done, data_version=_data_version(stage, result))
    return output


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


def _some(session_ids: Iterable[str]) -> str:
    return ", ".join(sorted(session_ids)[:SHOWN_SESSIONS])
