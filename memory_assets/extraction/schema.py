"""What every extractor answers: memories as quotes, never as offsets."""

from __future__ import annotations

from dataclasses import dataclass

from memory_assets.vocabulary import EntryType, Priority, TaskStatus


@dataclass(frozen=True, slots=True)
class Quote:
    """Verbatim text of one message. ``message_index`` counts the session's messages from 0."""

    message_index: int
    quote: str


@dataclass(frozen=True, slots=True)
class StatusAt:
    """What was said of a task's status in one message."""

    status: TaskStatus
    message_index: int


@dataclass(frozen=True, slots=True)
class ExtractedEntry:
    """One memory as an extractor proposes it.

    Attributes:
        title: one line, in the session's language.
        evidence: at least one quote of 30 to 200 characters (recommended), first the one that carries the memory.
        reason: for decisions, the reason when it was quoted too.
        status, priority, blocked_by: for tasks only, None or empty elsewhere.
        history: of a task whose status changed within the session what it was told to be, in the order of the messages; the
            last is ``status``. At most ``history.MOST_STEPS``, each in a message that ``evidence`` quotes; empty without a
            change.
    """

    entry_type: EntryType
    title: str
    evidence: tuple[Quote, ...]
    reason: str | None = None
    status: TaskStatus | None = None
    priority: Priority | None = None
    blocked_by: tuple[str, ...] = ()
    history: tuple[StatusAt, ...] = ()
