"""`memory fsck`: a store that was changed behind our back is named quote by quote."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memory_assets.identifiers import sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.links import relink
from memory_assets.maintenance.rebuild import rebuild_all
from memory_assets.memory import Memory
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.depth import cases
from memory_assets_tests.log.samples import taken

Tamper = Callable[[str], None]
REDIS = "session:shop-1#m=1&c=21-44"


@pytest.fixture
def store(filled_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the filled store, to be changed."""
    home = tmp_path / "copy"
    shutil.copytree(filled_home, home)
    monkeypatch.setenv("MEMORY_HOME", str(home))
    return home


@pytest.fixture
def tamper(store: Path) -> Tamper:
    """Run a statement on the store's file as another program would."""

    def run(statement: str) -> None:
        with duckdb.connect(str(store / "memory.duckdb")) as connection:
            connection.execute(statement)

    return run


def found(memory: Run, *options: str) -> list[dict[str, Any]]:
    ended = memory("fsck", "--json", *options)
    value = ended.json
    assert value["schema_version"] == "fsck.v1" and ended.err == ""
    assert (ended.code, value["clean"]) == ((3, False) if value["findings"] else (0, True))
    assert value["finding_count"] == len(value["findings"])
    return list(value["findings"])


def entry_id(memory: Run, title: str) -> str:
    entries = memory("entries", "--all", "--json").json
    return str(next(entry["entry_id"] for entry in entries if entry["title"].startswith(title)))


@pytest.mark.long
@pytest.mark.parametrize("options", cases([("--realign",)], [((),)]))
def test_a_sound_store(memory: Run, filled: Path, options: tuple[str, ...]) -> None:
    report = memory("fsck", "--json", *options)
    assert report.code == 0 and report.json["clean"]
    counted = {name: report.json[name] for name in ("sessions", "entries", "quotes", "methods", "realigned", "waiting")}
    assert counted == {
        "sessions": 2,
        "entries": 6,
        "quotes": 7,
        "methods": {"exact": 6, "none": 1},
        "realigned": 7 if options else 0,
        "waiting": 0,
    }
    if options:
        assert memory("fsck", *options).out.startswith("sound: 7 quotes (6 exact, 1 none) of 6 entries in 2 sessions, ")


def test_an_empty_store(memory: Run, tmp_path: Path) -> None:
    assert memory("fsck").out == "sound: 0 quotes of 0 entries in 0 sessions, 0 events\n"


# Each change of a row on a quote of its own: its entry's title, the place of the quote, and what is said of it.
CHANGED_SPANS = [
    (
        ("캐시를 Redis", 0),
        "UPDATE evidence_spans SET span_start = span_start + 1 WHERE {of}",
        "evidence_spans.span_start is 22, the log says 21",
    ),
    (
        ("캐시를 Redis", 1),
        "UPDATE evidence_spans SET segments_json = '[[0,1]]' WHERE {of}",
        "evidence_spans.segments_json is [(0, 1)]",
    ),
    (
        ("배포 전에", 0),
        "UPDATE evidence_spans SET critical = true WHERE {of}",
        "evidence_spans.critical is True, the log says False",
    ),
    (("The retry", 0), "DELETE FROM evidence_spans WHERE {of}", "evidence_spans: there is no row of this quote"),
]


@pytest.mark.long
def test_changed_rows_of_evidence_are_named_each_with_its_address(memory: Run, tamper: Tamper) -> None:
    expected = {}
    for (title, ordinal), change, detail in CHANGED_SPANS:
        entry = entry_id(memory, title)
        tamper(change.format(of=f"entry_id = '{entry}' AND ordinal = {ordinal}"))
        expected[entry, ordinal] = detail
    findings = {(finding["entry_id"], finding["ordinal"]): finding for finding in found(memory)}
    assert findings.keys() == expected.keys()
    for quote, finding in findings.items():
        assert finding["kind"] == "table" and expected[quote] in finding["detail"] and "memory rebuild" in finding["hint"]
    assert findings[entry_id(memory, "캐시를 Redis"), 0]["uri"] == REDIS


