"""Files that the sensor cannot take: said where people look, and not for ever."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import sensors
from memory_assets.log.errors import StoreLockedError
from memory_assets.maintenance.doctor import checks
from memory_assets.memory import Memory
from memory_assets.queries.refused_files import refused_files
from memory_assets.settings import Settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.sensor.ticks import Tick, asked, launch, settled, text_file, told_of
from memory_assets_tests.defs.state import events
from memory_assets_tests.depth import depth


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


@pytest.mark.long
@pytest.mark.deep
def test_a_broken_file_is_seen_where_people_look(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_behind", lambda *_: None)
    settled(*[chat(folder, f"good-{number:02}", talk(number, 1)) for number in range(depth(3, 11))])
    broken = text_file(folder / "odd.chat.json", '{"schema_version": "chat.v1", "messages": [\n{"role": user}')
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
    other = text_file(folder / "other.chat.json", "{'single': 'quotes'}")
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
    text_file(inbox / "odd.chat.json", '{"schema_version": "chat.v1", "messages": [')
    assert (take(inbox).skipped, take(inbox).events_appended) == (1, 0)
    said = told_of(unrecorded, "session_files", "every_file_can_be_read")
    assert said is not None and not said[0] and said[1]["files"].records[0].data["file"] == "odd.chat.json"


@pytest.mark.slow
def test_a_file_that_is_broken_as_it_was_before_is_told_again(
    folder: Path, settings: Settings, tick: Tick, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "_behind", lambda *_: None)
    for text in ("{'single': 'quotes'}", None, "{'single': 'quotes'}", None, "{'single': 'quotes'}"):
        path = folder / "odd.chat.json"
        settled(chat(folder, "odd", talk(20, 1), name=path.name) if text is None else text_file(path, text))
        for request in tick().run_requests or []:
            assert launch(settings, unrecorded, request).is_success
        tick()
        assert len(refused_files(Memory(settings).database)) == (text is not None)
        assert told_of(unrecorded, "session_files", "every_file_can_be_read")[0] == (text is None)  # type: ignore[index]
    assert len(events(settings, "session_rejected")) == 2, "the file that was mended as before is no news"
    told = len(events(settings))
    assert tick(lost=True).asset_events == [] and len(events(settings)) == told


def test_a_refused_file_that_comes_alone_is_in_the_tables(
    inbox: Path, folder: Path, settings: Settings, take: Import, tick: Tick
) -> None:
    def behind() -> list[str]:
        return [check.detail for check in checks(Memory(settings).resources) if check.name == "projections" and not check.ok]

    take(text_file(inbox / "notes.md", "# milk\n"))
    assert behind() == []
    settled(text_file(folder / "odd.chat.json", "{'single': 'quotes'}"))
    tick()
    assert len(events(settings, "session_rejected")) == 2 and behind() == []


def test_what_a_person_named_and_is_no_session_is_no_lasting_news(inbox: Path, settings: Settings, take: Import) -> None:
    notes = text_file(inbox / "notes.md", "# milk\n")
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
