"""One bad session neither fails the others nor is skipped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.defs.checks import ON_REQUEST
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.run_failures import RunFailedError
from memory_assets.defs.stages import aligned, extracted, ingested
from memory_assets.defs.store_state import store_state
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.session_history import History
from memory_assets.settings import Settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows, texts_of_store
from memory_assets_tests.depth import IS_DEEP, depth

pytestmark = pytest.mark.long

BATCH = depth(6, 25)
POISON, SOUND = "s-05", "s-04"


class OwnError(MemoryAssetsError):
    code = "own"


def failing_at(monkeypatch: pytest.MonkeyPatch, error: Callable[[History], Exception]) -> None:
    align = aligned.align

    def poisoned(history: History, *rest: Any) -> Any:
        if history.session_id == POISON:
            raise error(history)
        return align(history, *rest)

    monkeypatch.setattr(aligned, "align", poisoned)


def metadata_of(instance: dg.DagsterInstance, stage: str, session_id: str) -> dict[str, Any]:
    records = instance.fetch_materializations(
        dg.AssetRecordsFilter(dg.AssetKey(stage), asset_partitions=[session_id]), limit=1
    ).records
    materialization = records[0].asset_materialization
    assert materialization is not None
    return {name: value.value for name, value in materialization.metadata.items()}


def latest_check(instance: dg.DagsterInstance, stage: str, name: str) -> dg.AssetCheckEvaluation:
    (record,) = instance.event_log_storage.get_asset_check_execution_history(
        dg.AssetCheckKey(dg.AssetKey(stage), name), limit=1
    )
    assert record.event is not None and record.event.dagster_event is not None
    return record.event.dagster_event.asset_check_evaluation_data


def letters(settings: Settings) -> list[dict[str, Any]]:
    return [json.loads(event.payload_json) for event in events(settings, "session_quarantined")]


@pytest.mark.deep
def test_a_poison_session_in_a_batch(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(BATCH):
        chat(inbox, f"s-{number:02}", talk(number, 3))
    with monkeypatch.context() as patch:
        failing_at(patch, lambda history: ValueError(f"cannot align {history.messages[0].text}"))
        report = take(inbox)
        assert (report.sessions, report.new, report.quarantined) == (BATCH, BATCH - 1, 1)
        ((letter,), (error,)) = letters(settings), report.errors
        assert (letter["stage"], letter["error_code"]) == ("aligned", "unexpected")
        assert error["session_id"] == POISON and error["stage"] == "aligned"
        # The place of a failure is told, and no word of the session.
        assert letter["detail"].startswith("unexpected ValueError in poisoned:")
        assert not any("cannot align" in text for _, text in texts_of_store(settings))
        statuses = dict(rows(settings, "SELECT session_id, status FROM sessions"))
        assert statuses.pop(POISON) == "quarantined" and set(statuses.values()) == {"vectorized"}
        assert rows(settings, "SELECT count(*) FROM entries WHERE session_id = ?", POISON) == [(0,)]

        # Every partition is materialized: a skipped one would count as failed in a backfill.
        assert len(unrecorded.get_materialized_partitions(dg.AssetKey("vectorized"))) == BATCH
        assert metadata_of(unrecorded, "aligned", POISON) | {"detail": ""} == {
            "status": "quarantined",
            "error": "unexpected",
            "detail": "",
            "data_version": events(settings, "session_quarantined")[0].event_id,
        } | {
            name: value
            for name, value in metadata_of(unrecorded, "aligned", POISON).items()
            if name.startswith(("batch_", "dagster/")) or name == "log_seq"
        }
        assert metadata_of(unrecorded, "materialized", POISON)["status"] == "waiting"
        assert metadata_of(unrecorded, "aligned", SOUND)["status"] == "done"
        check = latest_check(unrecorded, "aligned", "no_session_put_aside")
        assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
        assert check.metadata["sessions"].value == POISON
        inventory = latest_check(unrecorded, "vectorized", "no_sessions_quarantined")
        assert not inventory.passed and inventory.metadata["quarantined"].value == 1
        (session,) = inventory.metadata["sessions"].records  # type: ignore[attr-defined]
        assert session.data == {"session": POISON, "stage": "aligned", "error": "unexpected"}
        failed = rows(settings, "SELECT stage, session_id, error FROM pipeline_metrics WHERE NOT success")
        assert failed == [("aligned", POISON, "unexpected")]

        if IS_DEEP:  # the same failure again is the same letter
            again = run.run_sessions(settings, [POISON])
            assert (again.quarantined, again.events_appended) == (1, 0)
            assert len(letters(settings)) == 1
        # A person's retry that fails is another.
        retried = run.retry_quarantined(settings)
        assert (retried.sessions, retried.quarantined) == (1, 1)
        assert len(letters(settings)) == 2
        assert rows(settings, "SELECT session_id, attempts FROM quarantine") == [(POISON, 2)]
        if IS_DEEP:
            assert_rebuilds_equal(settings)

    healed = run.retry_quarantined(settings)
    assert (healed.sessions, healed.quarantined, healed.unchanged) == (1, 0, 1)
    assert rows(settings, "SELECT count(*) FROM quarantine") == [(0,)]
    assert rows(settings, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]
    assert latest_check(unrecorded, "aligned", "no_session_put_aside").passed
    assert run.retry_quarantined(settings).sessions == 0
    assert_rebuilds_equal(settings)


def test_what_is_put_aside_stays_visible_when_others_go_through(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        failing_at(patch, lambda _: ValueError("no"))
        take(chat(inbox, POISON, talk(1)), chat(inbox, "good", talk(2)))
    # A run over another session says what stands for the stage, and that it was not this run.
    take(chat(inbox, "later", talk(3)))
    check = latest_check(unrecorded, "aligned", "no_session_put_aside")
    assert not check.passed
    assert {name: value.value for name, value in check.metadata.items()} == {
        "quarantined": 1,
        "sessions": POISON,
        "quarantined_in_this_run": 0,
        "sessions_of_this_run": "",
    }
    assert latest_check(unrecorded, "extracted", "no_session_put_aside").passed, "another stage's session"
    inventory = latest_check(unrecorded, "vectorized", "no_sessions_quarantined")
    assert not inventory.passed and inventory.metadata["quarantined"].value == 1
    # A retry that goes through is seen by the check of the stage that had put it aside.
    assert run.retry_quarantined(settings).quarantined == 0
    assert latest_check(unrecorded, "aligned", "no_session_put_aside").passed
    assert latest_check(unrecorded, "vectorized", "no_sessions_quarantined").passed


def test_the_jobs_of_the_sensor_take_the_leaves_along() -> None:
    definitions = build_definitions()
    stages = set(PIPELINE_STAGES)
    leaves = {"memory_index", "ledgers", "task_board"}
    for name, wanted in (("graduate_sessions", stages | leaves), ("refresh_leaves", leaves)):
        layer = definitions.resolve_job_def(name).asset_layer
        assert {key.to_user_string() for key in layer.selected_asset_keys} == wanted
        checks = layer.asset_graph.asset_check_keys
        assert checks.isdisjoint(ON_REQUEST), "a whole log is not read with each run"
        assert dg.AssetCheckKey(dg.AssetKey("ledgers"), "no_open_conflict") in checks
    graduate = definitions.resolve_job_def("graduate_sessions").asset_layer.asset_graph
    assert store_state.check_keys <= graduate.asset_check_keys


def test_our_own_errors_are_told_in_their_words_and_a_good_run_releases(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract = extracted.extract

    def failing(history: History, *rest: Any) -> Any:
        if history.session_id == POISON:
            raise OwnError("the model gave no answer for messages 0 to 3", hint="try another")
        return extract(history, *rest)

    chat(inbox, POISON, talk(1))
    chat(inbox, "good", talk(2))
    with monkeypatch.context() as patch:
        patch.setattr(extracted, "extract", failing)
        take(inbox)
    assert [(letter["stage"], letter["error_code"], letter["detail"]) for letter in letters(settings)] == [
        ("extracted", "own", "the model gave no answer for messages 0 to 3")
    ]
    # Nobody asked for a retry: a run that succeeds says itself that it is over.
    report = take(inbox)
    assert (report.quarantined, report.unchanged) == (0, 2)
    assert len(events(settings, "quarantine_released")) == 1
    assert rows(settings, "SELECT count(*) FROM quarantine") == [(0,)]


def test_a_file_that_is_gone_puts_its_session_aside(inbox: Path, settings: Settings, take: Import) -> None:
    gone = chat(inbox, "gone", talk(1))
    chat(inbox, "stays", talk(2))
    run.add_sessions(settings, [inbox])
    text = gone.read_text()
    gone.unlink()
    report = run.run_sessions(settings, None)
    assert (report.sessions, report.new, report.quarantined) == (2, 1, 1)
    ((letter,),) = [report.quarantine]
    assert (letter["session_id"], letter["stage"], letter["reason"]) == ("gone", "ingested", "not_found")
    gone.write_text(text)
    assert run.retry_quarantined(settings).new == 1
    assert ingested.SourceMissingError.code == "not_found"


def test_what_goes_wrong_with_the_store_fails_the_run(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.log.errors import StoreError

    chat(inbox, POISON, talk(1))
    with monkeypatch.context() as patch:
        failing_at(patch, lambda _: StoreError("the file cannot be read", hint="run `memory doctor`"))
        with pytest.raises(RunFailedError, match="stage aligned failed: the file cannot be read"):
            take(inbox)
    assert letters(settings) == []


def test_a_batch_whose_history_moved_is_made_again(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.log.errors import HeadMovedError
    from memory_assets.log.event_log import EventLog

    append = EventLog.append
    moved = []

    def moving(self: EventLog, batch: Any, **further: Any) -> Any:
        if further.get("heads") and not moved:
            moved.append(further["heads"])
            raise HeadMovedError(sorted(further["heads"]))
        return append(self, batch, **further)

    monkeypatch.setattr(EventLog, "append", moving)
    report = take(chat(inbox, "moved", talk(1)), chat(inbox, "as-well", talk(2)))
    assert moved == [{"moved": None, "as-well": None}]
    assert (report.new, report.quarantined) == (2, 0)
    assert len(rows(settings, "SELECT 1 FROM pipeline_metrics WHERE stage = 'ingested'")) == 2
