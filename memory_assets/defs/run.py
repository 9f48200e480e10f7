"""The assets run in this process, for the command line: the same assets, recorded in the same instance as the UI's runs.

The assets and Dagster's records are imported when something is run: a command that finds nothing new needs neither, and they
are a fifth of what it costs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.defs.batches import batches
from memory_assets.defs.dead_runs import end_dead_runs
from memory_assets.defs.exports import parted, take_exports
from memory_assets.defs.instance import add_partitions, dagster_instance
from memory_assets.defs.materializing import leaves, materialize
from memory_assets.defs.model_use import ModelUse
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG, ranges
from memory_assets.defs.registration import Registration, found_files, refuse, register
from memory_assets.defs.reports import ImportReport, RunReport, checkers_of, looked_for, named, outcome_of
from memory_assets.defs.resources import OpenStore, open_store
from memory_assets.defs.road import Road
from memory_assets.errors import NotFoundError, check_word
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import QuarantineReleased, SessionIngested
from memory_assets.log.sql import IN_LIST, json_list, seen
from memory_assets.maintenance.indexing import write_behind
from memory_assets.maintenance.usage import count_shown
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.sessions.files import SourceFile
from memory_assets.settings import Settings
from memory_assets.stopping import stop_if_asked
from memory_assets.vectors.outbox import settle_words
from memory_assets.vocabulary import PIPELINE_STAGES, PipelineStage


def import_paths(
    settings: Settings,
    paths: Sequence[Path],
    *,
    project: str | None,
    again: bool = False,
    at_rest: bool = True,
    progress: Progress | None = None,
) -> ImportReport:
    """Register files and folders, run the seven assets over what is new in them, and say what came of it.

    Exports of other stores are taken in first.

    Args:
        again: what was forgotten of these files' sessions is wanted back.
        at_rest: nothing more is coming, so what nobody waits for is done as well; else :func:`come_to_rest` does it later.

    Raises:
        InvalidArgumentError: a project is given for an export.
        KeyboardInterrupt: somebody asked for an end; what was done is kept, and another import goes on behind it.
    """
    opened = open_store(settings)
    _look_at_the_extractor(opened)
    shown = progress or NoProgress()
    before = opened.appended
    heads: dict[str, str | None] = {}
    exports, paths = parted(paths, project)
    with _listening(opened, shown), opened.metered() as use:
        exported = take_exports(opened, exports, shown)
        if exported.sessions:
            add_partitions(dagster_instance(settings), settings.dagster_home, exported.sessions)
        for start in range(0, len(exported.to_run), settings.dagster.batch_size):
            stop_if_asked()
            some = exported.to_run[start : start + settings.dagster.batch_size]
            _run(settings, opened, some, PIPELINE_STAGES[-1], {}, with_leaves=at_rest)
        shown.start(None, "looking for files")
        files, whole = found_files(paths, opened.sources)
        refuse(opened, whole.errors, actor="cli")
        _fold_refused(opened, whole)
        sizes = {file: _bytes_of(file) for file in files}
        opened.road.start(sum(sizes.values()), len(files))
        done = 0
        for batch in batches(sizes, most=settings.dagster.batch_size, most_bytes=settings.dagster.batch_bytes):
            stop_if_asked()
            registration = register(opened, batch, project=project, again=again)
            whole.add(registration)
            of_batch = sum(sizes[file] for file in batch)
            known = len(registration.to_run) + len(registration.unchanged)
            opened.road.begin(dict.fromkeys(registration.to_run, of_batch // max(1, known)), files=len(batch))
            _run(settings, opened, registration.to_run, PIPELINE_STAGES[-1], heads, with_leaves=at_rest)
            _fold_refused(opened, registration)
            done += of_batch
            opened.road.end(done, unchanged=len(registration.unchanged))
        shown.finish()
        if at_rest and opened.appended > before:
            _tell_dagster(settings, opened)
        vectors = write_vectors_behind(opened, shown) if at_rest else {}
        report = outcome_of(opened, heads, before)
        checkers = checkers_of(opened, list(heads))
        if at_rest and opened.appended > before:
            opened.database.come_to_rest()
    skipped, refused = [*whole.skipped, *exported.skipped], [*whole.errors, *exported.errors]
    return ImportReport(
        sessions=len({*whole.to_run, *whole.unchanged, *exported.sessions}),
        new=report.new + exported.new,
        updated=report.updated + exported.updated,
        unchanged=len(set(whole.unchanged) - heads.keys()) + report.unchanged + exported.unchanged,
        skipped=len(skipped),
        refused=len(refused),
        quarantined=report.quarantined,
        waiting=report.waiting,
        events_appended=opened.appended - before,
        warnings=[named(defect) for defect in (*whole.warnings, *skipped)] + report.warnings,
        errors=[named(defect) for defect in refused] + report.quarantine,
        unanswered=report.unanswered,
        session_ids=list(dict.fromkeys([*whole.to_run, *whole.unchanged, *exported.sessions])),
        looked_for=looked_for(paths, len(files), whole),
        model=_named(settings, use),
        checkers=checkers,
        vectors=vectors,
    )


def _fold_refused(opened: OpenStore, registration: Registration) -> None:
    """Bring what was refused into the tables where no run of the batch has."""
    if not registration.to_run and (registration.events_appended or registration.errors):
        catch_up(opened.database, opened.resources.configured_versions)


def come_to_rest(settings: Settings) -> None:
    """Do what imports left because more was coming: the index of words is brought up to date, what all sessions together have
    become is made, the store as a whole is looked at, and what needs a model is done. What was of use is counted.

    Raises:
        RunFailedError, StoreError, IndexWriteError, IndexCorruptError: it is to be done another time.
    """
    opened = open_store(settings)
    opened.more_to_come = False
    with _listening(opened, NoProgress()):
        # First: whatever is wrong with what follows, a search has nothing to do with it.
        try:
            settle_words(opened.resources.word_index, lock_folder=settings.store_folder)
        finally:
            count_shown(opened.resources)
        materialize(settings, dagster_instance(settings), {leaf.key for leaf in leaves()}, {})
        _tell_dagster(settings, opened)
        write_vectors_behind(opened, NoProgress())
        opened.database.come_to_rest()


def settle(settings: Settings) -> None:
    """Of what imports left do what another process may have left that ended before it came to rest: the index of words.

    Raises:
        IndexWriteError, IndexCorruptError: it is to be done another time.
    """
    settle_words(open_store(settings).resources.word_index, lock_folder=settings.store_folder)


def _tell_dagster(settings: Settings, opened: OpenStore) -> None:
    """What an import leaves for Dagster beside its runs: what it found out of the store, and no more runs than are kept."""
    from memory_assets.defs.pruning import prune_by_itself
    from memory_assets.defs.store_state import report_news

    instance = dagster_instance(settings)
    report_news(instance, opened)
    prune_by_itself(instance, settings.dagster_home, settings.dagster)


def write_vectors_behind(opened: OpenStore, shown: Progress) -> dict[str, Any]:
    """Make the vectors of what was run, and of all that waits for one; what came of it, as reports say it.

    The words are searchable by now: whatever ends this, the next drain goes on from there, and what is in the way is no error.
    """
    shown.finish()
    behind = write_behind(opened.resources, progress=shown)
    said = {"written": behind.drained.done, "failed": behind.drained.failed, "waiting": behind.waiting}
    return {**said, "why": behind.why} if behind.why else said


def add_sessions(settings: Settings, paths: Sequence[Path], *, project: str | None = None) -> ImportReport:
    """Register files and make their partitions, without running anything: what CI does before it materializes."""
    opened = open_store(settings)
    _look_at_the_extractor(opened)
    before = opened.appended
    files, registration = found_files(paths, opened.sources)
    registration.add(register(opened, files, project=project))
    add_partitions(dagster_instance(settings), settings.dagster_home, [*registration.to_run, *registration.unchanged])
    # `memory sessions list` shows them from here on.
    catch_up(opened.database, opened.resources.configured_versions)
    return ImportReport(
        sessions=len(registration.to_run) + len(registration.unchanged),
        new=len(registration.to_run),
        unchanged=len(registration.unchanged),
        skipped=len(registration.skipped),
        refused=len(registration.errors),
        events_appended=opened.appended - before,
        warnings=[named(defect) for defect in (*registration.warnings, *registration.skipped)],
        errors=[named(defect) for defect in registration.errors],
        session_ids=[*registration.to_run, *registration.unchanged],
        looked_for=looked_for(paths, len(files), registration),
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
        KeyboardInterrupt: somebody asked for an end; what was done is kept.
        NotFoundError: a session that nothing was registered for.
        InvalidArgumentError: there is no such stage.
        ConfigInvalidError, RulesInvalidError: the settings name rules that cannot be used.
    """
    stage = _stage(to_stage)
    opened = open_store(settings)
    _look_at_the_extractor(opened)
    before = opened.appended
    heads: dict[str, str | None] = {}
    known = dict.fromkeys(_known_sessions(opened))
    wanted = list(known if session_ids is None else dict.fromkeys(session_ids))
    missing = [session_id for session_id in wanted if session_id not in known]
    if missing:
        raise NotFoundError(f"no session {missing[0]}", hint="`memory sessions list` shows those that are known")
    shown = progress or NoProgress()
    with _listening(opened, shown), opened.metered() as use:
        sizes = _bytes_of_sessions(opened, wanted)
        opened.road.start(sum(sizes.values()), len(sizes))
        done = 0
        for batch in batches(sizes, most=settings.dagster.batch_size, most_bytes=settings.dagster.batch_bytes):
            stop_if_asked()
            opened.road.begin({session_id: sizes[session_id] for session_id in batch})
            _run(settings, opened, batch, stage, heads)
            done += sum(sizes[session_id] for session_id in batch)
            opened.road.end(done)
        shown.finish()
        vectors = write_vectors_behind(opened, shown) if stage == PIPELINE_STAGES[-1] else {}
    report = outcome_of(opened, heads, before)
    report.vectors = vectors
    report.model = _named(settings, use)
    if PIPELINE_STAGES.index(stage) >= PIPELINE_STAGES.index("idris_checked"):
        report.checkers = checkers_of(opened, wanted)
    return report


