"""Whatever the program itself does to a store, or is killed at, its log is sound afterwards."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from memory_assets.log import database as database_module
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.links import Broken, Sound, keep_first_tip, relink
from memory_assets.log.migrations import LINKED_SINCE, migrations
from memory_assets.log.tip import TIP_FILE_NAME, Tips, read_tips
from memory_assets_tests.log.samples import NOON, taken

pytestmark = pytest.mark.usefixtures("made_anew")


class Killed(BaseException):
    """The process ends here."""


def last_seq_of_sound(folder: Path) -> int:
    database = Database(folder)
    with database.reading() as connection:
        found = database.verify_links(connection)
    assert isinstance(found, Sound), str(found)
    return found.last.seq


def kill_at(writing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the process at the first writing of the tip (before the commit) or at the second (behind it)."""
    written = []

    def write(folder: Path, tips: Tips) -> None:
        written.append(tips)
        if len(written) == writing:
            raise Killed
        original(folder, tips)

    original = database_module.write_tips
    monkeypatch.setattr(database_module, "write_tips", write)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_any_history_of_appends_and_kills_is_sound(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    number = 0
    for _ in range(8):
        log = EventLog(Database(tmp_path))
        batch = [taken(number + n, project=chance.choice([None, "", "shop"])) for n in range(chance.randint(0, 4))]
        number += len(batch)
        before = log.last_seq()
        match chance.choice(["append", "again", "held", "killed before", "killed behind", "failed", "nothing"]):
            case "append":
                assert log.append(batch).new == len(batch)
            case "again":
                log.append(batch)
                assert log.append(batch).new == 0
            case "held":
                with log.held() as held:
                    for event in batch:
                        held.append([event])
            case "killed before" if batch:
                with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
                    kill_at(1, patch)
                    log.append(batch)
                assert last_seq_of_sound(tmp_path) == before
            case "killed behind" if batch:
                with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
                    kill_at(2, patch)
                    log.append(batch)
                tips = read_tips(tmp_path)
                assert isinstance(tips, Tips) and tips.coming is not None and tips.coming.seq == before + len(batch)
                assert last_seq_of_sound(tmp_path) == before + len(batch)
            case "failed":
                with pytest.raises(RuntimeError), Database(tmp_path).writing() as connection:
                    connection.execute("DELETE FROM events")
                    raise RuntimeError
                assert last_seq_of_sound(tmp_path) == before
            case _:
                with Database(tmp_path).writing():
                    pass
        last_seq_of_sound(tmp_path)


WRITER = """
import sys
from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets_tests.log.samples import taken

log = EventLog(Database(Path(sys.argv[1])))
for n in range(int(sys.argv[3])):
    log.append([taken(n * 10 + k, session_id=sys.argv[2]) for k in range(3)])
    print(n, flush=True)
"""


@pytest.mark.long
def test_several_writers_one_of_them_killed(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name, count],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[2],
        )
        for name, count in (("one", "5"), ("two", "5"), ("killed", "100000"))
    ]
    assert writers[2].stdout is not None and writers[2].stdout.readline()
    for writer in writers[:2]:
        writer.communicate()
        assert writer.returncode == 0
    writers[2].send_signal(signal.SIGKILL)
    writers[2].communicate()
    assert last_seq_of_sound(tmp_path) >= 33
    EventLog(Database(tmp_path)).append([taken(1)])
    assert last_seq_of_sound(tmp_path) >= 34


def older_store(folder: Path, events: int) -> None:
    """A store as the version before the links left it: the same events, no link and no tip."""
    log = EventLog(Database(folder / "new"))
    log.append([taken(n, occurred_at=NOON, basis_chains=("a",) if n % 3 else None) for n in range(events)])
    with duckdb.connect(str(folder / "memory.duckdb")) as connection:
        for migration in migrations()[: LINKED_SINCE - 1]:
            connection.execute(migration.statements)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, now()::TIMESTAMP)",
                [migration.version, migration.name, migration.sha256],
            )
        connection.execute(f"ATTACH '{folder / 'new' / 'memory.duckdb'}' AS new (READ_ONLY)")
        connection.execute("INSERT INTO events BY NAME SELECT * EXCLUDE (link_hash) FROM new.events ORDER BY seq")


def test_an_older_store_gets_its_links_when_it_is_opened(tmp_path: Path) -> None:
    older_store(tmp_path, 30)
    assert last_seq_of_sound(tmp_path) == 30
    # The same events have the same links, whenever they got them.
    query = "SELECT seq, link_hash FROM events ORDER BY seq"
    with Database(tmp_path).reading() as migrated, Database(tmp_path / "new").reading() as new:
        assert migrated.execute(query).fetchall() == new.execute(query).fetchall()
    EventLog(Database(tmp_path)).append([taken(1000)])
    assert last_seq_of_sound(tmp_path) == 31


@pytest.mark.parametrize("moment", ["before the tip", "behind the tip"])
def test_a_migration_that_is_killed_leaves_the_older_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    older_store(tmp_path, 30)

    def killed(folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
        if moment == "behind the tip":
            keep_first_tip(folder, connection)
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(database_module, "keep_first_tip", killed)
        EventLog(Database(tmp_path)).last_seq()
    assert (tmp_path / TIP_FILE_NAME).exists() == (moment == "behind the tip")
    with duckdb.connect(str(tmp_path / "memory.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT max(version) FROM schema_migrations").fetchall() == [(LINKED_SINCE - 1,)]
        assert connection.execute("SELECT count(*) FROM events").fetchall() == [(30,)]
    assert last_seq_of_sound(tmp_path) == 30


def test_an_older_copy_that_was_put_back_is_not_taken_for_the_store(tmp_path: Path) -> None:
    older_store(tmp_path, 30)
    kept = (tmp_path / "memory.duckdb").read_bytes()
    EventLog(Database(tmp_path)).append([taken(1000)])
    for path in tmp_path.glob("memory.duckdb*"):
        path.unlink()
    (tmp_path / "memory.duckdb").write_bytes(kept)
    database = Database(tmp_path)
    with database.reading() as connection:
        found = database.verify_links(connection)
    assert isinstance(found, Broken) and (found.seq, found.part) == (31, "cut")


def test_a_store_that_is_built_of_events_from_elsewhere(tmp_path: Path) -> None:
    EventLog(Database(tmp_path / "one")).append([taken(n) for n in range(7)])
    other = Database(tmp_path / "other")
    with other.held() as connection, Database(tmp_path / "one").reading_attached(connection, "one"):
        before = other.checked_tip(connection)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO events BY NAME SELECT * REPLACE ('moved' AS project) FROM one.events WHERE seq < 6")
        assert relink(connection).seq == 5
        other.commit(connection, before)
    assert last_seq_of_sound(tmp_path / "other") == 5
