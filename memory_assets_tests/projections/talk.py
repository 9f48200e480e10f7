"""Sessions with tools in them, as they come in: what passages, episodes and gotchas are made of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from memory_assets.identifiers import sha256_hex
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionHeading, SessionIngested
from memory_assets.sessions.model import Message
from memory_assets_tests.projections.story import STARTED


class Talk:
    """What is said and done, turn by turn."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def user(self, text: str, name: str | None = None) -> Talk:
        return self._add(Message(self._uid, "user", "said", text, name=name))

    def agent(self, text: str, name: str | None = None) -> Talk:
        return self._add(Message(self._uid, "assistant", "said", text, name=name))

    def runs(self, command: str, output: str, *, is_error: bool = False) -> Talk:
        return self.calls("Bash", json.dumps({"command": command}, ensure_ascii=False), output, is_error=is_error)

    def edits(self, path: str) -> Talk:
        return self.calls("Edit", json.dumps({"file_path": path, "old_string": "a", "new_string": "b"}), "updated")

    def calls(self, tool: str, argument: str, output: str, *, is_error: bool = False) -> Talk:
        call_id = f"call-{len(self.messages)}"
        self._add(Message(self._uid, "assistant", "tool_call", argument, tool_name=tool, tool_use_id=call_id))
        return self._add(Message(self._uid, "tool", "tool_result", output, tool_use_id=call_id, is_error=is_error))

    @property
    def _uid(self) -> str:
        return f"m{len(self.messages)}"

    def _add(self, message: Message) -> Talk:
        self.messages.append(message)
        return self


def ingested(
    session_id: str,
    messages: Sequence[Message],
    *,
    project: str | None = "hourglass",
    title: str | None = None,
    cwd: str | None = "/srv/hourglass",
    started: datetime = STARTED,
    after: NewEvent | None = None,
) -> NewEvent:
    """A session with these messages: its first revision, or all of it again behind another."""
    content_hash = sha256_hex(repr(messages))
    return NewEvent(
        SessionIngested(
            revision=1 if after is None else 2,
            heading=SessionHeading(
                source_format="claude_code",
                source_id=session_id,
                title=title,
                project=project,
                cwd=cwd,
                started_at=started,
                parser_version="reader 1",
                redaction_policy="none",
            ),
            content_hash=content_hash,
            messages=list(messages),
        ),
        session_id=session_id,
        inputs=(after.event_id if after else "", content_hash),
        occurred_at=started,
        causation_id=after.event_id if after else None,
        chain_id=(after.chain_id or after.event_id) if after else None,
        project=project,
    )