@pytest.mark.long
def test_a_rebuild_mends_the_tables(memory: Run, tamper: Tamper) -> None:
    redis = entry_id(memory, "캐시를 Redis")
    tamper(f"UPDATE evidence_spans SET span_end = 999 WHERE entry_id = '{redis}' AND ordinal = 0")
    out = memory("fsck").out
    assert (
        out.startswith("1 thing wrong: ")
        and f"\n{redis}  ev_" in out
        and f"\n  {REDIS}\n" in out
        and "hint: `memory rebuild`" in out
    )
    assert memory("rebuild").code == 0 and found(memory) == []


@pytest.mark.long
def test_changed_entries_are_named(memory: Run, tamper: Tamper) -> None:
    changes = {
        "캐시를 Redis": (
            "UPDATE entries SET title = '다른 제목' WHERE {of}",
            "entries.title is “다른 제목”, the log says “캐시를 Redis로 옮긴다”",
        ),
        "배포 전에": (
            "UPDATE entries SET evidence_json = '[]' WHERE {of}",
            "entries.evidence_json is not the evidence of the log",
        ),
        "Nobody said": ("UPDATE entries SET status = 'superseded' WHERE {of}", "entries: there is no row of it"),
    }
    expected = {}
    for title, (change, detail) in changes.items():
        entry = entry_id(memory, title)
        tamper(change.format(of=f"entry_id = '{entry}'"))
        expected[entry] = detail
    findings = {finding["entry_id"]: finding for finding in found(memory)}
    assert findings.keys() == expected.keys()
    for entry, finding in findings.items():
        assert (finding["kind"], finding["session_id"]) == ("table", "shop-1") and expected[entry] in finding["detail"]


@pytest.mark.long
@pytest.mark.parametrize("values", cases([["null", "[[1,2,3]]"]], [["3", "[3]"], ["{}", '"x"'], ["true", "false"]]))
def test_a_column_of_json_that_holds_something_else_is_a_finding(memory: Run, tamper: Tamper, values: list[str]) -> None:
    entries = [entry_id(memory, title) for title in ("캐시를 Redis", "배포 전에")]
    for entry, value in zip(entries, values, strict=True):
        tamper(f"UPDATE entries SET evidence_json = '{value}' WHERE entry_id = '{entry}'")
        tamper(f"UPDATE evidence_spans SET segments_json = '{value}' WHERE entry_id = '{entry}' AND ordinal = 0")
    findings = found(memory)
    assert {finding["kind"] for finding in findings} == {"table"} and len(findings) == 4
    for entry in entries:
        row, span = [finding["detail"] for finding in findings if finding["entry_id"] == entry]
        assert row == "entries.evidence_json is not the evidence of the log"
        assert span.startswith("evidence_spans.segments_json is")


@pytest.mark.parametrize(
    "changes",
    cases(
        [
            {
                "session_id = 'notes-2'": "its session_id is not that of its key",
                "event_type = 'window_aligned'": "its event_type is not that of its key",
                "dedupe_key = '[1]'": "its event_id is not the hash of its key",
                "chain_id = 'ev_nobody'": "its chain_id is no history of its session",
            },
        ],
        [
            {
                "session_id = NULL": "its session_id is not that of its key",
                "dedupe_key = 'x'": "its event_id is not the hash of its key",
                "stage_version = 'another'": "its stage_version is not that of its key",
            },
        ],
    ),
)
def test_a_changed_column_of_an_event_is_named(memory: Run, store: Path, tamper: Tamper, changes: dict[str, str]) -> None:
    """Each change on an event of its own."""
    with Database(store).reading() as connection:
        events = connection.execute(
            "SELECT event_id FROM events WHERE event_type = 'entry_materialized' AND session_id = 'shop-1' ORDER BY seq"
        ).fetchall()
    expected = {}
    for (event_id,), (change, detail) in zip(events, changes.items(), strict=False):
        tamper(f"UPDATE events SET {change} WHERE event_id = '{event_id}'")
        expected[event_id] = detail
    assert len(expected) == len(changes)
    findings = [finding for finding in found(memory) if finding["kind"] == "log"]
    for event_id, detail in expected.items():
        assert any(detail in finding["detail"] for finding in findings if finding["event_id"] == event_id), event_id
    assert "copy of it back" in findings[0]["hint"]
    assert memory("doctor", "--json").json["healthy"] is False


