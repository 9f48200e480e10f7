"""What one machine purges of a shared log is in no file of the server, and in none of another machine once that followed."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import purging, run
from memory_assets.fleet.granting import grant
from memory_assets.fleet.opening import shared_log
from memory_assets.log.errors import MemoryAssetsError, SharedLogDiffersError, SharedLogRefusedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Access
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.mirror import mirror_status, rebuild_mirror, verify_mirror
from memory_assets.results.purge import PurgeReportV1
from memory_assets.search.usage import note_opened
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import (
    assert_rebuilds_equal,
    events,
    files_holding,
    rows,
    texts_of_dagster,
    texts_of_store,
)
from memory_assets_tests.depth import cases
from memory_assets_tests.fleet.hosts import is_sound
from memory_assets_tests.fleet.killing import stepped, steps_of, was_killed
from memory_assets_tests.postgres.databases import server_of
from memory_assets_tests.postgres.servers import Server

pytestmark = pytest.mark.long

MARK = "qzxfountain"
MOMENTS = 24
PURGE = """
from memory_assets.defs import purging
from memory_assets.settings import load_settings
import memory_assets.maintenance.purge.purge, memory_assets.vectors.library
settings = load_settings({"home": home, "store": {"url": sys.argv[3]}, "embedding": {"model": "hashing"}})
if purging.followed_purge(settings) is None:
    purging.purge_all(settings, purging.planned_purge(settings))
"""


@dataclass(frozen=True)
class Two:
    """Two machines with a log in a database of a server."""

    server: Server
    database: str
    folder: Path

    @property
    def url(self) -> str:
        return self.server.address(self.database).url

    def settings(self, host: str) -> Settings:
        """What a machine's commands have; its runs quote what sessions say."""
        return load_settings(
            {
                "home": self.folder / host,
                "store": {"url": self.url},
                "embedding": {"model": "hashing"},
                "dagster": {"show_quotes": True},
            }
        )

    def copied(self, folder: Path) -> Two:
        """The same machines and the same log, in another place."""
        shared_log.cache_clear()
        name = f"copy_{secrets.token_hex(4)}"
        # What this process has open in it is opened again where it is used.
        self.server.execute(
            "postgres", f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'"
        )
        self.server.execute("postgres", f"CREATE DATABASE {name} TEMPLATE {self.database}")
        for host in ("one", "two"):
            shutil.copytree(self.folder / host, folder / host)
        return Two(self.server, name, folder)

    def in_table(self) -> int:
        """Rows of the shared log that hold the mark."""
        found = self.server.execute(self.database, f"SELECT count(*) FROM memory_log.events e WHERE e::text LIKE '%{MARK}%'")
        return int(str(found[0][0]))

    def in_files(self) -> list[str]:
        """The server's files that hold the mark, but for its write-ahead log."""
        self.server.execute("postgres", "CHECKPOINT")
        return [path for path in files_holding(self.server.folder, MARK.encode()) if "pg_wal" not in path]


def places(settings: Settings) -> set[str]:
    """Where the mark stands in a machine's store and in Dagster's records."""
    return {place for place, text in [*texts_of_store(settings), *texts_of_dagster(settings)] if MARK in text}


def purge(settings: Settings) -> PurgeReportV1:
    """As the command does it."""
    return purging.followed_purge(settings) or purging.purge_all(settings, purging.planned_purge(settings))


@pytest.fixture(scope="module", params=cases(["postgres18"], ["postgres15"]))
def forgotten(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, running: dict[str, Server]
) -> Iterator[Two]:
    """A session forgotten on one of two machines, whose index and Dagster's records hold it on both."""
    base = tmp_path_factory.mktemp("two")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        server = server_of(running, request.param)
        two = Two(server, server.new_database(), base)
        shared_log(two.url, 10.0).state()
        # What is compressed a search of the bytes does not find: the control would prove nothing.
        server.execute(two.database, "ALTER TABLE memory_log.events ALTER payload_json SET STORAGE EXTERNAL")
        long = " ".join(f"{MARK} needs page {number} of the handbook." for number in range(120))
        chat(base / "a", "gone", [f"We decided to call the release {MARK}.", f"TODO: {MARK} needs a test.", long])
        chat(base / "a", "kept", talk(1))
        run.import_paths(two.settings("one"), [base / "a"], project=None)
        run.import_paths(two.settings("two"), [chat(base / "b", "own", talk(2))], project=None)
        run.run_sessions(two.settings("two"), None)
        run.run_sessions(two.settings("one"), None)
        word = NewEvent(SessionForgotten(reason="asked"), session_id="gone", inputs=("by hand",))
        EventLog(Resources(two.settings("one")).database).append([word])
        server.execute(two.database, "ANALYZE memory_log.events")
        shared_log.cache_clear()
        yield two


