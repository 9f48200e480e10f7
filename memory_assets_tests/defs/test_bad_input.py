"""What bad input gets: taken with warnings, skipped, or quarantined; never a fourth outcome, and everything else is done."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from memory_assets.defs import registration, run
from memory_assets.defs.run_failures import RunFailedError
from memory_assets.log import event_log
from memory_assets.log.errors import StoreLockedError
from memory_assets.log.lock import StoreLock
from memory_assets.sessions import files, reading
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows


def defective(folder: Path) -> dict[str, Path]:
    """Files that are taken though something is wrong in each, by what the report calls it."""
    half = json.dumps(records("half", talk(1), first=0)[-1])[:-30]
    written = {
        "truncated_record": claude(folder, "half.jsonl", records("half", talk(1)[:3])),
        "malformed_record": claude(
            folder, "broken.jsonl", [records("broken", talk(2))[0], "{oops", *records("broken", talk(2))[1:]]
        ),
        "unknown_record": claude(
            folder, "strange.jsonl", [*records("strange", talk(3)), {"type": "telepathy", "sessionId": "strange"}]
        ),
        "invalid_utf8": chat(folder, "latin", talk(4)),
        "nul_character": chat(folder, "nul", [talk(5)[0] + " a\0b", talk(5)[1]], title="with \0 nul"),
        "lone_surrogate": chat(folder, "half-pair", [talk(6)[0] + " \ud83d!", talk(6)[1]], title="\udc00 half a pair"),
        "missing_time": chat(folder, "timeless", talk(7)),
        "invalid_time": chat(folder, "wrong-time", talk(8)),
        "unclosed_private": chat(folder, "unclosed", [talk(9)[0], "and <private> the rest of it"]),
        "invalid_session_id": chat(folder, None, talk(10), name="nameless.json"),
    }
    with written["truncated_record"].open("a") as file:
        file.write(half)
    written["invalid_utf8"].write_bytes(written["invalid_utf8"].read_bytes().replace(b"replication", b"r\xe9plication"))
    for reason, time in (("missing_time", None), ("invalid_time", "2025-02-31T99:00:00Z")):
        value = json.loads(written[reason].read_text())
        value["started_at"] = time
        for message in value["messages"]:
            message["ts"] = time
        written[reason].write_text(json.dumps(value))
    return written


@pytest.mark.long
def test_defects_are_named_and_the_rest_is_kept(inbox: Path, settings: Settings, take: Import) -> None:
    written = defective(inbox)
    chat(inbox, "이름 없는 회의", talk(11), name="회의 록 (최종).json")
    report = take(inbox)
    assert (report.sessions, report.new, report.skipped, report.quarantined, report.errors) == (11, 11, 0, 0, [])
    named = {(warning["path"], warning["reason"]) for warning in report.warnings}
    for reason, path in written.items():
        if reason != "missing_time":
            assert (str(path), reason) in named, reason
    lines = {warning["reason"]: warning["line"] for warning in report.warnings}
    assert (lines["truncated_record"], lines["malformed_record"]) == (4, 2)
    counted = dict(rows(settings, "SELECT session_id, message_count FROM sessions"))
    assert (counted["half"], counted["broken"], counted["latin"], counted["nul"]) == (3, 4, 4, 2)
    assert rows(settings, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]
    times = rows(settings, "SELECT max(ts) - min(ts) < INTERVAL 1 MINUTE FROM messages WHERE session_id = 'timeless'")
    assert times == [(True,)]
    assert_rebuilds_equal(settings)

    # The half-written record is taken when it is whole.
    claude(inbox, "half.jsonl", records("half", talk(1)))
    again = take(inbox)
    assert (again.new, again.updated, again.unchanged, again.errors) == (0, 1, 10, [])
    assert rows(settings, "SELECT message_count FROM sessions WHERE session_id = 'half'") == [(4,)]


def strange(folder: Path) -> None:
    """Values that no program should write, each in a file of its own."""
    chat(folder, "..", talk(1), name="dots.json")
    chat(folder, "../../etc/passwd", talk(2), name="path.json")
    chat(folder, "a,b[c]", talk(3), name="comma.json")
    chat(folder, "x" * 300, talk(4), name="long.json")
    chat(folder, "tab\there\nline", talk(5), name="control.json")
    chat(folder, 17, talk(6), name="number.json")
    chat(folder, "sql", [f"'); DROP TABLE events; -- {talk(7)[0]}", '<script>alert(1)</script> {{7*7}} """ \\'], project="a'b")
    chat(folder, "wide", ["\U0001f600 " + talk(8)[0], "\u200f\u202e" + talk(8)[1], "\x1b[31m\x07 red"], title="\x1b]0;t\x07")
    chat(folder, "late", talk(9), started_at="9999-12-31T23:59:59+00:00")
    chat(folder, "early", talk(10), started_at="0001-01-01T00:00:00+14:00")
    for name, time in (("late", "9999-12-31T23:59:59.999999-12:00"), ("early", "0001-01-01T00:00:00+14:00")):
        path = folder / f"{name}.json"
        value = json.loads(path.read_text())
        value["messages"][0]["ts"] = time
        path.write_text(json.dumps(value))
    value = json.loads(chat(folder, "uids", talk(11)).read_text())
    for message, uid in zip(value["messages"], ["a\0b", "\ud800", "a\0b", ""], strict=True):
        message["id"] = uid
    (folder / "uids.json").write_text(json.dumps(value))
    (folder / "nested.json").write_text(
        '{"schema_version":"chat.v1","session_id":"n","messages":' + "[" * 5000 + "]" * 5000 + "}"
    )
    numbers = {
        "schema_version": "chat.v1",
        "session_id": 1e999,
        "started_at": 10**40,
        "messages": [{"role": 1, "content": "x"}],
    }
    (folder / "numbers.json").write_text(json.dumps(numbers))
    chat(folder, "blank", ["", " \n", "\u3000", talk(12)[0]])
    chat(folder, "cited", [talk(13)[0], "~" * 70_000 + " " + talk(13)[1]])
    (folder / os.fsdecode(b"caf\xe9.json")).write_bytes(chat(folder, "latin-name", talk(14)).read_bytes())


