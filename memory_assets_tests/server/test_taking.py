"""What is taken in by the server's process: by the settings of the moment, by one process, whatever somebody else broke."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.jobs import LEAVES
from memory_assets.defs.taking import MOST_SECONDS_LEFT, SECONDS_TO_REST, Left, Taken, take_new
from memory_assets.hooks.taking import only_taker
from memory_assets.server import taking as server_taking
from memory_assets.server.activity import Activity
from memory_assets.server.taking import SECONDS_OF_LONG_REST, SECONDS_OF_REST, state_of
from memory_assets.vectors.upkeep import rows_behind
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import rows
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.server.running import environment

SECRET = "ZZT-k3J9dLq0Xw8Z"


class Taker:
    """The process, asked line by line as the server asks it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def take(self) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("take\n")
        self._process.stdin.flush()
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told


@contextmanager
def taker(home: Path) -> Iterator[Taker]:
    command = [sys.executable, "-m", "memory_assets", "serve", "take", "--on-request"]
    environ = environment(home, MEMORY_SESSIONS_SETTLE_SECONDS="0")
    with subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Taker(process)


def journal_line(home: Path, **said: Any) -> None:
    folder = home / "hooks" / "journal" / "claude-code"
    folder.mkdir(parents=True, exist_ok=True)
    line = {"call_id": "c1", "at": "2026-01-01T00:00:00+00:00", "event": "stop", "session_id": "broken", **said}
    (folder / "broken.jsonl").write_text(json.dumps(line) + "\n")


@pytest.mark.long
def test_a_stricter_policy_counts_for_what_is_taken_next(tmp_path: Path) -> None:
    """The process lives for minutes: what a person has masked meanwhile is masked in it too."""
    home, sessions = tmp_path / "home", tmp_path / "home" / "sessions"
    chat(sessions, "before", ["We decided to keep the ledger in one region because backups are simple."])
    with taker(home) as process:
        assert process.take() == {"sessions": 1, "again": True, "error": None}
        policy = tmp_path / "policy.json"
        pattern = {"name": "code", "kind": "SECRET:code", "literals": ["ZZT-"], "pattern": "ZZT-[A-Za-z0-9]{8,24}"}
        policy.write_text(json.dumps({"policy_id": "mine", "version": 2, "patterns": [pattern]}))
        (home / "memory.toml").write_text(f'[privacy]\npolicy_file = "{policy}"\n')
        chat(sessions, "behind", [f"We decided to call the release {SECRET} because nobody else does."])
        told = process.take()
        assert told["sessions"] >= 1, told
    kept = [path for path in home.rglob("*") if path.is_file() and path.parent != sessions]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []
    told_texts = [text for (text,) in rows(settings_of(home), "SELECT text FROM messages")]
    assert any("call the release" in text for text in told_texts) and not any(SECRET in text for text in told_texts)


@pytest.mark.long
def test_a_broken_settings_file_is_told_and_holds_nobody_up_when_it_is_mended(tmp_path: Path) -> None:
    home = tmp_path / "home"
    chat(home / "sessions", "one", ["We decided to keep the ledger in one region because backups are simple."])
    (home / "memory.toml").write_text("this is no toml")
    with taker(home) as process:
        assert "config_invalid" in process.take()["error"]
        (home / "memory.toml").unlink()
        assert process.take() == {"sessions": 1, "again": True, "error": None}


@pytest.mark.long
@pytest.mark.parametrize("named", ["/srv/a\0b.jsonl", "/" + "x" * 5_000, "/srv/\udcff.jsonl"])
def test_what_a_hook_told_wrongly_keeps_nothing_else_out(tmp_path: Path, named: str) -> None:
    home = tmp_path / "home"
    chat(home / "sessions", "one", ["We decided to keep the ledger in one region because backups are simple."])
    journal_line(home, transcript_path=named)
    with taker(home) as process:
        assert process.take()["sessions"] == 1
        assert process.take()["sessions"] == 0


@pytest.mark.long
def test_two_do_not_take_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    chat(home / "sessions", "one", ["We decided to keep the ledger in one region because backups are simple."])
    with taker(home) as process:
        with only_taker(settings_of(home)) as is_alone:
            assert is_alone
            with only_taker(settings_of(home)) as second:
                assert not second
            assert process.take() == {"sessions": 0, "again": True, "error": None}
        assert process.take()["sessions"] == 1


@pytest.mark.long
def test_what_nobody_waits_for_is_done_when_the_agents_have_come_to_a_rest(tmp_path: Path) -> None:
    home, settings = tmp_path / "home", settings_of(tmp_path / "home")
    words = "SELECT count(*) FROM vector_outbox WHERE status <> 'done' AND embedding_version = 'words'"
    vectors = "SELECT count(*) FROM vector_outbox WHERE status <> 'done' AND embedding_version <> 'words'"

    def leaves() -> int:
        instance = dagster_instance(settings)
        return sum(instance.get_latest_materialization_event(leaf.key) is not None for leaf in LEAVES)

    def behind() -> int:
        return rows_behind(Resources(settings).word_index.connect().open_table("words"))

    with taker(home) as process:
        for turn in range(2):
            chat(home / "sessions", f"turn-{turn}", [f"We decided to keep ledger {turn} in one region because it is simple."])
            assert process.take() == {"sessions": 1, "again": True, "error": None}
            assert rows(settings, words) == [(0,)] and rows(settings, vectors)[0][0] > 0 and leaves() == 0
            assert behind() > 0
        time.sleep(SECONDS_TO_REST)
        assert process.take() == {"sessions": 0, "again": False, "error": None}
        assert rows(settings, vectors) == [(0,)] and leaves() == len(LEAVES) and behind() == 0
        # Nothing is left, so nothing is done.
        events_before = rows(settings, "SELECT count(*) FROM events")
        assert process.take() == {"sessions": 0, "again": False, "error": None}
        assert rows(settings, "SELECT count(*) FROM events") == events_before


