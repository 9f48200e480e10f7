"""A mark in every text of every event type about one session: all are there before a purge, and none is behind it."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import dagster as dg
import pytest
from pydantic import BaseModel

from memory_assets.defs import purging, run
from memory_assets.defs.purging import planned_purge, purge_all
from memory_assets.log.batches import Build
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.catalogue import PAYLOADS
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.results.purge import DagsterPurgedV1
from memory_assets.settings import Settings
from memory_assets_tests.defs.conftest import Mixed
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, files_holding, log_of, rows, tables, texts_of_store

MARK = "qzxmark"
SESSION = "marked-session"
# Each event type stands in one of these: whoever adds one says what of it a purge takes.
OF_NO_SESSION = {
    "court_policy_activated",
    "eval_run_recorded",
    "log_end_accepted",
    "mirror_purged",
    "mirror_retired",
    "prompt_update_proposed",
    "prompt_update_reviewed",
    "prompt_written",
    "purged",
    "role_prompt_activated",
    "session_forgotten",
    "session_unforgotten",
    "task_declared",
    "text_forgotten",
    "text_unforgotten",
}
"""Said of the store, or a person's own words: nothing ties them to what is forgotten."""
OUTCOMES = {
    "answer_recorded",
    "artifact_declared",
    "artifact_settled",
    "blocker_cycle_detected",
    "condition_declared",
    "condition_resolved_to",
    "condition_satisfied",
    "conflict_detected",
    "task_blocker_rejected",
    "task_blockers_set",
    "task_created",
    "task_evidence_linked",
    "task_priority_changed",
    "task_status_changed",
    "task_title_changed",
    "task_titles_alike",
    "task_transition_rejected",
}
"""They rest on histories of sessions."""
OF_THE_SESSION = {
    "case_opened",
    "court_statement_recorded",
    "entries_materialized",
    "entry_materialized",
    "entry_promoted",
    "evidence_aligned",
    "idris_checked",
    "improvement_recorded",
    "judgement_rendered",
    "lesson_accepted",
    "memory_extracted",
    "message_continued",
    "quarantine_released",
    "session_ingested",
    "session_projected",
    "session_quarantined",
    "session_vectorized",
    "source_registered",
    "source_taken",
    "source_told",
    "unit_feedback",
    "window_aligned",
    "window_extracted",
}
"""They carry the session's id."""
BY_WHAT_THEY_NAME = {
    "build_finished",
    "build_started",
    "condition_answered",
    "conflict_reopened",
    "conflict_resolved",
    "decision_recorded",
    "entity_merge_reverted",
    "entity_merged",
    "entries_demoted",
    "entry_promotion_rejected",
    "lesson_kept",
    "lesson_retired",
    "memory_corrected",
    "promotion_confirmed",
    "session_rejected",
    "task_blockers_said",
    "task_move_accepted",
    "task_priority_said",
    "task_status_said",
    "usage_counted",
}
"""Words of people, runs and counts: they go with what they are about."""
ENTRY_IDS = {"entry_id", "entry_ids", "older_ids", "newer_ids"}


def made(kind: Any, name: str, known: dict[str, Any]) -> Any:
    """A value of a type, with a mark in every text of it; fields that are known by name get what they are known to be."""
    if get_origin(kind) is Annotated:
        return made(get_args(kind)[0], name, known)
    if kind is str or kind is Any:
        return f"{MARK}{name.replace('_', '')}"
    if kind is datetime:
        return datetime(2025, 3, 1, tzinfo=UTC)
    if kind in (bool, int, float):
        return kind(1)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return arguments[0]
    if origin in (typing.Union, UnionType):
        return made(next(argument for argument in arguments if argument is not NoneType), name, known)
    if origin is dict:
        return {made(arguments[0], f"{name}key", known): made(arguments[1], name, known)}
    if origin is tuple:
        return tuple(made(argument, name, known) for argument in arguments if argument is not Ellipsis)
    if origin is list:
        return [made(arguments[0], name, known)]
    if dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel):
        fields = get_type_hints(kind, include_extras=True)
        names = kind.model_fields if issubclass(kind, BaseModel) else [field.name for field in dataclasses.fields(kind)]
        return kind(**{field: known.get(field, made(fields[field], f"{name}{field}", known)) for field in names})
    raise AssertionError(f"no value of {kind}")


