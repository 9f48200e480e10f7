"""Ctrl-C and SIGTERM end a command that works for long within two seconds, and what it acknowledged is kept."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from memory_assets import stopping
from memory_assets.cli.interruption import stoppable
from memory_assets.defs import run
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.run import import_paths
from memory_assets.log.database import Database
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, differing, tables
from memory_assets_tests.depth import cases, depth

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

SECONDS = 2.0
REPOSITORY = Path(__file__).resolve().parents[2]
RUN = "import sys\nfrom memory_assets.__main__ import main\nsys.exit(main())"
# Until the interpreter runs our first line a signal is the kernel's alone.
BEGUN = "import sys\nprint('HERE', file=sys.stderr, flush=True)\n"
# Where an import may be when it is interrupted; each says so and then does not come back by itself.
STUCK = "import sys, time, subprocess\ndef stuck(*_, **__):\n    print('STUCK', file=sys.stderr, flush=True)\n    {how}\n"
PLACES = {
    "inside the embedding model": "import memory_assets.vectors.embedder as it\nit.HashingEmbedder.embed_documents = stuck",
    "inside the extractor": "import memory_assets.defs.stages.extracted as it\nit.extract = stuck",
    "inside a file": "import memory_assets.defs.sources as it\nit.read_source = stuck",
    "while tables are folded": "import memory_assets.defs.stages.projected as it\nit.catch_up = stuck",
    "while Dagster makes its files": "import memory_assets.defs.run as it\nit.dagster_instance = stuck",
    "behind the last stage": "import memory_assets.defs.run as it\nit.outcome_of = stuck",
}
HOW = {
    "asleep": "time.sleep(60)",
    "in a statement": "import duckdb; duckdb.sql('SELECT sum(a.range + b.range) FROM range(9999999) a, range(99999) b').show()",
    "with a child": "subprocess.run(['sleep', '61.25'], start_new_session=True)",
    "and deaf": "exec('while True:\\n try: time.sleep(60)\\n except BaseException: pass')",
}


def _take_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def command(home: Path, *arguments: str, program: str = RUN) -> Iterator[subprocess.Popen[str]]:
    """A command in a process group of its own, as a shell gives it one."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "MEMORY_HOME": str(home), "DAGSTER_HOME": "", "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever runs the tests in a shell's background has SIGINT ignored, and SIGTERM with it once Dagster has run.
        preexec_fn=_take_signals,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def interrupted(process: subprocess.Popen[str], sent: signal.Signals = signal.SIGINT) -> str:
    """Send a signal; what the process says of it on its way out."""
    began = time.monotonic()
    os.killpg(process.pid, sent)
    out, err = process.communicate(timeout=30)
    took = time.monotonic() - began
    assert process.returncode == 130, (process.returncode, f"{took:.2f} s", out[-500:], err[-2000:])
    assert took <= SECONDS, f"it took {took:.2f} s"
    assert "Traceback" not in err and "Exception ignored" not in err and out == "", err
    said = [line for line in err.splitlines() if line.startswith("interrupted")]
    assert len(said) == 1 and "again" in said[0], err
    return said[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(6):
        chat(tmp_path / "inbox", f"talk-{number}", talk(number, 6 + number))
    return tmp_path / "inbox"


def settings_of(home: Path) -> Settings:
    return load_settings({"home": home, "embedding": {"model": "hashing"}})


def goes_on(home: Path, folder: Path, undisturbed: Path) -> None:
    """Another import does the rest, and the tables are those of an import that nobody disturbed."""
    settings = settings_of(home)
    report = import_paths(settings, [folder], project=None)
    assert (report.sessions, report.quarantined, report.errors) == (len(list(folder.iterdir())), 0, [])
    assert differing(tables(settings), tables(settings_of(undisturbed))) == {}
    assert_rebuilds_equal(settings)
    statuses = {run.status for run in dagster_instance(settings).get_runs()}
    assert statuses <= {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE}
    assert import_paths(settings, [folder], project=None).events_appended == 0


@pytest.mark.parametrize(
    "place", cases(["while tables are folded"], [place for place in PLACES if place != "while tables are folded"])
)
def test_an_import_is_interrupted_wherever_it_is(place: str, tmp_path: Path, folder: Path) -> None:
    program = f"{STUCK.format(how=HOW['asleep'])}{PLACES[place]}\n{RUN}"
    with command(tmp_path / "home", "import", str(folder), program=program) as process:
        assert process.stderr is not None
        while process.stderr.readline().strip() != "STUCK":
            assert process.poll() is None
        said = interrupted(process)
    assert re.search(r"\d of 6 sessions are done", said) or place in ("while Dagster makes its files", "inside a file"), said
    if place in ("inside the extractor", "while tables are folded"):
        with pytest.MonkeyPatch.context() as unrecorded:
            records = in_memory()
            unrecorded.setattr(run, "dagster_instance", lambda settings: records)
            import_paths(settings_of(tmp_path / "undisturbed"), [folder], project=None)
        goes_on(tmp_path / "home", folder, tmp_path / "undisturbed")


@pytest.mark.parametrize(
    ("how", "sent"),
    cases(
        # Deaf, and with a child on a terminal, stand in tests of their own.
        [],
        [
            *(("in a statement", sent) for sent in (signal.SIGINT, signal.SIGTERM)),
            *((how, sent) for how in ("with a child", "and deaf") for sent in (signal.SIGINT, signal.SIGTERM)),
        ],
    ),
)
def test_an_import_that_does_not_look_is_cut_off(how: str, sent: signal.Signals, tmp_path: Path, folder: Path) -> None:
    program = f"{STUCK.format(how=HOW[how])}{PLACES['inside a file']}\n{RUN}"
    with command(tmp_path / "home", "import", str(folder), program=program) as process:
        assert process.stderr is not None
        while process.stderr.readline().strip() != "STUCK":
            assert process.poll() is None
        time.sleep(0.3)
        interrupted(process, sent)
    assert subprocess.run(["pgrep", "-f", "^sleep 61.25$"], capture_output=True, check=False).stdout == b""


def test_a_second_signal_ends_it_at_once(tmp_path: Path, folder: Path) -> None:
    program = f"{STUCK.format(how=HOW['and deaf'])}{PLACES['inside a file']}\n{RUN}"
    with command(tmp_path / "home", "import", str(folder), program=program) as process:
        assert process.stderr is not None
        while process.stderr.readline().strip() != "STUCK":
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.2)
        began = time.monotonic()
        interrupted(process)
        assert time.monotonic() - began < 0.6


