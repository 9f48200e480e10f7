"""The spool and the journal: what was said is never lost, and told by one source alone."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_assets.hooks import taking
from memory_assets.hooks.events import hook_call
from memory_assets.hooks.folders import HookFolders
from memory_assets.hooks.ignored import leave_out
from memory_assets.hooks.journal import JournalLine, drop, journal_sessions, note
from memory_assets.hooks.records import held_by
from memory_assets.hooks.spool import SPOOL_FILE
from memory_assets.hooks.taking import sources_to_take, taken
from memory_assets.sessions.model import SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets.settings import Settings
from memory_assets_tests.filled_store import test_settings as settings_of

SESSION = "0199a213-81c0-7800-8aa1-bbab2a035a53"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = settings_of(tmp_path / "store")
    (settings.hooks_folder / "spool").mkdir(parents=True)
    return settings


class Agent:
    """Who calls while no server answers: every call is a line of the spool."""

    def __init__(self, settings: Settings, agent: str, session_id: str = SESSION, record: Path | None = None) -> None:
        self.settings, self.agent, self.count = settings, agent, 0
        self.common = {"session_id": session_id, "cwd": "/srv/shop"} | ({"transcript_path": str(record)} if record else {})

    def call(self, event: str, *, ago: float = 0, **said: Any) -> str:
        self.count += 1
        at = datetime.now(UTC) - timedelta(seconds=ago)
        stamp = {"id": f"{self.agent}-{self.count}", "at": at.isoformat()}
        self.write({"event": event, "agent": self.agent, "payload": {**self.common, **said, "memory_assets": stamp}})
        return at.isoformat()

    def write(self, value: object) -> None:
        with (self.settings.hooks_folder / "spool" / SPOOL_FILE).open("a") as file:
            file.write(json.dumps(value) + "\n")


def record_line(number: int, role: str, text: str, at: str) -> str:
    message = {"role": role, "content": text}
    return json.dumps({"type": role, "sessionId": SESSION, "uuid": f"u{number}", "timestamp": at, "message": message}) + "\n"


def prompts(settings: Settings) -> list[str]:
    return [line.prompt for one in journal_sessions(HookFolders(settings.hooks_folder)) for line in one.prompts]


def said_in(path: Path) -> list[tuple[str, str]]:
    outcome = read_source(str(path), path.read_bytes(), explicit=True)
    assert isinstance(outcome, SourceTaken), outcome
    (session,) = outcome.sessions
    assert session.project == "shop"
    return [(message.role, message.text) for message in session.messages]


def test_the_spool_goes_into_the_journal_masked_and_away(settings: Settings) -> None:
    agent = Agent(settings, "claude-code", record=Path("/srv/none.jsonl"))
    agent.call("user-prompt-submit", prompt="고쳐줘 <private>급여</private>")
    agent.call("user-prompt-submit", prompt="고쳐줘")
    agent.call("user-prompt-submit", prompt="고쳐줘")
    assert sources_to_take(settings) == []
    assert prompts(settings) == ["고쳐줘 [PRIVATE]", "고쳐줘", "고쳐줘"], "what is said twice is said twice"
    assert list((settings.hooks_folder / "spool").iterdir()) == []


def test_a_drain_that_was_killed_is_done_again_and_nothing_stands_twice(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent(settings, "codex", record=Path("/srv/none.jsonl"))
    for number in range(5):
        agent.call("user-prompt-submit", prompt=f"prompt {number}")
    kept = 0

    def killed(*arguments: Any) -> None:
        nonlocal kept
        if kept == 3:
            raise OSError("killed")
        note(*arguments)
        kept += 1

    with monkeypatch.context() as patch:
        patch.setattr(taking, "note", killed)
        with pytest.raises(OSError, match="killed"):
            sources_to_take(settings)
    assert prompts(settings) == ["prompt 0", "prompt 1", "prompt 2"]
    agent.call("user-prompt-submit", prompt="prompt 5")
    sources_to_take(settings)
    assert prompts(settings) == [f"prompt {number}" for number in range(6)]


def test_who_still_writes_into_the_renamed_spool_is_waited_for(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    agent = Agent(settings, "codex", record=Path("/srv/none.jsonl"))
    agent.call("user-prompt-submit", prompt="first")
    spool = settings.hooks_folder / "spool" / SPOOL_FILE
    monkeypatch.setattr("memory_assets.hooks.spool._WAIT_SECONDS", 0.05)
    with spool.open("a") as writer:
        fcntl.flock(writer, fcntl.LOCK_SH)
        sources_to_take(settings)
        assert prompts(settings) == []
        payload = {"session_id": SESSION, "transcript_path": "/srv/none.jsonl", "prompt": "second"}
        writer.write(json.dumps({"event": "user-prompt-submit", "agent": "codex", "payload": payload}) + "\n")
    sources_to_take(settings)
    assert sorted(prompts(settings)) == ["first", "second"]


def test_a_cut_line_and_a_payload_that_is_no_json_cost_no_other(settings: Settings) -> None:
    agent = Agent(settings, "codex", record=Path("/srv/none.jsonl"))
    agent.call("user-prompt-submit", prompt="before")
    broken = f'{{"session_id": "{SESSION}", "transcript_path": "/srv/none.jsonl", "prompt": "half of it", "cwd": "/sr'
    agent.write({"event": "user-prompt-submit", "agent": "codex", "payload": broken})
    with (settings.hooks_folder / "spool" / SPOOL_FILE).open("a") as file:
        file.write('{"event": "user-prompt-submit", "ag\n[1]\n\xff\n')
    agent.call("user-prompt-submit", prompt="behind")
    sources_to_take(settings)
    assert sorted(prompts(settings)) == ["before", "behind", "half of it"]


def test_a_record_is_taken_when_its_agent_rests_and_what_it_holds_is_forgotten(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="고쳐줘  ghp_" + "a1B2" * 9)
    record.write_text(record_line(1, "user", "고쳐줘 ghp_" + "a1B2" * 9, at))
    assert sources_to_take(settings) == [], "its turn goes on"
    agent.call("user-prompt-submit", prompt="/review the cache")
    agent.call("user-prompt-submit", prompt="typed and not written yet")
    agent.call("stop")
    with record.open("a") as file:
        command = "<command-name>/review</command-name>\n<command-args>the cache</command-args>"
        file.write(record_line(2, "user", command, at) + record_line(3, "assistant", "고쳤습니다.", at))
    assert sources_to_take(settings) == [record]
    assert sources_to_take(settings) == [record], "it was not taken"
    taken(settings, [record])
    assert prompts(settings) == ["typed and not written yet"]
    assert sources_to_take(settings) == []
    later = agent.call("session-end")
    with record.open("a") as file:
        file.write(record_line(4, "user", "typed and not written yet", later))
    assert sources_to_take(settings) == [record]
    taken(settings, [record])
    assert prompts(settings) == []
    assert [*settings.hooks_folder.glob("sessions/*/*")] == [], "one source tells a session"


def test_what_is_written_while_a_record_is_taken_is_taken_next(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="one")
    agent.call("stop")
    record.write_text(record_line(1, "user", "one", at))
    assert sources_to_take(settings) == [record]
    with record.open("a") as file:
        file.write(record_line(2, "assistant", "done", at))
    taken(settings, [record])
    assert sources_to_take(settings) == []
    os.utime(record, (1_700_000_000, 1_700_000_000))
    assert sources_to_take(settings) == [record], "it lies still"


def test_a_record_from_a_day_that_lies_ahead_is_not_waited_for(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="one")
    record.write_text(record_line(1, "user", "one", at))
    assert sources_to_take(settings) == [], "somebody may be writing"
    os.utime(record, (time.time() + 86_400,) * 2)
    assert sources_to_take(settings) == [record]


def test_a_prompt_that_is_said_twice_is_held_twice_before_it_is_forgotten(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="계속")
    record.write_text(record_line(1, "user", "계속", at))
    agent.call("user-prompt-submit", prompt="계속")
    agent.call("stop")
    taken(settings, sources_to_take(settings))
    assert prompts(settings) == ["계속"]


def test_an_old_message_of_a_record_is_not_what_was_typed_now(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text(record_line(1, "user", "계속", "2026-01-01T00:00:00Z"))
    agent = Agent(settings, "claude-code", record=record)
    agent.call("user-prompt-submit", prompt="계속")
    agent.call("stop")
    taken(settings, sources_to_take(settings))
    assert prompts(settings) == ["계속"]


def test_what_a_record_never_held_becomes_a_session_of_its_own_after_a_day(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="held", ago=90_000)
    agent.call("user-prompt-submit", prompt="lost with its agent", ago=89_000)
    record.write_text(record_line(1, "user", "held", at))
    os.utime(record, (1_700_000_000, 1_700_000_000))
    found = sources_to_take(settings)
    own = settings.hooks_folder / "sessions" / "claude-code" / f"{SESSION}.prompts.json"
    assert found == [record, own] and said_in(own) == [("user", "lost with its agent")]
    taken(settings, found)
    assert sources_to_take(settings) == [] and prompts(settings) == []


def test_a_session_without_a_record_is_written_as_one_that_grows(settings: Settings) -> None:
    agent = Agent(settings, "cursor", session_id="대화 1")
    agent.call("user-prompt-submit", prompt="Move the cache to Redis.")
    assert sources_to_take(settings) == []
    agent.call("stop", text="Moved.")
    (own,) = sources_to_take(settings)
    assert said_in(own) == [("user", "Move the cache to Redis."), ("assistant", "Moved.")]
    assert prompts(settings) == [] and own.stat().st_mode & 0o777 == 0o600
    taken(settings, [own])
    assert sources_to_take(settings) == []
    agent.call("user-prompt-submit", prompt="And the sessions?", transcript_path="/srv/cursor/transcript.jsonl")
    agent.call("session-end")
    assert sources_to_take(settings) == [own]
    assert said_in(own)[2:] == [("user", "And the sessions?")]
    agent.count = 0
    agent.call("user-prompt-submit", prompt="Move the cache to Redis.")
    agent.call("stop")
    sources_to_take(settings)
    assert len(said_in(own)) == 3, "a call that comes late and again is the same"


def test_a_session_that_rests_is_forgotten_when_its_record_was_taken(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "codex", record=record)
    at = agent.call("user-prompt-submit", prompt="one", ago=7200)
    agent.call("session-end", ago=7000)
    record.write_text(record_line(1, "user", "one", at))
    taken(settings, sources_to_take(settings))
    taken(settings, [])
    assert [*settings.hooks_folder.glob("journal/*/*")] == []
    assert str(record) not in (settings.hooks_folder / "taken.json").read_text()


def test_what_comes_while_lines_are_dropped_stays(settings: Settings) -> None:
    folders = HookFolders(settings.hooks_folder)
    for number in range(2):
        call = hook_call("stop", "codex", {"session_id": "s", "memory_assets": {"id": str(number)}}, now=datetime.now(UTC))
        assert call is not None
        note(folders, call, str)
    (before,) = journal_sessions(folders)
    call = hook_call("user-prompt-submit", "codex", {"session_id": "s", "prompt": "meanwhile"}, now=datetime.now(UTC))
    assert call is not None
    note(folders, call, str)
    drop(folders, before, {"0", "1"}, but_last=False)
    assert prompts(settings) == ["meanwhile"]


def test_a_store_without_hooks_has_nothing_to_take_and_gets_no_folder(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "store")
    assert sources_to_take(settings) == [] and not settings.hooks_folder.exists()
    taken(settings, [])
    assert not settings.hooks_folder.exists()


def test_a_project_that_is_left_out_meanwhile_is_not_taken(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="one")
    record.write_text(record_line(1, "user", "one", at))
    agent.call("stop")
    Agent(settings, "cursor", session_id="c").call("stop", text="Moved.")
    assert record in sources_to_take(settings)
    leave_out(HookFolders(settings.hooks_folder), Path("/srv"))
    (own,) = sources_to_take(settings)
    assert own.parent.name == "cursor", "that was written before"
    assert [*settings.hooks_folder.glob("journal/*/*")] == []


def test_what_an_agent_wrote_around_a_prompt_does_not_make_it_another(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    agent = Agent(settings, "claude-code", record=record)
    at = agent.call("user-prompt-submit", prompt="Move the cache to Redis, please.")
    agent.call("user-prompt-submit", prompt="yes")
    record.write_text(record_line(1, "user", "See @notes.md.\nMove the cache to  Redis, please. yes", at))
    agent.call("stop")
    taken(settings, sources_to_take(settings))
    assert prompts(settings) == ["yes"], "a short word may stand anywhere"


@pytest.mark.parametrize(("ago", "is_held"), [(60, False), (2, True)])
def test_a_prompt_that_goes_on_where_an_earlier_one_ended_is_not_held_by_it(tmp_path: Path, ago: float, is_held: bool) -> None:
    """An agent that was killed wrote the second one nowhere. What was told at the same time is it, in part."""
    now = datetime.now(UTC)
    record = tmp_path / "record.jsonl"
    record.write_text(record_line(1, "user", "Please run all of the tests now", (now - timedelta(seconds=ago)).isoformat()))
    prompt = JournalLine("c1", now, "user-prompt-submit", SESSION, prompt="Please run all of the tests now and commit it all")
    assert (held_by(record, (prompt,), lambda text: text) == {"c1"}) is is_held
