"""What is told back, in the form in which each agent takes it. What it does not take is never sent: Codex refuses such keys."""

from __future__ import annotations

from typing import Any

from memory_assets.hooks.events import HookCall, HookEvent

_NAMES: dict[HookEvent, str] = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit"}
_NAMES_OF_GEMINI: dict[HookEvent, str] = {"session-start": "SessionStart", "user-prompt-submit": "BeforeAgent"}


def takes_context(call: HookCall) -> bool:
    """Whether anything told back at this event reaches the agent's model. Cursor hears nothing with a prompt."""
    return call.event == "session-start" or (call.event == "user-prompt-submit" and call.agent != "cursor")


def reply(call: HookCall, told: str) -> dict[str, Any]:
    """The object that the hook prints; empty where nothing is told."""
    if not told or not takes_context(call):
        return {}
    if call.agent == "cursor":
        return {"additional_context": told}
    names = _NAMES_OF_GEMINI if call.agent == "gemini" else _NAMES
    return {"hookSpecificOutput": {"hookEventName": names[call.event], "additionalContext": told}}