def retry_quarantined(settings: Settings, *, progress: Progress | None = None) -> RunReport:
    """Release every session that was put aside, and run it again."""
    opened = open_store(settings)
    _look_at_the_extractor(opened)
    catch_up(opened.database, opened.resources.configured_versions)
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


def _look_at_the_extractor(opened: OpenStore) -> None:
    """Fail now, in the words of what is wrong: Dagster ends a run whose resource cannot be made without a word of it."""
    _ = opened.resources.extractor


@contextlib.contextmanager
def _listening(opened: OpenStore, progress: Progress) -> Iterator[None]:
    """Who hears of the work while it is done."""
    opened.listener, opened.road = progress, Road(progress)
    opened.begin_command()
    try:
        with opened.database.kept_open():
            yield
    finally:
        opened.listener, opened.road = NoProgress(), Road()
        progress.finish()


def _named(settings: Settings, use: ModelUse) -> dict[str, Any]:
    counted = use.as_json()
    return {"name": settings.extraction.model, **counted} if counted else {}


def _run(
    settings: Settings,
    opened: OpenStore,
    session_ids: Sequence[str],
    to_stage: PipelineStage,
    heads: dict[str, str | None],
    *,
    with_leaves: bool = True,
) -> None:
    """Materialize the assets for a batch; ``heads`` gets the newest revision that each session had before its first run."""
    if not session_ids:
        return
    instance = dagster_instance(settings)
    end_dead_runs(instance, settings)
    add_partitions(instance, settings.dagster_home, session_ids)
    known = opened.log.current(session_ids, SessionIngested.event_type)
    for session_id in session_ids:
        heads.setdefault(session_id, known[session_id].event_id if session_id in known else None)
    selection = {dg.AssetKey(stage) for stage in PIPELINE_STAGES[: PIPELINE_STAGES.index(to_stage) + 1]}
    if to_stage == PIPELINE_STAGES[-1]:
        selection |= {leaf.key for leaf in leaves()} if with_leaves else set()
        selection |= _court_assets(settings) if settings.court.automatic else set()
    opened.more_to_come = not with_leaves
    for first, last in ranges(instance, session_ids):
        tags = {RANGE_START_TAG: first, RANGE_END_TAG: last}
        materialize(settings, instance, selection, tags, more_to_come=not with_leaves)


