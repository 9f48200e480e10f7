"""What goes wrong between a machine and the shared log: each is told by its name, and nothing is lost or written twice."""

from __future__ import annotations

import contextlib
import random
import signal
import time
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from memory_assets.fleet import connections
from memory_assets.fleet.opening import shared_log
from memory_assets.fleet.postgres_store import HeldStore
from memory_assets.fleet.schema import newest_version
from memory_assets.log import batches, free_space
from memory_assets.log.batches import insert, rows_of
from memory_assets.log.database import Database
from memory_assets.log.errors import (
    SharedLogDiffersError,
    SharedLogRefusedError,
    SharedLogUnavailableError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    UnstorableTextError,
)
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Row
from memory_assets.log.mirror import AWAY_SECONDS, FRESH_SECONDS
from memory_assets.log.tip import Tip
from memory_assets.postgres import client
from memory_assets_tests.depth import depth
from memory_assets_tests.fleet.hosts import Fleet, database_of, is_sound, rows_of_log
from memory_assets_tests.fleet.proxies import Side, proxied
from memory_assets_tests.fleet.test_conformance import HOST
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.databases import There

# Ends, as if it were killed, at one step of a transaction that goes to both logs.
KILLED = """
import os, sys
from pathlib import Path
from memory_assets.fleet.postgres_store import HeldStore
from memory_assets.log import database
from memory_assets.log.event_log import EventLog
from memory_assets_tests.fleet.hosts import database_of
from memory_assets_tests.log.samples import taken

folder, url, moment = sys.argv[1:]
log = EventLog(database_of(Path(folder), url))
def dies(*arguments, **named):
    os._exit(9)
if moment == "before the push":
    HeldStore.push = dies
elif moment == "behind the push":
    push = HeldStore.push
    HeldStore.push = lambda *arguments: (push(*arguments), dies())
elif moment == "between the commits":
    log._database.mirror._pin, log._database.commit = (lambda *arguments: None), dies
else:
    tips = database.write_tips
    database.write_tips = lambda *arguments: (tips(*arguments), dies())
log.append([taken(number) for number in range(10)])
"""

COMMIT = b"COMMIT\0"
"""As it is sent: `READ COMMITTED` is another word."""