def test_a_command_that_waits_for_the_store_is_interrupted(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    settings_of(home)
    with Database(home).held(), command(home, "import", str(folder)) as process:
        time.sleep(4)
        interrupted(process)


def test_an_interrupt_is_json_where_json_is_asked_for(tmp_path: Path, folder: Path) -> None:
    program = f"{STUCK.format(how=HOW['asleep'])}{PLACES['inside the extractor']}\n{RUN}"
    with command(tmp_path / "home", "import", str(folder), "--json", program=program) as process:
        assert process.stderr is not None
        while process.stderr.readline().strip() != "STUCK":
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    told = json.loads(err)
    assert (process.returncode, out, told["code"]) == (130, "", "interrupted") and "0 of 6 sessions" in told["message"]


@pytest.mark.deep
def test_a_signal_before_the_command_begins_leaves_no_traceback(tmp_path: Path) -> None:
    program = f"{BEGUN}{RUN}"
    for delay in depth((0.06, 0.2), (0.06, 0.12, 0.2, 0.3)):
        with command(tmp_path / "home", "import", str(tmp_path), program=program) as process:
            assert process.stderr is not None and process.stderr.readline() == "HERE\n"
            time.sleep(delay)
            interrupted(process, signal.SIGTERM if delay > 0.15 else signal.SIGINT)


@pytest.mark.parametrize("sent", cases([signal.SIGINT], [signal.SIGTERM]))
def test_a_signal_behind_the_command_changes_nothing(sent: signal.Signals, tmp_path: Path) -> None:
    wait = "def __del__(self, write=os.write, sleep=time.sleep):\n        write(2, b'ENDS\\n'); sleep(1)\n"
    slow = f"import os, time\nclass Slow:\n    {wait}"
    with command(tmp_path / "home", "schema", program=f"{slow}kept = Slow()\n{RUN}") as process:
        assert process.stderr is not None and process.stdout is not None
        out = process.stdout.readline()
        assert process.stderr.readline() == "ENDS\n"
        os.killpg(process.pid, sent)
        assert (process.wait(timeout=30), process.stderr.read()) == (0, "") and out


def test_ctrl_c_on_a_terminal_gives_the_terminal_back(tmp_path: Path, folder: Path) -> None:
    """The key is pressed: the kernel tells the whole process group of the terminal."""
    screen, before = b"", time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        environment = {**os.environ, "MEMORY_HOME": str(tmp_path / "home"), "DAGSTER_HOME": "", "TERM": "xterm"}
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(REPOSITORY)
        program = f"{STUCK.format(how=HOW['with a child'])}{PLACES['inside the extractor']}\n{RUN}"
        os.execve(sys.executable, [sys.executable, "-c", program, "import", str(folder)], environment)
    try:
        # The bar is drawn by a thread of its own, at its own times: what goes by quickly it may never show.
        drawn = (b"STUCK", b" of 0.0 MB", b"session ", b"extracted")
        while not all(part in screen for part in drawn) and time.monotonic() - before < 60:
            ready, _, _ = select.select([terminal], [], [], 1.0)
            screen += os.read(terminal, 4096) if ready else b""
        assert [part for part in drawn if part not in screen] == [], screen[-500:]
        pressed = time.monotonic()
        os.write(terminal, b"\x03")
        with contextlib.suppress(OSError):  # its other end is closed
            while chunk := os.read(terminal, 4096):
                screen += chunk
        _, status = os.waitpid(process, 0)
        took = time.monotonic() - pressed
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130 and took <= SECONDS
    assert b"Traceback" not in screen and b"interrupted; 0 of 6 sessions are done" in screen
    assert screen.rindex(b"\x1b[?25h") > screen.rindex(b"\x1b[?25l"), "the cursor is left hidden"
    assert [path for path in (tmp_path / "home" / "dagster").rglob("*") if path.suffix in (".out", ".err")] == []


def interrupt_again_and_again(tmp_path: Path, folder: Path, moments: int, seed: int) -> None:
    """Interrupt imports at random moments, each of which goes on behind the one before."""
    before = time.monotonic()
    with command(tmp_path / "timed", "import", str(folder)) as process:
        assert process.wait(timeout=300) == 0
    took = time.monotonic() - before
    chance, home, codes = random.Random(seed), tmp_path / "home", []
    for moment in range(moments):
        with command(home, "import", str(folder), program=f"{BEGUN}{RUN}") as process:
            wait = chance.uniform(0.05, took)
            assert process.stderr is not None and process.stderr.readline() == "HERE\n"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=wait)
            if process.poll() is None:
                pressed = time.monotonic()
                try:
                    interrupted(process, signal.SIGTERM if moment % 3 == 2 else signal.SIGINT)
                except AssertionError:
                    # One that ends at this very moment ends as it would have.
                    if process.returncode != 0 or time.monotonic() - pressed > SECONDS:
                        raise
            codes.append(process.wait(timeout=30))
    assert set(codes) <= {0, 130} and 130 in codes
    goes_on(home, folder, tmp_path / "timed")


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_imports_interrupted_at_twenty_moments_converge(tmp_path: Path, folder: Path) -> None:
    for number in range(6, 40):
        chat(folder, f"talk-{number}", talk(number, 40))
    interrupt_again_and_again(tmp_path, folder, moments=20, seed=12)


def test_work_that_looks_ends_in_order_and_its_error_is_passed_on() -> None:
    def fails() -> int:
        raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        stoppable(fails)()
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def looks() -> int:
        assert threading.current_thread() is not threading.main_thread()
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
        while True:
            time.sleep(0.01)
            stopping.stop_if_asked()

    with pytest.raises(KeyboardInterrupt):
        stoppable(looks)()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert not stopping.is_asked_to_stop()
    assert stoppable(lambda: 7)() == 7
