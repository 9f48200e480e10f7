"""Sessions of agents that keep no record which is read: what was said in them, written as a file that is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory_assets.hooks.folders import HookFolders, replace_file
from memory_assets.hooks.journal import JournalLine, JournalSession
from memory_assets.sessions.readers.chat_v1 import SCHEMA
from memory_assets.sessions.times import parse_time


def write_session(folders: HookFolders, session: JournalSession, *, session_id: str) -> Path | None:
    """Add what the journal has of a session to its file; the file, None where nothing was said.

    The file keeps what it holds, so the journal may forget it; a message has the id of its call, so that it stands there once.
    """
    path = folders.sessions / session.agent / f"{session.path.stem}.json"
    if session_id != session.session_id:
        path = path.with_name(f"{session.path.stem}.prompts.json")
    held = _messages_of(path)
    known = {message.get("id") for message in held}
    new = [message for message in _said(session.lines) if message["id"] not in known]
    if not new:
        return path if held else None
    messages = sorted([*held, *new], key=lambda message: str(parse_time(message.get("ts")) or ""))
    chat = {"schema_version": SCHEMA, "session_id": session_id, "cwd": session.cwd, "messages": messages}
    replace_file(path, json.dumps(chat, indent=1) + "\n")
    return path


def _said(lines: Sequence[JournalLine]) -> list[dict[str, Any]]:
    return [
        {"id": line.call_id, "role": role, "content": text, "ts": line.at.isoformat()}
        for line in lines
        for role, text in (("user", line.prompt), ("assistant", line.said))
        if text
    ]


def _messages_of(path: Path) -> list[dict[str, Any]]:
    try:
        messages = json.loads(path.read_text(encoding="utf-8"))["messages"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
