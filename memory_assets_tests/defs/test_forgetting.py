"""A forgotten session is in no table, unit, vector or search, and stays away."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import registration, run
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.stages import ingested
from memory_assets.errors import NotFoundError
from memory_assets.log import forgotten_texts
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.usage import take_shown
from memory_assets.memory import Memory
from memory_assets.settings import Settings
from memory_assets_tests.defs.conftest import GROWN, HALVED, Mixed
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, index_rows, log_of, rows, tables, texts_of_store

pytestmark = pytest.mark.long

FORGOTTEN = "plain-2"
WORD = "service 2 "


def forget(settings: Settings, session_id: str) -> None:
    log_of(settings).append([NewEvent(SessionForgotten(reason="asked"), session_id=session_id, inputs=("by hand",))])


def test_forgetting_and_rebuilding(mixed_copy: Mixed, unrecorded: dg.DagsterInstance) -> None:
    settings, folder = mixed_copy.settings, mixed_copy.folder
    assert Memory(settings).search(WORD, mode="lexical").hits
    forget(settings, FORGOTTEN)
    forget(settings, "one-of-two")

    # The next run folds and drains, whatever it is about.
    grown = claude(folder.parent / "later", "c-grown.jsonl", records(GROWN, [*talk(10, 6), "We decided to add caching."]))
    report = run.import_paths(settings, [grown], project=None)
    assert (report.updated, report.errors) == (1, [])
    for session_id in (FORGOTTEN, "one-of-two"):
        for table, found in tables(settings).items():
            assert not [row for row in found if session_id in (row.get("session_id"), row.get("source_id"))], table
        assert not [row for row in index_rows(settings) if row["session_id"] == session_id]
    told = {place for place, text in texts_of_store(settings) if WORD in text}
    assert told <= {"events.payload_json", "events.dedupe_key", "event_dedup.dedupe_key"}
    assert not [hit for hit in Memory(settings).search(WORD, mode="lexical").hits if WORD in str(hit)]
    # The other session of the same file, and that of two files, are untouched.
    statuses = dict(rows(settings, "SELECT session_id, status FROM sessions"))
    assert len(statuses) == 8 and {statuses["other-of-two"], statuses[HALVED], statuses[GROWN]} == {"vectorized"}
    assert_rebuilds_equal(settings)

    # What was shown up to here is counted, so that nothing below has anything to say.
    take_shown(Resources(settings))

    # Its file tells of it again: it is passed over by name, also when it has grown.
    count = len(events(settings))
    again = run.import_paths(settings, [folder], project=None)
    assert (again.new, again.updated, again.quarantined, again.events_appended) == (0, 0, 0, 0)
    assert [warning["path"] for warning in again.warnings if warning["reason"] == "session_forgotten"] == [FORGOTTEN]
    later = run.import_paths(settings, [chat(folder.parent / "later", FORGOTTEN, talk(2, 6))], project=None)
    assert (later.new, later.events_appended, len(events(settings))) == (0, 0, count)
    assert {warning["reason"] for warning in later.warnings} == {"session_forgotten"}

    # Nor does running bring it back: neither by name, nor with all the others, nor its partition alone.
    with pytest.raises(NotFoundError):
        run.run_sessions(settings, [FORGOTTEN])
    assert run.run_sessions(settings, None).events_appended == 0
    unrecorded.add_dynamic_partitions("sessions", [FORGOTTEN])
    from memory_assets.defs.code_location import build_definitions

    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    alone = job.execute_in_process(instance=unrecorded, partition_key=FORGOTTEN, run_config=QUIET)
    assert alone.success and len(events(settings)) == count


@pytest.mark.parametrize("reader", [registration, ingested], ids=["known to nobody yet", "registered"])
def test_a_session_that_is_forgotten_while_its_first_file_is_taken_in(
    settings: Settings, inbox: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, reader: ModuleType
) -> None:
    """Between the look at what was forgotten and what is logged then, somebody else says the word."""
    chat(inbox, "gone", talk(2))
    chat(inbox, "stays", talk(3))
    said: list[str] = []

    def forgotten_sessions(*given: Any) -> set[str]:
        found = forgotten_texts.forgotten_sessions(*given)
        if not said:
            said.append("gone")
            forget(settings, "gone")
        return found

    monkeypatch.setattr(reader, "forgotten_sessions", forgotten_sessions)
    report = run.import_paths(settings, [inbox], project=None)
    assert said and (report.quarantined, report.errors) == (0, [])
    assert {place for place, text in texts_of_store(settings) if WORD in text} == set()
    if reader is registration:
        assert rows(settings, "SELECT session_id, status FROM sessions") == [("stays", "vectorized")]
        assert [warning["reason"] for warning in report.warnings] == ["session_forgotten"]
    assert rows(settings, "SELECT status FROM sessions WHERE session_id = 'stays'") == [("vectorized",)]
    assert_rebuilds_equal(settings)