@pytest.mark.long
def test_rows_that_the_log_does_not_know(memory: Run, tamper: Tamper) -> None:
    tamper("INSERT INTO entries SELECT * REPLACE ('ent_stray' AS entry_id, 'stray-9' AS session_id) FROM entries LIMIT 1")
    tamper("INSERT INTO evidence_spans SELECT * REPLACE ('spn_x' AS span_id, 7 AS ordinal) FROM evidence_spans LIMIT 1")
    tamper("UPDATE messages SET text = 'other words' WHERE session_id = 'notes-2' AND message_index = 0")
    details = {finding["detail"] for finding in found(memory)}
    assert details == {
        "entries: the log knows no such current entry",
        "evidence_spans: the log knows no such quote",
        "messages: the text of message 0 is not the log's",
    }


def test_a_changed_event_of_an_entry_is_named_with_entry_and_address(memory: Run, tamper: Tamper) -> None:
    redis = entry_id(memory, "캐시를 Redis")
    tamper(
        f"""UPDATE events SET payload_json = CAST(replace(CAST(payload_json AS VARCHAR), 'Redis로 옮기기로', 'Kafka로 옮기기로')
            AS JSON) WHERE event_type = 'entry_materialized' AND (payload_json ->> '$.entry_id') = '{redis}'"""
    )
    findings = found(memory)
    log = next(finding for finding in findings if finding["kind"] == "log")
    assert log["entry_id"] == redis and "is not what was written" in log["detail"] and "copy of it back" in log["hint"]
    spans = [finding for finding in findings if finding["kind"] == "span"]
    assert {(finding["entry_id"], finding["uri"], finding["event_id"]) for finding in spans} == {
        (redis, REDIS, log["event_id"])
    }
    details = " ".join(finding["detail"] for finding in spans)
    assert (
        "the message says “우리는 캐시를 Redis로 옮기기로 했다.” there" in details and "quote_hash is not the hash" in details
    )
    # The tables still say what the log said, and a rebuild would only spread the damage.
    assert {finding["hint"] for finding in findings} == {log["hint"]}
    assert any(
        finding["kind"] == "table" and "the log says “우리는 캐시를 Kafka로" in finding["detail"] for finding in findings
    )
    ended = memory("fsck")
    assert ended.code == 3 and redis in ended.out and REDIS in ended.out and log["event_id"] in ended.out
    doctor = memory("doctor", "--json").json
    assert "memory fsck" in next(check["hint"] for check in doctor["checks"] if check["name"] == "log")


def test_a_changed_message_is_named_through_the_quotes_that_stand_on_it(memory: Run, tamper: Tamper) -> None:
    tamper(
        """UPDATE events
           SET payload_json = CAST(replace(CAST(payload_json AS VARCHAR), '캐시를 Redis로', '캐시를 Kafka로') AS JSON)
           WHERE event_type = 'session_ingested' AND session_id = 'shop-1'"""
    )
    findings = found(memory)
    assert {finding["kind"] for finding in findings} == {"log", "span", "table"}
    (span,) = [finding for finding in findings if finding["kind"] == "span"]
    assert span["uri"] == REDIS and span["entry_id"] == entry_id(memory, "캐시를 Redis") and "Kafka" in span["detail"]


@pytest.mark.parametrize(
    ("event_type", "payload"),
    cases(
        [("session_ingested", '{"messages": 3}'), ("entry_materialized", "{}")],
        [("session_ingested", "{}"), ("entries_materialized", "[]")],
    ),
)
def test_what_cannot_be_read_is_a_finding_and_the_rest_is_checked(
    memory: Run, tamper: Tamper, event_type: str, payload: str
) -> None:
    tamper(
        f"""UPDATE events SET payload_json = '{payload}' WHERE event_type = '{event_type}' AND session_id = 'shop-1';
            UPDATE evidence_spans SET span_end = span_end + 1 WHERE session_id = 'notes-2' AND match_method = 'exact'"""
    )
    findings = found(memory, "--realign")
    assert {finding["session_id"] for finding in findings if finding["kind"] == "log"} == {"shop-1"}
    assert {f["uri"] for f in findings if f["kind"] == "table" and f["session_id"] == "notes-2"} == {
        "session:notes-2#m=0&c=0-44",
        "session:notes-2#m=1&c=7-67",
    }