@pytest.fixture
def two(forgotten: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Two:
    """A copy of both machines, and of the log."""
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    return forgotten.copied(tmp_path)


@pytest.mark.timeout(1800)
def test_a_purge_takes_it_out_of_the_server_and_of_every_machine(two: Two) -> None:
    one, other = two.settings("one"), two.settings("two")
    oid = two.server.execute(two.database, "SELECT oid FROM pg_database WHERE datname = current_database()")[0][0]
    held = [path for path in two.in_files() if f"base/{oid}/" in path]
    assert two.in_table() > 3 and len(held) > 1, "the table and its long texts"
    assert files_holding(other.home, MARK.encode()) and "events.payload_json" in places(other)
    assert any("db." in place for place in places(other)), "Dagster's records on the other machine"

    report = purge(one)

    assert report.purged and report.found_before > 0 and report.found_after == 0
    assert {"other machines that mirror the log", "write-ahead log, standbys and backups of its PostgreSQL"} <= {
        item.what for item in report.out_of_reach
    }
    assert two.in_table() == 0 and [path for path in two.in_files() if f"base/{oid}/" in path] == []
    assert two.server.execute(two.database, "SELECT epoch FROM memory_log.log") == [(2,)]
    with pytest.raises(Exception, match="appended, and never changed"):
        two.server.execute(two.database, "DELETE FROM memory_log.events")
    assert files_holding(one.home, MARK.encode()) == [] and places(one) == set()
    (told,) = events(one, "purged")
    assert (report.old_seq, report.new_seq) != (0, 0) and told.seq == report.new_seq + 1

    # The other one is refused, is known to hold it still, and keeps no copy.
    assert [machine.purged for machine in mirror_status(Resources(one)).machines] == [True, False]
    for act in (lambda: events(other), lambda: rebuild_mirror(Resources(other))):
        with pytest.raises(SharedLogDiffersError, match="events were taken out") as caught:
            act()
        assert "memory purge" in caught.value.hint
    followed = purge(other)
    assert followed.purged and followed.found_before > followed.pieces > 0 and followed.found_after == 0
    assert followed.events_removed["session_ingested"] == 1 and followed.sessions == 1
    assert files_holding(other.home, MARK.encode()) == [] and places(other) == set()
    assert [machine.purged for machine in mirror_status(Resources(one)).machines] == [True, True]

    _as_before(two)
    assert run.import_paths(other, [chat(two.folder / "c", "later", talk(5))], project=None).new == 1
    assert purge(one).purged is False and len(events(one, "mirror_purged")) == 2


def _as_before(two: Two) -> None:
    """Both machines mirror the same sound log, and a replay gives their tables."""
    for host in ("one", "two"):
        settings = two.settings(host)
        assert_rebuilds_equal(settings)
        assert is_sound(Resources(settings).database) > 0
        assert verify_mirror(Resources(settings)).equal
        kept = {path.name for path in settings.home.iterdir()}
        assert not kept & {"purge.staged", "purge.old", "purge.pending", "store.swap"}
    log = [rows(two.settings(host), "SELECT * FROM events ORDER BY seq") for host in ("one", "two")]
    assert log[0] == log[1]


@pytest.fixture(scope="module")
def counted(forgotten: Two, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """How many steps a whole purge takes, and a whole following of it."""
    two = forgotten.copied(tmp_path_factory.mktemp("counted"))
    return {host: steps_of(stepped(PURGE, two.folder / host, 0, two.url)) for host in ("one", "two")}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("moment", cases([14], [n for n in range(MOMENTS) if n != 14]))
def test_a_purge_that_is_killed_goes_on(two: Two, counted: dict[str, int], moment: int) -> None:
    assert was_killed(stepped(PURGE, two.folder / "one", 1 + moment * counted["one"] // MOMENTS, two.url))
    epoch = shared_log(two.url, 10.0).state().epoch.number
    assert (two.in_table() == 0) == (epoch == 2), "all of it or nothing"
    # Whoever else comes reads the log as it was, or is refused.
    try:
        assert events(two.settings("two"), "session_ingested")
        assert epoch == 1
    except SharedLogDiffersError:
        assert epoch == 2
    for host in ("one", "two"):
        assert purge(two.settings(host)).found_after == 0
        assert files_holding(two.folder / host, MARK.encode()) == [] and places(two.settings(host)) == set()
    assert two.in_table() == 0 and len(events(two.settings("one"), "purged")) == 1
    assert len(events(two.settings("two"), "mirror_purged")) == 2
    _as_before(two)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("moment", cases([16], [n for n in range(MOMENTS) if n != 16]))
def test_a_machine_that_is_killed_while_it_follows_goes_on(two: Two, counted: dict[str, int], moment: int) -> None:
    assert purge(two.settings("one")).found_after == 0
    assert was_killed(stepped(PURGE, two.folder / "two", 1 + moment * counted["two"] // MOMENTS, two.url))
    assert purge(two.settings("two")).found_after == 0
    assert files_holding(two.folder / "two", MARK.encode()) == [] and places(two.settings("two")) == set()
    assert [machine.purged for machine in mirror_status(Resources(two.settings("one"))).machines] == [True, True]
    _as_before(two)


def test_who_may_append_alone_purges_nothing(two: Two) -> None:
    two.server.execute(two.database, "DO $$ BEGIN CREATE ROLE writer LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    grant(shared_log(two.url, 10.0), "writer", Access(may_write=True))
    url = two.server.address(two.database, user="writer").url
    settings = two.settings("one").model_copy(update={"store": two.settings("one").store.model_copy(update={"url": url})})
    before = two.in_table()
    with pytest.raises(SharedLogRefusedError, match="does not allow it"):
        purge(settings)
    assert two.in_table() == before and shared_log(two.url, 10.0).state().epoch.number == 1
    assert purge(two.settings("one")).found_after == 0


def test_a_machine_that_may_only_read_follows_to_the_end(two: Two) -> None:
    """It tells nobody of it; what it noted as used is counted by nobody either."""
    reader = f"reader_{secrets.token_hex(4)}"
    two.server.execute(two.database, f"CREATE ROLE {reader} LOGIN")
    grant(shared_log(two.url, 10.0), reader, Access(may_write=False))
    url = two.server.address(two.database, user=reader).url
    settings = two.settings("two").model_copy(update={"store": two.settings("two").store.model_copy(update={"url": url})})
    note_opened(settings, ["mem:1a2b3c4d"])
    assert purge(two.settings("one")).found_after == 0
    followed = purging.followed_purge(settings)
    assert followed is not None and followed.found_after == 0 and places(settings) == set()
    assert purging.followed_purge(settings) is None and not (settings.store_folder / "purge.pending").exists()


def test_a_purge_leaves_known_who_wrote(two: Two) -> None:
    table = "memory_log.events"
    two.server.execute(two.database, f"ALTER TABLE {table} DISABLE TRIGGER append_only; UPDATE {table} SET written_by = 'ann'")
    two.server.execute(two.database, f"ALTER TABLE {table} ENABLE TRIGGER append_only")
    assert purge(two.settings("one")).found_after == 0
    written = dict(two.server.execute(two.database, f"SELECT written_by, count(*) FROM {table} GROUP BY 1"))
    # What the purge itself says it writes as whoever did it.
    assert written["ann"] > 3 and set(written) <= {"ann", "owner"}


def test_a_server_that_is_away_leaves_everything_as_it_was(two: Two) -> None:
    before = two.in_table()
    two.server.stop()
    try:
        with pytest.raises(MemoryAssetsError):
            purge(two.settings("one"))
    finally:
        two.server.start()
    assert two.in_table() == before
    assert purge(two.settings("one")).found_after == 0
