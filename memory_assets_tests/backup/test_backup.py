"""Backup, restore and recovery of real stores: killed processes, flipped bytes, files that were cut off."""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import duckdb
import pytest

from memory_assets.backup.archive import back_up, opened_archive
from memory_assets.backup.errors import BackupInvalidError, FileExistsAlreadyError
from memory_assets.backup.recover import recover
from memory_assets.backup.restore import restore
from memory_assets.log import swap
from memory_assets.log.database import Database
from memory_assets.log.errors import LogTamperedError
from memory_assets.log.links import Sound
from memory_assets_tests.filled_store import fill

Events = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("full")
    fill(home)
    return home


@pytest.fixture
def store(full: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(full, tmp_path / "store"))


def events(home: Path) -> Events:
    database = Database(home)
    with database.reading() as connection:
        assert isinstance(database.verify_links(connection), Sound)
        return connection.execute("SELECT * FROM events ORDER BY seq").fetchall()


def ids(home: Path) -> list[str]:
    return [str(row[1]) for row in events(home)]


def test_a_backup_is_private_whole_and_restores_to_the_same_events(store: Path, tmp_path: Path) -> None:
    (store / "memory.toml").write_text("[search]\n")
    made = back_up(Database(store), tmp_path / "b")
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "store"]
    put = restore(tmp_path / "new", tmp_path / "b")
    assert put.kept_aside is None and put.events == made.events
    assert events(tmp_path / "new") == events(store)
    assert (tmp_path / "new" / "memory.toml").read_text() == "[search]\n"


def test_nothing_is_overwritten_without_being_asked_and_the_old_store_is_kept(store: Path, tmp_path: Path) -> None:
    back_up(Database(store), tmp_path / "b")
    with pytest.raises(FileExistsAlreadyError):
        back_up(Database(store), tmp_path / "b")
    with pytest.raises(FileExistsAlreadyError):
        restore(store, tmp_path / "b")
    before = events(store)
    kept = restore(store, tmp_path / "b", force=True).kept_aside
    assert kept is not None and events(Path(kept)) == before == events(store)


def test_a_log_that_was_changed_is_no_backup(store: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(store / "memory.duckdb")) as connection:
        connection.execute("UPDATE events SET actor = 'forged' WHERE seq = 3")
    with pytest.raises(LogTamperedError):
        back_up(Database(store), tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("damage", ["flip", "cut", "text", "path", "missing"])
def test_a_backup_that_is_damaged_or_hostile_changes_nothing(store: Path, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "b"
    back_up(Database(store), file)
    before = events(store)
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 4
        file.write_bytes(content)
    elif damage == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif damage == "text":
        file.write_text("no backup")
    elif damage == "missing":
        file.unlink()
    else:
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("../../outside", "x")
    with pytest.raises(BackupInvalidError):
        restore(store, file, force=True)
    assert not (tmp_path / "outside").exists() and not (tmp_path.parent / "outside").exists()
    assert events(store) == before


def test_any_flipped_bit_of_a_backup_is_seen(full: Path, tmp_path: Path) -> None:
    back_up(Database(full), tmp_path / "b")
    content, chance = (tmp_path / "b").read_bytes(), random.Random(1)
    for _ in range(150):
        damaged = bytearray(content)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(BackupInvalidError), opened_archive(tmp_path / "damaged"):
            pass


def test_a_swap_that_a_kill_left_is_carried_through_by_whoever_opens_the_store(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    Database(other).reading().__enter__()
    already_open = Database(store)
    with already_open.reading():
        pass
    staged = store / "store.staged"
    staged.mkdir()
    for name in ("memory.duckdb", "store.tip"):
        shutil.copy(other / name, staged / name)
    swap.begin(store, staged, "replaced-1")
    # Killed between two renames.
    (store / "replaced-1").mkdir()
    (store / "memory.duckdb").rename(store / "replaced-1" / "memory.duckdb")
    with already_open.reading() as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchall() == [(0,)]
    assert not swap.is_waiting(store) and not staged.exists()
    assert len(events(store / "replaced-1")) > 0


PROGRAM = """
import sys; from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.backup.archive import back_up
from memory_assets.backup.restore import restore
if sys.argv[1] == "backup": back_up(Database(Path(sys.argv[2])), Path(sys.argv[3]), force=True)
else: restore(Path(sys.argv[2]), Path(sys.argv[3]), force=True)
"""


def kill_at_random(what: str, home: Path, file: Path, rounds: int, full: Path) -> int:
    """Kill a process at random moments; everything that it left is as it was, or done. How many kills met it alive."""
    chance = random.Random(rounds)
    wanted = events(full)
    command = [sys.executable, "-c", PROGRAM, what, str(home), str(file)]
    started = time.monotonic()
    subprocess.run(command, check=True)
    whole = time.monotonic() - started
    killed = 0
    for _ in range(rounds):
        process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3, 1) * whole)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert events(home) == wanted
        with opened_archive(file) as (archive, _):
            assert archive.testzip() is None
    subprocess.run(command, check=True)
    assert events(home) == wanted
    assert not [
        path for path in (*file.parent.iterdir(), *home.iterdir()) if "unfinished" in path.name or "staged" in path.name
    ]
    return killed


@pytest.mark.long
@pytest.mark.parametrize("what", ["backup", "restore"])
def test_a_process_that_is_killed_leaves_nothing_half(store: Path, full: Path, tmp_path: Path, what: str) -> None:
    back_up(Database(store), tmp_path / "b")
    kill_at_random(what, store, tmp_path / "b", 2, full)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "rounds"), [("backup", 20), ("restore", 10)])
