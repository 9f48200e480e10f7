"""A log that was changed is known, whatever was changed of it, with the first event that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from memory_assets.identifiers import sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.errors import LogTamperedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.links import LINKED_COLUMNS, Broken, Sound, relink, verify_links
from memory_assets.log.tip import TIP_FILE_NAME, Tip, Tips, read_tips, write_tips
from memory_assets_tests.depth import cases
from memory_assets_tests.log.samples import NOON, build, taken

EVENTS = 12
TEXTS = sorted(set(LINKED_COLUMNS) - {"seq", "ts", "created_at", "occurred_at", "payload_version", "basis_chains"})
OTHER_VALUES = {
    **dict.fromkeys(TEXTS, ("'another'", "NULL", "''")),
    "payload_redacted": ("'{}'", "'null'", "'\"\"'"),
    "telemetry_json": ("'{\"seconds\":2}'", "NULL", "'{}'"),
    "payload_json": ("'{}'", "NULL", "replace(CAST(payload_json AS VARCHAR), ':', ': ')"),
    "ts": ("ts + INTERVAL 1 MICROSECOND", "TIMESTAMP 'infinity'", "TIMESTAMP '1969-07-20 20:17:40'"),
    "created_at": ("created_at - INTERVAL 1 DAY", "TIMESTAMP '-infinity'", "NULL"),
    "occurred_at": ("occurred_at + INTERVAL 9 HOUR", "TIMESTAMP 'infinity'", "NULL"),
    "payload_version": ("2", "0", "-1"),
    "basis_chains": ("['ev_a', 'ev_b']", "NULL", "[]"),
    "link_hash": ("NULL", "'\\x00'::BLOB", "unhex(sha256('another'))"),
}


@dataclass(frozen=True)
class Forgery:
    """What another program made of the events, as a query of them, and the first event that is wrong afterwards."""

    name: str
    query: str
    first_bad: int


def forgeries() -> Iterator[Forgery]:
    for column, values in OTHER_VALUES.items():
        for number, value in enumerate(values):
            for seq in (1, 5, EVENTS):
                query = f"SELECT * REPLACE (if(seq = {seq}, {value}, {column}) AS {column}) FROM written"
                yield Forgery(f"{column} {number} of {seq}", query, seq)
    for first in range(1, EVENTS + 1):
        payload = f"""if(seq = {first}, '{{"forged":true}}', payload_json) AS payload_json"""
        checksum = f"""if(seq = {first}, sha256('{{"forged":true}}'), checksum) AS checksum"""
        yield Forgery(f"payload and checksum of {first}", f"SELECT * REPLACE ({payload}, {checksum}) FROM written", first)
        for last in sorted({first, min(first + 2, EVENTS), EVENTS}):
            gone = f"seq BETWEEN {first} AND {last}"
            yield Forgery(f"without {first} to {last}", f"SELECT * FROM written WHERE NOT {gone}", first)
            if last < EVENTS:
                closed = (
                    f"SELECT * REPLACE (seq - if(seq > {last}, {last - first + 1}, 0) AS seq) FROM written WHERE NOT {gone}"
                )
                yield Forgery(f"without {first} to {last}, counted anew", closed, first)
        for other in {first + 1, first + 4, EVENTS}.intersection(range(first + 1, EVENTS + 1)):
            swapped = f"CASE seq WHEN {first} THEN {other} WHEN {other} THEN {first} ELSE seq END"
            yield Forgery(f"seq of {first} and {other}", f"SELECT * REPLACE ({swapped} AS seq) FROM written", first)
            contents = f"""SELECT w.* REPLACE (o.payload_json AS payload_json, o.checksum AS checksum)
                           FROM written w JOIN written o ON o.seq = CASE w.seq WHEN {first} THEN {other}
                           WHEN {other} THEN {first} ELSE w.seq END"""
            yield Forgery(f"payloads of {first} and {other}", contents, first)
        shifted = f"SELECT * REPLACE (seq + if(seq >= {first}, 1, 0) AS seq) FROM written"
        copied = f"SELECT * REPLACE ({first} AS seq, 'ev_new' AS event_id) FROM written WHERE seq = 3"
        yield Forgery(f"one more at {first}", f"{shifted} UNION ALL {copied}", first)
    yield Forgery("one more behind", "FROM written UNION ALL SELECT * REPLACE (13 AS seq) FROM written WHERE seq = 12", 13)
    yield Forgery("one more at 0", "FROM written UNION ALL SELECT * REPLACE (0 AS seq) FROM written WHERE seq = 1", 0)
    yield Forgery("one more at -5", "FROM written UNION ALL SELECT * REPLACE (-5 AS seq) FROM written WHERE seq = 1", -5)
    yield Forgery("one far away", "SELECT * REPLACE (if(seq = 12, 9000000000, seq) AS seq) FROM written", 12)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log in which every column has a value somewhere and none somewhere else. To be read only."""
    folder = tmp_path_factory.mktemp("links")
    log = EventLog(Database(folder))
    full = {
        "telemetry": {"seconds": 1.5},
        "project": "시험",
        "basis_chains": ("ev_a", ""),
        "causation_id": "ev_x",
        "chain_id": "ev_y",
        "stage_version": "v1",
        "actor": "kim",
    }
    log.append([taken(n, occurred_at=NOON + timedelta(microseconds=n), **full) for n in range(4)])  # type: ignore[arg-type]
    log.append([taken(4, session_id=None), taken(5)])
    log.append([taken(n, occurred_at=NOON, **full) for n in range(6, 11)], build=build("b1"))  # type: ignore[arg-type]
    assert log.last_seq() == EVENTS
    return folder