@pytest.mark.long
def test_what_is_left_is_left_no_longer_than_a_minute(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "home")
    settings = settings.model_copy(update={"sessions": settings.sessions.model_copy(update={"settle_seconds": 0.0})})
    left = Left()
    chat(settings.sessions_folder, "one", ["We decided to keep the ledger in one region because it is simple."])
    assert take_new(settings, left=left) == Taken(1, again=True) and left.since is not None
    left.since -= MOST_SECONDS_LEFT
    chat(settings.sessions_folder, "two", ["We decided to keep the orders in PostgreSQL because it is simple."])
    assert take_new(settings, left=left) == Taken(1, again=False) and left.since is None


def test_the_process_loads_what_it_needs_while_a_hook_is_waited_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    looking = server_taking.Taking(lambda: [tmp_path], tmp_path / "journal", (), {}, Activity(time.monotonic))
    monkeypatch.setattr(server_taking, "SECONDS_BEHIND_A_HOOK", 0.01)
    monkeypatch.setattr(server_taking, "state_of", lambda *_: done.append("looked"))
    monkeypatch.setattr(looking, "_running", lambda: done.append("started"))
    looking.start()
    looking.look_soon()
    until = time.monotonic() + 10
    while len(done) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    looking.end()
    assert done[:2] == ["started", "looked"]


@pytest.mark.parametrize("when", ["before it is started", "while it is looked"])
def test_nothing_is_left_where_the_server_ends_meanwhile(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleeper = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def starting(*_: object, **how: Any) -> subprocess.Popen[str]:
        started.append(popen(sleeper, **how))
        return started[-1]

    looking = server_taking.Taking(lambda: [tmp_path], tmp_path / "journal", (), os.environ, Activity(time.monotonic))
    monkeypatch.setattr(server_taking.subprocess, "Popen", starting)
    monkeypatch.setattr(server_taking, "SECONDS_BEHIND_A_HOOK", 0.01)
    monkeypatch.setattr(server_taking, "state_of", lambda *_: looking.end() or "something new")
    if when == "before it is started":
        looking.end()
        with pytest.raises(OSError, match="any more"):
            looking._running()
    else:
        looking.start()
        looking.look_soon()
        looking._thread.join(20)
        assert not looking._thread.is_alive() and len(started) == 1
    assert all(process.poll() is not None for process in started)


def test_a_link_that_leads_nowhere_hides_nothing(tmp_path: Path) -> None:
    folder, journal = tmp_path / "sessions", tmp_path / "hooks" / "journal"
    (folder / "below").mkdir(parents=True)
    (folder / "a.lnk").symlink_to(tmp_path / "gone")
    before = state_of([folder], journal, 0)
    (folder / "b.json").write_text("{}")
    between = state_of([folder], journal, 0)
    (folder / "below" / "c.json").write_text("{}")
    assert len({before, between, state_of([folder], journal, 0)}) == 3


def test_what_hooks_told_of_is_looked_at_again_though_no_file_changes(tmp_path: Path) -> None:
    """A prompt whose agent was killed comes to a rest by time alone."""
    journal = tmp_path / "hooks" / "journal"
    assert state_of([tmp_path], journal, 0) == state_of([tmp_path], journal, 10 * SECONDS_OF_REST)
    journal_line(tmp_path)
    told_at = 1_000 * SECONDS_OF_LONG_REST
    os.utime(journal / "claude-code" / "broken.jsonl", (told_at, told_at))

    def state(seconds: float) -> object:
        return state_of([tmp_path], journal, told_at + seconds)

    assert state(1) == state(SECONDS_OF_REST - 1) and len({state(n * SECONDS_OF_REST) for n in range(5)}) == 5
    # An hour later nobody is expected any more, and it is looked at now and then.
    later = 2 * SECONDS_OF_LONG_REST
    assert state(later) == state(later + 5 * SECONDS_OF_REST) != state(later + SECONDS_OF_LONG_REST)


def test_what_a_server_does_by_itself_makes_nobody_want_it() -> None:
    now = [0.0]
    activity = Activity(lambda: now[0])
    with activity.going_on():
        now[0] = 10.0
        assert activity.idle_seconds() == 0
    with activity.going_on(is_wanted=False):
        now[0] = 20.0
        assert activity.idle_seconds() == 0
    assert activity.idle_seconds() == 10
    activity.note()
    assert activity.idle_seconds() == 0
