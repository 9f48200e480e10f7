"""The sensor on the sessions folder.

What is known is asked of the log, so a lost cursor loses nothing: it says only where the last tick stopped looking, so that
files which are no sessions cannot hold up those behind them. A session that is queued or running is not asked for again; a set
that was asked for three times without success is put aside, so that it cannot be asked for for ever. Where nothing runs and
nothing is asked for, the leaves are made where the log has moved, and units that wait for their vectors get them. A batch whose
model did not answer is asked for again with growing pauses: an outage is nobody's failed attempt.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from memory_assets.defs.dead_runs import end_dead_runs
from memory_assets.defs.jobs import LEAVES, embed_waiting_units, graduate_and_hear, graduate_sessions, refresh_leaves
from memory_assets.defs.last_made import last_metadata, log_seq_of
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG, SESSIONS_PARTITIONS_NAME, sessions_partitions
from memory_assets.defs.pruning import prune_by_itself
from memory_assets.defs.registration import Registration, found_files, refuse, register, untouched_files
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.settling import is_settled
from memory_assets.defs.shared_instance import make_pools, runs_of_location
from memory_assets.defs.store_state import news
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.errors import StoreError
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionQuarantined
from memory_assets.log.put_aside import put_aside
from memory_assets.log.sql import IN_LIST, json_list, seen
from memory_assets.projections.fold import catch_up
from memory_assets.queries.refused_files import refused_files
from memory_assets.sessions.files import SourceFile
from memory_assets.sessions.model import Defect

if TYPE_CHECKING:
    from memory_assets.queries.refused_files import RefusedFile

FILES_A_TICK = 25
# One that works and one that waits for it: more would only fill the queue.
RUNS_UNDER_WAY = 2
# Dagster gives a tick a minute; files that turn out to hold nothing are looked at no longer than this.
SECONDS_A_TICK = 20.0
SECONDS_BEFORE_AGAIN = 3_600
SECONDS_BETWEEN_LEAVES = 300
MAX_ATTEMPTS = 3
# A batch whose model did not answer is asked for again after so long, and then after twice as long, up to an hour.
SECONDS_AFTER_OUTAGE = 60
SHOWN = 5
BATCH_TAG = "memory/batch"
ATTEMPT_TAG = "memory/attempt"
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dg.sensor(
    jobs=[graduate_sessions, graduate_and_hear, refresh_leaves, embed_waiting_units],
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Watches the sessions folder: takes files that have settled, 25 at a time, and asks for runs over them; "
    "then for what all sessions together have become, and for missing vectors. Says what was refused or put aside.",
)
def sessions_folder(context: dg.SensorEvaluationContext, event_log: EventLogResource) -> dg.SensorResult:
    opened = event_log.opened
    result = _look(context, opened)
    prune_by_itself(context.instance, opened.settings.dagster_home, opened.settings.dagster)
    try:
        told = news(context.instance, opened)
    except StoreError as error:  # a run holds the store: the next tick tells it, and what is asked for is asked for now
        context.log.info(f"nothing is reported of the store: {error}")
        told = []
    return dg.SensorResult(
        run_requests=result.run_requests,
        skip_reason=result.skip_reason,
        cursor=result.cursor,
        dynamic_partitions_requests=result.dynamic_partitions_requests,
        asset_events=told,
    )


def _look(context: dg.SensorEvaluationContext, opened: OpenStore) -> dg.SensorResult:
    """What a tick asks for: sessions first, then what all of them have become, then the vectors that are missing."""
    end_dead_runs(context.instance, opened.settings)
    make_pools(context)
    under_way = runs_of_location(context, UNFINISHED, BATCH_TAG)
    folder = opened.settings.sessions_folder
    if not folder.is_dir():
        return _behind(context, opened) or _nothing(context, f"the sessions folder {folder} does not exist yet")
    if len(under_way) >= RUNS_UNDER_WAY:
        return _nothing(context, f"{len(under_way)} runs that were asked for are still under way")
    opened.follow_versions()
    files, seen = found_files([folder], opened.sources)
    before = opened.appended
    refuse(opened, seen.errors, actor="sensor")
    settled = [file for file in files if is_settled(file, opened.settings.sessions.settle_seconds)]
    known = untouched_files(opened, settled)
    waiting = [file for file in settled if file.path not in known]
    keys = context.instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME)
    busy = {key for run in under_way for key in _keys_of(run, keys)}
    found = Registration()
    for looked_at, part in _parts(waiting, context.cursor):
        registration = register(opened, part, actor="sensor")
        # Dagster's records may be shared as well, and of which project a refused file is nobody can tell.
        for defect in registration.errors if opened.settings.shares_all else ():
            context.log.warning(f"refused {_named(defect)}")
        found.add(registration)
        answered = _answered(opened, registration.to_run)
        wanted = [key for key in registration.to_run if key not in busy | answered]
        added = [key for key in wanted if key not in keys]
        if requests := _requests(context.instance, opened, [*keys, *added], wanted):
            return dg.SensorResult(
                dynamic_partitions_requests=[sessions_partitions.build_add_request(added)] if added else [],
                run_requests=requests,
                cursor=looked_at,
            )
    if opened.appended > before:
        # No run comes that would fold what was refused.
        catch_up(opened.database, opened.resources.configured_versions)
    if (asked_for := _behind(context, opened)) is not None:
        return asked_for
    return _nothing(context, "; ".join(_said(opened, files, settled, waiting, found)))


def _said(
    opened: OpenStore,
    files: Sequence[SourceFile],
    settled: Sequence[SourceFile],
    waiting: Sequence[SourceFile],
    found: Registration,
) -> Iterator[str]:
    """Why nothing is asked for, and what stands in the way of whom."""
    if waiting:
        yield f"nothing is to be run of {len(waiting)} files: {_reasons(found)}"
    else:
        yield f"nothing new in {len(files)} files, {len(files) - len(settled)} of them still settling"
    if refused := refused_files(opened.database):
        shown = ", ".join(map(_named, refused[:SHOWN]))
        yield f"{len(refused)} refused: {shown}{' …' if len(refused) > SHOWN else ''}"
    with opened.database.reading() as connection:
        aside = put_aside(connection)
    if aside:
        shown = ", ".join(f"{session_id} at {stage} ({code})" for session_id, stage, code in aside[:SHOWN])
        yield f"{len(aside)} quarantined: {shown}{' …' if len(aside) > SHOWN else ''}"


def _named(file: "Defect | RefusedFile") -> str:
    line = f":{file.line}" if file.line else ""
    return f"{Path(file.path).name}{line} ({file.reason})"


def _behind(context: dg.SensorEvaluationContext, opened: OpenStore) -> dg.SensorResult | None:
    """A run for what comes behind the sessions, where there is anything to do and nothing runs."""
    if context.instance.get_runs_count(dg.RunsFilter(statuses=UNFINISHED)):
        return None
    return _leaves(context, opened) or _vectors(context, opened)


def _leaves(context: dg.SensorEvaluationContext, opened: OpenStore) -> dg.SensorResult | None:
    """A run for the leaves, where the log has moved since they were made: by a backfill, by a person's commands.

    A run of all stages makes them, and no declarative condition does: over 50,000 partitions one costs 17 CPU-seconds a tick.
    """
    asked_for = context.instance.get_run_records(dg.RunsFilter(job_name=refresh_leaves.name), limit=MAX_ATTEMPTS)
    if not _is_time_for_leaves(asked_for):
        return None
    seen = min(log_seq_of(last_metadata(context.instance, leaf.key)) or 0 for leaf in LEAVES)
    with opened.database.reading() as connection:
        newest = connection.execute(
            """SELECT max(seq) FROM events
               WHERE seq > ? AND event_type NOT IN ('build_started', 'build_finished', 'answer_recorded', 'usage_counted')""",
            [seen],
        ).fetchall()[0][0]
    if newest is None:
        return None
    behind = asked_for[0].dagster_run.run_id if asked_for else "the first"
    request = dg.RunRequest(run_key=f"leaves:{newest}:{behind}", job_name=refresh_leaves.name)
    return dg.SensorResult(run_requests=[request], cursor=context.cursor)


def _is_time_for_leaves(runs: Sequence[dg.RunRecord]) -> bool:
    """Whether a while is over since they were asked for: not with each word that somebody says, nor soon after failures."""
    if not runs:
        return True
    failed = len(runs) == MAX_ATTEMPTS and not any(record.dagster_run.is_success for record in runs)
    pause = SECONDS_BEFORE_AGAIN if failed else SECONDS_BETWEEN_LEAVES
    return time.time() >= runs[0].create_timestamp.timestamp() + pause


def _vectors(context: dg.SensorEvaluationContext, opened: OpenStore) -> dg.SensorResult | None:
    """A run for what waits for its vector, where there is any; None where there is nothing to ask for."""
    with opened.database.reading() as connection:
        count, newest = connection.execute(
            """SELECT count(*), max(updated_at) FROM vector_outbox
               WHERE status = 'pending' AND op = 'upsert' AND embedding_version = ?""",
            [opened.versions["vectorized"]],
        ).fetchall()[0]
    if not count:
        return None
    # A run that changed nothing, as without a model, is not asked for again before an hour is over.
    state = sha256_hex(canonical_json([count, str(newest), int(time.time() // SECONDS_BEFORE_AGAIN)]))[:24]
    request = dg.RunRequest(run_key=f"vectors:{state}", job_name=embed_waiting_units.name)
    return dg.SensorResult(run_requests=[request], cursor=context.cursor)


def _nothing(context: dg.SensorEvaluationContext, reason: str) -> dg.SensorResult:
    return dg.SensorResult(skip_reason=reason, cursor=context.cursor)


def _parts(waiting: Sequence[SourceFile], cursor: str | None) -> Iterator[tuple[str, list[SourceFile]]]:
    """The files, those behind the cursor first, a tick's worth at a time, with the last one's path; as long as time allows."""
    deadline = time.monotonic() + SECONDS_A_TICK
    behind = [file for file in waiting if cursor is None or file.path > cursor]
    ordered = [*behind, *(file for file in waiting if cursor is not None and file.path <= cursor)]
    for start in range(0, len(ordered), FILES_A_TICK):
        if start and time.monotonic() > deadline:
            return
        part = ordered[start : start + FILES_A_TICK]
        yield part[-1].path, part


def _keys_of(run: dg.DagsterRun, keys: Sequence[str]) -> Sequence[str]:
    """The partitions of a run over a range."""
    first, last = run.tags.get(RANGE_START_TAG), run.tags.get(RANGE_END_TAG)
    if first not in keys or last not in keys:
        return ()
    return keys[keys.index(first) : keys.index(last) + 1]


def _answered(opened: OpenStore, session_ids: Sequence[str]) -> set[str]:
    """Sessions put aside, or with a file refused, since a file was last told of: asking again changes nothing."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""WITH mine AS (SELECT seq, event_id, event_type, session_id, payload_json
                              FROM {seen(connection)(f"session_id IN {IN_LIST}")}),
                released AS (SELECT payload_json ->> '$.quarantine_event_id' AS event_id FROM mine
                  WHERE event_type = 'quarantine_released'),
                told AS (SELECT session_id, max(seq) AS seq FROM mine WHERE event_type = 'source_registered' GROUP BY ALL)
                SELECT DISTINCT m.session_id FROM mine m JOIN told USING (session_id)
                WHERE m.event_type IN ('session_quarantined', 'session_rejected') AND m.seq > told.seq
                  AND m.event_id NOT IN (SELECT event_id FROM released)""",
            [json_list(session_ids)],
        ).fetchall()
    return {row[0] for row in rows}


def _requests(
    instance: dg.DagsterInstance, opened: OpenStore, keys: Sequence[str], session_ids: Sequence[str]
) -> list[dg.RunRequest]:
    """A run for each contiguous range of partitions: new sessions are one, changed ones mostly one each."""
    requests = []
    for part in contiguous(keys, session_ids):
        batch = _batch_hash(opened, part)
        before = instance.get_run_records(filters=dg.RunsFilter(tags={BATCH_TAG: batch}))
        succeeded = [record for record in before if record.dagster_run.is_success]
        if len(before) - len(succeeded) >= MAX_ATTEMPTS:
            _put_aside(opened, part, batch)
            continue
        if succeeded and not _is_time(succeeded):
            continue
        attempt = len(before) + 1
        requests.append(
            dg.RunRequest(
                run_key=f"batch:{batch}:{attempt}",
                job_name=(graduate_and_hear if opened.settings.court.automatic else graduate_sessions).name,
                tags={
                    RANGE_START_TAG: part[0],
                    RANGE_END_TAG: part[-1],
                    BATCH_TAG: batch,
                    ATTEMPT_TAG: str(attempt),
                },
            )
        )
    return requests


def _is_time(runs: Sequence[dg.RunRecord]) -> bool:
    """Whether to ask again for a batch some of which these runs left waiting, though they ended well."""
    ended = max(record.end_time or 0 for record in runs)
    pause = min(SECONDS_AFTER_OUTAGE * 2 ** (len(runs) - 1), SECONDS_BEFORE_AGAIN)
    return bool(time.time() >= ended + pause)


def contiguous(keys: Sequence[str], wanted: Iterable[str]) -> list[list[str]]:
    """The wanted keys cut where another key stands between them, in the order of ``keys``."""
    place = {key: position for position, key in enumerate(keys)}
    parts: list[list[str]] = []
    previous = -2
    for key in sorted(wanted, key=place.__getitem__):
        if place[key] != previous + 1:
            parts.append([])
        parts[-1].append(key)
        previous = place[key]
    return parts


def _batch_hash(opened: OpenStore, session_ids: Sequence[str]) -> str:
    """Of the sessions and the contents that their files have now: other content is another batch."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT session_id, string_agg(DISTINCT payload_json ->> '$.file_hash', ' '
                  ORDER BY payload_json ->> '$.file_hash')
                FROM {seen(connection)(f"event_type = 'source_registered' AND session_id IN {IN_LIST}")}
                GROUP BY session_id ORDER BY session_id""",
            [json_list(session_ids)],
        ).fetchall()
    return sha256_hex(canonical_json([list(row) for row in rows]))[:24]


def _put_aside(opened: OpenStore, session_ids: Sequence[str], batch: str) -> None:
    opened.log.append(
        [
            NewEvent(
                payload=SessionQuarantined(
                    stage="ingested",
                    error_code="runs_failed",
                    detail=f"{MAX_ATTEMPTS} runs over its batch failed; the last one in the UI says why",
                ),
                session_id=session_id,
                inputs=("ingested", "runs_failed", batch),
                actor="sensor",
            )
            for session_id in session_ids
        ]
    )
    # No run comes that would fold it, and people look at the tables.
    catch_up(opened.database, opened.resources.configured_versions)


def _reasons(registration: Registration) -> str:
    reasons = sorted({defect.reason for defect in (*registration.skipped, *registration.errors)})
    return ", ".join(reasons) or "all of it was known"