@pytest.fixture(scope="module")
def forge(store: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose `events` may be made anew from those that were `written`."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH '{store / 'memory.duckdb'}' AS store (READ_ONLY)")
        connection.execute("CREATE TABLE written AS FROM store.events")
        yield connection


@pytest.mark.long
def test_every_forgery_is_noticed_with_the_first_event_that_is_wrong(forge: duckdb.DuckDBPyConnection, store: Path) -> None:
    tips = read_tips(store)
    forge.execute("CREATE OR REPLACE TABLE events AS FROM written")
    assert verify_links(forge, tips) == Sound(
        Tip(EVENTS, forge.execute("SELECT link_hash FROM written WHERE seq = 12").fetchall()[0][0])
    )
    wrong = {}
    count = 0
    for forgery in forgeries():
        forge.execute(f"CREATE OR REPLACE TABLE events AS {forgery.query}")
        if not forge.execute("(FROM events EXCEPT FROM written) UNION ALL (FROM written EXCEPT FROM events)").fetchall():
            continue  # it was so before
        count += 1
        found = verify_links(forge, tips)
        if not isinstance(found, Broken) or found.seq != forgery.first_bad:
            wrong[forgery.name] = found
    assert wrong == {}
    assert count >= 250


@pytest.mark.parametrize("column", [*LINKED_COLUMNS, "payload_json"])
def test_a_log_that_was_linked_anew_does_not_end_where_the_tip_says(
    forge: duckdb.DuckDBPyConnection, store: Path, column: str
) -> None:
    value = {"seq": "seq", "payload_version": "7", "basis_chains": "['x']", "checksum": "checksum"}.get(
        column, "TIMESTAMP '2001-01-01'" if column.endswith("_at") or column == "ts" else "'\"other\"'"
    )
    if column in ("seq", "checksum"):
        query = "SELECT * FROM written WHERE seq < 12"
    elif column == "payload_json":
        query = f"""SELECT * REPLACE ('{{}}' AS payload_json, '{sha256_hex("{}")}' AS checksum) FROM written"""
    else:
        query = f"SELECT * REPLACE (if(seq = 2, {value}, {column}) AS {column}) FROM written"
    forge.execute(f"CREATE OR REPLACE TABLE events AS {query}")
    relink(forge)
    found = verify_links(forge, read_tips(store))
    assert isinstance(found, Broken)
    assert (found.seq, found.part) == ((12, "cut") if column in ("seq", "checksum") else (12, "rewritten"))


