"""A writer that is killed leaves whole batches: none half there, none lost that it had been told of."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.links import Sound
from memory_assets_tests.depth import depth

pytestmark = pytest.mark.usefixtures("made_anew")

# Batches of other sizes, so that a half one is known by its count; the number is printed once the log has said it is there.
WRITER = """
import sys
from pathlib import Path
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets_tests.log.samples import taken

log = EventLog(Database(Path(sys.argv[1])))
batch = int(sys.argv[2])
while True:
    size = 1 + batch * 7 % 60
    log.append([taken(n, session_id=f"batch-{batch}", file_hash="x" * 4000) for n in range(size)])
    print(batch, flush=True)
    batch += 1
"""


def size_of(batch: int) -> int:
    """How many events the writer puts into a batch."""
    return 1 + batch * 7 % 60


def write_and_kill(folder: Path, first: int, seconds: float) -> list[int]:
    """The batches that a writer was told of before it was killed so long after it began to write."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(first)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert process.stdout is not None
    told = [process.stdout.readline()]
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    rest, complaints = process.communicate()
    assert told[0], complaints
    # The last line may be cut; what it acknowledges is not known then.
    return [int(line) for line in (told[0] + rest).splitlines(keepends=True) if line.endswith("\n")]


def kill_again_and_again(folder: Path, kills: int, seed: int) -> int:
    """Kill writers at random moments and look at the log after each. How many batches survived."""
    chance = random.Random(seed)
    acknowledged: set[int] = set()
    first = 0
    for _ in range(kills):
        acknowledged |= set(write_and_kill(folder, first, chance.uniform(0.0, 0.4)))
        database = Database(folder)
        with database.reading() as connection:
            assert isinstance(database.verify_links(connection), Sound)
        events = list(EventLog(database).replay())
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        found = Counter(int(str(event.session_id).removeprefix("batch-")) for event in events)
        assert {batch: count for batch, count in found.items() if count != size_of(batch)} == {}
        assert acknowledged <= set(found)
        # Written but not acknowledged: the one batch that the kill came upon.
        assert len(set(found) - acknowledged) <= kills
        first = max(found) + 1
    return len(found)


def test_a_killed_writer_leaves_whole_batches(tmp_path: Path) -> None:
    assert kill_again_and_again(tmp_path, kills=2, seed=1) > 2


@pytest.mark.slow
def test_a_writer_killed_sixty_times_leaves_whole_batches(tmp_path: Path) -> None:
    assert kill_again_and_again(tmp_path, kills=60, seed=2) > 60


@pytest.mark.long
@pytest.mark.deep
def test_a_store_killed_while_it_is_made_can_be_made(tmp_path: Path) -> None:
    chance = random.Random(3)
    for _ in range(depth(2, 4)):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), "0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
        )
        deadline = time.monotonic() + 20
        while not (tmp_path / "store.lock").exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.08))
        process.kill()
        process.wait()
        list(EventLog(Database(tmp_path)).replay())
        for path in tmp_path.iterdir():
            path.unlink()
