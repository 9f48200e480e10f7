"""The assets run in this process, for the command line: the same assets, recorded in the same instance as the UI's runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.checks import event_log_integrity
from memory_assets.defs.leaves import memory_index
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG, SESSIONS_PARTITIONS_NAME
from memory_assets.defs.registration import found_files, register
from memory_assets.defs.resources import OpenStore, dagster_home, dagster_instance, open_store, telling
from memory_assets.defs.runner import RUNNER_TAG, end_dead_runs, runner_name
from memory_assets.defs.stages.ingested import pending_registrations
from memory_assets.errors import MemoryAssetsError, NotFoundError, check_word
from memory_assets.log.events import (
    PIPELINE_STAGES,
    NewEvent,
    PipelineStage,
    QuarantineReleased,
    SessionIngested,
    SourceRefused,
    SourceRegistered,
    SourceTakenFor,
)
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.log.upcasting import payload_as
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.sessions.model import Defect
from memory_assets.settings import Settings

if TYPE_CHECKING:
    from dagster_shared.error import SerializableErrorInfo

# Sessions between two that have work are run along with them when there are few: a range is one run, and what is done
# already costs next to nothing.
BRIDGED_GAP = 3
# What goes wrong is reported by us; a line for each of Dagster's events would bury it. The UI has them all.
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class RunFailedError(MemoryAssetsError):
    """A run of the assets failed as a whole (not one session of it)."""

    code = "run_failed"


@dataclass(slots=True)
class RunReport:
    """What a run over sessions did."""

    sessions: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = 0
    events_appended: int = 0
    quarantine: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return asdict(self)


@dataclass(slots=True)
class ImportReport:
    """What an import did (requirement K-42). ``sessions`` counts those that the given files hold."""

    sessions: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    quarantined: int = 0
    events_appended: int = 0
    warnings: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    session_ids: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return asdict(self)


def import_paths(
    settings: Settings, paths: Sequence[Path], *, project: str | None, progress: Progress | None = None
) -> ImportReport:
    """Register files and folders, run the seven assets over what is new in them, and say what came of it."""
    opened = open_store(settings)
    shown = progress or NoProgress()
    before = opened.appended
    heads: dict[str, str | None] = {}
    files, whole = found_files(paths)
    shown.start(len(files), "reading and remembering")
    try:
        batch = settings.dagster.batch_size
        for start in range(0, len(files), batch):
            registration = register(opened, files[start : start + batch], project=project)
            whole.add(registration)
            _run(settings, opened, registration.to_run, PIPELINE_STAGES[-1], heads)
            shown.advance(len(files[start : start + batch]))
        report = _outcome(opened, heads, before)
    finally:
        shown.finish()
    return ImportReport(
        sessions=len({*whole.to_run, *whole.unchanged}),
        new=report.new,
        updated=report.updated,
        unchanged=len(set(whole.unchanged) - heads.keys()) + report.unchanged,
        skipped=len(whole.skipped),
        quarantined=len(whole.errors) + report.quarantined,
        events_appended=opened.appended - before,
        warnings=[_named(defect) for defect in (*whole.warnings, *whole.skipped)],
        errors=[_named(defect) for defect in whole.errors] + [dict(letter) for letter in report.quarantine],
        session_ids=list(dict.fromkeys([*whole.to_run, *whole.unchanged])),
    )


def add_sessions(settings: Settings, paths: Sequence[Path], *, project: str | None = None) -> ImportReport:
    """Register files and make their partitions, without running anything: what CI does before it materializes."""
    opened = open_store(settings)
    before = opened.appended
    files, registration = found_files(paths)
    registration.add(register(opened, files, project=project))
    _add_partitions(dagster_instance(settings), [*registration.to_run, *registration.unchanged])
    # `memory sessions list` shows them from here on.
    catch_up(opened.database, configuration.configured_versions(settings))
    return ImportReport(
        sessions=len(registration.to_run) + len(registration.unchanged),
        new=len(registration.to_run),
        unchanged=len(registration.unchanged),
        skipped=len(registration.skipped),
        quarantined=len(registration.errors),
        events_appended=opened.appended - before,
        warnings=[_named(defect) for defect in (*registration.warnings, *registration.skipped)],
        errors=[_named(defect) for defect in registration.errors],
        session_ids=[*registration.to_run, *registration.unchanged],
    )


def run_sessions(
    settings: Settings,
    session_ids: Sequence[str] | None,
    *,
    to_stage: str | None = None,
    progress: Progress | None = None,
) -> RunReport:
    """Materialize the assets for some sessions, or for all that are known.

    Raises:
        NotFoundError: a session that nothing was registered for.
        InvalidArgumentError: there is no such stage.
    """
    stage = _stage(to_stage)
    opened = open_store(settings)
    before = opened.appended
    heads: dict[str, str | None] = {}
    known = dict.fromkeys(_known_sessions(opened))
    wanted = list(known if session_ids is None else dict.fromkeys(session_ids))
    missing = [session_id for session_id in wanted if session_id not in known]
    if missing:
        raise NotFoundError(f"no session {missing[0]}", hint="`memory sessions list` shows those that are known")
    shown = progress or NoProgress()
    shown.start(len(wanted), f"running up to {stage}")
    try:
        for start in range(0, len(wanted), settings.dagster.batch_size):
            batch = wanted[start : start + settings.dagster.batch_size]
            _run(settings, opened, batch, stage, heads)
            shown.advance(len(batch))
    finally:
        shown.finish()
    return _outcome(opened, heads, before)


def retry_quarantined(settings: Settings, *, progress: Progress | None = None) -> RunReport:
    """Release every session that was put aside, and run it again."""
    opened = open_store(settings)
    catch_up(opened.database, configuration.configured_versions(settings))
    with opened.database.reading() as connection:
        letters = connection.execute("SELECT session_id, stage, event_id FROM quarantine ORDER BY session_id").fetchall()
    opened.log.append(
        [
            NewEvent(
                payload=QuarantineReleased(stage=stage, quarantine_event_id=event_id),
                session_id=session_id,
                inputs=(event_id,),
                causation_id=event_id,
                actor="cli",
            )
            for session_id, stage, event_id in letters
        ]
    )
    return run_sessions(settings, list(dict.fromkeys(row[0] for row in letters)), progress=progress)


def prune_runs(settings: Settings, *, older_than_days: int) -> int:
    """Delete Dagster's own records of runs that ended before so many days; the log keeps everything. The runs deleted."""
    instance = dagster_instance(settings)
    limit = datetime.now(UTC) - timedelta(days=older_than_days)
    deleted = 0
    for record in instance.get_run_records():
        if record.dagster_run.is_finished and record.create_timestamp < limit:
            instance.delete_run(record.dagster_run.run_id)
            deleted += 1
    return deleted


