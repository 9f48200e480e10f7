"""A process that kills itself at the so-manieth step of its work: what it asks of PostgreSQL, and what it does to its files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from memory_assets_tests.fleet.machines import ROOT

_WATCHING = """
import os, signal, sys
import psycopg
last, home, count = int(sys.argv[1]), sys.argv[2], 0
touching = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "sqlite3.connect"}
def step():
    global count
    count += 1
    if count == last:
        os.kill(os.getpid(), signal.SIGKILL)
def watch(event, arguments):
    if event in touching and arguments and home in str(arguments[0]):
        step()
def counted(asked):
    def watched(cursor, query, *arguments, **named):
        # Who holds the lock says so from a thread, as often as it takes.
        if query != "SELECT 1":
            step()
        return asked(cursor, query, *arguments, **named)
    return watched
psycopg.Cursor.execute = counted(psycopg.Cursor.execute)
psycopg.Cursor.copy = counted(psycopg.Cursor.copy)
sys.addaudithook(watch)
"""


def stepped(program: str, home: Path, last: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program that ends itself by SIGKILL at a step, never for 0; the last word that it prints is how many there were.

    Args:
        program: what it does; its own arguments begin at ``sys.argv[3]``.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_") and name != "DAGSTER_HOME"}
    return subprocess.run(
        [sys.executable, "-c", f"{_WATCHING}\n{program}\nprint(count)", str(last), str(home), *map(str, arguments)],
        env=kept | {"MEMORY_EMBEDDING_MODEL": "hashing", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def steps_of(done: subprocess.CompletedProcess[str]) -> int:
    """How many steps a program took that came to its end."""
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


def was_killed(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether it was killed on its way, and did not end by itself."""
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0
