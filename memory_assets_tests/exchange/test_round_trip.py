"""What one store exports another one takes in: the same log, the same tables, once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_assets.commands.tasks import new_task
from memory_assets.configuration import Resources
from memory_assets.errors import NotFoundError
from memory_assets.exchange.snapshot import choose, chosen_rows
from memory_assets.identifiers import sha256_hex
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.links import Sound
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.rebuild import verify_all
from memory_assets.projections.fold import catch_up
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import differing, tables
from memory_assets_tests.defs.test_order import OF_HISTORY
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.exchange.conftest import Store, same, store_at
from memory_assets_tests.exchange.files import lines_of

pytestmark = pytest.mark.long


def test_every_table_is_the_same_elsewhere_and_a_second_import_adds_nothing(
    examples: Store, elsewhere: Store, tmp_path: Path
) -> None:
    file = examples.export(tmp_path / "named-as-it-likes.txt")
    report = elsewhere.take(file)
    assert (report.new, report.sessions, report.errors, report.warnings) == (7, 7, [], [])
    assert elsewhere.log() == examples.log()
    assert same(examples, elsewhere) == []
    assert len(examples.tables()["entries"]) > 30 and len(examples.tables()["build_runs"]) > 0
    # Its links are its own, and sound.
    database = Resources(elsewhere.settings).database
    with database.reading() as connection:
        assert isinstance(database.verify_links(connection), Sound)
    assert verify_all(Resources(elsewhere.settings, database)).equal
    assert elsewhere.rows("SELECT link_hash FROM events") != examples.rows("SELECT link_hash FROM events")
    again = elsewhere.take(file)
    assert (again.events_appended, again.unchanged, again.errors, again.warnings) == (0, 7, [], [])
    # What it exports in its turn is the same, line for line.
    assert lines_of(elsewhere.export(tmp_path / "back.jsonl"))[1:-1] == lines_of(file)[1:-1]


def test_what_people_said_comes_along(changed: Store, elsewhere: Store, tmp_path: Path) -> None:
    database = Resources(changed.settings).database
    new_task(
        Resources(changed.settings, database), "배포 문서를 고친다", project="hourglass", blockers=["the review"], by="jiho"
    )
    elsewhere.take(changed.export(tmp_path / "e"))
    assert same(changed, elsewhere) == []
    assert elsewhere.rows("SELECT count(*) FROM v_tasks WHERE title LIKE '%배포 문서%'") == [(1,)]


@pytest.mark.slow
def test_a_store_of_several_sources_and_revisions_is_the_same_elsewhere(tmp_path: Path, elsewhere: Store) -> None:
    one, inbox = store_at(tmp_path / "one"), tmp_path / "inbox"
    claude(inbox, "a.jsonl", records("grown", talk(1, 2)))
    chat(inbox, "standup", talk(2), ids=False, project="shop")
    one.take(inbox)
    claude(inbox, "a.jsonl", records("grown", talk(1, 6)))
    claude(inbox, "b.jsonl", records("grown", [*talk(1, 3), "We decided to keep the fork."]))
    chat(inbox, "standup", ["Another beginning altogether."], ids=False, project="shop")
    chat(inbox, "비밀", ["My key is AKIAIOSFODNN7EXAMPLE and the password is hunter2-horse."], project="shop")
    (inbox / "empty.json").write_text("")
    one.take(inbox)
    assert one.rows("SELECT count(*) FROM messages WHERE kind = 'superseded'") != [(0,)]
    report = elsewhere.take(one.export(tmp_path / "e"))
    assert (report.new, report.errors) == (3, [])
    assert same(one, elsewhere) == []
    # Sources go on where they were: the files that were read there are known here.
    assert elsewhere.take(inbox).events_appended == 0


def test_a_session_that_grew_is_brought_forward_and_the_others_stay(tmp_path: Path, elsewhere: Store) -> None:
    one, inbox = store_at(tmp_path / "one"), tmp_path / "inbox"
    claude(inbox, "a.jsonl", records("grown", talk(1, 2)))
    chat(inbox, "other", talk(2))
    one.take(inbox)
    chat(tmp_path / "own", "own", talk(4))
    elsewhere.take(one.export(tmp_path / "first"), tmp_path / "own")
    claude(inbox, "a.jsonl", records("grown", talk(1, 6)))
    one.take(inbox)
    report = elsewhere.take(one.export(tmp_path / "second"))
    assert (report.new, report.updated, report.unchanged, report.warnings) == (0, 1, 1, [])
    for table in ("messages", "entries", "evidence_spans"):
        theirs = elsewhere.rows(f"SELECT * FROM {table} WHERE session_id <> 'own' ORDER BY ALL")
        assert theirs == one.rows(f"SELECT * FROM {table} ORDER BY ALL")
    assert verify_all(Resources(elsewhere.settings)).equal
    # An older export takes nothing back.
    before = elsewhere.log()
    assert elsewhere.take(tmp_path / "first").events_appended == 0
    assert elsewhere.log() == before


@pytest.mark.slow
def test_a_store_that_has_sessions_of_its_own_is_as_if_it_had_read_all_files(tmp_path: Path) -> None:
    both, one, other = (store_at(tmp_path / name) for name in ("both", "one", "other"))
    first, second = tmp_path / "first", tmp_path / "second"
    for number in range(3):
        chat(first, f"a{number}", talk(number, 6), project="shop")
        chat(second, f"b{number}", talk(number + 1, 6), project="shop")
    one.take(first)
    other.take(second)
    other.take(one.export(tmp_path / "e"))
    both.take(first, second)
    assert differing(*(tables(store.settings, without=OF_HISTORY) for store in (both, other))) == {}
    assert verify_all(Resources(other.settings)).equal


@pytest.mark.deep
def test_only_a_project_is_what_a_store_of_its_sessions_alone_holds(tmp_path: Path, elsewhere: Store) -> None:
    whole, alone = store_at(tmp_path / "whole"), store_at(tmp_path / "alone")
    shop, other = tmp_path / "shop", tmp_path / "other"
    count = depth(2, 3)
    for number in range(count):
        chat(shop, f"s{number}", talk(number, 6), project="shop")
        chat(other, f"o{number}", talk(number, 6), project="other")
    whole.take(other, shop)
    alone.take(shop)
    for store, title in ((whole, "Only elsewhere"), (whole, "In both"), (alone, "In both")):
        project = "other" if title.startswith("Only") else "shop"
        new_task(Resources(store.settings), title, project=project, by="jiho")
    report = elsewhere.take(whole.export(tmp_path / "e", project="shop"))
    assert (report.new, report.errors) == (count, [])
    # A person's word has its own time, and so has all that follows from it.
    spoken = {("entities", name) for name in ("created_at", "updated_at", "last_occurred_at", "current_json")}
    spoken |= {("task_outcomes", name) for name in ("event_id", "source_id", "occurred_at", "basis")}
    spoken |= {("entity_aliases", "created_at"), ("task_words", "event_id"), ("task_words", "occurred_at")}
    left_out = OF_HISTORY | spoken
    found = [tables(store.settings, without=left_out) for store in (alone, elsewhere)]
    for state in found:
        state.pop("memory_units")  # those of the task have its times
    assert differing(*found) == {}
    assert elsewhere.rows("SELECT DISTINCT project FROM sessions") == [("shop",)]
    assert "Only elsewhere" not in (tmp_path / "e").read_text()
    # Its builds come along, without which nobody knows what its events were made with.
    assert elsewhere.rows("SELECT count(*) FROM build_runs WHERE status = 'success'") != [(0,)]
    assert elsewhere.rows("SELECT count(*) FROM entries WHERE build_id NOT IN (SELECT build_id FROM build_runs)") == [(0,)]


def test_what_was_forgotten_is_in_no_export_and_stays_forgotten(changed: Store, tmp_path: Path, elsewhere: Store) -> None:
    before = changed.export(tmp_path / "before")
    name = changed.rows("SELECT session_id FROM sessions ORDER BY 1 LIMIT 1")[0][0]
    forget = NewEvent(SessionForgotten(reason="asked"), session_id=name, inputs=("now",))
    EventLog(Resources(changed.settings).database).append([forget])
    text = changed.export(tmp_path / "after").read_text()
    assert name not in text and "session_forgotten" not in text
    report = elsewhere.take(tmp_path / "after")
    assert (report.new, report.errors) == (6, [])
    # The file from before does not bring it back here.
    report = changed.take(before)
    assert report.errors == []
    assert [(warning["path"], warning["reason"]) for warning in report.warnings] == [(name, "session_forgotten")]
    assert report.events_appended == 0
    database = Resources(changed.settings).database
    catch_up(database, Resources(changed.settings).configured_versions)
    assert changed.rows("SELECT count(*) FROM sessions WHERE session_id = ?", name) == [(0,)]


def test_other_settings_run_the_stages_again(examples: Store, tmp_path: Path) -> None:
    from memory_assets.settings import load_settings

    other = Store(load_settings({"home": tmp_path / "other", "alignment": {"max_quote_length": 300}}))
    report = other.take(examples.export(tmp_path / "e"))
    assert (report.new, report.errors) == (7, [])
    assert other.rows("SELECT count(*) FROM entries WHERE status = 'active'")[0][0] > 30
    assert other.take(tmp_path / "e").events_appended == 0


def test_what_is_written_while_it_is_exported_is_not_in_it(changed: Store, tmp_path: Path) -> None:
    database = Resources(changed.settings).database
    chosen = choose(database)
    rows = chosen_rows(database, chosen)
    first = next(rows)
    chat(tmp_path / "more", "later", talk(5))
    # Nobody waits for the export: the store is written to between two parts of it.
    changed.take(tmp_path / "more")
    name = changed.rows("SELECT session_id FROM sessions WHERE session_id <> 'later' ORDER BY 1 LIMIT 1")[0][0]
    EventLog(database).append([NewEvent(SessionForgotten(reason="asked"), session_id=name, inputs=("now",))])
    read = [first, *rows]
    assert len(read) == chosen.events
    assert {row["session_id"] for row, _ in read} >= {name} and "later" not in {row["session_id"] for row, _ in read}


@pytest.mark.parametrize("key", ["payload", "telemetry"])
def test_lines_say_the_whole_event(examples: Store, tmp_path: Path, key: str) -> None:
    events: list[dict[str, Any]] = [json.loads(line) for line in lines_of(examples.export(tmp_path / "e"))[1:-1]]
    assert any(event[key] for event in events)
    assert all(event["event_id"] == f"ev_{sha256_hex(event['dedupe_key'])[:32]}" for event in events)


@pytest.mark.parametrize("kind", cases(["jsonl"], ["chat.v1", "markdown"]))
def test_no_name_is_no_project(tmp_path: Path, elsewhere: Store, kind: str) -> None:
    """Sessions without a project belong to none that could be asked for."""
    chat(tmp_path / "inbox", "alone", talk(1))
    elsewhere.take(tmp_path / "inbox")
    with pytest.raises(NotFoundError):
        elsewhere.export(tmp_path / "e", kind, project="")
    assert not (tmp_path / "e").exists()
