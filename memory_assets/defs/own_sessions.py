"""Sessions that this package brought about itself are no memories.

An extraction model may be an agent that keeps transcripts of what it was asked, and these may lie where sessions are looked
for: importing them would remember every session twice, and ask the model about its own questions. They are known by the lines
that stand around each message of a request (``extraction.llm.request``), and by a working directory inside MEMORY_HOME, where
nobody but this package works.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path, PurePath

from memory_assets.sessions.model import Defect, Session, SourceTaken

# The system prompt may stand before it, as a message of its own or in the same one.
_REQUEST = re.compile(r"<<<message \d{1,9} (?:user|assistant|tool|system)(?: \(context\))? [0-9a-f]{16}>>>\n")
_FIRST_MESSAGES = 2
_FIRST_CHARACTERS = 20_000


def without_own_sessions(taken: SourceTaken, home: Path) -> tuple[SourceTaken, list[Defect]]:
    """A file without the sessions that this package brought about, and each of those by its reason."""
    own = [session for session in taken.sessions if is_own_session(session, home)]
    if not own:
        return taken, []
    passed_over = [
        Defect(taken.path, None, "own_session", f"session {session.session_id} is this package's own work") for session in own
    ]
    return replace(taken, sessions=tuple(session for session in taken.sessions if session not in own)), passed_over


def is_own_session(session: Session, home: Path) -> bool:
    """Whether it is a transcript of our own requests, or was held inside MEMORY_HOME."""
    if session.cwd is not None and PurePath(session.cwd).is_relative_to(home):
        return True
    return any(_REQUEST.search(message.text, 0, _FIRST_CHARACTERS) for message in session.messages[:_FIRST_MESSAGES])
