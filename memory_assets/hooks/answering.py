"""What a running server does when an agent calls: it keeps what was said, and tells what the memory has."""

from __future__ import annotations

import contextlib
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memory_assets.errors import MemoryAssetsError
from memory_assets.hooks.events import HookCall, hook_call
from memory_assets.hooks.folders import HookFolders
from memory_assets.hooks.ignored import is_left_out
from memory_assets.hooks.installing import refresh_script
from memory_assets.hooks.journal import note
from memory_assets.hooks.replies import reply, takes_context
from memory_assets.hooks.telling import is_known, told_after_compaction, told_at_start, told_with_prompt
from memory_assets.sessions.masking.redaction import redact_text

if TYPE_CHECKING:
    from memory_assets.memory import Memory

_MOST_SESSIONS = 1_000
"""Sessions of which something is remembered between calls."""


class HookAnswerer:
    """Answers the calls of all agents over one store; may be asked from several threads."""

    def __init__(self, memory: Memory) -> None:
        """Answer from the memory of a façade, which is warm or becomes so."""
        self._memory = memory
        self._folders = HookFolders(memory.settings.hooks_folder)
        self._compacted: dict[str, None] = {}  # sessions that lost something and were not told of it yet
        self._met: dict[str, None] = {}  # sessions that were told something, or had the chance
        self._lock = threading.Lock()
        with contextlib.suppress(OSError):  # the one that is there does as well
            refresh_script(self._folders, memory.settings)

    def answer(self, event: str, agent: str, payload: dict[str, Any]) -> dict[str, Any]:
        """What the hook prints: the agent's own form, or an empty object. What the call says is in the journal then.

        Raises:
            OSError, ConfigInvalidError: nothing can be kept, or not masked; who called keeps the call. Nothing else is raised,
                whatever the payload is.
        """
        call = hook_call(event, agent, payload, now=datetime.now(UTC))
        if call is None or call.is_subagent or is_left_out(self._folders, call.cwd):
            return {}
        note(self._folders, call, self._masked)
        has_lost, is_first = self._has_lost_something(call), self._is_first(call)
        if not takes_context(call):
            return {}
        try:
            return reply(call, self._told(call, has_lost=has_lost, is_first=is_first))
        except MemoryAssetsError:
            return {}  # a store that is busy, new or broken has nothing to tell; commands say what is wrong with it

    def _masked(self, text: str) -> str:
        return redact_text(text, self._memory.resources.redaction_policy).text if text else text

    def _told(self, call: HookCall, *, has_lost: bool, is_first: bool) -> str:
        hooks = self._memory.settings.hooks
        if has_lost:
            return told_after_compaction(self._memory, call, hooks.session_tokens)
        if call.event == "session-start":
            return told_at_start(self._memory, call, hooks.session_tokens)
        # A session that began before the server did was told nothing then: it is what started the server.
        missed = is_first and not is_known(self._memory, call)
        start = told_at_start(self._memory, call, hooks.session_tokens) if missed else ""
        return "\n".join(filter(None, (start, told_with_prompt(self._memory, call, hooks.prompt_tokens))))

    def _is_first(self, call: HookCall) -> bool:
        """Whether this server meets a session now, at something that can be told."""
        with self._lock:
            return takes_context(call) and _add(self._met, call.session_id or "")

    def _has_lost_something(self, call: HookCall) -> bool:
        """Whether the session was compacted and hears of it now: at its new start, or at a prompt where there is none."""
        session = call.session_id or ""
        with self._lock:
            if call.event == "pre-compact":
                _add(self._compacted, session)
            if not takes_context(call):
                return False
            was_compacted = session in self._compacted
            self._compacted.pop(session, None)
        return was_compacted or (call.event == "session-start" and call.source == "compact")


def _add(sessions: dict[str, None], session: str) -> bool:
    """Remember a session, and forget the one that was met longest ago where there are many; whether it is new."""
    is_new = session not in sessions
    sessions.pop(session, None)
    sessions[session] = None
    while len(sessions) > _MOST_SESSIONS:
        sessions.pop(next(iter(sessions)))
    return is_new
