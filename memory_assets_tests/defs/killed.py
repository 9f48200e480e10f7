"""A command in a process of its own, which is killed at a chosen moment as if the power had gone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# A moment is a statement of SQL, or a file of the store that is opened, renamed or deleted. The last line that is printed names
# the moment at which the process was killed, or how many there were.
_PROGRAM = """
import os, signal, sys
import duckdb
from memory_assets.cli.main import main
home, last, count = os.environ["MEMORY_HOME"], int(sys.argv[1]), 0
touching = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "sqlite3.connect"}
def moment(what):
    global count
    count += 1
    if count == last:
        os.write(1, f"{' '.join(what.split())[:100]}\\n".encode())
        os.kill(os.getpid(), signal.SIGKILL)
def watch(event, arguments):
    if event in touching and arguments and home in str(arguments[0]):
        moment(f"{event} {str(arguments[0]).removeprefix(home)}")
execute = duckdb.DuckDBPyConnection.execute
def executed(connection, statement, *others, **named):
    moment(str(statement))
    return execute(connection, statement, *others, **named)
duckdb.DuckDBPyConnection.execute = executed
sys.addaudithook(watch)
code = main(sys.argv[2:])
print(f"\\n{count}")
sys.exit(code)
"""
_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Killed:
    """How a command ended.

    Attributes:
        code: -9 of a process that was killed.
        last: what it was about to do then, or how many moments there were.
    """

    code: int
    last: str
    complaints: str


def killed(home: Path, moment: int, *command: str) -> Killed:
    """Run a command that is killed at its so-manieth moment; 0 lets it end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DAGSTER_"))}
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(moment), *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=_REPOSITORY,
        env=environment | {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "hashing"},
    )
    return Killed(ended.returncode, (ended.stdout.strip().splitlines() or [""])[-1], ended.stderr[-3000:])
