"""Running the assets in this process: the settings that hold, what is counted, what is done again."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

import memory_assets
from memory_assets.configuration import Resources
from memory_assets.defs import run
from memory_assets.defs.run_failures import RunFailedError
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError, NotFoundError
from memory_assets.log.database import STORE_FILE_NAME
from memory_assets.log.payloads.entries import MemoryExtracted
from memory_assets.log.payloads.sessions import SessionVectorized
from memory_assets.maintenance import doctor
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import STARTED, chat, claude, records, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows, tables
from memory_assets_tests.depth import cases


@pytest.mark.long
def test_flags_hold_for_the_run_too(
    inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a flag or a settings file elsewhere says is known to the caller alone, not to the environment.
    monkeypatch.delenv("MEMORY_EMBEDDING_MODEL")
    chosen = tmp_path / "chosen.toml"
    chosen.write_text("[alignment]\nmax_quote_length = 333\n")
    settings = load_settings(
        {"home": tmp_path / "flag", "embedding": {"model": "hashing"}, "extraction": {"window_characters": 777}},
        config_file=chosen,
    )
    report = run.import_paths(settings, [chat(inbox, "flagged", talk(1))], project=None)
    assert (report.new, report.errors) == (1, [])
    versions = {event.event_type: event.stage_version or "" for event in events(settings)}
    assert versions[MemoryExtracted.event_type].endswith("window 777")
    assert versions["evidence_aligned"].endswith("quote 333 fuzzy 0.85")
    assert versions[SessionVectorized.event_type].startswith("hashing")
    assert rows(settings, "SELECT status FROM sessions") == [("vectorized",)]


@pytest.mark.long
def test_a_session_counts_once_whatever_number_of_batches_tell_of_it(
    inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    settings = load_settings({"dagster": {"batch_size": 1}})
    claude(inbox, "a.jsonl", records("grows", talk(1, 2)))
    claude(inbox, "b.jsonl", records("grows", talk(1, 4)))
    chat(inbox, "other", talk(2))
    first = run.import_paths(settings, [inbox], project=None)
    assert (first.sessions, first.new, first.updated, first.unchanged) == (2, 2, 0, 0)

    claude(inbox, "c.jsonl", records("grows", talk(1, 6)))
    second = run.import_paths(settings, [inbox], project=None)
    assert (second.sessions, second.new, second.updated, second.unchanged) == (2, 0, 1, 1)
    # Whoever asks next is a process of its own, which would read the write-ahead log again.
    assert not (settings.home / f"{STORE_FILE_NAME}.wal").exists()


RULES = Path(memory_assets.__file__).parent.joinpath("extraction", "rules.toml").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize(
    ("rules", "code", "told"),
    cases(
        [(RULES.replace("reach = 5", "reach = nan"), "config_invalid", "reach of [limits] is nan; expected: a finite number")],
        [(None, "config_invalid", "cannot be read"), ("no toml [", "config_invalid", "not valid TOML")],
    ),
)
def test_rules_that_cannot_be_used_are_named_before_anything_runs(
    rules: str | None, code: str, told: str, inbox: Path, tmp_path: Path, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    chat(inbox, "known", talk(1))
    take(inbox)
    file = tmp_path / "mine.toml"
    if rules is not None:
        file.write_text(rules, encoding="utf-8")
    own = load_settings({"extraction": {"rules_file": file}})
    before = len(events(own))
    for attempt in (
        lambda: run.run_sessions(own, None),
        lambda: run.import_paths(own, [chat(inbox, "new", talk(2))], project=None),
        lambda: run.add_sessions(own, [inbox]),
        lambda: run.retry_quarantined(own),
    ):
        with pytest.raises(MemoryAssetsError) as refused:
            attempt()
        assert (refused.value.code, refused.value.hint != "") == (code, True)
        assert told in str(refused.value) and str(file) in str(refused.value)
    assert len(events(own)) == before
    found = {check.name: check for check in doctor.checks(Resources(own))}
    assert not found["rules"].ok and told in found["rules"].detail and found["rules"].hint
    assert found["projections"].ok and [name for name, check in found.items() if not check.ok] == ["rules"]


@pytest.mark.long
def test_a_session_goes_to_another_project_when_it_is_imported_for_that(inbox: Path, take: Import, settings: Settings) -> None:
    chat(inbox, "moves", talk(1), project="own")
    assert take(inbox).new == 1
    told = rows(settings, "SELECT entry_id, title FROM entries ORDER BY entry_id")
    moved = take(inbox, project="given")
    assert (moved.new, moved.updated, moved.unchanged) == (0, 1, 0)
    for table in ("sessions", "entries", "memory_units", "memories"):
        assert rows(settings, f"SELECT DISTINCT project FROM {table}") == [("given",)], table
    assert rows(settings, "SELECT entry_id, title FROM entries ORDER BY entry_id") == told
    for again in (take(inbox, project="given"), take(inbox)):
        assert (again.events_appended, again.unchanged) == (0, 1)
    assert_rebuilds_equal(settings)


@pytest.mark.long
@pytest.mark.parametrize("sound_first", cases([True], [False]))
def test_a_damaged_copy_takes_nothing_from_a_sound_one(
    tmp_path: Path, settings: Settings, unrecorded: dg.DagsterInstance, *, sound_first: bool
) -> None:
    sound = chat(tmp_path / "sound", "one", talk(1))
    damaged = tmp_path / "damaged" / "one.chat.json"
    damaged.parent.mkdir()
    data = json.dumps(json.loads(sound.read_text()), ensure_ascii=False).encode()
    sound.write_bytes(data)
    at = data.index("캐시".encode())
    damaged.write_bytes(data[: at + 1] + b"\xff" + data[at + 2 :])
    for path in [sound, damaged] if sound_first else [damaged, sound]:
        run.import_paths(settings, [path], project=None)
    said = "SELECT count(*) FROM messages WHERE kind <> 'superseded' AND contains(text, '\ufffd')"
    assert rows(settings, said) == [(0,)]


@pytest.mark.long
def test_up_to_a_stage_and_on_from_there(inbox: Path, settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    added = run.add_sessions(settings, [chat(inbox, "stepwise", talk(1))])
    assert (added.sessions, added.new, added.session_ids) == (1, 1, ["stepwise"])
    assert unrecorded.get_dynamic_partitions("sessions") == ["stepwise"]
    report = run.run_sessions(settings, ["stepwise"], to_stage="aligned")
    assert (report.new, report.quarantined) == (1, 0)
    assert {event.event_type for event in events(settings)} >= {"evidence_aligned"}
    assert not events(settings, "entries_materialized")
    run.run_sessions(settings, ["stepwise"])
    assert rows(settings, "SELECT status FROM sessions") == [("vectorized",)]
    with pytest.raises(NotFoundError, match="nobody"):
        run.run_sessions(settings, ["stepwise", "nobody"])
    with pytest.raises(InvalidArgumentError, match="no stage"):
        run.run_sessions(settings, ["stepwise"], to_stage="polished")


def test_adding_names_what_it_passed_over(inbox: Path, settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    chat(inbox, "good", talk(1))
    (inbox / "empty.md").write_text("")
    (inbox / "notes.md").write_text("# Groceries\n\n- milk\n")
    report = run.add_sessions(settings, [inbox])
    assert (report.sessions, report.skipped, report.quarantined) == (1, 2, 0)
    assert {warning["reason"] for warning in report.warnings} == {"empty_file", "not_a_session"}


@pytest.mark.long
def test_a_run_that_fails_says_so_in_its_build(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs.stages import vectorized
    from memory_assets.vectors.errors import IndexWriteError

    def broken(*_: object, **__: object) -> None:
        raise IndexWriteError("the index cannot be written", hint="free some space")

    with monkeypatch.context() as patch:
        patch.setattr(vectorized, "write_words", broken)
        patch.setattr(vectorized.vectorized.op, "_retry_policy", None, raising=False)
        with pytest.raises(RunFailedError, match="vectorized failed: the index cannot be written"):
            take(chat(inbox, "unlucky", talk(1)))
    assert rows(settings, "SELECT status, error FROM build_runs") == [("failed", "vectorized: IndexWriteError")]
    # Nothing that was logged is lost, and the same command finishes the work.
    report = take(inbox)
    assert (report.new, report.updated, report.unchanged, report.errors) == (0, 0, 1, [])
    assert rows(settings, "SELECT status FROM sessions") == [("vectorized",)]
    assert {status for (status,) in rows(settings, "SELECT status FROM build_runs ORDER BY started_at")} == {
        "failed",
        "success",
    }


@pytest.mark.long
def test_project_days_builds_and_metrics_of_an_import(inbox: Path, settings: Settings, take: Import) -> None:
    later = STARTED + timedelta(days=400)
    chat(inbox, "with-own", talk(1), project="own")
    chat(inbox, "late", talk(2), started=later)
    take(inbox, project="given")
    assert rows(settings, "SELECT session_id, project FROM sessions ORDER BY 1") == [("late", "given"), ("with-own", "given")]
    # A session has its own times, not those of the import.
    assert rows(settings, "SELECT started_at, ended_at FROM sessions WHERE session_id = 'late'") == [
        (later.replace(tzinfo=None), (later + timedelta(minutes=3)).replace(tzinfo=None))
    ]
    days = {(row["session_id"], row["created_ts"].date()) for row in tables(settings)["entries"]}
    assert days == {("with-own", STARTED.date()), ("late", later.date())}
    ((build_id, status, finished, run_id),) = rows(
        settings, "SELECT build_id, status, finished_at IS NOT NULL, dagster_run_id FROM build_runs"
    )
    assert (status, finished) == ("success", True) and build_id == f"bld_{run_id.replace('-', '')}"
    metrics = rows(settings, "SELECT stage, session_id, success, latency_ms > 0, build_id FROM pipeline_metrics")
    assert len(metrics) == 14
    assert {row[1:] for row in metrics} == {(session_id, True, True, build_id) for session_id in ("with-own", "late")}


def test_the_process_environment_is_left_alone(inbox: Path, settings: Settings) -> None:
    run.add_sessions(settings, [chat(inbox, "quiet", talk(1))])
    assert "DAGSTER_HOME" not in os.environ
