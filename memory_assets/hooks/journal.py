"""What was said in a session, by agent and session, until a file holds it that is taken.

A file a session, a line a call. It is written masked, so what is private never reaches it. A call that arrives twice, once at
the server and once by the spool, is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_assets.hooks.events import HookCall, is_path
from memory_assets.hooks.folders import HookFolders, append_line, private_folder, replace_file
from memory_assets.identifiers import sha256_hex
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.times import parse_time

ENDS_A_TURN = frozenset({"stop", "pre-compact", "session-end"})
_AGENT = re.compile(r"[a-z][a-z0-9-]{0,30}")


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A call as the journal keeps it, its texts masked."""

    call_id: str
    at: datetime
    event: str
    session_id: str
    cwd: str | None = None
    transcript_path: str | None = None
    prompt: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class JournalSession:
    """A session's file of the journal; its lines are in the order in which the calls were made."""

    agent: str
    path: Path
    lines: tuple[JournalLine, ...]

    @property
    def session_id(self) -> str:
        return self.lines[-1].session_id

    @property
    def transcript(self) -> Path | None:
        """The agent's own record, as it was named last."""
        named = (line.transcript_path for line in reversed(self.lines) if line.transcript_path)
        return next((Path(one) for one in named if is_path(one)), None)

    @property
    def cwd(self) -> str | None:
        return next((line.cwd for line in self.lines if line.cwd), None)

    @property
    def last_at(self) -> datetime:
        return self.lines[-1].at

    @property
    def ended_a_turn(self) -> bool:
        """Whether the agent has come to a rest since what was said was taken last."""
        return any(line.event in ENDS_A_TURN for line in self.lines)

    @property
    def prompts(self) -> tuple[JournalLine, ...]:
        """What a person typed."""
        return tuple(line for line in self.lines if line.prompt)


def note(folders: HookFolders, call: HookCall, masked: Callable[[str], str]) -> None:
    """Keep a call; one without a session, and one of a tool, holds nothing that has to be kept.

    Raises:
        OSError: it cannot be written.
    """
    if call.session_id is None or call.event == "post-tool-use":
        return
    line = JournalLine(
        call_id=call.call_id,
        at=call.at,
        event=call.event,
        session_id=call.session_id,
        cwd=call.cwd,
        transcript_path=str(call.transcript_path) if call.transcript_path else None,
        prompt=masked(call.prompt),
        said=masked(call.said),
    )
    with folders.locked():
        path = _path(folders, call.agent, call.session_id)
        private_folder(path.parent)
        append_line(path, _written(line))


def journal_sessions(folders: HookFolders) -> Iterator[JournalSession]:
    """Every session that the journal holds something of."""
    for path in sorted(folders.journal.glob("*/*.jsonl")):
        lines = _lines_of(path)
        if lines:
            yield JournalSession(path.parent.name, path, lines)


def drop(folders: HookFolders, session: JournalSession, call_ids: Collection[str], *, but_last: bool = True) -> None:
    """Take lines out of a session's file; what was added meanwhile stays.

    Args:
        but_last: keep where the session stands: its last line, without what was said in it.
    """
    with folders.locked():
        lines = _lines_of(session.path)
        kept = [line for line in lines if line.call_id not in call_ids]
        if not kept and but_last and lines:
            kept = [_without_words(lines[-1], session.transcript)]
        if kept:
            replace_file(session.path, "".join(_written(line) + "\n" for line in kept))
        else:
            session.path.unlink(missing_ok=True)


def _without_words(line: JournalLine, transcript: Path | None) -> JournalLine:
    event = line.event if line.event == "session-end" else "session-start"
    return JournalLine(
        f"{line.call_id[:60]}-end", line.at, event, line.session_id, line.cwd, str(transcript) if transcript else None
    )


def _path(folders: HookFolders, agent: str, session_id: str) -> Path:
    name = agent if _AGENT.fullmatch(agent) else f"agent-{sha256_hex(agent)[:12]}"
    return folders.journal / name / f"{session_key('chat.v1', session_id)}.jsonl"


def _written(line: JournalLine) -> str:
    values = {key: value for key, value in asdict(line).items() if value}
    return json.dumps({**values, "at": line.at.isoformat()}, ensure_ascii=True, separators=(",", ":"))


def _lines_of(path: Path) -> tuple[JournalLine, ...]:
    try:
        written = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ()
    found: dict[str, JournalLine] = {}
    for text in filter(None, written):
        line = _read(text)
        if line is not None:
            found.setdefault(line.call_id, line)
    return tuple(sorted(found.values(), key=lambda line: line.at))


def _read(text: str) -> JournalLine | None:
    """A line; None for one that a full disk cut."""
    try:
        value: Any = json.loads(text)
        at = parse_time(value["at"])
        return None if at is None else JournalLine(**{**value, "at": at})
    except (ValueError, TypeError, KeyError):
        return None