@pytest.mark.long
def test_strange_values_harm_nobody(inbox: Path, settings: Settings, take: Import) -> None:
    strange(inbox)
    report = take(inbox)
    # A name that is no text cannot stand in the log; nothing else is refused.
    assert [(Path(error["path"]).name, error["reason"]) for error in report.errors] == [("caf\ufffd.json", "unreadable_file")]
    assert report.new == report.sessions == 15
    # Of one file nothing can be read, and what keeps it away is named by its line.
    (unread,) = [warning for warning in report.warnings if "without a message that can be read" in warning["detail"]]
    assert (unread["reason"], unread["line"], report.skipped) == ("malformed_record", 1, 1)
    assert rows(settings, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]
    assert take(inbox).events_appended == 0
    assert_rebuilds_equal(settings)


@pytest.mark.long
def test_what_holds_nothing_is_skipped(inbox: Path, settings: Settings, take: Import) -> None:
    chat(inbox, "good", talk(1))
    for name, text in (
        ("empty.jsonl", ""),
        ("blank.md", "\n\n  \n"),
        ("notes.md", "# Groceries\n\n- milk\n"),
        ("data.json", "{}"),
    ):
        (inbox / name).write_text(text)
    chat(inbox, "silent", [])
    (inbox / "deep").mkdir()
    (inbox / "deep" / "up").symlink_to(inbox)
    (inbox / "itself.json").symlink_to(inbox / "itself.json")
    report = take(inbox)
    assert (report.new, report.quarantined, report.errors) == (1, 0, [])
    reasons = Counter(warning["reason"] for warning in report.warnings)
    assert reasons == {"empty_file": 2, "not_a_session": 2, "no_messages": 1, "symlink_loop": 2}
    assert report.skipped == 7
    again = take(inbox)
    assert (again.unchanged, again.skipped, again.events_appended) == (1, 7, 0)


