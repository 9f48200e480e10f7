"""Four machines take sessions in at once, are killed, cut off and left by their server: one log, the same tables."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.depth import depth
from memory_assets_tests.fleet.machines import ROOT, Machine
from memory_assets_tests.fleet.test_machines import derived_rows
from memory_assets_tests.postgres.databases import There

MACHINES = 4
SESSIONS = depth(3, 100)
"""Of each machine."""
KILLS = depth(4, 40)
# What happens at a moment that is drawn: a machine dies, every connection is cut, the server dies and comes back.
HAPPENINGS = ("machine", "machine", "connections", "server")
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

# What each session alone gives, whoever took it in and in whatever order: outcomes across sessions rest on what was there.
_OF_SESSIONS = """SELECT event_id FROM events WHERE event_type IN
  ('session_ingested', 'memory_extracted', 'evidence_aligned', 'entry_materialized', 'entries_materialized')
ORDER BY event_id"""


def importing(machine: Machine, folder: Path) -> subprocess.Popen[bytes]:
    """A machine that takes a folder in."""
    command = [sys.executable, "-m", "memory_assets", "import", str(folder)]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, env=machine.environment(), cwd=ROOT, stdout=nothing, stderr=nothing)


def happens(what: str, there: There, process: subprocess.Popen[bytes]) -> None:
    """One of the kills."""
    if what == "machine":
        process.kill()
        process.wait()
    elif what == "connections":
        there.rows(CUT)
    else:
        there.server.stop(signal.SIGQUIT)
        there.server.start()


def of_sessions(home: Path) -> list[tuple[object, ...]]:
    """The ids of what each session alone gives."""
    with Database(home).reading() as connection:
        return connection.execute(_OF_SESSIONS).fetchall()


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_four_machines_that_are_killed_take_everything_in_once(there18: There, tmp_path: Path) -> None:
    chance = random.Random(11)
    machines = [Machine(tmp_path / f"home{number}", there18.address.url) for number in range(MACHINES)]
    folders = [tmp_path / f"inbox{number}" for number in range(MACHINES)]
    for number, folder in enumerate(folders):
        for place in range(SESSIONS):
            chat(folder, f"talk-{number}-{place}", talk(number * SESSIONS + place))
    waiting = dict(enumerate(zip(machines, folders, strict=True)))
    running = {number: importing(*pair) for number, pair in waiting.items()}
    kills = 0
    while running:
        time.sleep(chance.uniform(1.0, 4.0))
        for number in [number for number, process in running.items() if process.poll() is not None]:
            if running.pop(number).returncode:
                running[number] = importing(*waiting[number])
        if kills < KILLS and running:
            number = chance.choice(list(running))
            happens(HAPPENINGS[kills % len(HAPPENINGS)], there18, running[number])
            kills += 1
    assert kills == KILLS
    for machine in machines:
        machine.run("run", "--all")
    for machine in machines:
        machine.run("mirror", "update")
        assert machine.json("mirror", "verify")["equal"]
    first, *others = [derived_rows(machine.home) for machine in machines]
    assert len(first["sessions"]) == MACHINES * SESSIONS
    for other in others:
        assert {table for table in first if first[table] != other[table]} == set()
    assert machines[0].json("rebuild", "--verify")["equal"]
    alone = Machine(tmp_path / "alone", "")
    for folder in folders:
        alone.run("import", str(folder))
    assert of_sessions(alone.home) == of_sessions(machines[0].home)
