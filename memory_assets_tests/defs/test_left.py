"""What a turn of a session leaves for the rest behind it, whatever comes between the two."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

import memory_assets
from memory_assets.configuration import Resources
from memory_assets.defs import run
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.run_failures import RunFailedError
from memory_assets.defs.taking import MOST_SECONDS_LEFT, SECONDS_TO_REST, Left, take_new
from memory_assets.log.errors import StoreLockedError
from memory_assets.search.usage import note_shown
from memory_assets.settings import Settings
from memory_assets.vectors.upkeep import rows_behind
from memory_assets_tests.defs.files import chat
from memory_assets_tests.filled_store import test_settings as settings_of

QUARANTINED = dg.AssetCheckKey(dg.AssetKey("vectorized"), "no_sessions_quarantined")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = settings_of(tmp_path / "home")
    return settings.model_copy(update={"sessions": settings.sessions.model_copy(update={"settle_seconds": 0.0})})


def turn(settings: Settings, left: Left | None, name: str = "one") -> None:
    chat(settings.sessions_folder, name, [f"We decided to keep ledger {name} in one region because it is simple."])
    taken = take_new(settings, left=left)
    assert (taken.sessions, taken.error) == (1, None)


def nothing_for_a_while(left: Left) -> None:
    assert left.last is not None
    left.last -= SECONDS_TO_REST


def behind(settings: Settings) -> int:
    return rows_behind(Resources(settings).word_index.connect().open_table("words"))


def looked_at(settings: Settings) -> bool:
    """Whether a run has looked at the store as a whole."""
    return bool(dagster_instance(settings).event_log_storage.get_latest_asset_check_execution_by_key([QUARANTINED]))


def counted(settings: Settings) -> int:
    with Resources(settings).database.reading() as connection:
        ((events,),) = connection.execute("SELECT count(*) FROM events WHERE event_type = 'usage_counted'").fetchall()
    return int(events)


def test_the_index_and_the_whole_store_wait_for_the_rest(settings: Settings) -> None:
    left = Left()
    turn(settings, left)
    assert left.since is not None and behind(settings) > 0 and not looked_at(settings)
    # A second hook of the same turn finds nothing new, and no rest.
    taken = take_new(settings, left=left)
    assert (taken.sessions, taken.again, taken.error) == (0, True, None)
    assert left.since is not None and behind(settings) > 0 and not looked_at(settings)
    nothing_for_a_while(left)
    taken = take_new(settings, left=left)
    assert (taken.sessions, taken.again, taken.error) == (0, False, None)
    assert left.since is None and behind(settings) == 0 and looked_at(settings)


def test_what_was_of_use_is_counted_at_the_rest(settings: Settings) -> None:
    left = Left()
    turn(settings, left)
    with Resources(settings).database.reading() as connection:
        ((unit_kind, source_id),) = connection.execute("SELECT unit_kind, source_id FROM memory_units LIMIT 1").fetchall()
    note_shown(settings, [(unit_kind, source_id)])
    turn(settings, left, "two")
    assert counted(settings) == 0
    nothing_for_a_while(left)
    assert take_new(settings, left=left).error is None and counted(settings) == 1


@pytest.mark.long
def test_what_another_process_left_is_done_when_the_next_one_first_looks(settings: Settings) -> None:
    turn(settings, Left())
    assert behind(settings) > 0
    assert take_new(settings, left=Left()).error is None
    assert behind(settings) == 0


@pytest.mark.long
def test_what_fails_behind_the_stages_leaves_it_to_the_rest(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: object) -> None:
        raise StoreLockedError("another process holds the store")

    left = Left()
    chat(settings.sessions_folder, "one", ["We decided to keep the ledger in one region because it is simple."])
    with monkeypatch.context() as patched:
        patched.setattr(run, "outcome_of", locked)
        assert (take_new(settings, left=left).error or "").startswith(StoreLockedError.code)
    assert left.since is not None and behind(settings) > 0
    assert take_new(settings, left=left).error is None
    assert left.since is None and behind(settings) == 0 and looked_at(settings)


@pytest.mark.long
def test_an_import_that_fails_each_time_keeps_what_was_left_from_nobody(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RunFailedError("stage ingested failed")

    left = Left()
    turn(settings, left)
    monkeypatch.setattr(run, "import_paths", failing)
    nothing_for_a_while(left)
    assert (take_new(settings, left=left).error or "").startswith(RunFailedError.code)
    assert left.since is not None and behind(settings) > 0  # more may be coming
    left.since -= MOST_SECONDS_LEFT
    assert (take_new(settings, left=left).error or "").startswith(RunFailedError.code)
    assert left.since is None and behind(settings) == 0 and looked_at(settings)
    # What fails before it has written anything leaves nothing.
    assert (take_new(settings, left=left).error or "").startswith(RunFailedError.code)
    assert left.since is None


@pytest.mark.long
def test_a_leaf_that_fails_keeps_no_word_from_its_index(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RunFailedError("stage task_board failed")

    left = Left()
    turn(settings, left)
    with monkeypatch.context() as patched:
        patched.setattr(run, "materialize", failing)
        nothing_for_a_while(left)
        assert (take_new(settings, left=left).error or "").startswith(RunFailedError.code)
    assert left.since is not None and behind(settings) == 0


@pytest.mark.long
def test_whoever_runs_all_of_a_session_leaves_nothing(settings: Settings) -> None:
    turn(settings, Left())
    assert behind(settings) > 0
    run.run_sessions(settings, None)
    assert behind(settings) == 0 and looked_at(settings)


@pytest.mark.long
def test_a_policy_that_changes_is_in_the_version_of_the_next_run(settings: Settings, tmp_path: Path) -> None:
    shipped = Path(memory_assets.__file__).parent / "sessions" / "masking" / "redaction_policy.json"
    policy, file = json.loads(shipped.read_text("utf-8")), tmp_path / "policy.json"
    file.write_text(json.dumps(policy), encoding="utf-8")
    settings = settings.model_copy(update={"privacy": settings.privacy.model_copy(update={"policy_file": file})})

    def version() -> str:
        event = dagster_instance(settings).get_latest_materialization_event(dg.AssetKey("ingested"))
        assert event is not None and event.asset_materialization is not None
        return (event.asset_materialization.tags or {})["dagster/code_version"]

    left = Left()
    turn(settings, left)
    before = version()
    turn(settings, left, "two")
    assert version() == before
    policy["patterns"][0]["enabled"] = False
    file.write_text(json.dumps(policy), encoding="utf-8")
    chat(settings.sessions_folder, "three", ["We decided to keep a third ledger in one region because it is simple."])
    assert take_new(settings, left=left).error is None
    assert version() != before
