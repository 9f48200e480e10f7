"""What the memory told an agent is read nowhere as something that was said."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from memory_assets.mcp.ask_tool import ASK_TOOL
from memory_assets.mcp.digest_tools import DIGEST_TOOLS
from memory_assets.mcp.tools import TOOLS as MCP_TOOLS
from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets.sessions.recalled import CLOSING, MARK, OPENING, TOOLS, is_own_tool, unfenced, without_recalled
from memory_assets_tests.sessions.texts import claude, jsonl

TOLD = f"{OPENING}\nWhat is on record.\nWhat holds:\n- mem:a7Bc3x decision, held: “we keep PostgreSQL 16”\n{CLOSING}"
HOOK_OUTPUT = json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": TOLD}})


def messages(*records: Any) -> tuple[Message, ...]:
    outcome = read_source("/logs/s.jsonl", jsonl(*records))
    assert isinstance(outcome, SourceTaken), outcome
    return outcome.sessions[0].messages


def nothing_recalled(found: tuple[Message, ...]) -> bool:
    return not any("PostgreSQL" in message.text or "memory-assets" in message.text for message in found)


@pytest.mark.parametrize(
    "text",
    [
        TOLD,
        f"before {TOLD} behind",
        HOOK_OUTPUT,
        json.dumps(HOOK_OUTPUT),
        HOOK_OUTPUT.replace("<", "\\u003c").replace(">", "\\u003e"),
        TOLD.replace("</", "<\\/"),
        TOLD.replace("<", "&lt;").replace(">", "&gt;"),
        TOLD[: -len(CLOSING) - 3],
        f"{TOLD}\n{TOLD}",
    ],
)
def test_the_element_is_found_however_it_is_written(text: str) -> None:
    assert "PostgreSQL" not in without_recalled(text) and "what else" in without_recalled(f"{text}\n\nwhat else")


def test_what_a_person_writes_around_it_stays() -> None:
    assert without_recalled(f"before\n{TOLD}\nbehind") == "before\n\nbehind"
    assert without_recalled("nothing of it") == "nothing of it"
    assert without_recalled(f"a {unfenced(TOLD)} b") == f"a {unfenced(TOLD)} b", "what was quoted within one opens none"


def test_a_text_full_of_openings_costs_what_it_is_long() -> None:
    def cost(count: int) -> float:
        text, start = f"{OPENING}x " * count, time.process_time()
        without_recalled(text)
        return time.process_time() - start

    cost(100)
    assert cost(40_000) < 20 * max(cost(4_000), 0.002)


def test_claude_code_says_it_in_a_reminder_an_attachment_and_a_prompt() -> None:
    attached = {"type": "hook_success", "hookName": "SessionStart:startup", "content": TOLD, "stdout": HOOK_OUTPUT}
    found = messages(
        claude("attachment", "a1", None, attachment=attached),
        claude("attachment", "a2", None, attachment={"type": "hook_additional_context", "content": [TOLD, TOLD]}),
        claude(
            "user", "u1", f"<system-reminder>\nSessionStart hook additional context: {TOLD}\n</system-reminder>", isMeta=True
        ),
        claude("user", "u2", f"{TOLD}\n\nFix the cache."),
        claude("user", "u3", TOLD),
        claude("assistant", "a3", [{"type": "text", "text": f"I was told: {TOLD}"}]),
    )
    assert nothing_recalled(found)
    assert [message.text for message in found if message.kind == "said"] == ["Fix the cache.", "I was told:"]


def test_the_answers_of_our_own_tools_are_a_mark(subtests: pytest.Subtests) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "mcp__memory__search_memory", "input": {"query": "database"}}
    other = {"type": "tool_use", "id": "t2", "name": "mcp__github__search_memory", "input": {}}
    answers = [
        {"type": "tool_result", "tool_use_id": "t1", "content": "│ we keep PostgreSQL 16"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "│ a text of others"},
    ]
    with subtests.test("claude code"):
        found = messages(claude("assistant", "a1", [call, other]), claude("user", "u1", answers))
        assert nothing_recalled(found)
        assert [one.text for one in found] == ['{"query":"database"}', "{}", MARK, "│ a text of others"]
    with subtests.test("codex"):
        items = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which database?"}]},
            {"type": "function_call", "name": "mcp__memory__ask_memory", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": "we keep PostgreSQL 16"},
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": TOLD}]},
        ]
        heading = {"type": "session_meta", "payload": {"id": "0199a213-81c0-7800-8aa1-bbab2a035a53", "cwd": "/srv/shop"}}
        found = messages(heading, *({"type": "response_item", "payload": item} for item in items))
        assert nothing_recalled(found) and [one.kind for one in found] == ["said", "tool_call", "tool_result"]
    with subtests.test("chat.v1 keeps a message's place"):
        said = [{"role": "user", "content": text} for text in ("one", TOLD, f"{TOLD} three")]
        found = messages({"schema_version": "chat.v1", "session_id": "s", "messages": said})
        assert [one.text for one in found] == ["one", "", "three"]


def test_every_tool_that_quotes_sessions_is_known() -> None:
    say_nothing = {"schema", "doctor", "stats"}  # they quote nobody
    assert {tool.name for tool in (*MCP_TOOLS, *DIGEST_TOOLS, ASK_TOOL)} - say_nothing == TOOLS
    assert all(is_own_tool(f"mcp__memory__{name}") for name in TOOLS)
    assert is_own_tool("mcp__plugin_memory-assets_memory__get_task") and is_own_tool("memory.get_details")
    assert not any(map(is_own_tool, (None, "", "search_memory", "mcp__notes__get_task", "mcp__memory__write")))
