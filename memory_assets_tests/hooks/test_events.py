"""What agents send is read, however each of them spells it; what none of them sends is no call."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_assets.hooks.events import HOOK_EVENTS, HookCall, event_named, hook_call
from memory_assets.hooks.replies import reply

NOW = datetime(2026, 8, 1, 12, tzinfo=UTC)


def called(event: str, agent: str, payload: Any) -> HookCall:
    call = hook_call(event, agent, payload, now=NOW)
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("SessionStart", "session-start"),
        ("sessionStart", "session-start"),
        ("UserPromptSubmit", "user-prompt-submit"),
        ("beforeSubmitPrompt", "user-prompt-submit"),
        ("BeforeAgent", "user-prompt-submit"),
        ("PostToolUse", "post-tool-use"),
        ("AfterTool", "post-tool-use"),
        ("PreCompact", "pre-compact"),
        ("PreCompress", "pre-compact"),
        ("Stop", "stop"),
        ("AfterAgent", "stop"),
        ("session_end", "session-end"),
        ("PreToolUse", None),
        ("", None),
        ("세션", None),
    ],
)
def test_an_event_is_known_by_every_agents_name_for_it(name: str, event: str | None) -> None:
    assert event_named(name) == event
    assert all(event_named(one) == one for one in HOOK_EVENTS)


def test_claude_code_and_codex_say_a_prompt_with_its_session_and_record() -> None:
    payload = {
        "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
        "transcript_path": "/srv/logs/0199a213.jsonl",
        "cwd": "/srv/shop",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "결제 서버를 고쳐줘",
    }
    call = called("user-prompt-submit", "claude-code", payload)
    assert (call.session_id, call.cwd, call.prompt) == (payload["session_id"], "/srv/shop", "결제 서버를 고쳐줘")
    assert call.transcript_path == Path("/srv/logs/0199a213.jsonl")
    older = {**payload, "user_prompt": payload["prompt"]}
    del older["prompt"]
    assert called("user-prompt-submit", "claude-code", older).prompt == call.prompt
    assert called("stop", "codex", {**payload, "last_assistant_message": "Done."}).said == "Done."


def test_cursor_names_a_conversation_and_folders_also_where_it_reads_the_settings_of_another() -> None:
    payload = {"conversation_id": "c-1", "generation_id": "g-1", "workspace_roots": ["/srv/shop"], "prompt": "go on"}
    call = called("beforeSubmitPrompt", "cursor", payload)
    assert (call.session_id, call.cwd, call.prompt, call.agent) == ("c-1", "/srv/shop", "go on", "cursor")
    other = called("user-prompt-submit", "claude-code", {**payload, "cursor_version": "2.4.0"})
    mine = called("user-prompt-submit", "cursor", {**payload, "cursor_version": "2.4.0"})
    assert other.agent == "cursor" and other.call_id == mine.call_id, "one turn that two settings files tell of is one call"


def test_a_call_that_arrives_twice_has_one_id_and_its_own_time() -> None:
    stamped = {"session_id": "s", "prompt": "yes", "memory_assets": {"id": "ab12", "at": "2026-08-01T10:00:00+00:00"}}
    first, second = called("user-prompt-submit", "codex", stamped), called("user-prompt-submit", "codex", dict(stamped))
    assert first.call_id == second.call_id == "ab12" and first.at == datetime(2026, 8, 1, 10, tzinfo=UTC)
    again = {**stamped, "memory_assets": {"id": "cd34"}}
    assert called("user-prompt-submit", "codex", again).call_id != first.call_id, "the same word said twice is two calls"


@pytest.mark.parametrize(
    "payload",
    [
        {"agent_id": "a1"},
        {"isSidechain": True},
        {"transcript_path": "/home/me/.claude/projects/p/s/subagents/agent-a1.jsonl"},
        {"transcript_path": "/home/me/.claude/projects/p/agent-a1b2.jsonl"},
    ],
)
def test_an_agent_of_the_agent_is_recognised(payload: dict[str, Any]) -> None:
    assert called("stop", "claude-code", {"session_id": "s", **payload}).is_subagent
    assert not called("stop", "claude-code", {"session_id": "s", "transcript_path": "/p/agents/s.jsonl"}).is_subagent


@pytest.mark.parametrize("payload", [None, [], "text", 3, [{}]])
def test_what_is_no_object_is_no_call(payload: Any) -> None:
    assert hook_call("stop", "codex", payload, now=NOW) is None
    assert hook_call("PreToolUse", "codex", {}, now=NOW) is None


def test_fields_of_another_shape_count_as_not_said() -> None:
    odd = {"session_id": 7, "cwd": ["x"], "prompt": {"a": 1}, "transcript_path": "relative.jsonl", "workspace_roots": "x"}
    call = called("user-prompt-submit", "codex", {**odd, "memory_assets": "no", "timestamp": 1e400})
    assert (call.session_id, call.cwd, call.prompt, call.transcript_path, call.at) == (None, None, "", None, NOW)
    assert called("stop", "x", {"text": "half \ud83d a pair"}).said == "half \ufffd a pair"


def test_each_agent_is_answered_in_its_own_form() -> None:
    start = {agent: called("session-start", agent, {}) for agent in ("claude-code", "codex", "gemini", "cursor")}
    for agent in ("claude-code", "codex", "gemini"):
        said = reply(start[agent], "facts")
        assert said == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "facts"}}
    assert reply(start["cursor"], "facts") == {"additional_context": "facts"}
    prompt = {agent: called("user-prompt-submit", agent, {}) for agent in start}
    names = {agent: reply(prompt[agent], "facts")["hookSpecificOutput"]["hookEventName"] for agent in ("codex", "gemini")}
    assert names == {"codex": "UserPromptSubmit", "gemini": "BeforeAgent"}
    assert reply(prompt["cursor"], "facts") == {}, "it takes nothing with a prompt"
    assert reply(start["codex"], "") == {} and reply(called("pre-compact", "claude-code", {}), "facts") == {}


@pytest.mark.parametrize("path", ["/srv/a\0b", "\0", "/srv/a\0"])
def test_what_no_file_can_be_called_counts_as_not_said(path: str) -> None:
    call = called("stop", "claude-code", {"session_id": "s", "cwd": path, "workspace_roots": [path], "transcript_path": path})
    assert (call.cwd, call.transcript_path, call.session_id) == (None, None, "s")
