"""Runs that fail or wait: how often and how soon the sensor asks for them again."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import sensors
from memory_assets.extraction.errors import ModelUnavailable
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.maintenance.doctor import checks
from memory_assets.memory import Memory
from memory_assets.settings import Settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.sensor.ticks import Tick, asked, launch, settled
from memory_assets_tests.defs.state import events, rows
from memory_assets_tests.depth import depth

pytestmark = pytest.mark.long


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