# Takes the lock, and says so when it is asked to go on.
HOLDER = """
import sys
from pathlib import Path
from memory_assets.log import batches, free_space
from memory_assets.log.batches import insert, rows_of
from memory_assets.log.errors import StoreError
from memory_assets_tests.fleet.hosts import database_of
from memory_assets_tests.log.samples import taken

folder, url = sys.argv[1:]
try:
    with database_of(Path(folder), url).writing() as connection:
        insert(connection, rows_of([taken(1)]))
        print("held", flush=True)
        sys.stdin.readline()
    print("written", flush=True)
except StoreError as error:
    print(error.code, flush=True)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("moment", "kept"),
    [("before the push", 0), ("behind the push", 0), ("between the commits", 10), ("behind the tip", 10)],
)
def test_a_machine_killed_at_any_step_loses_nothing_that_was_committed(shared: Fleet, moment: str, kept: int) -> None:
    shared.log("one").last_seq()
    with python(KILLED, shared.home("one"), shared.url, moment) as process:
        _, complaint = process.communicate(timeout=60)
        assert process.returncode == 9, complaint
    assert shared.log("two").last_seq() == kept
    assert shared.log("one").append([taken(number) for number in range(10)]).known == kept
    assert is_sound(shared.database("one")) == is_sound(shared.database("two")) == 10
    assert rows_of_log(shared.database("one")) == rows_of_log(shared.database("two"))


@pytest.mark.long
@pytest.mark.deep
def test_machines_killed_at_random_leave_whole_batches(shared: Fleet) -> None:
    chance = random.Random(7)
    told: set[str] = set()
    for turn in range(depth(4, 40)):
        with python(HOST, shared.home("one"), shared.url, f"turn{turn}", 500, 1 + turn % 30, "own") as process:
            told.add(first_line(process).split()[0])
            time.sleep(chance.uniform(0.0, 0.3))
            process.send_signal(signal.SIGKILL)
            rest, _ = process.communicate()
        told |= {line.split()[0] for line in rest.splitlines(keepends=True) if line.endswith("\n")}
        events = list(shared.log("two" if turn % 2 else "one").replay())
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        sizes = {str(event.session_id): 0 for event in events}
        for event in events:
            sizes[str(event.session_id)] += 1
        assert told <= set(sizes)
        assert {session for session, size in sizes.items() if size != 1 + int(session[4:].split("-")[0]) % 30} == set()
    assert rows_of_log(shared.database("one")) == rows_of_log(shared.database("two"))


def on_loopback(there: There, monkeypatch: pytest.MonkeyPatch, port: int) -> str:
    """The database by a port of loopback."""
    monkeypatch.setenv("PGPASSWORD", there.server.password)
    return f"postgresql://owner@127.0.0.1:{port}/{there.database}"


@pytest.mark.long
@pytest.mark.parametrize("side", ["before", "behind"])
def test_a_connection_cut_in_the_middle_of_a_commit(
    there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: Side
) -> None:
    with proxied(there.server.port) as proxy:
        fleet = Fleet(tmp_path, on_loopback(there, monkeypatch, proxy.port))
        log = fleet.log("one")
        log.append([taken(1)])
        proxy.word, proxy.side = COMMIT, side
        if side == "before":
            with pytest.raises(SharedLogUnavailableError):
                log.append([taken(2)])
        else:
            # The server had heard it: the log itself says so, and nobody need do it again.
            assert log.append([taken(2)]).new == 1
        assert fleet.log("two").last_seq() == (1 if side == "before" else 2)
        log.append([taken(2), taken(3)])
        assert is_sound(fleet.database("one")) == is_sound(fleet.database("two")) == 3


@pytest.mark.parametrize("side", ["before", "behind"])
def test_a_server_that_vanishes_in_a_commit_leaves_it_to_the_next_one(
    there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: Side
) -> None:
    with proxied(there.server.port) as proxy:
        fleet = Fleet(tmp_path, on_loopback(there, monkeypatch, proxy.port))
        log = fleet.log("one")
        log.append([taken(1)])
        proxy.word, proxy.side, proxy.stays_open = COMMIT, side, False
        with pytest.raises(SharedLogUnavailableError, match="in the middle of a commit"):
            log.append([taken(2)])
        proxy.is_open = True
        assert log.append([taken(2), taken(3)]).known == (0 if side == "before" else 1)
        assert is_sound(fleet.database("one")) == is_sound(fleet.database("two")) == 3


@pytest.mark.long
def test_reading_goes_on_without_the_server_and_says_how_old_it_is(
    there: There, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fleet = Fleet(tmp_path, there.address.url)
    fleet.log("one").append([taken(1)])
    there.server.stop()
    try:
        database = fleet.database("one")
        log = EventLog(database)
        assert log.last_seq() == 1 and isinstance(database.mirror.away, SharedLogUnavailableError)
        assert [" old" in record.getMessage() for record in caplog.records] == [True]
        with pytest.raises(SharedLogUnavailableError, match="does not answer") as caught:
            log.append([taken(2)])
        assert "nothing was written" in caught.value.hint
        with pytest.raises(SharedLogUnavailableError):
            fleet.log("three").last_seq()
    finally:
        there.server.start()
    assert log.append([taken(2)]).last_seq == 2
    assert log.last_seq() == 2 and fleet.log("two").last_seq() == 2


@pytest.mark.long
def test_tables_and_queues_are_written_without_the_server(there: There, tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, there.address.url)
    fleet.log("one").append([taken(1)])
    database = fleet.database("one")
    there.server.stop()
    try:
        with database.writing(log_stays=True) as connection:
            connection.execute("INSERT INTO configured_versions VALUES ('session_ingested', '1')")
    finally:
        there.server.start()
    with pytest.raises(RuntimeError, match="appended something"), database.writing(log_stays=True) as connection:
        insert(connection, rows_of([taken(2)]))
    assert fleet.log("one").last_seq() == fleet.log("two").last_seq() == 1


@pytest.mark.long
def test_a_server_that_crashes_under_a_writer_takes_nothing_back(there: There, tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, there.address.url)
    log = fleet.log("one")
    log.append([taken(1)])
    with pytest.raises(SharedLogUnavailableError), log._database.writing() as connection:
        insert(connection, rows_of([taken(2)]))
        there.server.stop(signal.SIGQUIT)
        there.server.start()
    assert log.append([taken(2)]).last_seq == 2
    assert is_sound(fleet.database("two")) == 2


@pytest.mark.long
def test_a_stopped_machine_that_holds_the_lock_holds_nobody_up(shared: Fleet) -> None:
    log = shared.log("two")
    log.last_seq()
    with python(HOLDER, shared.home("one"), shared.url) as holder:
        assert first_line(holder) == "held"
        holder.send_signal(signal.SIGSTOP)
        started = time.monotonic()
        assert log.append([taken(2)]).new == 1
        waited = time.monotonic() - started
        holder.send_signal(signal.SIGCONT)
        said, complaint = holder.communicate("\n", timeout=60)
    assert said.split() == ["shared_log_unavailable"], complaint
    assert waited < 2, "the lease ends after 1.2 s; the rest is the other's work"
    assert shared.log("one").append([taken(1)]).last_seq == 2


@pytest.mark.long
def test_who_fails_as_its_connection_breaks_is_told_both(shared: Fleet, there: There, caplog: pytest.LogCaptureFixture) -> None:
    one = shared.database("one")
    EventLog(one).append([taken(1)])
    with pytest.raises(ValueError, match="its own"), one.writing() as connection:
        insert(connection, rows_of([taken(2)]))
        end_sessions(there)
        time.sleep(1)  # until the next word to the server
        raise ValueError("its own")
    assert "terminating connection due to administrator command" in caplog.text
    assert shared.log("two").last_seq() == 1


@pytest.mark.long
def test_why_a_session_ended_is_said(shared: Fleet, there: There) -> None:
    one = shared.database("one")
    EventLog(one).append([taken(1)])
    with pytest.raises(SharedLogUnavailableError, match="administrator command"), one.writing() as connection:
        insert(connection, rows_of([taken(2)]))
        end_sessions(there)
        time.sleep(1)
    assert EventLog(one).append([taken(2)]).last_seq == 2


def end_sessions(there: There) -> None:
    """As an administrator does."""
    there.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


@pytest.mark.long
def test_who_holds_the_lock_and_lives_is_waited_for(shared: Fleet) -> None:
    with python(HOLDER, shared.home("one"), shared.url) as holder:
        assert first_line(holder) == "held"
        time.sleep(2.5)  # longer than a silent one keeps it
        with pytest.raises(StoreLockedError, match="another machine"):
            EventLog(shared.database("two", lock_timeout=0.3)).append([taken(2)])
        said, complaint = holder.communicate("\n", timeout=60)
    assert said.split() == ["written"], complaint
    assert shared.log("two").last_seq() == 1


@pytest.mark.long
def test_two_logs_are_never_mixed(shared: Fleet, there: There, tmp_path: Path) -> None:
    own = tmp_path / "own"
    EventLog(Database(own)).append([taken(1)])
    with pytest.raises(SharedLogDiffersError, match="ends at event 0"):
        EventLog(database_of(own, shared.url)).append([taken(2)])
    shared.log("one").append([taken(7)])
    for act in (lambda log: log.append([taken(2)]), lambda log: log.last_seq()):
        with pytest.raises(SharedLogDiffersError, match="two logs"):
            act(EventLog(database_of(own, shared.url)))
    assert shared.log("two").last_seq() == 1 and EventLog(Database(own)).append([taken(3)]).last_seq == 2
    other = Fleet(tmp_path, there.server.address(there.server.new_database()).url)
    other.log("three").append([taken(7)])
    with pytest.raises(SharedLogDiffersError, match="another log"):
        EventLog(database_of(shared.home("one"), other.url)).last_seq()


def test_a_mirror_is_not_written_without_its_log(shared: Fleet) -> None:
    shared.log("one").append([taken(1)])
    alone = EventLog(Database(shared.home("one")))
    assert alone.last_seq() == 1
    with pytest.raises(SharedLogRefusedError, match=r"store\.url names none"):
        alone.append([taken(2)])


def test_a_log_that_lost_events_or_was_purged_is_refused(shared: Fleet, there: There) -> None:
    shared.log("one").append([taken(1), taken(2)])
    there.rows("UPDATE memory_log.log SET epoch = 2")
    for log in (shared.log("one"),):
        with pytest.raises(SharedLogDiffersError, match="events were taken out"):
            log.append([taken(3)])
        with pytest.raises(SharedLogDiffersError, match="events were taken out"):
            log.last_seq()
    there.rows("UPDATE memory_log.log SET epoch = 1")
    there.rows("ALTER TABLE memory_log.events DISABLE TRIGGER append_only; DELETE FROM memory_log.events WHERE seq = 2")
    with pytest.raises(SharedLogDiffersError, match="ends at event 1 and the file here at event 2"):
        shared.log("one").append([taken(3)])


@pytest.mark.parametrize("change", ["actor = 'x'", "payload_json = replace(payload_json, 'talks', 'walks')", "seq = 9"])
def test_a_row_that_was_changed_there_is_taken_by_nobody(shared: Fleet, there: There, change: str) -> None:
    shared.log("one").append([taken(1), taken(2)])
    with pytest.raises(Exception, match="appended, and never changed"):
        there.rows(f"UPDATE memory_log.events SET {change} WHERE seq = 2")
    there.rows(
        f"ALTER TABLE memory_log.events DISABLE TRIGGER append_only; UPDATE memory_log.events SET {change} WHERE seq = 2"
    )
    with pytest.raises(SharedLogDiffersError, match="not what was written"):
        shared.log("two").last_seq()


@pytest.mark.long
@pytest.mark.parametrize(
    ("url", "error", "said"),
    [
        ("postgresql://owner@127.0.0.1:1/log", SharedLogUnavailableError, "does not answer"),
        ("postgresql://owner@no.such.host.invalid/log", SharedLogUnavailableError, "correct store.url"),
        ("nothing", SharedLogUnavailableError, "lets nobody in"),
        ("stranger", SharedLogUnavailableError, "lets nobody in"),
        ("guest", SharedLogRefusedError, "does not allow it"),
    ],
)
def test_a_server_that_cannot_be_used_is_named(
    there: There, tmp_path: Path, url: str, error: type[StoreError], said: str
) -> None:
    match url:
        case "nothing":
            url = there.server.address("no_such_database").url
        case "stranger":
            url = there.server.address(there.database, user="stranger").url
        case "guest":
            there.rows("DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
            url = there.server.address(there.database, user="guest").url
    with pytest.raises(error) as caught:
        EventLog(database_of(tmp_path / "one", url)).append([taken(1)])
    assert said in f"{caught.value} {caught.value.hint}" and caught.value.hint


def test_a_wrong_password_is_never_shown(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = on_loopback(there, monkeypatch, there.server.port)
    monkeypatch.setenv("PGPASSWORD", "hunter2-hunter2")
    with pytest.raises(SharedLogUnavailableError, match="lets nobody in") as caught:
        EventLog(database_of(tmp_path / "one", url)).append([taken(1)])
    assert "hunter2" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}"


def test_a_server_that_is_too_old_is_refused(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LEAST_SERVER", 990_000)
    with pytest.raises(SharedLogRefusedError, match="too old"):
        shared.log("one").append([taken(1)])


def test_an_older_program_refuses_to_write(shared: Fleet, there: There) -> None:
    shared.log("one").append([taken(1)])
    there.rows("UPDATE memory_log.log SET least_client = 999")
    with pytest.raises(SharedLogRefusedError, match="newer program"):
        shared.log("one").append([taken(2)])
    assert shared.log("one").last_seq() == 1
    later = newest_version() + 1
    there.rows(f"INSERT INTO memory_log.schema_migrations (version, name, sha256) VALUES ({later}, 'later', 'x')")
    shared_log.cache_clear()
    with pytest.raises(SharedLogRefusedError, match=rf"has version {later} \(later\)"):
        shared.log("one").append([taken(2)])
    assert shared.log("one").last_seq() == 1


@pytest.mark.long
def test_a_server_that_stands_still_keeps_nobody_waiting(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its machine goes on confirming what it is sent, so no keepalive finds it."""
    with proxied(there.server.port) as proxy:
        fleet = Fleet(tmp_path, on_loopback(there, monkeypatch, proxy.port))
        monkeypatch.setattr(connections, "SILENT_SECONDS", 1.0)
        monkeypatch.setitem(connections.OPTIONS, "connect_timeout", 2)
        log = fleet.log("one")
        log.append([taken(1)])
        time.sleep(FRESH_SECONDS)
        proxy.is_silent = True
        began = time.monotonic()
        assert log.last_seq() == 1, "the mirror answers"
        with pytest.raises(SharedLogUnavailableError, match="does not answer"):
            log.append([taken(2)])
        assert time.monotonic() - began < 15
        proxy.is_silent = False
        time.sleep(AWAY_SECONDS)
        assert log.append([taken(2)]).last_seq == 2


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        ("connection failed: SSL connection has been closed unexpectedly", "unreachable"),
        ("consuming input failed: SSL SYSCALL error: Connection timed out", "unreachable"),
        ("connection failed: SSL error: certificate verify failed", "login"),
        ('connection failed: FATAL:  database "memory" does not exist', "login"),
        ("could not translate host name", "address"),
    ],
)
def test_what_broke_is_told_apart_from_who_is_not_let_in(said: str, failure: client.Failure) -> None:
    psycopg = pytest.importorskip("psycopg")
    assert client.failure_of(psycopg.OperationalError(said)) == failure
    assert client.failure_of(psycopg.errors.DiskFull(said)) == "no room"