def marks_of(payload: Payload) -> set[str]:
    return {text for text in _texts(payload.model_dump(mode="json")) if MARK in text}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for key, item in value.items():
                yield key
                yield from _texts(item)


def marked_events(settings: Settings) -> tuple[list[NewEvent], Build]:
    """An event of every type about the session, as it would be written: of it, resting on its history, or about its entries."""
    ((chain,),) = rows(settings, "SELECT chain_id FROM sessions WHERE session_id = ?", SESSION)
    entries = [row[0] for row in rows(settings, "SELECT entry_id FROM entries WHERE session_id = ?", SESSION)]
    ((uri,),) = rows(settings, "SELECT source_uri FROM sessions WHERE session_id = ?", SESSION)
    build_id = "bld_marked"
    known: dict[str, Any] = dict.fromkeys(ENTRY_IDS, entries) | {"entry_id": entries[0], "build_id": build_id}
    events, build = [], None
    for event_type, kind in PAYLOADS.items():
        if event_type in OF_NO_SESSION:
            continue
        # What people say of a lesson names one that the session gives.
        own = known | {"lesson_id": "les_of_the_session"} | ({"uri": uri} if event_type == "session_rejected" else {})
        payload = made(kind, event_type, own)
        event = NewEvent(payload, inputs=(event_type, MARK), occurred_at=datetime(2025, 3, 1, tzinfo=UTC))
        if event_type in OUTCOMES:
            event = dataclasses.replace(event, basis_chains=(chain,))
        elif event_type in OF_THE_SESSION:
            event = dataclasses.replace(event, session_id=SESSION)
        if event_type == "build_started":
            build = Build(build_id, dataclasses.replace(event, telemetry={"told": f"{MARK}telemetry"}))
        else:
            events.append(event)
    assert build is not None
    return events, build


@pytest.fixture
def marked(mixed_copy: Mixed, unrecorded: dg.DagsterInstance, tmp_path: Path) -> Mixed:
    run.import_paths(mixed_copy.settings, [chat(tmp_path / "marked", SESSION, talk(31, 6))], project=None)
    return mixed_copy


def test_every_event_type_says_what_a_purge_takes_of_it() -> None:
    classes = (OF_NO_SESSION, OUTCOMES, OF_THE_SESSION, BY_WHAT_THEY_NAME)
    assert sorted(PAYLOADS) == sorted(name for names in classes for name in names)


@pytest.mark.long
def test_marks_in_every_field_of_every_event_type(marked: Mixed, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = marked.settings
    events, build = marked_events(settings)
    wanted = {mark for event in events for mark in marks_of(event.payload)} | marks_of(build.opening.payload)
    assert len(wanted) > 150 and len({event.event_type for event in events}) == len(PAYLOADS) - len(OF_NO_SESSION) - 1
    # Forgotten in the same breath: no fold is to read what no stage would write.
    forgotten = NewEvent(SessionForgotten(reason="asked"), session_id=SESSION, inputs=("by hand",))
    log_of(settings).append(events, build=build)
    log_of(settings).append([forgotten])
    exported = "\n".join(text for _, text in texts_of_store(settings))
    assert {mark for mark in wanted if mark not in exported} == set()

    monkeypatch.setattr(purging, "purge_records", lambda *given: DagsterPurgedV1(runs=0, records=0, partitions=0, beyond=""))
    report = purge_all(settings, planned_purge(settings))

    assert [place for place, text in texts_of_store(settings) if MARK in text] == []
    assert files_holding(settings.home, MARK.encode()) == []
    assert report.pieces and report.found_before >= report.pieces and report.found_after == 0
    assert MARK not in report.model_dump_json()
    assert set(tables(settings)["source_files"][0]) and SESSION not in str(tables(settings)["sessions"])
    assert_rebuilds_equal(settings)
