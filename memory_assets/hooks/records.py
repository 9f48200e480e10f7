"""What an agent's own record of a session holds of what was typed in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memory_assets.hooks.events import READ_TRANSCRIPTS
from memory_assets.hooks.journal import JournalLine, JournalSession
from memory_assets.sessions.files import load_source
from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source

_TELLING_LENGTH = 20
_EARLIER_SECONDS = 120
"""A record may say of a prompt that it was typed a little before the call that told of it."""
_AT_ONCE_SECONDS = 10
"""A message that says a part of a prompt is that prompt only where both were told at once: else the rest would be lost."""


def record_of(session: JournalSession) -> Path | None:
    """The record that a session is taken from; None where its agent keeps none that is read."""
    return session.transcript if session.agent in READ_TRANSCRIPTS else None


def held_by(record: Path, prompts: tuple[JournalLine, ...], masked: Callable[[str], str]) -> set[str]:
    """The calls whose prompts a record holds, each in a message of its own.

    A prompt is in the journal as it is masked, and a command of the agent's in the record as its name and its words.
    """
    typed = _typed(record) if prompts else []
    found: set[str] = set()
    for line in prompts:
        wanted = _folded(line.prompt)
        place = next((place for place, one in enumerate(typed) if _is(one, line, wanted, masked)), None)
        if place is not None:
            del typed[place]
            found.add(line.call_id)
    return found


def _typed(record: Path) -> list[Message]:
    data = load_source(str(record))
    outcome = read_source(str(record), data) if isinstance(data, bytes) else None
    sessions = outcome.sessions if isinstance(outcome, SourceTaken) else ()
    return [message for session in sessions for message in session.messages if message.role == "user"]


def _is(message: Message, line: JournalLine, wanted: str, masked: Callable[[str], str]) -> bool:
    earlier = 0.0 if message.ts is None else (line.at - message.ts).total_seconds()
    if earlier > _EARLIER_SECONDS:
        return False
    text = _folded(message.text)
    if text == wanted or _is_command(text, wanted) or _is_part(text, wanted):
        return True
    if abs(earlier) <= _AT_ONCE_SECONDS and _is_part(wanted, text):
        return True
    # Only what masking changed can say the same in other words.
    return "[" in wanted and _folded(masked(message.text)) == wanted


def _is_part(whole: str, part: str) -> bool:
    """Whether an agent or a reader put something around what was typed, or took it apart; a few words prove nothing."""
    return len(part) >= _TELLING_LENGTH and part in whole


def _is_command(text: str, wanted: str) -> bool:
    name = wanted.split(" ", 1)[0]
    return wanted.startswith("/") and f"<command-name>{name}</command-name>" in text


def _folded(text: str) -> str:
    return " ".join(text.split())