def test_an_older_program_reads_what_it_has(shared: Fleet, there: There) -> None:
    """What a newer one wrote it may not know."""
    one = shared.log("one")
    one.append([taken(1)])
    shared.log("two").append([taken(2)])
    there.rows("UPDATE memory_log.log SET least_client = 999")
    time.sleep(FRESH_SECONDS)
    assert one.last_seq() == 1


@pytest.mark.long
def test_a_mirror_without_room_is_read_as_it_is(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    one = shared.log("one")
    one.append([taken(1)])
    shared.log("two").append([taken(2)])
    time.sleep(FRESH_SECONDS)
    monkeypatch.setattr("memory_assets.log.free_space.NEEDED_BYTES", 10**18)
    assert one.last_seq() == 1


@pytest.mark.long
def test_a_transaction_that_is_taken_back_is_not_taken_for_written(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL answers the commit of a transaction that failed, and commits nothing."""
    one = shared.log("one")
    one.append([taken(1)])
    push = HeldStore.push

    def failed_behind(self: HeldStore, rows: Sequence[Row], expected_head: Tip) -> Tip:
        pushed = push(self, rows, expected_head)
        with contextlib.suppress(Exception):
            self._connection.execute("SELECT 1/0")
        return pushed

    with monkeypatch.context() as patched:
        patched.setattr(HeldStore, "push", failed_behind)
        with pytest.raises(SharedLogUnavailableError, match="took the transaction back"):
            one.append([taken(2)])
    time.sleep(FRESH_SECONDS)
    assert one.last_seq() == 1 and one.append([taken(2)]).last_seq == 2
    assert shared.log("two").last_seq() == 2


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_KR"])
def test_the_encoding_of_a_clients_environment_is_none_of_it(
    shared: Fleet, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    shared.log("one").append([taken(1, actor="민아 🚀")])
    (event,) = shared.log("two").replay()
    assert event.actor == "민아 🚀"


def test_versions_are_pinned_by_whoever_comes_first(shared: Fleet) -> None:
    shared.log("one").configure({"session_ingested": "1", "entries_extracted": "1"})
    with pytest.raises(SharedLogRefusedError, match="entries_extracted another version"):
        shared.log("two").configure({"session_ingested": "1", "entries_extracted": "2"})
    shared.log("two").configure({"session_ingested": "1", "entries_extracted": "1"})
    assert shared_log(shared.url, 10.0).state().versions == {"session_ingested": "1", "entries_extracted": "1"}


def test_a_text_that_postgresql_cannot_keep_is_refused_on_both_sides(shared: Fleet) -> None:
    log = shared.log("one")
    with pytest.raises(UnstorableTextError, match=r"the actor of an event holds U\+0000"):
        log.append([taken(1, actor="a\0b")])
    assert log.last_seq() == 0 and log.append([taken(1)]).last_seq == 1


def test_a_disk_without_room_writes_on_neither_side(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    log = shared.log("one")
    log.append([taken(1)])
    with monkeypatch.context() as patch, pytest.raises(StoreFullError):
        patch.setattr(free_space, "NEEDED_BYTES", 10**18)
        log.append([taken(2)])
    assert shared.log("two").last_seq() == 1 and log.append([taken(2)]).last_seq == 2


@pytest.mark.long
def test_a_clock_that_is_a_day_off_changes_no_order(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    class Yesterday(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - timedelta(days=1)

    shared.log("one").append([taken(1)])
    with monkeypatch.context() as patch:
        patch.setattr(batches, "datetime", Yesterday)
        shared.log("two").append([taken(2)])
    shared.log("one").append([taken(3)])
    events = list(shared.log("three").replay())
    assert [event.event_id for event in events] == [taken(number).event_id for number in (1, 2, 3)]
    assert events[1].ts < events[0].ts and is_sound(shared.database("two")) == 3