@pytest.mark.long
def test_what_cannot_be_taken_is_quarantined(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(inbox, "good", talk(1))
    chat(inbox, "also-good", talk(2))
    (inbox / "notes.txt").write_text("milk, bread\n")
    claude(inbox, "huge.jsonl", [*records("huge", talk(3)), "x" * 300_000])
    monkeypatch.setattr(reading, "MAX_RECORD_BYTES", 200_000)
    locked = chat(inbox, "locked", talk(4))
    os.mkfifo(inbox / "pipe.json")

    def refusing(path: str) -> Any:
        if path == str(locked):
            return files.SourceRefused(path, files._unreadable(path, PermissionError(13, "Permission denied")))
        return files.load_source(path)

    from memory_assets.defs import sources

    monkeypatch.setattr(sources, "load_source", refusing)
    monkeypatch.setattr(registration, "load_source", refusing)
    report = take(inbox, inbox / "notes.txt", inbox / "pipe.json", inbox / "absent.json")
    reasons = {Path(error["path"]).name: (error["reason"], error["line"]) for error in report.errors}
    assert reasons == {
        "huge.jsonl": ("record_too_large", 5),
        "locked.json": ("unreadable_file", None),
        "pipe.json": ("unreadable_file", None),
        "absent.json": ("unreadable_file", None),
    }
    # The folder was named first, and what lies inside a folder need not be a session.
    assert {Path(warning["path"]).name for warning in report.warnings} == {"notes.txt", "pipe.json"}
    assert (report.new, report.refused) == (2, 4)
    told = {json.loads(event.payload_json)["reason"] for event in events(settings, "session_rejected")}
    assert told >= {"record_too_large", "unreadable_file"}

    named = take(inbox / "notes.txt")
    assert (named.refused, [error["reason"] for error in named.errors]) == (1, ["not_a_session"])
    again = take(inbox)
    assert (again.unchanged, again.refused, again.events_appended) == (2, 2, 0)
    # As soon as it can be read it is taken.
    monkeypatch.setattr(sources, "load_source", files.load_source)
    monkeypatch.setattr(registration, "load_source", files.load_source)
    assert take(locked).new == 1


@pytest.mark.slow
def test_an_id_that_another_conversation_has_is_named_and_both_are_kept(inbox: Path, settings: Settings, take: Import) -> None:
    chat(inbox, "taken", talk(1))
    chat(inbox, "good", talk(2))
    other = chat(inbox / "z", "taken", ["Something else altogether was decided.", "Yes."], ids=False)
    value = json.loads(other.read_text())
    for message in value["messages"]:
        message["id"] = f"other-{message['content'][:3]}"
    other.write_text(json.dumps(value))

    report = take(inbox)
    assert (report.sessions, report.new, report.quarantined, report.errors) == (2, 2, 0, []), report
    named = {(warning["path"], warning["reason"], warning["session_id"]) for warning in report.warnings}
    assert named == {(str(path), "unrelated_history", "taken") for path in (inbox / "taken.json", other)}
    assert rows(settings, "SELECT message_count, len(source_uris) FROM sessions WHERE session_id = 'taken'") == [(6, 2)]
    again = take(inbox)
    assert (again.unchanged, again.quarantined, again.events_appended) == (2, 0, 0)
    # A third one later is named in the same way, and the others say what they said.
    third = inbox / "z" / "third.json"
    third.write_text(other.read_text().replace("other-", "third-"))
    later = take(third)
    assert (later.new, later.updated, later.quarantined) == (0, 1, 0)
    assert {warning["path"] for warning in later.warnings} == {str(inbox / "taken.json"), str(other), str(third)}
    assert_rebuilds_equal(settings)


@contextlib.contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """The disk is full at one of the batches: everything before it in the same transaction is to be undone."""
    calls = 0
    insert: Callable[..., Any] = event_log.insert

    def failing(connection: Any, *rest: Any, **further: Any) -> Any:
        nonlocal calls
        appended = insert(connection, *rest, **further)
        calls += 1
        if calls > after:
            raise duckdb.IOException('IO Error: Could not write file "memory.duckdb": No space left on device')
        return appended

    with monkeypatch.context() as patch:
        patch.setattr(event_log, "insert", failing)
        yield


@pytest.mark.slow
def test_two_conversations_under_one_id_in_one_file(inbox: Path, take: Import, settings: Settings) -> None:
    files = [chat(inbox, "same", talk(number), name=f"{number}.json") for number in (1, 2)]
    told = [json.loads(file.read_text()) for file in files]
    for message in told[1]["messages"]:
        message["id"] = f"other-{message['id']}"
    files[1].unlink()
    files[0].write_text(json.dumps(told))
    report = take(inbox)
    assert (report.new, report.quarantined) == (1, 0)
    assert [(warning["reason"], warning["path"]) for warning in report.warnings] == [("unrelated_history", str(files[0]))]
    assert rows(settings, "SELECT session_id, message_count FROM sessions") == [("same", 8)]
    assert take(inbox).events_appended == 0


@pytest.mark.slow  # log/ fills a disk with every change
def test_a_full_disk_is_named_and_the_next_run_is_clean(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        chat(inbox, f"disk-{number}", talk(number))
    with full_disk(monkeypatch, after=3), pytest.raises(RunFailedError, match="is full; nothing of this batch was written"):
        take(inbox)
    written = Counter(event.event_type for event in events(settings))
    assert (written["session_ingested"], written["memory_extracted"], written["evidence_aligned"]) == (3, 3, 0)
    report = take(inbox)
    assert (report.unchanged, report.errors) == (3, [])
    assert rows(settings, "SELECT DISTINCT status FROM sessions") == [("vectorized",)]
    assert_rebuilds_equal(settings)


def test_a_locked_store_is_named(inbox: Path, settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    settings = load_settings({"store": {"lock_timeout_seconds": 0.2}})
    path = chat(inbox, "waits", talk(1))
    settings.store_folder.mkdir(parents=True)
    with StoreLock(settings.store_folder).exclusive(), pytest.raises(StoreLockedError, match="locked by process"):
        run.import_paths(settings, [path], project=None)
