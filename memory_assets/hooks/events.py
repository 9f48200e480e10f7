"""What an agent calls out with, whichever agent it is: read widely, for every one spells it otherwise and changes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.sessions.times import parse_time
from memory_assets.text.half_characters import HALF

HookEvent = Literal["session-start", "user-prompt-submit", "post-tool-use", "pre-compact", "stop", "session-end"]
HOOK_EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
Agent = Literal["claude-code", "codex", "cursor", "gemini"]
AGENTS: tuple[Agent, ...] = get_args(Agent)
READ_TRANSCRIPTS = frozenset({"claude-code", "codex"})
"""Agents whose own record of a session is a format that is read."""

STAMP = "memory_assets"
"""The key under which the installed script says which call it is and when it was made: one that arrives twice is one."""

_SPELLINGS: dict[str, HookEvent] = {
    **{name.replace("-", ""): name for name in HOOK_EVENTS},
    "beforesubmitprompt": "user-prompt-submit",
    "beforeagent": "user-prompt-submit",
    "aftertool": "post-tool-use",
    "precompress": "pre-compact",
    "afteragent": "stop",
    "afteragentresponse": "stop",
}
_NOT_LETTERS = re.compile(r"[^a-z]+")
_SUBAGENT_PATH = re.compile(r"(?:^|[/\\])(?:subagents[/\\]|agent-)[^/\\]*$")


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call.

    Attributes:
        agent: one of :data:`AGENTS`, or what somebody else calls itself.
        call_id: names the call; the same call that arrives twice has the same.
        at: when it was made.
        source: of a session that starts: ``startup``, ``resume``, ``clear``, ``compact``; of others what set them off.
        prompt: what the person typed.
        said: what the agent said last, where it says so.
        is_subagent: an agent of the agent calls; what it is told is no person's word.
    """

    event: HookEvent
    agent: str
    call_id: str
    at: datetime
    session_id: str | None = None
    cwd: str | None = None
    transcript_path: Path | None = None
    source: str = ""
    prompt: str = ""
    said: str = ""
    is_subagent: bool = False


def event_named(name: str) -> HookEvent | None:
    """The event that is called so here or by an agent; None for one that nobody knows."""
    return _SPELLINGS.get(_NOT_LETTERS.sub("", name.lower()))


def hook_call(event: str, agent: str, payload: Any, *, now: datetime) -> HookCall | None:
    """The call that an agent's JSON is; None for an event that is not known or what is no object.

    Whatever of it has not the shape that is expected counts as not said.
    """
    known = event_named(event)
    if known is None or not isinstance(payload, Mapping):
        return None
    caller = "cursor" if _text(payload, "cursor_version") else agent  # it reads the settings of Claude Code too
    session_id = _text(payload, "session_id", "conversation_id", "sessionId", "conversationId", "thread_id")
    prompt = _text(payload, "prompt", "user_prompt") if known == "user-prompt-submit" else ""
    said = _text(payload, "last_assistant_message", "prompt_response", "text") if known == "stop" else ""
    transcript = _text(payload, "transcript_path", "transcriptPath")
    return HookCall(
        event=known,
        agent=caller,
        call_id=_call_id(payload, [caller, session_id, known, prompt, said]),
        at=_moment(payload) or now,
        session_id=session_id or None,
        cwd=_folder(payload),
        transcript_path=Path(transcript) if is_path(transcript) and Path(transcript).is_absolute() else None,
        source=_text(payload, "source", "trigger", "reason")[:40],
        prompt=prompt,
        said=said,
        is_subagent=_is_subagent(payload, transcript),
    )


def is_path(text: str) -> bool:
    """Whether a text can name a file: none has a character of the value 0 in its name."""
    return bool(text) and "\0" not in text


def _text(payload: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value.strip():
            return value if value.isascii() else HALF.sub("\ufffd", value)  # halves of a pair can neither be hashed nor stored
    return ""


def _folder(payload: Mapping[str, Any]) -> str | None:
    """Where the agent works: it says so, or names the folders of its window."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    named = _text(payload, "cwd") or _text({"root": first}, "root")
    return named if is_path(named) else None


def _stamp(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    stamp = payload.get(STAMP)
    return stamp if isinstance(stamp, Mapping) else {}


def _call_id(payload: Mapping[str, Any], what: list[str]) -> str:
    turn = _text(payload, "generation_id", "turn_id", "prompt_id")
    stamped = _text(_stamp(payload), "id")
    if stamped and not turn:
        return stamped[:64]
    # Two settings files may both name us: then one turn calls twice, each time with a stamp of its own.
    return sha256_hex(canonical_json([*what, turn]))[:32]


def _moment(payload: Mapping[str, Any]) -> datetime | None:
    return parse_time(_stamp(payload).get("at")) or parse_time(payload.get("timestamp"))


def _is_subagent(payload: Mapping[str, Any], transcript: str) -> bool:
    # The transcript of a sub-agent lies beside that of the session, or in a folder of its own.
    told = bool(payload.get("isSidechain")) or bool(_text(payload, "agent_id", "parent_conversation_id", "subagent_id"))
    return told or _SUBAGENT_PATH.search(transcript) is not None
