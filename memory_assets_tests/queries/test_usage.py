"""What searches deliver is counted once, by whoever writes next, whatever happens in between."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.usage import take_shown
from memory_assets.projections.fold import catch_up
from memory_assets.search import usage
from memory_assets.search.usage import note_shown
from memory_assets.settings import Settings
from memory_assets_tests.depth import cases
from memory_assets_tests.filled_store import fill
from memory_assets_tests.filled_store import test_settings as store_settings

MEMORY = ("entry", "mem_1")
PASSAGE = ("passage", "shop-1#u1")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return store_settings(tmp_path)


@pytest.fixture
def resources(settings: Settings) -> Resources:
    return Resources(settings)


@pytest.fixture
def database(resources: Resources) -> Database:
    return resources.database


def counted(resources: Resources) -> dict[tuple[str, str], int]:
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT g.unit_kind, coalesce(n.source_id, g.source_hash), g.shown FROM unit_usage g
                LEFT JOIN (SELECT unnest({[MEMORY[1], PASSAGE[1]]}) AS source_id) n ON md5(n.source_id) = g.source_hash"""
        ).fetchall()
    return {(unit_kind, source_id): shown for unit_kind, source_id, shown in rows}


def counted_of_units(resources: Resources) -> dict[tuple[str, str], int]:
    """What is counted of the units that there are; the table names no others."""
    with resources.database.reading() as connection:
        rows = connection.execute("SELECT unit_kind, source_id, shown FROM v_unit_standing WHERE shown > 0").fetchall()
        ((named,),) = connection.execute(
            "SELECT count(*) FROM unit_usage WHERE source_hash LIKE '%shop%' OR source_hash LIKE 'mem%'"
        ).fetchall()
    assert not named
    return {(unit_kind, source_id): shown for unit_kind, source_id, shown in rows}


def spools(settings: Settings) -> list[Path]:
    return sorted((settings.home / "usage").glob("*"))


def test_deliveries_are_counted_with_their_times(settings: Settings, resources: Resources) -> None:
    assert take_shown(resources) == 0 and not settings.home.joinpath("memory.duckdb").exists()
    note_shown(settings, [MEMORY, PASSAGE])
    note_shown(settings, [MEMORY])
    note_shown(settings, [])
    assert take_shown(resources) == 3
    assert counted(resources) == {MEMORY: 2, PASSAGE: 1} and spools(settings) == []
    note_shown(settings, [MEMORY])
    assert (take_shown(resources), take_shown(resources)) == (1, 0)
    with resources.database.reading() as connection:
        rows = connection.execute("SELECT shown, first_at, last_at FROM unit_usage WHERE unit_kind = 'entry'")
        shown, first, last = rows.fetchall()[0]
    assert shown == 3 and first < last


def test_no_text_is_written_and_only_its_user_reads_it(settings: Settings) -> None:
    note_shown(settings, [MEMORY])
    (spool,) = spools(settings)
    assert json.loads(spool.read_text())["shown"] == [list(MEMORY)]
    assert set(json.loads(spool.read_text())) == {"at", "shown"}
    assert spool.stat().st_mode & 0o777 == 0o600 and spool.parent.stat().st_mode & 0o777 == 0o700


def test_it_never_raises_and_never_waits_for_the_store(settings: Settings, resources: Resources, tmp_path: Path) -> None:
    with resources.database.writing():
        started = time.perf_counter()
        note_shown(settings, [MEMORY])
        assert time.perf_counter() - started < 0.5
    in_the_way = store_settings(tmp_path / "other")
    in_the_way.home.mkdir()
    (in_the_way.home / "usage").write_text("a file where the folder would be")
    note_shown(in_the_way, [MEMORY])
    note_shown(in_the_way, [("entry", object())])  # type: ignore[list-item]


def test_half_lines_and_foreign_ones_cost_only_themselves(settings: Settings, resources: Resources) -> None:
    note_shown(settings, [MEMORY])
    (spool,) = spools(settings)
    strange = [
        b'{"at": "2025-01-01T00:00',
        b"[1]",
        b'"x"',
        b'{"at": 5, "shown": []}',
        b'{"at": "never", "shown": [["a", "b"]]}',
    ]
    strange += [
        b'{"at": "2025-01-01T00:00:00+00:00", "shown": [["a"], 3]}',
        b'{"at": "2025-01-01T00:00:00", "shown": [[1, 2]]}',
    ]
    strange += [b"\xff\xfe", b"[" * 5_000]
    with spool.open("ab") as file:
        file.write(b"\n".join(strange))
    note_shown(settings, [PASSAGE])
    assert take_shown(resources) == 2 and counted(resources) == {MEMORY: 1, PASSAGE: 1}


