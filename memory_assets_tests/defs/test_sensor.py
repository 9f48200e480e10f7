"""The sensor on the sessions folder (requirement D-02): what it asks for, what it never asks for, what it costs."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.definitions import build_definitions
from memory_assets.defs import registration, run, sensors, vectors
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG
from memory_assets.defs.resources import EventLogResource, open_store
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionForgotten, SessionVectorized, SourceRegistered, SourceTakenFor
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import events, log_of, rows

Tick = Callable[..., dg.SensorResult]


@pytest.fixture
def settings() -> Settings:
    # Longer than any test takes, so that what was just written is still settling.
    return load_settings({"sessions": {"settle_seconds": 3600}})


@pytest.fixture
def folder(settings: Settings) -> Path:
    settings.sessions_folder.mkdir(parents=True)
    return settings.sessions_folder


@pytest.fixture
def tick(settings: Settings, unrecorded: dg.DagsterInstance) -> Tick:
    """One evaluation, whose wish for partitions is granted as Dagster grants it; the cursor goes on from tick to tick."""
    cursor: list[str | None] = [None]

    def evaluated(*, lost: bool = False) -> dg.SensorResult:
        with dg.build_sensor_context(
            instance=unrecorded,
            cursor=None if lost else cursor[0],
            resources={"event_log": EventLogResource(settings_json=settings.model_dump_json())},
        ) as context:
            result = sensors.sessions_folder(context)
        assert isinstance(result, dg.SensorResult)
        cursor[0] = result.cursor
        for request in result.dynamic_partitions_requests or []:
            unrecorded.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        return result

    return evaluated


def settled(*paths: Path, hours: float = 9) -> None:
    for path in paths:
        os.utime(path, (time.time() - hours * 3600,) * 2)


def asked(result: dg.SensorResult) -> list[tuple[str, str]]:
    """The ranges of sessions; a run for vectors has none."""
    requests = [request for request in result.run_requests or [] if request.job_name == "graduate_sessions"]
    return [(request.tags[RANGE_START_TAG], request.tags[RANGE_END_TAG]) for request in requests]


def launch(
    settings: Settings, instance: dg.DagsterInstance, request: dg.RunRequest, *, status: str | None = None
) -> dg.DagsterRun:
    """What the daemon does with a request; with a status the run stands in it and does nothing."""
    job = build_definitions(settings).resolve_job_def(request.job_name or "graduate_sessions")
    if status is None:
        tags = dict(request.tags)
        return job.execute_in_process(instance=instance, tags=tags, run_config=run.QUIET, raise_on_error=False).dagster_run
    return instance.create_run_for_job(job, tags=dict(request.tags), status=dg.DagsterRunStatus(status))


def test_what_settles_is_asked_for_until_it_is_done(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance
) -> None:
    written = [chat(folder, f"new-{number}", talk(number)) for number in range(3)]
    settled(*written)
    growing = claude(folder, "growing.jsonl", records("growing", talk(9, 2)))
    first = tick()
    assert asked(first) == [("new-0", "new-2")]
    assert unrecorded.get_dynamic_partitions("sessions") == ["new-0", "new-1", "new-2"]
    ((request,),) = [first.run_requests]
    assert request.run_key and request.run_key.startswith("batch:") and request.run_key.endswith(":1")

    # Running: not asked for again, also not by a sensor that has lost its cursor.
    queued = launch(settings, unrecorded, request, status="STARTED")
    assert asked(tick()) == [] and asked(tick(lost=True)) == []
    unrecorded.delete_run(queued.run_id)
    assert launch(settings, unrecorded, request).is_success
    assert rows(settings, "SELECT count(*) FROM sessions WHERE status = 'vectorized'") == [(3,)]
    told = len(events(settings))
    for lost in (False, True):
        assert asked(tick(lost=lost)) == []
    assert len(events(settings)) == told

    # The file that grew is taken when it has lain still, and what grew later is a new question.
    settled(growing)
    assert asked(tick()) == [("growing", "growing")]
    claude(folder, "growing.jsonl", records("growing", talk(9, 4)))
    assert asked(tick()) == [], "it was written to again"
    settled(growing, hours=5)
    (grown,) = tick().run_requests or []
    assert launch(settings, unrecorded, grown).is_success
    assert rows(settings, "SELECT message_count FROM sessions WHERE session_id = 'growing'") == [(4,)]
    assert asked(tick()) == []

    # A session that was forgotten stays away, whatever its file says.
    log_of(settings).append([NewEvent(SessionForgotten(reason="asked"), session_id="new-1", inputs=("by hand",))])
    told = len(events(settings))
    settled(written[1], hours=2)
    assert asked(tick()) == [] and asked(tick(lost=True)) == [] and len(events(settings)) == told


def test_vectors_are_asked_for_when_something_waits_and_nothing_runs(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(chat(folder, "new-1", talk(1)))
    ((request,),) = [tick().run_requests]
    running = launch(settings, unrecorded, request, status="STARTED")
    assert not tick().run_requests
    unrecorded.delete_run(running.run_id)
    assert launch(settings, unrecorded, request).is_success
    waiting = "SELECT count(*) FROM vector_outbox WHERE status = 'pending' AND embedding_version <> 'words'"
    [(count,)] = rows(settings, waiting)
    assert count > 0 and rows(settings, "SELECT count(*) FROM sessions WHERE status = 'vectorized'") == [(1,)]

    ((asked_for,),) = [tick().run_requests]
    assert (asked_for.job_name, asked_for.tags) == ("embed_waiting_units", {})
    # What got nowhere is not asked for again soon: Dagster takes a key once.
    ((again,),) = [tick(lost=True).run_requests]
    assert again.run_key == asked_for.run_key
    monkeypatch.setattr(sensors, "SECONDS_BEFORE_AGAIN", 1e-3)
    ((later,),) = [tick().run_requests]
    assert later.run_key != asked_for.run_key

    job = build_definitions(settings).resolve_job_def("embed_waiting_units")
    # Sessions that wait in the queue go first.
    with monkeypatch.context() as queue:
        queue.setattr(vectors, "_somebody_waits", lambda instance: True)
        assert job.execute_in_process(instance=unrecorded, run_config=run.QUIET).success
    assert rows(settings, waiting) == [(count,)]
    done = job.execute_in_process(instance=unrecorded, run_config=run.QUIET)
    (made,) = done.asset_materializations_for_node("vectors")
    assert made.metadata["units_done"].value == count and made.metadata["units_failed"].value == 0
    assert rows(settings, waiting) == [(0,)] and not tick().run_requests


def test_what_is_no_session_neither_stops_nor_starves_the_others(folder: Path, settings: Settings, tick: Tick) -> None:
    # More of them than a tick takes, and all in front of the one that is a session.
    for number in range(2 * sensors.FILES_A_TICK):
        settled(_text(folder / f"a-{number:03}.md", "# Groceries\n\n- milk\n"))
    settled(_text(folder / "auth.json", json.dumps({"token": "secret"})), _text(folder / "b.json", ""))
    settled(_text(folder / "c.json", '{"schema_version": "chat.v1", "messages": "none"}'))
    (folder / "d").symlink_to(folder)
    (folder / os.fsdecode(b"e\xff.json")).write_bytes(b"{}")
    settled(folder / os.fsdecode(b"e\xff.json"))
    settled(chat(folder, "z-good", talk(1), name="회의 록 (1).json"))
    assert asked(tick()) == [("z-good", "z-good")]
    refused = [json.loads(event.payload_json) for event in events(settings, "session_rejected")]
    assert [(Path(event["uri"]).name, event["reason"]) for event in refused] == [("e\ufffd.json", "unreadable_file")]
    told = len(events(settings))
    tick()
    assert len(events(settings)) == told


def _text(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_refused_and_unreadable_files(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs import sources
    from memory_assets.sessions import reading
    from memory_assets.sessions.model import Defect, SourceRefused

    monkeypatch.setattr(reading, "MAX_RECORD_BYTES", 20_000)
    settled(claude(folder, "huge.jsonl", [*records("huge", talk(1)), "x" * 30_000]))
    settled(chat(folder, "locked", talk(2)))
    load, opened = sources.load_source, []

    def refusing(path: str) -> Any:
        opened.append(Path(path).name)
        if path.endswith("locked.json"):
            return SourceRefused(path, Defect(path, None, "unreadable_file", "Permission denied"))
        return load(path)

    with monkeypatch.context() as patch:
        patch.setattr(sources, "load_source", refusing)
        assert asked(tick()) == []
        reasons = {json.loads(event.payload_json)["reason"] for event in events(settings, "session_rejected")}
        assert reasons == {"record_too_large", "unreadable_file"}
        told = len(events(settings))
        opened.clear()
        assert asked(tick()) == [] and asked(tick()) == []
        assert len(events(settings)) == told
        assert "huge.jsonl" not in opened, "a file that was refused is read again only when it has changed"
    assert asked(tick()) == [("locked", "locked")], "it can be read now"
    settled(claude(folder, "huge.jsonl", records("huge", talk(1))))
    assert asked(tick()) == [("locked", "huge")]


def test_another_history_is_kept_behind_the_one_that_is_known(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance
) -> None:
    said = "SELECT text FROM messages ORDER BY message_index"
    settled(claude(folder, "a.jsonl", records("shared-id", talk(1))))
    for request in tick().run_requests or []:
        assert launch(settings, unrecorded, request).is_success
    known = rows(settings, said)
    stranger = records("shared-id", talk(2))
    for record in stranger:
        record["uuid"] = f"stranger-{record['uuid']}"
    settled(claude(folder, "b.jsonl", stranger))
    for _ in range(2 * sensors.MAX_ATTEMPTS):
        for request in tick().run_requests or []:
            assert launch(settings, unrecorded, request).is_success
    told = rows(settings, said)
    assert len(told) == 2 * len(known) and [row for row in told if row in known] == known
    assert rows(settings, "SELECT status, len(source_uris) FROM sessions") == [("vectorized", 2)]
    assert not events(settings, "session_quarantined")
    assert len(unrecorded.get_runs(filters=dg.RunsFilter(job_name="graduate_sessions"))) == 2


def test_three_failed_runs_put_the_set_aside(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance
) -> None:
    settled(*[chat(folder, f"unlucky-{number}", talk(number)) for number in range(2)])
    keys = []
    for attempt in range(1, sensors.MAX_ATTEMPTS + 1):
        (request,) = tick().run_requests or []
        keys.append(request.run_key)
        assert request.tags[sensors.ATTEMPT_TAG] == str(attempt)
        launch(settings, unrecorded, request, status="FAILURE")
    assert len(set(keys)) == sensors.MAX_ATTEMPTS
    assert asked(tick()) == [] and asked(tick(lost=True)) == []
    letters = [(event.session_id, json.loads(event.payload_json)) for event in events(settings, "session_quarantined")]
    assert [(session_id, letter["error_code"]) for session_id, letter in letters] == [
        ("unlucky-0", "runs_failed"),
        ("unlucky-1", "runs_failed"),
    ]
    # What comes later is not held up by them, and a person sees them.
    settled(chat(folder, "later", talk(5)))
    assert asked(tick()) == [("later", "later")]
    assert rows(settings, "SELECT session_id, error_code FROM quarantine ORDER BY session_id") == [
        ("unlucky-0", "runs_failed"),
        ("unlucky-1", "runs_failed"),
    ]


def test_a_session_that_a_stage_put_aside_is_not_asked_for_again(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs.stages import aligned

    align = aligned.align

    def failing(history: Any, *rest: Any) -> Any:
        if history.session_id == "poison":
            raise ValueError("no")
        return align(history, *rest)

    settled(chat(folder, "good", talk(1)), poison := chat(folder, "poison", talk(2)))
    monkeypatch.setattr(aligned, "align", failing)
    (request,) = tick().run_requests or []
    assert launch(settings, unrecorded, request).is_success
    assert asked(tick()) == [] and asked(tick(lost=True)) == []
    assert [json.loads(event.payload_json)["stage"] for event in events(settings, "session_quarantined")] == ["aligned"]
    # New content is another matter.
    poison.write_text(poison.read_text().replace("service 2", "service 22"))
    settled(poison, hours=4)
    assert asked(tick()) == [("poison", "poison")]


def test_at_most_a_batch_a_tick_and_not_ever_more_runs_in_the_queue(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance
) -> None:
    count = 4 * sensors.FILES_A_TICK
    settled(*[chat(folder, f"many-{number:03}", talk(number, 1)) for number in range(count)])
    ranges = []
    for _ in range(6):
        result = tick()
        for request in result.run_requests or []:
            ranges.append((request.tags[RANGE_START_TAG], request.tags[RANGE_END_TAG]))
            launch(settings, unrecorded, request, status="STARTED")
    assert ranges == [("many-000", "many-024"), ("many-025", "many-049")][: sensors.RUNS_UNDER_WAY]


def test_a_folder_that_is_not_there(settings: Settings, tick: Tick) -> None:
    result = tick()
    assert asked(result) == [] and "does not exist" in str(result.skip_reason)


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_known_files_cost_a_listing(
    count: int, folder: Path, settings: Settings, tick: Tick, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(settings, [_text(folder / f"s{number:05}.json", "{}") for number in range(count)])
    settled(chat(folder, "t-new", talk(1)))

    def unread(path: str) -> Any:
        raise AssertionError(f"{path} was read though the log knows it")

    with monkeypatch.context() as patch:
        load = registration.load_source
        patch.setattr(registration, "load_source", lambda path: load(path) if path.endswith("t-new.json") else unread(path))
        started = time.process_time()
        assert asked(tick()) == [("t-new", "t-new")]
        spent = time.process_time() - started
        print(f"{count} files: {spent:.2f} s")
        assert spent < 8


def known(settings: Settings, paths: Sequence[Path]) -> None:
    """The log as it stands when all of these files were taken long ago, each with a session of its own."""
    settled(*paths)
    opened = open_store(settings)
    opened.follow_versions()
    version = opened.sources.version
    told: list[NewEvent] = []
    for path in paths:
        stamp = registration.stamp_of(path.stat())
        registered = NewEvent(
            SourceRegistered(uri=str(path), file_hash="h", source_format="chat.v1", byte_length=2),
            session_id=path.stem,
            inputs=(str(path),),
            stage_version=version,
            telemetry=stamp,
        )
        told += [registered, *_through(path, registered.event_id, version, opened.versions)]
    opened.log.append(told)


def _through(path: Path, registration_id: str, version: str, versions: Any) -> list[NewEvent]:
    from memory_assets.log.payloads.entries import EntriesMaterialized, EvidenceAligned, MemoryExtracted
    from memory_assets.log.payloads.graduation import IdrisChecked
    from memory_assets.log.payloads.sessions import SessionHeading, SessionIngested, SessionProjected
    from memory_assets_tests.defs.files import STARTED

    taken = NewEvent(
        SourceTakenFor(registration_event_id=registration_id, uri=str(path), file_hash="h"),
        session_id=path.stem,
        inputs=(registration_id,),
        stage_version=version,
    )
    steps: list[tuple[str, Any]] = [
        ("extracted", lambda _: MemoryExtracted(extractor_kind="rules", extractor_model="", windows=[], entry_count=0)),
        (
            "aligned",
            lambda before: EvidenceAligned(
                source_event_id="", extraction_event_id=before, windows=[], aligned_count=0, failed_count=0, methods={}
            ),
        ),
        ("materialized", lambda before: EntriesMaterialized(alignment_event_id=before, entries=[])),
        ("idris_checked", lambda before: IdrisChecked(materialized_event_id=before, verdicts=[])),
        ("projected", lambda before: SessionProjected(checked_event_id=before)),
        ("vectorized", lambda before: SessionVectorized(projected_event_id=before, embedding_version="v")),
    ]
    ingested = NewEvent(
        SessionIngested(
            revision=1,
            heading=SessionHeading(
                source_format="chat.v1", source_id=path.stem, started_at=STARTED, parser_version="1", redaction_policy="p"
            ),
            content_hash="h",
            messages=[],
        ),
        session_id=path.stem,
        inputs=("", "h"),
    )
    chain = [ingested]
    for stage, made in steps:
        before = chain[-1].event_id
        chain.append(
            NewEvent(
                made(before),
                session_id=path.stem,
                inputs=(before,),
                stage_version=versions[stage],
                causation_id=before,
                chain_id=ingested.event_id,
            )
        )
    return [taken, *chain]


@pytest.mark.parametrize("order", [["b", "a", "d"], ["a", "b", "c", "d"], ["d"]])
def test_contiguous_parts(order: list[str]) -> None:
    parts = sensors.contiguous(["a", "b", "c", "d"], order)
    assert [key for part in parts for key in part] == sorted(order)
    assert parts == {3: [["a", "b"], ["d"]], 4: [["a", "b", "c", "d"]], 1: [["d"]]}[len(order)]


def test_a_file_that_changes_while_it_is_read_is_taken_again(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs import sources

    path = claude(folder, "live.jsonl", records("live", talk(1, 2)))
    settled(path)
    load = sources.load_source

    def overtaken(name: str) -> Any:
        data = load(name)
        claude(folder, "live.jsonl", records("live", talk(1, 4)))
        return data

    with monkeypatch.context() as patch:
        patch.setattr(sources, "load_source", overtaken)
        run.import_paths(settings, [path], project=None)
    settled(path, hours=3)
    assert asked(tick()) == [("live", "live")]
