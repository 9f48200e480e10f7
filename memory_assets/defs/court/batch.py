"""A step of the court over a batch of sessions: one case that cannot be heard holds up no other, and puts no session aside.

What a session is worth to memory does not depend on its hearing, so a failure is told in the case's own metadata and by a
check, and the next run hears it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_assets.defs.batch import milliseconds_since, session_keys
from memory_assets.defs.dagster_storage import DATA_VERSION, TO_BE_DONE
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.viewer import viewed
from memory_assets.errors import MemoryAssetsError
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.errors import HeadMovedError, StoreError
from memory_assets.results.error import ErrorV1
from memory_assets.stopping import is_asked_to_stop

if TYPE_CHECKING:
    from memory_assets.defs.resources import EventLogResource
    from memory_assets.log.events import NewEvent

GROUP = "court"
Metadata = dict[str, Any]


@dataclass(slots=True)
class Step:
    """What a step made of one case.

    Attributes:
        events: to be appended; none where the log has them.
        says: the id of the event that says what came of it.
        head: the session's revision that was heard; None where nothing is appended.
        metadata: for this partition in the UI; counts and reasons, no text of the session.
    """

    events: Sequence[NewEvent]
    says: str
    metadata: Metadata = field(default_factory=dict)
    head: str | None = None


@dataclass(slots=True)
class CourtOutput:
    """What a step made of its batch: the value that the IO manager appends.

    Attributes:
        heads: the revision that was heard of each session that events are appended of.
        failed: cases that could not be heard, by session, with the kind of the error.
    """

    events: list[NewEvent] = field(default_factory=list)
    heads: dict[str, str | None] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    data_versions: dict[str, str] = field(default_factory=dict)


def court_asset(name: str, *, description: str) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Declare the function below as a step of the court, with its check."""
    declare: Callable[[Callable[..., Any]], dg.AssetsDefinition] = dg.asset(
        name=name,
        partitions_def=sessions_partitions,
        backfill_policy=backfill_policy,
        group_name=GROUP,
        kinds={"python"},
        owners=["team:memory"],
        pool="duckdb_write",
        check_specs=[dg.AssetCheckSpec("every_case_heard", asset=name, description="No case of this run failed here.")],
        description=description,
    )
    return declare


def run_step(
    context: dg.AssetExecutionContext,
    store: EventLogResource,
    ready: Iterable[str],
    work: Callable[[str], Step | None],
    *,
    label: str,
) -> CourtOutput:
    """Do a step for each session of the run that has its input.

    Args:
        work: for one session; None where there is no case.
        label: what whoever waits is told of.

    Raises:
        StoreError: the store itself failed.
    """
    output = CourtOutput()
    prepared = set(ready)
    listener = store.opened.listener
    for session_id in session_keys(context):
        if session_id not in prepared:
            _say(context, output, session_id, {"status": "waiting", "reason": "there is nothing to hear yet"}, "waiting")
            continue
        if is_asked_to_stop():
            _say(context, output, session_id, {"status": "left out", "reason": "somebody asked for an end"}, TO_BE_DONE)
            continue
        started = time.perf_counter()
        try:
            step = work(session_id)
        except Exception as error:  # its text may quote the session: only its kind is told
            if isinstance(error, StoreError) and not isinstance(error, HeadMovedError):
                raise
            code = error.code if isinstance(error, MemoryAssetsError) else type(error).__name__
            output.failed[session_id] = code
            store.opened.unheard[session_id] = _told(session_id, error)
            _say(context, output, session_id, {"status": "failed", "error": code}, TO_BE_DONE)
            context.log.warning(f"the case of {session_id} cannot be heard: {code}")
        else:
            _finish(context, store, output, session_id, step, milliseconds_since(started))
        listener.advance(1, label)
    return output


def handed_on(context: dg.AssetExecutionContext, output: CourtOutput) -> dg.Output[CourtOutput]:
    """What a step gives to Dagster, with the data version of its batch."""
    versions = [output.data_versions[session_id] for session_id in session_keys(context)]
    version = versions[-1] if len(versions) == 1 else sha256_hex(canonical_json(versions))
    return dg.Output(output, data_version=dg.DataVersion(version))


def heard_check(output: CourtOutput) -> dg.AssetCheckResult:
    """The check of every step."""
    return dg.AssetCheckResult(
        check_name="every_case_heard",
        passed=not output.failed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"failed": len(output.failed), "sessions": ", ".join(sorted(output.failed)[:20])},
    )


def _told(session_id: str, error: Exception) -> ErrorV1:
    """What whoever waits is told of a case that cannot be heard; of what was not foreseen its kind alone."""
    if isinstance(error, MemoryAssetsError):
        return ErrorV1(code=error.code, message=str(error), hint=error.hint)
    return ErrorV1(code="generic", message=f"the case of {session_id} cannot be heard: {type(error).__name__}")


def _finish(
    context: dg.AssetExecutionContext,
    store: EventLogResource,
    output: CourtOutput,
    session_id: str,
    step: Step | None,
    elapsed: float,
) -> None:
    if step is None:
        _say(context, output, session_id, {"status": "no case", "reason": "a correction is a person's word"}, "no case")
        return
    output.events += step.events
    if step.events and step.head is not None:
        output.heads[session_id] = step.head
    link = dg.MetadataValue.md(viewed(f"session:{session_id}", store.opened.settings.dagster.viewer_url))
    said = step.metadata | {"session": link, "status": "done", "duration_ms": round(elapsed, 1)}
    _say(context, output, session_id, said, step.says)


def _say(
    context: dg.AssetExecutionContext, output: CourtOutput, session_id: str, metadata: Metadata, data_version: str
) -> None:
    output.data_versions[session_id] = data_version
    context.add_asset_metadata(metadata | {DATA_VERSION: data_version}, partition_key=session_id)
