"""What hooks keep of what was forgotten: a purge takes it out of the spool, the journal and the sessions that hooks wrote.

These files are ours, so they do not keep what nothing else does. An agent's own record is a file of somebody else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.errors import UnavailableError
from memory_assets.hooks.folders import HookFolders, replace_file
from memory_assets.hooks.journal import JournalSession, drop, journal_sessions
from memory_assets.hooks.taking import empty_spool, only_taker
from memory_assets.memory import Memory
from memory_assets.queries.sessions import messages_of
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.times import parse_time

if TYPE_CHECKING:
    from memory_assets.results.sessions import MessageView
    from memory_assets.settings import Settings

_FORGOTTEN = "█"


def purge_kept(settings: Settings, sessions: Mapping[str, bool]) -> None:
    """Take out what was forgotten of these sessions; of one that is wholly gone, all that is kept of it.

    Args:
        sessions: by key, and whether nothing of it is left.

    Raises:
        OSError: the folder of the hooks cannot be written.
        UnavailableError: somebody takes in what hooks told of, and would write what is gone again; a purge that is run again
            goes on here.
    """
    folders = HookFolders(settings.hooks_folder)
    if not folders.root.is_dir() or not sessions:
        return
    with only_taker(settings, wait_seconds=settings.store.lock_timeout_seconds) as is_alone:
        if not is_alone:
            raise UnavailableError("what hooks told of is being taken in", hint="run the command again: it goes on here")
        _purge_folder(settings, folders, sessions)


def _purge_folder(settings: Settings, folders: HookFolders, sessions: Mapping[str, bool]) -> None:
    empty_spool(settings)
    memory = Memory(settings)
    for session in list(journal_sessions(folders)):
        key = session.path.stem
        if key in sessions:
            left = [] if sessions[key] else _overwritten(memory, key)
            _purge_journal(folders, session, left, wholly=sessions[key])
    for path in list(folders.sessions.glob("*/*.json")):
        _purge_written(memory, path, sessions)


def _overwritten(memory: Memory, key: str) -> list[MessageView]:
    """The messages of which something was forgotten."""
    return [message for message in memory.read(messages_of, key) if _FORGOTTEN in message.text]


def _purge_journal(folders: HookFolders, session: JournalSession, left: Sequence[MessageView], *, wholly: bool) -> None:
    gone = {line.call_id for line in session.lines if wholly or any(_was(one.text, line.prompt) for one in left)}
    if gone:
        drop(folders, session, gone, but_last=not wholly)


def _purge_written(memory: Memory, path: Path, sessions: Mapping[str, bool]) -> None:
    try:
        written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        key = session_key("chat.v1", str(written["session_id"]))
        messages: list[dict[str, Any]] = written["messages"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # none of ours
    if key not in sessions:
        return
    if sessions[key]:
        path.unlink(missing_ok=True)
        return
    left = {(message.role, message.ts): message.text for message in _overwritten(memory, key)}
    told = [message | _kept(left, message) for message in messages]
    if told != messages:
        replace_file(path, json.dumps({**written, "messages": told}, indent=1) + "\n")


def _kept(left: Mapping[Any, str], message: Mapping[str, Any]) -> dict[str, str]:
    """What the store has of a message of which something was forgotten; nothing of any other."""
    text = left.get((message.get("role"), parse_time(message.get("ts"))))
    return {} if text is None else {"content": text}


def _was(left: str, text: str) -> bool:
    """Whether a text is the one of which this is left."""
    return len(left) == len(text) and all(one in (other, _FORGOTTEN, " ") for one, other in zip(left, text, strict=True))