def serve_development(settings: Settings, *, port: int) -> int:
    """Start Dagster's UI and daemon on the loopback interface until they are stopped; their exit status."""
    home = dagster_home(settings)
    settings.sessions_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = os.environ | {"DAGSTER_HOME": str(home), "MEMORY_HOME": str(settings.home)}
    if settings.config_file is not None:
        environment["MEMORY_CONFIG"] = str(settings.config_file)
    command = [sys.executable, "-m", "dagster", "dev", "-m", "memory_assets.definitions", "-h", "127.0.0.1", "-p", str(port)]
    # Dagster takes SIGTERM as it takes SIGINT, which a shell's background job ignores: then nothing but a kill would end it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, env=environment) as process:
        # Whoever ends this process means Dagster's: it is told, and waited for.
        previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        try:
            return process.wait()
        except KeyboardInterrupt:
            return process.wait()
        finally:
            signal.signal(signal.SIGTERM, previous)


def _run(
    settings: Settings,
    opened: OpenStore,
    session_ids: Sequence[str],
    to_stage: PipelineStage,
    heads: dict[str, str | None],
) -> None:
    """Materialize the assets for a batch; ``heads`` gets the newest revision that each session had before its first run."""
    if not session_ids:
        return
    instance = dagster_instance(settings)
    end_dead_runs(instance, settings.dagster_home)
    _add_partitions(instance, session_ids)
    known = opened.log.current(session_ids, SessionIngested.event_type)
    for session_id in session_ids:
        heads.setdefault(session_id, known[session_id].event_id if session_id in known else None)
    selection = {dg.AssetKey(stage) for stage in PIPELINE_STAGES[: PIPELINE_STAGES.index(to_stage) + 1]}
    if to_stage == PIPELINE_STAGES[-1]:
        selection.add(memory_index.key)
    for first, last in _ranges(instance, session_ids):
        _materialize(settings, instance, selection, {RANGE_START_TAG: first, RANGE_END_TAG: last})


def _outcome(opened: OpenStore, heads: Mapping[str, str | None], since: int) -> RunReport:
    """What became of the sessions that were run, each counted once, and the files of theirs that were refused meanwhile."""
    report = RunReport(sessions=len(heads), events_appended=opened.appended - since)
    with opened.database.reading():
        now = opened.log.current(list(heads), SessionIngested.event_type)
        letters = _quarantined(opened, list(heads))
        refused = [letter for letter in _refused(opened, list(heads)) if letter["session_id"] not in letters]
    for session_id, head in heads.items():
        if session_id in letters:
            report.quarantine.append(letters[session_id])
        elif session_id not in now:
            continue
        elif head is None:
            report.new += 1
        elif head != now[session_id].event_id:
            report.updated += 1
        else:
            report.unchanged += 1
    report.quarantine += refused
    report.quarantined = len(report.quarantine)
    return report