def test_an_event_that_is_gone(memory: Run, tamper: Tamper) -> None:
    tamper(
        """DELETE FROM events WHERE event_type = 'entry_materialized' AND session_id = 'notes-2'
           AND (payload_json ->> '$.ordinal') = '1'"""
    )
    details = [finding["detail"] for finding in found(memory)]
    assert "an entry of the session is not in the log" in details
    assert any("some are missing or twice" in detail for detail in details)
    assert "entries: the log knows no such current entry" in details


def rewritten(store: Path, changes: dict[str, dict[str, Any]]) -> None:
    """Log other evidence of some entries, as a faulty aligner would have, and fold it: only the text can tell."""
    with Database(store).writing() as connection:
        for title, values in changes.items():
            event_id, text = connection.execute(
                """SELECT event_id, CAST(payload_json AS VARCHAR) FROM events
                   WHERE event_type = 'entry_materialized' AND (payload_json ->> '$.title') = ?""",
                [title],
            ).fetchall()[0]
            payload = json.loads(text)
            payload["evidence"][0].update(values)
            text = json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            connection.execute(
                "UPDATE events SET payload_json = ?, checksum = ? WHERE event_id = ?", [text, sha256_hex(text), event_id]
            )
        relink(connection)
    rebuild_all(Memory(load_settings({"home": store})).resources)


@pytest.mark.long
def test_wrong_spans_with_a_right_checksum_are_named(memory: Run, store: Path) -> None:
    wrong = {
        "캐시를 Redis로 옮긴다": ({"span_start": 22, "span_end": 45}, "the message says"),
        "배포 전에 블로커를 고친다": ({"segments": [[0, 12], [5, 42]]}, "overlap"),
    }
    entries = {title: entry_id(memory, title) for title in wrong}
    rewritten(store, {title: values for title, (values, _) in wrong.items()})
    findings = found(memory)
    assert {(finding["kind"], finding["entry_id"]) for finding in findings} == {("span", entry) for entry in entries.values()}
    for title, (_, detail) in wrong.items():
        assert any(detail in finding["detail"] for finding in findings if finding["entry_id"] == entries[title])


@pytest.mark.long
def test_only_aligning_again_tells_another_method(memory: Run, store: Path) -> None:
    rewritten(store, {"캐시를 Redis로 옮긴다": {"method": "normalized", "confidence": 0.97}})
    assert found(memory) == []
    (finding,) = found(memory, "--realign")
    assert finding["kind"] == "realign" and finding["uri"] == REDIS and "memory run --all" in finding["hint"]
    assert finding["detail"] == "logged as normalized, message 1, 21-44; aligned again it is exact, message 1, 21-44"


@pytest.mark.long
def test_more_findings_than_are_shown(memory: Run, tamper: Tamper, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_assets.cli import fsck as command
    from memory_assets.maintenance import findings, fsck

    monkeypatch.setattr(findings, "KEPT_FINDINGS", 3)
    monkeypatch.setattr(fsck, "BATCH_SESSIONS", 1)
    monkeypatch.setattr(command, "SHOWN", 2)
    tamper("UPDATE evidence_spans SET similarity = 0.5")
    value = memory("fsck", "--json").json
    assert value["finding_count"] == 7 and len(value["findings"]) == 3
    assert "… and 5 more" in memory("fsck").out


@pytest.mark.long
def test_tables_that_are_behind_are_compared_with_what_they_were_folded_from(memory: Run, store: Path, tamper: Tamper) -> None:
    EventLog(Database(store)).append([taken(1, session_id="shop-1")])
    ended = memory("fsck")
    assert ended.code == 0 and "1 session with events that the tables do not have yet: not compared" in ended.out
    tamper("UPDATE evidence_spans SET similarity = 0.5 WHERE session_id = 'shop-1'")
    assert {finding["kind"] for finding in found(memory)} == {"table"}


def test_a_fold_that_ended_nowhere_is_named(memory: Run, tamper: Tamper) -> None:
    tamper("UPDATE projection_offsets SET last_seq = 3")
    assert any("projection_offsets: all at event 3" in finding["detail"] for finding in found(memory))


@pytest.mark.slow
def test_a_store_of_the_real_road_is_sound(memory: Run, imported_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the stages logged of two sessions, one of which grew, passes, aligned again too."""
    monkeypatch.setenv("MEMORY_HOME", str(imported_home))
    report = memory("fsck", "--realign", "--json").json
    assert report["findings"] == [] and report["quotes"] == report["realigned"] > 5 and report["sessions"] == 2
