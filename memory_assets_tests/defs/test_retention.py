"""What is kept for some days is forgotten after them, and not a day before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.retention import forget_what_is_old, nightly_retention
from memory_assets.errors import ConfigInvalidError
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import events

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def kept(settings: Settings, days: int, by_project: str = "") -> Settings:
    return load_settings({"home": settings.home, "privacy": {"keep_days": days, "keep_days_by_project": by_project}})


@pytest.mark.long
def test_what_is_older_goes_by_project_and_comes_not_back(
    settings: Settings, tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    ages = {"new": 9, "old": 11, "of-shop": 40, "kept-shop": 20}
    files = [
        chat(
            tmp_path / "files",
            name,
            talk(number),
            started=NOW - timedelta(days=age),
            project="shop" if "shop" in name else None,
        )
        for number, (name, age) in enumerate(ages.items())
    ]
    run.import_paths(settings, files, project=None)
    count = len(events(settings))
    assert forget_what_is_old(settings, dry_run=False, now=NOW).sessions == ()
    would = forget_what_is_old(kept(settings, 10, "shop=30"), dry_run=True, now=NOW)
    assert {session.session_id for session in would.sessions} == {"old", "of-shop"} and len(events(settings)) == count
    report = forget_what_is_old(kept(settings, 10, "shop = 30, other=1"), dry_run=False, now=NOW)
    assert {session.session_id for session in report.sessions} == {"old", "of-shop"}
    assert {session.session_id for session in Memory(settings).sessions()} == {"new", "kept-shop"}
    assert {event.payload_json for event in events(settings, "session_forgotten")} == {'{"reason":"retention"}'}
    assert run.import_paths(settings, files, project=None).events_appended == 0


@pytest.mark.long
def test_memories_of_a_type_go_and_their_sessions_stay(
    settings: Settings, tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    said = ["We decided to keep the ledger on PostgreSQL.", "TODO: write the page about rounding before Friday.", "Thanks."]
    other = ["We decided to keep the logs on SQLite.", "TODO: order the badge for the office.", "Thanks."]
    for name, turns, age in (("old", said, 40), ("new", other, 5)):
        chat(tmp_path / "files", name, turns, started=NOW - timedelta(days=age))
    run.import_paths(settings, [tmp_path / "files"], project=None)
    privacy = {"keep_days_by_type": "task = 30, decision=0"}
    by_type = load_settings({"home": settings.home, "privacy": privacy})
    would = forget_what_is_old(by_type, dry_run=True, now=NOW)
    assert (would.sessions, [one.title for one in would.memories_gone]) == (
        (),
        ["write the page about rounding before Friday."],
    )
    report = forget_what_is_old(by_type, dry_run=False, now=NOW)
    assert [(part.session_id, part.message_index, part.whole) for part in report.parts] == [("old", 1, True)]
    titles = {memory.title for memory in Memory(settings).memories().memories}
    assert titles == {said[0], other[0], "order the badge for the office."}
    assert {session.session_id for session in Memory(settings).sessions()} == {"old", "new"}
    assert forget_what_is_old(by_type, dry_run=False, now=NOW).parts == ()
    assert run.import_paths(settings, [tmp_path / "files"], project=None).events_appended == 0
    # A session that goes takes its memories with it, and is not named in parts besides.
    both = load_settings({"home": settings.home, "privacy": {"keep_days": 4, "keep_days_by_type": "decision=1"}})
    gone = forget_what_is_old(both, dry_run=True, now=NOW)
    assert len(gone.sessions) == 2 and gone.parts == ()
    with pytest.raises(ConfigInvalidError, match="no type of memory"):
        load_settings({"home": settings.home, "privacy": {"keep_days_by_type": "idea=3"}})


def test_the_asset_says_what_would_go_and_its_schedule_is_off(
    settings: Settings, tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    run.import_paths(settings, [chat(tmp_path / "files", "old", talk(1))], project=None)
    definitions = build_definitions(kept(settings, 10))
    job = definitions.resolve_job_def("forget_old_sessions")
    result = job.execute_in_process(instance=unrecorded, run_config=QUIET)
    (made,) = result.asset_materializations_for_node("retention")
    assert (made.metadata["dry_run"].value, made.metadata["sessions"].value) == (True, 1)
    assert [session.session_id for session in Memory(settings).sessions()] == ["old"]
    assert nightly_retention.default_status == dg.DefaultScheduleStatus.STOPPED
    forgets = {**QUIET, "ops": {"retention": {"config": {"dry_run": False}}}}
    assert job.execute_in_process(instance=unrecorded, run_config=forgets).success
    assert Memory(settings).sessions() == []