def _refused(opened: OpenStore, session_ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Files that tell another history under the id of a session, as long as they do: they are never taken in."""
    told = opened.log.of_sessions(
        session_ids, [SourceRegistered.event_type, SourceTakenFor.event_type, SourceRefused.event_type]
    )
    pending = {event.event_id for events in pending_registrations(told).values() for event in events}
    for event in told:
        if event.event_type == SourceRefused.event_type and event.causation_id in pending:
            refused = payload_as(event, SourceRefused)
            yield {
                "path": refused.uri,
                "line": refused.line,
                "reason": refused.reason,
                "detail": refused.detail,
                "session_id": event.session_id,
                "stage": "ingested",
            }


def _materialize(settings: Settings, instance: dg.DagsterInstance, selection: Set[dg.AssetKey], tags: dict[str, str]) -> None:
    from memory_assets.definitions import build_definitions

    whole = build_definitions(settings).resolve_implicit_global_asset_job_def()
    # All checks but the one that reads the whole log: it is for a person to ask, not for every import to pay.
    checks = set(whole.asset_layer.asset_graph.get_check_keys_for_assets(selection)) - event_log_integrity.check_keys
    job = whole.get_subset(asset_selection=selection, asset_check_selection=checks)
    result = job.execute_in_process(
        instance=instance,
        tags={**tags, RUNNER_TAG: runner_name(settings.dagster_home)},
        run_config=QUIET,
        raise_on_error=False,
    )
    if not result.success:
        raise _failure(result)


def _failure(result: dg.ExecuteInProcessResult) -> MemoryAssetsError:
    for event in result.all_events:
        if event.is_step_failure and (error := telling(event.step_failure_data.error)) is not None:
            return RunFailedError(
                f"stage {event.step_key} failed: {_said(error)}",
                hint=f"run {result.run_id} in the UI (`memory dev`) has the details; nothing that was logged is lost",
            )
    return RunFailedError("the run failed before any stage began", hint="`memory doctor` looks for the cause")


def _said(error: SerializableErrorInfo) -> str:
    """Our own errors in their own words; of any other its kind alone, its words may quote a session."""
    kind, _, words = error.message.strip().partition(": ")
    return words.splitlines()[0] if words and kind.startswith("memory_assets.") else f"unexpected {error.cls_name}"


def _ranges(instance: dg.DagsterInstance, session_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Contiguous ranges of partitions that cover these sessions; a run takes one range."""
    keys = list(instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME))
    place = {key: position for position, key in enumerate(keys)}
    places = sorted(place[session_id] for session_id in session_ids)
    start = previous = places[0]
    for position in places[1:]:
        if position - previous > BRIDGED_GAP + 1:
            yield keys[start], keys[previous]
            start = position
        previous = position
    yield keys[start], keys[previous]


def _add_partitions(instance: dg.DagsterInstance, session_ids: Sequence[str]) -> None:
    known = set(instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME))
    missing = [session_id for session_id in session_ids if session_id not in known]
    if missing:
        instance.add_dynamic_partitions(SESSIONS_PARTITIONS_NAME, missing)


def _known_sessions(opened: OpenStore) -> list[str]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            """SELECT session_id FROM visible_events WHERE event_type IN ('source_registered', 'session_ingested')
               GROUP BY session_id ORDER BY min(seq)"""
        ).fetchall()
    return [row[0] for row in rows]


def _quarantined(opened: OpenStore, session_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT q.session_id, q.stage, q.error_code, q.detail, coalesce(q.uri, s.source_uri, q.session_id)
                FROM quarantine q LEFT JOIN sessions s USING (session_id) WHERE q.session_id IN {IN_LIST} ORDER BY q.stage""",
            [json_list(session_ids)],
        ).fetchall()
    return {
        session_id: {
            "path": path,
            "line": None,
            "reason": code,
            "detail": detail,
            "session_id": session_id,
            "stage": stage,
        }
        for session_id, stage, code, detail, path in rows
    }


def _stage(name: str | None) -> PipelineStage:
    check_word("stage", name, PIPELINE_STAGES)
    return next((stage for stage in PIPELINE_STAGES if stage == name), PIPELINE_STAGES[-1])


def _named(defect: Defect) -> dict[str, Any]:
    return {"path": defect.path, "line": defect.line, "reason": defect.reason, "detail": defect.detail}
