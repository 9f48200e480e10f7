"""The sensor on the sessions folder: what it asks for, what it never asks for, what it costs."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import registration, run, sensors, vectors
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG
from memory_assets.defs.resources import EventLogResource, open_store
from memory_assets.extraction.errors import ModelUnavailable
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.log.errors import StoreLockedError
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionForgotten, SessionVectorized, SourceRegistered, SourceTakenFor
from memory_assets.maintenance.doctor import checks
from memory_assets.memory import Memory
from memory_assets.queries.refused_files import refused_files
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import events, log_of, rows
from memory_assets_tests.depth import depth

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
        for event in result.asset_events:
            unrecorded.report_runless_asset_event(event)
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

    for request in tick().run_requests or []:  # the leaves come first
        if request.job_name == "refresh_leaves":
            assert launch(settings, unrecorded, request).is_success
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


@pytest.mark.slow
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


def told_of(instance: dg.DagsterInstance, asset: str, check: str) -> tuple[bool, dict[str, Any]] | None:
    """What Dagster was told last of a check."""
    key = dg.AssetCheckKey(dg.AssetKey(asset), check)
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key([key]).get(key)
    if found is None or found.evaluation is None:
        return None
    return found.evaluation.passed, {name: value.value for name, value in found.evaluation.metadata.items()}


@pytest.mark.deep
def test_a_broken_file_is_seen_where_people_look(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_behind", lambda *_: None)
    settled(*[chat(folder, f"good-{number:02}", talk(number, 1)) for number in range(depth(3, 11))])
    broken = _text(folder / "odd.chat.json", '{"schema_version": "chat.v1", "messages": [\n{"role": user}')
    settled(broken)
    (request,) = tick().run_requests or []
    assert launch(settings, unrecorded, request).is_success
    (refused,) = refused_files(Memory(settings).database)
    assert refused.path == str(broken)

    # The same in the check, in what a tick says, in the run's own checks and in doctor.
    said = told_of(unrecorded, "session_files", "every_file_can_be_read")
    assert said is not None and not said[0] and said[1]["refused"] == 1
    (row,) = said[1]["files"].records
    assert (row.data["file"], row.data["line"], row.data["reason"]) == ("odd.chat.json", "2", refused.reason)
    observed = unrecorded.fetch_observations(dg.AssetKey("session_files"), limit=5).records
    assert len(observed) == 1 and observed[0].asset_observation is not None
    assert observed[0].asset_observation.metadata["refused"].value == 1
    idle = tick()
    assert f"1 refused: odd.chat.json:2 ({refused.reason})" in str(idle.skip_reason) and idle.asset_events == []
    checked = [event for event in unrecorded.all_logs(unrecorded.get_runs()[0].run_id) if event.is_dagster_event]
    evaluations = [e.dagster_event.asset_check_evaluation_data for e in checked if e.dagster_event_type ==
                   dg.DagsterEventType.ASSET_CHECK_EVALUATION and e.dagster_event is not None]  # fmt: skip
    assert [one.passed for one in evaluations if one.check_name == "every_file_can_be_read"] == [False]
    (check,) = [check for check in checks(Memory(settings).resources) if check.name == "files"]
    assert check.ok and check.warning and str(broken) in check.detail and refused.reason in check.detail

    # Mended, it is a session like the others; a file that is gone is not named for ever.
    settled(chat(folder, "odd", talk(20, 1), name="odd.chat.json"))
    (request,) = tick().run_requests or []
    assert launch(settings, unrecorded, request).is_success
    tick()
    assert told_of(unrecorded, "session_files", "every_file_can_be_read") is not None
    assert told_of(unrecorded, "session_files", "every_file_can_be_read")[0]  # type: ignore[index]
    other = _text(folder / "other.chat.json", "{'single': 'quotes'}")
    settled(other)
    tick()
    assert not told_of(unrecorded, "session_files", "every_file_can_be_read")[0]  # type: ignore[index]
    other.unlink()
    tick()
    assert told_of(unrecorded, "session_files", "every_file_can_be_read")[0]  # type: ignore[index]
    assert refused_files(Memory(settings).database) == []


def test_a_command_tells_dagster_of_a_file_that_it_refused(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    _text(inbox / "odd.chat.json", '{"schema_version": "chat.v1", "messages": [')
    assert (take(inbox).skipped, take(inbox).events_appended) == (1, 0)
    said = told_of(unrecorded, "session_files", "every_file_can_be_read")
    assert said is not None and not said[0] and said[1]["files"].records[0].data["file"] == "odd.chat.json"


def test_the_leaves_are_asked_for_where_no_run_of_all_stages_made_them(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_vectors", lambda *_: None)
    settled(chat(folder, "one", talk(1)))
    (request,) = tick().run_requests or []
    assert launch(settings, unrecorded, request).is_success
    assert not tick().run_requests, "the run of all stages made them"
    # A backfill of the UI is over the stages alone.
    chat(folder, "two", talk(2))
    run.add_sessions(settings, [folder])
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    stages = [dg.AssetKey(stage) for stage in PIPELINE_STAGES]
    tags = {RANGE_START_TAG: "two", RANGE_END_TAG: "two"}
    assert job.execute_in_process(instance=unrecorded, asset_selection=stages, tags=tags, run_config=run.QUIET).success
    (asked_for,) = tick().run_requests or []
    assert asked_for.job_name == "refresh_leaves"
    (again,) = tick().run_requests or []
    assert again.run_key == asked_for.run_key
    assert launch(settings, unrecorded, asked_for).is_success
    made = unrecorded.get_latest_materialization_event(dg.AssetKey("memory_index"))
    assert made is not None and made.asset_materialization is not None
    assert made.asset_materialization.metadata["sessions"].value == 2
    assert not tick().run_requests


@pytest.mark.slow
def test_leaves_that_wait_for_their_time_or_fail_keep_no_vectors_back(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(chat(folder, "one", talk(1)))
    (request,) = tick().run_requests or []
    assert launch(settings, unrecorded, request).is_success

    def say_something() -> None:
        session = SessionForgotten(reason=f"asked {time.monotonic_ns()}")
        log_of(settings).append([NewEvent(session, session_id=f"other-{time.monotonic_ns()}", inputs=("by hand",))])

    def wanted() -> list[str]:
        return [str(request.job_name) for request in tick().run_requests or []]

    say_something()
    (leaves,) = tick().run_requests or []
    assert leaves.job_name == "refresh_leaves" and launch(settings, unrecorded, leaves).is_success
    say_something()
    assert wanted() == ["embed_waiting_units"], "the leaves were made just now"
    monkeypatch.setattr(sensors, "SECONDS_BETWEEN_LEAVES", 0)
    for _ in range(sensors.MAX_ATTEMPTS):
        (leaves,) = tick().run_requests or []
        assert leaves.job_name == "refresh_leaves"
        launch(settings, unrecorded, leaves, status="FAILURE")
    assert wanted() == ["embed_waiting_units"], "they failed each time, and are asked for in an hour"
    monkeypatch.setattr(sensors, "SECONDS_BEFORE_AGAIN", 0)
    assert wanted() == ["refresh_leaves"]


@pytest.mark.slow
def test_a_leaf_that_failed_beside_the_others_is_made_again(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_vectors", lambda *_: None)
    settled(chat(folder, "one", talk(1)))
    (request,) = tick().run_requests or []
    assert launch(settings, unrecorded, request).is_success
    assert not tick().run_requests
    unrecorded.wipe_assets([dg.AssetKey("task_board")])
    assert [request.job_name for request in tick().run_requests or []] == ["refresh_leaves"]


@pytest.mark.slow
def test_a_file_that_is_broken_as_it_was_before_is_told_again(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_behind", lambda *_: None)
    for text in ("{'single': 'quotes'}", None, "{'single': 'quotes'}", None, "{'single': 'quotes'}"):
        path = folder / "odd.chat.json"
        settled(chat(folder, "odd", talk(20, 1), name=path.name) if text is None else _text(path, text))
        for request in tick().run_requests or []:
            assert launch(settings, unrecorded, request).is_success
        tick()
        assert len(refused_files(Memory(settings).database)) == (text is not None)
        assert told_of(unrecorded, "session_files", "every_file_can_be_read")[0] == (text is None)  # type: ignore[index]
    assert len(events(settings, "session_rejected")) == 2, "the file that was mended as before is no news"
    told = len(events(settings))
    assert tick(lost=True).asset_events == [] and len(events(settings)) == told


def test_what_a_person_named_and_is_no_session_is_no_lasting_news(inbox: Path, settings: Settings, take: Import) -> None:
    notes = _text(inbox / "notes.md", "# milk\n")
    assert take(notes).refused == 1 and refused_files(Memory(settings).database) == []


def test_a_link_to_nowhere_is_told_by_whoever_meets_it(inbox: Path, settings: Settings, take: Import) -> None:
    (inbox / "gone.json").symlink_to(inbox / "nowhere.json")
    os.mkfifo(inbox / "pipe.json")
    refused = take(inbox)
    assert [Path(file.path).name for file in refused_files(Memory(settings).database)] == [
        Path(error["path"]).name for error in refused.errors
    ]
    assert take(inbox).events_appended == 0


def test_a_store_that_is_held_leaves_a_tick_what_it_asks_for(
    folder: Path, settings: Settings, tick: Tick, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_: object) -> None:
        raise StoreLockedError("held by another")

    settled(chat(folder, "one", talk(1)))
    monkeypatch.setattr(sensors, "news", held)
    result = tick()
    assert asked(result) == [("one", "one")] and result.asset_events == []


@pytest.mark.deep
def test_what_waits_for_a_model_is_asked_for_again_later_and_never_put_aside(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs.stages import extracted

    def unanswered(*_: object) -> None:
        raise ModelUnavailable("down", hint="", spent=ExtractionTelemetry(), passes=False, answers_before=0)

    monkeypatch.setattr(sensors, "_behind", lambda *_: None)
    settled(chat(folder, "one", talk(1)))
    with monkeypatch.context() as patch:
        patch.setattr(extracted, "extract", unanswered)
        patch.setattr(sensors, "MAX_ATTEMPTS", depth(1, sensors.MAX_ATTEMPTS))
        for attempt in range(1, sensors.MAX_ATTEMPTS + 2):
            patch.setattr(sensors, "SECONDS_AFTER_OUTAGE", 0)
            (request,) = tick().run_requests or []
            assert request.tags[sensors.ATTEMPT_TAG] == str(attempt)
            assert launch(settings, unrecorded, request).is_success
            patch.setattr(sensors, "SECONDS_AFTER_OUTAGE", 60)
            assert not tick().run_requests, "not at every tick"
    assert events(settings, "session_quarantined") == []
    (check,) = [check for check in checks(Memory(settings).resources) if check.name == "sessions"]
    assert check.ok and check.warning and "one behind ingested" in check.detail


@pytest.mark.parametrize(("runs", "pause"), [(1, 60), (2, 120), (3, 240), (20, 3_600)])
def test_the_pauses_grow_up_to_an_hour(runs: int, pause: int) -> None:
    for age, is_time in ((pause - 5, False), (pause + 1, True)):
        ended = [SimpleNamespace(end_time=time.time() - age - later) for later in range(runs)]
        assert sensors._is_time(ended) == is_time  # type: ignore[arg-type]


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
