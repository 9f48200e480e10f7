"""Transcripts of one session, as tests make them."""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.sessions.model import Message, SourceFormat
from memory_assets.sessions.rereading import Transcript


def history(*uids: str, text: str = "") -> tuple[Message, ...]:
    return tuple(Message(uid=uid, role="user", kind="said", text=text or f"text of {uid}") for uid in uids)


def ordinal(*texts: str) -> tuple[Message, ...]:
    return tuple(Message(uid=str(n), role="user", kind="said", text=text) for n, text in enumerate(texts))


def records(messages: Sequence[Message], source_format: SourceFormat = "claude_code") -> Transcript:
    return Transcript(source_format, False, tuple(messages))


def page(messages: Sequence[Message], source_format: SourceFormat = "specstory") -> Transcript:
    return Transcript(source_format, True, tuple(messages))


def uids(messages: Sequence[Message]) -> list[str]:
    return [message.uid for message in messages]


def texts(messages: Sequence[Message]) -> list[str]:
    """What is said, superseded messages in parentheses."""
    return [f"({message.text})" if message.superseded_kind else message.text for message in messages]
