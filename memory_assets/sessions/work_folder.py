"""The folder that a session worked in, where its file does not name it: by what its tools call by a whole path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from memory_assets.sessions.draft import SessionDraft
from memory_assets.sessions.model import Message

_WHOLE: Final = re.compile(r"(?<![\w.~/@:-])((?:[A-Za-z]:)?(?:/[\w.@+-]+){2,30})")
_RELATIVE: Final = re.compile(r"(?<![\w./~@:-])(?:\./)?((?:[\w.@+-]+/){1,30}[\w@+-][\w.@+-]*)")
_DRIVE: Final = re.compile(r"(?<![\w.~/@:-])[A-Za-z]:\\[\w.@+\\-]+")
_FILE: Final = re.compile(r"[^/]\.\w{1,12}$")
_HIDDEN: Final = re.compile(r"/\.(?!worktrees/|conductor/|github/|(?:claude|cursor)/worktrees/|[^/]+$)")
"""In a tool's own folder ("~/.cache", "~/.claude/plans"): nobody's work."""
_OF_THE_AGENT: Final = re.compile(r"/\.claude/projects/([\w-]{2,300})/([\w-]{8,80})")
"""Claude Code keeps a session's files under its id, in a folder that is called by the path of the work."""


def folder_of_work(draft: SessionDraft) -> str | None:
    """The folder that relative paths of the session are relative to; None where nothing tells.

    What is called ``pkg/cloud/sync.go`` somewhere and ``/srv/mina/shop/pkg/cloud/sync.go`` in a tool's call lies in
    ``/srv/mina/shop``. Most paths decide, of equal folders the deeper one; names alone are looked at, for the machine may be
    another one.
    """
    calls = [_slashes(message.text) for message in draft.messages if message.kind == "tool_call"]
    whole = {path for text in calls for path in _WHOLE.findall(text)}
    if not whole:
        return None
    if (named := _named_by_the_agent(calls, draft.source_id, whole)) is not None:
        return named
    files = _relative(draft.messages, of_windows=any(path[1:2] == ":" for path in whole))
    relative = files | {folder for path in files for folder in _folders(path)}
    found = Counter(folder for path in whole if (folder := _in_front(path, relative)) is not None)
    return max(found, key=lambda folder: (found[folder], folder.count("/"), folder)) if found else None


def _named_by_the_agent(calls: Sequence[str], source_id: str, whole: Iterable[str]) -> str | None:
    """A folder of these paths that the agent's own folder for this session is called by."""
    names = {name for text in calls for name, session in _OF_THE_AGENT.findall(text) if session == source_id}
    folders = {path[:end] for path in whole for end in range(len(path) + 1) if names and path[end : end + 1] in ("/", "")}
    fitting = sorted(folder for folder in folders if re.sub(r"[^A-Za-z0-9]", "-", folder) in names)
    return fitting[0] if fitting else None


def _in_front(path: str, relative: set[str]) -> str | None:
    """What stands in front of the longest end of a path that is told as a relative one."""
    if _HIDDEN.search(path):
        return None
    parts = path.split("/")
    places = range(2, len(parts) - 1)
    return next(("/".join(parts[:place]) for place in places if "/".join(parts[place:]) in relative), None)


def _folders(path: str) -> list[str]:
    """The folders of a relative path that have two names or more: one alone ("docs") is in many places."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(2, len(parts))]


def _slashes(text: str) -> str:
    """The text with the whole paths of Windows in it as others write theirs."""
    return _DRIVE.sub(lambda path: re.sub(r"\\+", "/", path[0]), text) if ":\\" in text else text


def _relative(messages: Iterable[Message], *, of_windows: bool) -> set[str]:
    """The files that are told by relative paths.

    Args:
        of_windows: a backslash may stand in a path; elsewhere it is what a line break is written with.
    """
    texts = [message.text for message in messages]
    texts += [re.sub(r"\\+", "/", text) for text in texts if of_windows and "\\" in text]
    return {path for text in texts for path in _RELATIVE.findall(text) if _FILE.search(path)}
