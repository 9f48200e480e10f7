"""What the sensor asks for behind the stages: the leaves, and vectors."""

from __future__ import annotations

import time
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import run, sensors, vectors
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.settings import Settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.sensor.ticks import Tick, launch, settled
from memory_assets_tests.defs.state import log_of, rows

pytestmark = pytest.mark.long


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
        assert job.execute_in_process(instance=unrecorded, run_config=QUIET).success
    assert rows(settings, waiting) == [(count,)]
    done = job.execute_in_process(instance=unrecorded, run_config=QUIET)
    (made,) = done.asset_materializations_for_node("vectors")
    assert made.metadata["units_done"].value == count and made.metadata["units_failed"].value == 0
    assert rows(settings, waiting) == [(0,)] and not tick().run_requests


@pytest.mark.slow  # vectors, above, are asked for in the same way with every change
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
    assert job.execute_in_process(instance=unrecorded, asset_selection=stages, tags=tags, run_config=QUIET).success
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