def test_many_processes_are_killed(store: Path, full: Path, tmp_path: Path, what: str, rounds: int) -> None:
    back_up(Database(store), tmp_path / "b")
    assert kill_at_random(what, store, tmp_path / "b", rounds, full) >= rounds // 2


def flip(path: Path, chance: random.Random) -> None:
    with path.open("r+b") as file:
        for _ in range(3):
            at = chance.randrange(path.stat().st_size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << chance.randrange(8)]))


def check_recovered(store: Path, to: Path, whole: Events) -> int:
    """What is saved is what was written, in its order, and what is not is named. How many events were lost."""
    found = recover(store / "memory.duckdb", to)
    lost = {item.seq for item in found.lost}
    saved = [row[1:4] for row in events(to)]
    assert saved == [row[1:4] for row in whole if row[0] not in lost]
    assert found.events == len(saved) == found.proven + found.by_checksum
    return len(lost)


@pytest.mark.long
@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_flipped_bytes(store: Path, tmp_path: Path, rounds: int) -> None:
    with Database(store).held() as connection:
        connection.execute("CHECKPOINT")
    whole, chance, lost = events(store), random.Random(rounds), []
    for number in range(rounds):
        shutil.copytree(store, tmp_path / "damaged", dirs_exist_ok=True)
        flip(tmp_path / "damaged" / "memory.duckdb", chance)
        lost.append(check_recovered(tmp_path / "damaged", tmp_path / f"new-{number}", whole))
        shutil.rmtree(tmp_path / f"new-{number}")
    print("lost", lost)


@pytest.mark.long
@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_files_that_were_cut_off_are_recovered_with_a_backup(store: Path, tmp_path: Path, rounds: int) -> None:
    back_up(Database(store), tmp_path / "b")
    whole, chance = events(store), random.Random(rounds)
    for number in range(rounds):
        shutil.copytree(store, tmp_path / "damaged", dirs_exist_ok=True)
        file = tmp_path / "damaged" / "memory.duckdb"
        os.truncate(file, chance.randrange(file.stat().st_size))
        check_recovered(tmp_path / "damaged", tmp_path / f"new-{number}", whole)
        found = recover(file, tmp_path / f"with-{number}", backup=tmp_path / "b")
        assert found.lost == () and ids(tmp_path / f"with-{number}") == ids(store)
