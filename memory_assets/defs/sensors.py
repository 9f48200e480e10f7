"""The sensor on the sessions folder (requirement D-02; architecture.md section 6).

What is known is asked of the log, so a lost cursor loses nothing. A set of sessions that is queued or running is not asked
for again; one that was asked for three times without success is put aside, so that it cannot be asked for for ever.
"""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import dagster as dg

from memory_assets.defs.jobs import graduate_sessions
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG, SESSIONS_PARTITIONS_NAME, sessions_partitions
from memory_assets.defs.registration import Registration, content_hash, found_files, register, untouched_files
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.runner import end_dead_runs
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.events import NewEvent, SessionQuarantined
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.sessions.files import SourceFile

FILES_A_TICK = 25
MAX_ATTEMPTS = 3
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
    job=graduate_sessions,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Watches the sessions folder: takes files that have settled, 25 at a time, and asks for runs over them.",
)
def sessions_folder(context: dg.SensorEvaluationContext, event_log: EventLogResource) -> dg.SensorResult | dg.SkipReason:
    opened = event_log.opened
    end_dead_runs(context.instance, opened.settings.dagster_home)
    folder = opened.settings.sessions_folder
    if not folder.is_dir():
        return dg.SkipReason(f"the sessions folder {folder} does not exist yet")
    files, seen = found_files([folder])
    settled = [file for file in files if _settled(file, opened.settings.sessions.settle_seconds)]
    done = untouched_files(opened, settled)
    refused = _refused_files(opened)
    waiting = [file for file in settled if file.path not in done and not _known_as_refused(file, refused)]
    if not waiting:
        return dg.SkipReason(f"nothing new in {len(files)} files, {len(files) - len(settled)} of them still settling")
    registration = register(opened, waiting[:FILES_A_TICK], actor="sensor")
    registration.add(seen)
    if not registration.to_run:
        return dg.SkipReason(f"{len(waiting[:FILES_A_TICK])} files were read, nothing is to be run: {_reasons(registration)}")
    known = context.instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME)
    added = [session_id for session_id in registration.to_run if session_id not in set(known)]
    requests = _requests(context.instance, opened, [*known, *added], registration.to_run)
    return dg.SensorResult(
        dynamic_partitions_requests=[sessions_partitions.build_add_request(added)] if added else [],
        run_requests=requests,
        skip_reason=None if requests else dg.SkipReason("these sessions are queued, running, or were put aside"),
    )


def _requests(
    instance: dg.DagsterInstance, opened: OpenStore, keys: Sequence[str], session_ids: Sequence[str]
) -> list[dg.RunRequest]:
    """A run for each contiguous range of partitions: new sessions are one, changed ones mostly one each."""
    requests = []
    for part in contiguous(keys, session_ids):
        batch = _batch_hash(opened, part)
        earlier = instance.get_runs(filters=dg.RunsFilter(tags={BATCH_TAG: batch}))
        if any(run.status in UNFINISHED for run in earlier):
            continue
        if len(earlier) >= MAX_ATTEMPTS:
            _put_aside(opened, part, batch)
            continue
        attempt = len(earlier) + 1
        requests.append(
            dg.RunRequest(
                run_key=f"batch:{batch}:{attempt}",
                tags={
                    RANGE_START_TAG: part[0],
                    RANGE_END_TAG: part[-1],
                    BATCH_TAG: batch,
                    ATTEMPT_TAG: str(attempt),
                },
            )
        )
    return requests


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
                FROM visible_events WHERE event_type = 'source_registered' AND session_id IN {IN_LIST}
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


def _refused_files(opened: OpenStore) -> dict[str, str]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            """SELECT payload_json ->> '$.uri', max(payload_json ->> '$.file_hash') FROM visible_events
               WHERE event_type = 'session_rejected' AND stage_version = ? GROUP BY ALL""",
            [opened.sources.version],
        ).fetchall()
    return dict(rows)


def _known_as_refused(file: SourceFile, refused: dict[str, str]) -> bool:
    return file.path in refused and refused[file.path] in (None, content_hash(file.path))


def _settled(file: SourceFile, seconds: float) -> bool:
    try:
        return time.time() - Path(file.path).stat().st_mtime >= seconds
    except OSError:
        return False


def _reasons(registration: Registration) -> str:
    reasons = sorted({defect.reason for defect in (*registration.skipped, *registration.errors)})
    return ", ".join(reasons) or "all of it was known"
