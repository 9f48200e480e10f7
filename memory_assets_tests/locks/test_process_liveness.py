"""A process is known to be gone by its lock."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from memory_assets.locks.process_liveness import is_alive, runner_name

WAITS = """
import sys
from pathlib import Path
from memory_assets.locks.process_liveness import runner_name
print(runner_name(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_a_process_is_alive_until_it_is_killed_and_its_lock_is_cleared_away(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    name = other.stdout.readline().strip()
    assert is_alive(tmp_path, name)
    mine = runner_name(tmp_path)
    assert is_alive(tmp_path, mine) and is_alive(tmp_path, name) and mine == runner_name(tmp_path) != name

    other.send_signal(signal.SIGKILL)
    other.communicate()
    assert not is_alive(tmp_path, name) and is_alive(tmp_path, mine)
    # Who comes next clears away what is nobody's.
    third = subprocess.run([sys.executable, "-c", WAITS, str(tmp_path)], input="", capture_output=True, text=True, check=True)
    left = {path.stem for path in (tmp_path / "runners").glob("*.lock")}
    assert left == {mine, third.stdout.strip()}


def test_a_name_that_nobody_has_is_nobodys(tmp_path: Path) -> None:
    assert not is_alive(tmp_path, "nobody") and not is_alive(tmp_path, "")
