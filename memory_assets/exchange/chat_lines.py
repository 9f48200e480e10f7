"""The conversations as ``chat.v1``, a session a line: what its reader gives is what is here, as far as the format carries it.

A message keeps its place, so that addresses hold. What chat.v1 has no word for keeps its place without its text: what an agent
thought, called or was told by another agent would be read as something that was said, and what a source says no longer as if it
still did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.exchange.format import line_of
from memory_assets.exchange.snapshot import Chosen, chosen_histories
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Message
from memory_assets.sessions.readers.chat_v1 import SCHEMA

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.log.session_history import History


class ChatLines:
    """The sessions of a snapshot that have messages.

    Attributes:
        sessions: how many lines were taken.
    """

    def __init__(self, database: Database, chosen: Chosen) -> None:
        self._database = database
        self._chosen = chosen
        self.sessions = 0

    def lines(self) -> Iterator[bytes]:
        """A line for each session."""
        for history in chosen_histories(self._database, self._chosen):
            self.sessions += 1
            yield line_of(_session(history))


def _session(history: History) -> dict[str, Any]:
    heading = history.heading
    said = {
        "schema_version": SCHEMA,
        "session_id": history.session_id,
        "title": heading.title,
        "project": heading.project,
        "cwd": heading.cwd,
        "git_branch": heading.git_branch,
        "started_at": heading.started_at.isoformat(),
    }
    return {
        **{name: value for name, value in said.items() if value is not None},
        "messages": _messages(history.messages, with_ids=not heading.ordinal_uids),
    }


def _messages(messages: Sequence[Message], *, with_ids: bool) -> list[dict[str, Any]]:
    return [
        {
            **({"id": message.uid} if with_ids else {}),
            "role": _role(message),
            **({"ts": message.ts.isoformat()} if message.ts else {}),
            **_named(message),
            "content": message.text if _has_word(message) else "",
        }
        for message in messages
    ]


def _has_word(message: Message) -> bool:
    """Whether chat.v1 can say what the message is."""
    return not message.sidechain and message.kind in ("said", "injected", "tool_result")


def _role(message: Message) -> str:
    if message.kind == "tool_result":
        return "tool"
    if message.kind == "injected" and not _is_seen_as_injected(message):
        # In whoever's name a program spoke: read under it, it would be their word.
        return "system"
    return message.role


def _is_seen_as_injected(message: Message) -> bool:
    if message.role != "user":
        return False
    parts = user_parts(message.text)
    return bool(parts) and all(part.kind == "injected" for part in parts)


def _named(message: Message) -> dict[str, str]:
    if message.kind != "tool_result":
        return {"name": message.name} if message.name else {}
    told = {"name": message.tool_name, "tool_call_id": message.tool_use_id}
    return {key: value for key, value in told.items() if value}
