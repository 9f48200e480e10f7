"""What a history is called and when it began, whichever of its files was taken first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memory_assets.sessions.model import Session


@dataclass(frozen=True, slots=True)
class Heading:
    """What sources say of a session beside its messages.

    Attributes:
        started_at: by the session's own clock; None where it has none.
    """

    title: str | None = None
    project: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    started_at: datetime | None = None


def heading_of(session: Session) -> Heading:
    """One file's."""
    times = [message.ts for message in session.messages if message.ts is not None]
    started_at = session.started_at or min(times, default=None)
    return Heading(session.title, session.project, session.cwd, session.git_branch, started_at and started_at.astimezone(UTC))


def merge_headings(known: Heading, incoming: Heading, *, leads: bool) -> Heading:
    """Two files' together.

    Args:
        leads: the incoming file tells the beginning of the history, so its words come first; otherwise it fills gaps.
    """
    first, second = (incoming, known) if leads else (known, incoming)
    times = [moment for moment in (known.started_at, incoming.started_at) if moment is not None]
    return Heading(
        title=first.title or second.title,
        project=first.project or second.project,
        cwd=first.cwd or second.cwd,
        git_branch=first.git_branch or second.git_branch,
        started_at=min(times, default=None),
    )