def run_assets(
    settings: Settings, opened: OpenStore, session_ids: Sequence[str], assets: Set[dg.AssetKey], *, progress: Progress
) -> None:
    """Materialize some assets for a batch of sessions that are known; ``progress`` hears of what they do."""
    instance = dagster_instance(settings)
    end_dead_runs(instance, settings)
    add_partitions(instance, settings.dagster_home, session_ids)
    opened.listener = progress
    try:
        with opened.database.kept_open():
            for first, last in ranges(instance, session_ids):
                stop_if_asked()
                materialize(settings, instance, assets, {RANGE_START_TAG: first, RANGE_END_TAG: last})
    finally:
        opened.listener = NoProgress()


def _court_assets(settings: Settings) -> Set[dg.AssetKey]:
    from memory_assets.defs.court.assets import MIRROR, court_assets

    return court_assets() | ({dg.AssetKey(MIRROR)} if settings.court.backend == "postgres" else set())


def _bytes_of(file: SourceFile) -> int:
    try:
        return Path(file.path).stat().st_size
    except OSError:
        return 0  # whoever reads it says so


def _bytes_of_sessions(opened: OpenStore, session_ids: Sequence[str]) -> dict[str, int]:
    """How large the files are that told of each session last."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT session_id, max(CAST(payload_json ->> '$.byte_length' AS BIGINT))
                FROM {seen(connection)(f"event_type = 'source_registered' AND session_id IN {IN_LIST}")} GROUP BY session_id""",
            [json_list(session_ids)],
        ).fetchall()
    sizes = dict(rows)
    return {session_id: sizes.get(session_id) or 0 for session_id in session_ids}


def _known_sessions(opened: OpenStore) -> list[str]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            """SELECT session_id FROM visible_events WHERE event_type IN ('source_registered', 'session_ingested')
               GROUP BY session_id ORDER BY min(seq)"""
        ).fetchall()
    return [row[0] for row in rows]


def _stage(name: str | None) -> PipelineStage:
    check_word("stage", name, PIPELINE_STAGES)
    return next((stage for stage in PIPELINE_STAGES if stage == name), PIPELINE_STAGES[-1])
