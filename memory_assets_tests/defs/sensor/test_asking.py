"""What the sensor on the sessions folder asks for, and what it never asks for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import run, sensors
from memory_assets.defs.partitions import RANGE_END_TAG, RANGE_START_TAG
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.settings import Settings
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.sensor.ticks import Tick, asked, launch, settled, text_file
from memory_assets_tests.defs.state import events, log_of, rows

pytestmark = pytest.mark.long


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


def test_what_is_no_session_neither_stops_nor_starves_the_others(folder: Path, settings: Settings, tick: Tick) -> None:
    # More of them than a tick takes, and all in front of the one that is a session.
    for number in range(2 * sensors.FILES_A_TICK):
        settled(text_file(folder / f"a-{number:03}.md", "# Groceries\n\n- milk\n"))
    settled(text_file(folder / "auth.json", json.dumps({"token": "secret"})), text_file(folder / "b.json", ""))
    settled(text_file(folder / "c.json", '{"schema_version": "chat.v1", "messages": "none"}'))
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
