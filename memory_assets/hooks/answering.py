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
from memory_assets.hooks.telling import told_after_compaction, told_at_start, told_with_prompt
from memory_assets.sessions.masking.redaction import redact_text

if TYPE_CHECKING:
    from memory_assets.memory import Memory

_MOST_COMPACTED = 1_000


class HookAnswerer:
    """Answers the calls of all agents over one store; may be asked from several threads."""

    def __init__(self, memory: Memory) -> None:
        """Answer from the memory of a façade, which is warm or becomes so."""
        self._memory = memory
        self._folders = HookFolders(memory.settings.hooks_folder)
        self._compacted: dict[str, None] = {}  # sessions that lost something and were not told of it yet
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
        has_lost = self._has_lost_something(call)
        if not takes_context(call):
            return {}
        try:
            return reply(call, self._told(call, has_lost=has_lost))
        except MemoryAssetsError:
            return {}  # a store that is busy, new or broken has nothing to tell; commands say what is wrong with it

    def _masked(self, text: str) -> str:
        return redact_text(text, self._memory.resources.redaction_policy).text if text else text

    def _told(self, call: HookCall, *, has_lost: bool) -> str:
        hooks = self._memory.settings.hooks
        if has_lost:
            return told_after_compaction(self._memory, call, hooks.session_tokens)
        if call.event == "session-start":
            return told_at_start(self._memory, call, hooks.session_tokens)
        return told_with_prompt(self._memory, call, hooks.prompt_tokens)

    def _has_lost_something(self, call: HookCall) -> bool:
        """Whether the session was compacted and hears of it now: at its new start, or at a prompt where there is none."""
        session = call.session_id or ""
        with self._lock:
            if call.event == "pre-compact":
                self._compacted[session] = None
                while len(self._compacted) > _MOST_COMPACTED:
                    self._compacted.pop(next(iter(self._compacted)))
                return False
            if not takes_context(call):
                return False
            was_compacted = session in self._compacted
            self._compacted.pop(session, None)
        return was_compacted or (call.event == "session-start" and call.source == "compact")