def test_the_spool_is_bounded(settings: Settings, resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "MOST_SPOOLED_BYTES", 1_000)
    for _ in range(50):
        note_shown(settings, [MEMORY])
    (spool,) = spools(settings)
    assert 900 < spool.stat().st_size <= 1_000
    # While the store takes nothing, no second spool is put beside the first.
    spool.rename(spool.with_name("taken-full.ndjson"))
    with (spools(settings)[0]).open("ab") as file:
        file.write(b"\n" * 200)
    note_shown(settings, [PASSAGE])
    take_shown(resources)
    assert PASSAGE not in counted(resources) and [path.name for path in spools(settings)] == ["shown.ndjson"]
    take_shown(resources)
    assert counted(resources)[PASSAGE] == 1


@pytest.mark.long
@pytest.mark.parametrize("point", cases(["in the count", "behind the commit"], ["before the count", "before the commit"]))
def test_a_kill_loses_nothing_and_counts_nothing_twice(settings: Settings, resources: Resources, point: str) -> None:
    note_shown(settings, [MEMORY, PASSAGE])
    catch_up(resources.database, resources.configured_versions)
    done = subprocess.run([sys.executable, "-c", _KILLED, str(settings.home), point], capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    note_shown(settings, [MEMORY])
    take_shown(resources)
    take_shown(resources)
    assert counted(resources) == {MEMORY: 2, PASSAGE: 1} and spools(settings) == []
    # An event for each spool that was counted.
    note_shown(settings, [MEMORY])
    take_shown(resources)
    with resources.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM events WHERE event_type = 'usage_counted'").fetchall() == [(3,)]


_KILLED = """
import os, sys
from pathlib import Path
from memory_assets.configuration import Resources
from memory_assets.log.database import Database
from memory_assets.maintenance import usage
from memory_assets_tests.filled_store import test_settings as store_settings

settings, point = store_settings(Path(sys.argv[1])), sys.argv[2]
resources = Resources(settings)
die = lambda *_, **__: os._exit(9)
if point == "before the count":
    usage._count = die
if point == "in the count":
    usage.uses_in = die
if point == "before the commit":
    count = usage._count
    usage._count = lambda *given: (count(*given), die())
if point == "behind the commit":
    Path.unlink = die
usage.take_shown(resources)
"""


def _search(home: Path, times: int) -> None:
    settings = store_settings(home)
    for _ in range(times):
        note_shown(settings, [MEMORY])


def _take(home: Path, times: int) -> None:
    resources = Resources(store_settings(home))
    for _ in range(times):
        take_shown(resources)


@pytest.mark.long
def test_many_processes_write_while_others_count(settings: Settings, resources: Resources) -> None:
    catch_up(resources.database, resources.configured_versions)
    context = multiprocessing.get_context("spawn")
    work: list[tuple[Callable[[Path, int], None], int]] = [(_search, 300)] * 2 + [(_take, 20)]
    processes = [context.Process(target=target, args=(settings.home, times)) for target, times in work]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    take_shown(resources)
    assert counted(resources) == {MEMORY: 600}


def test_who_writes_while_it_is_taken_over_writes_into_the_next_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The spool is renamed between its opening and the line.
    note_shown(settings, [PASSAGE])
    real = os.open

    def opened(path: Path, *rest: int) -> int:
        descriptor = real(path, *rest)
        monkeypatch.setattr(os, "open", real)
        Path(path).rename(Path(path).with_name("taken-now.ndjson"))
        return descriptor

    monkeypatch.setattr(os, "open", opened)
    note_shown(settings, [MEMORY])
    first, second = spools(settings)
    assert "mem_1" in first.read_text() and "mem_1" not in second.read_text()
    assert (first.name, second.name) == ("shown.ndjson", "taken-now.ndjson")


def test_counts_of_a_forgotten_sessions_passages_go_with_it(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    resources = Resources(settings)
    database = resources.database
    note_shown(settings, [PASSAGE, ("passage", "notes-2#u0")])
    take_shown(resources)
    EventLog(database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("asked",))])
    catch_up(resources.database, resources.configured_versions, resolve=True)
    note_shown(settings, [PASSAGE])
    take_shown(resources)
    assert counted_of_units(resources) == {("passage", "notes-2#u0"): 1}


@pytest.mark.long
@pytest.mark.parametrize("shown", [("passage", "shop-1/2#u1"), ("entry", "mem_gone"), ("episode", "shop-1")])
def test_counts_of_what_is_forgotten_are_gone_before_anything_else_is_shown(tmp_path: Path, shown: tuple[str, str]) -> None:
    settings = fill(tmp_path)
    resources = Resources(settings)
    database = resources.database
    with resources.database.reading() as connection:
        kept = connection.execute(
            "SELECT unit_kind, source_id FROM memory_units WHERE session_id = 'notes-2' ORDER BY unit_id"
        ).fetchall()[0]
    note_shown(settings, [shown, kept])
    take_shown(resources)
    EventLog(database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("asked",))])
    catch_up(resources.database, resources.configured_versions, resolve=True)
    assert counted_of_units(resources) == {kept: 1}
    # What was spooled before it was forgotten and is counted behind that is not counted.
    note_shown(settings, [shown, kept])
    take_shown(resources)
    assert counted_of_units(resources) == {kept: 2}