def test_every_column_of_the_log_is_linked(forge: duckdb.DuckDBPyConnection) -> None:
    columns = [row[0] for row in forge.execute("DESCRIBE written").fetchall()]
    assert sorted(columns) == sorted([*LINKED_COLUMNS, "payload_json", "link_hash"])


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    log = EventLog(Database(tmp_path))
    for number in range(5):
        log.append([taken(number), taken(100 + number)])
    return log


def found_in(folder: Path) -> Sound | Broken:
    database = Database(folder)
    with database.reading() as connection:
        return database.verify_links(connection)


def refused(folder: Path) -> bool:
    with pytest.raises(LogTamperedError) as raised:
        EventLog(Database(folder)).append([taken(999)])
    return "memory restore" in raised.value.hint


@pytest.mark.parametrize(
    "content",
    cases([b"", b"{}", b'{"now": {"seq": -1, "link_hash": ""}}', b"\xff"], [b"[1]", b"null", b'{"now": 3}']),
)
def test_a_tip_that_cannot_be_read_is_a_finding_and_stops_writers(log: EventLog, tmp_path: Path, content: bytes) -> None:
    (tmp_path / TIP_FILE_NAME).write_bytes(content)
    assert found_in(tmp_path) == Broken(None, "tip unreadable", found_in(tmp_path).last)
    assert refused(tmp_path) and (tmp_path / TIP_FILE_NAME).read_bytes() == content


def test_a_tip_that_is_gone_is_a_finding_and_is_not_made_again(log: EventLog, tmp_path: Path) -> None:
    (tmp_path / TIP_FILE_NAME).unlink()
    assert isinstance(found := found_in(tmp_path), Broken) and found.part == "tip missing" and found.last.seq == 10
    assert refused(tmp_path) and not (tmp_path / TIP_FILE_NAME).exists()


def test_an_older_tip_is_a_finding(log: EventLog, tmp_path: Path) -> None:
    older = (tmp_path / TIP_FILE_NAME).read_bytes()
    log.append([taken(50)])
    (tmp_path / TIP_FILE_NAME).write_bytes(older)
    assert isinstance(found := found_in(tmp_path), Broken) and (found.seq, found.part) == (11, "added")
    assert refused(tmp_path)


def test_a_store_that_was_removed_is_not_begun_anew_unnoticed(log: EventLog, tmp_path: Path) -> None:
    for path in tmp_path.glob("memory.duckdb*"):
        path.unlink()
    assert isinstance(found := found_in(tmp_path), Broken) and (found.seq, found.part) == (1, "cut")
    assert refused(tmp_path)


def test_nothing_is_appended_to_a_log_whose_end_was_cut_off(log: EventLog, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "memory.duckdb")) as connection:
        connection.execute("DELETE FROM events WHERE seq > 7")
    assert isinstance(found := found_in(tmp_path), Broken) and (found.seq, found.part) == (8, "cut")
    assert refused(tmp_path)
    assert EventLog(Database(tmp_path)).last_seq() == 7  # it can be read as it is


def test_the_tip_is_private_and_whole(log: EventLog, tmp_path: Path) -> None:
    path = tmp_path / TIP_FILE_NAME
    assert path.stat().st_mode & 0o777 == 0o600 and not path.with_name(f"{TIP_FILE_NAME}.new").exists()
    tips = read_tips(tmp_path)
    assert isinstance(tips, Tips) and tips.coming is None and tips.now == found_in(tmp_path).last
    write_tips(tmp_path, Tips(tips.now, Tip(11, bytes(32))))
    assert read_tips(tmp_path) == Tips(tips.now, Tip(11, bytes(32)))
    assert isinstance(found_in(tmp_path), Sound)
