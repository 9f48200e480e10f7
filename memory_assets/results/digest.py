"""Digests of a session, a day and a project, as they are printed: quotes, where they stand, and counts."""

from __future__ import annotations

from datetime import date as Date
from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.vocabulary import Assurance


class DigestQuoteV1(WireModel):
    """Words of a session, and where they stand; of several places, joined by `` … ``."""

    text: str
    uri: str
    speaker: str = ""
    said_at: datetime


class DigestLineV1(WireModel):
    """A memory or a task of a digest.

    Attributes:
        kind: decision, fact, preference, insight, task or reference.
        id: what it is asked for by, ``mem:a7Bc3x`` or ``tsk_…``; None for an entry that is in no memory.
        text: what it is called; its own quote where that says as much.
        quote: the words that say so; None for a person's word.
        because: the words beside it that give its reason.
        checker: who proved it.
        status: of a memory ``active``, ``contested`` or ``deprecated``; of a task how it stands now, and ``said_done`` where a
            session says that it is done and the board does not take its word.
        waits_for: of a task, what it waits for.
        superseded_by: of a memory that was set aside, the address of the one that was kept.
        said_otherwise: of a memory that a person corrected, what they said instead.
    """

    kind: str
    id: str | None
    text: str
    quote: DigestQuoteV1 | None
    because: tuple[DigestQuoteV1, ...] = ()
    assurance: Assurance
    checker: str | None = None
    status: str = "active"
    waits_for: tuple[str, ...] = ()
    superseded_by: str | None = None
    said_otherwise: SaidOtherwiseV1 | None = None


class DigestFailureV1(WireModel):
    """An error and the words and changes that ended it; ``id`` is the unit that tells of it."""

    id: str
    error: DigestQuoteV1
    mended: tuple[DigestQuoteV1, ...] = ()


class ChangedFileV1(WireModel):
    """A file that tools wrote, as often as they did; ``quote`` is where the last of them names it."""

    path: str
    times: int = Field(ge=1)
    quote: DigestQuoteV1


class MadeCommitV1(WireModel):
    """A commit that was made, as the terminal showed it."""

    commit: str
    subject: str
    quote: DigestQuoteV1


class DigestCountsV1(WireModel):
    """How much there is of each part, however much of it is shown.

    Attributes:
        closed_since: tasks that a session left open and that are finished or cancelled by now.
    """

    decided: int = 0
    done: int = 0
    files: int = 0
    commits: int = 0
    failed: int = 0
    open: int = 0
    closed_since: int = 0
    noted: int = 0


class SessionHeadV1(WireModel):
    """Which session it is. ``messages`` counts what people and agents said."""

    session_id: str
    title: str | None = None
    project: str | None = None
    started_at: datetime
    ended_at: datetime
    messages: int = 0


class SessionDigestV1(WireModel):
    """What a session was about, in its own words.

    Attributes:
        goal: what was asked first.
        decided: decisions in the order in which they were said.
        done: tasks that it says are done.
        failed: errors that ended within it.
        open: tasks that it spoke of and that are not finished; how they stand now.
        noted: preferences, insights, facts and references.
        ended: the first words of the last message.
    """

    schema_version: Literal["session_digest.v1"] = "session_digest.v1"
    session: SessionHeadV1
    goal: DigestQuoteV1 | None = None
    decided: tuple[DigestLineV1, ...] = ()
    done: tuple[DigestLineV1, ...] = ()
    files: tuple[ChangedFileV1, ...] = ()
    commits: tuple[MadeCommitV1, ...] = ()
    failed: tuple[DigestFailureV1, ...] = ()
    open: tuple[DigestLineV1, ...] = ()
    noted: tuple[DigestLineV1, ...] = ()
    ended: DigestQuoteV1 | None = None
    counts: DigestCountsV1


class DayDigestV1(WireModel):
    """What the sessions of one day (UTC) were about: of each what was said on that day, in the order in which they began.

    Attributes:
        counts: of all of them together; a task of several sessions is counted once.
    """

    schema_version: Literal["day_digest.v1"] = "day_digest.v1"
    date: Date
    project: str | None = None
    sessions: tuple[SessionDigestV1, ...] = ()
    counts: DigestCountsV1


class TaskMoveV1(WireModel):
    """A task that came to be or moved; ``from_status`` is None for the former, ``quote`` for a person's word."""

    id: str
    text: str
    from_status: str | None = None
    to_status: str
    moved_at: datetime
    quote: DigestQuoteV1 | None = None


class DigestConflictV1(WireModel):
    """Two sides that contradict each other; ``older`` was said last longer ago."""

    id: str
    reason: str
    older: DigestLineV1
    newer: DigestLineV1


class ProjectCountsV1(WireModel):
    """How much there is of each part of a project, however much of it is shown."""

    sessions: int = 0
    holds: int = 0
    holds_by_type: dict[str, int] = Field(default_factory=dict)
    recent_sessions: int = 0
    moved: int = 0
    replaced: int = 0
    open: int = 0
    contested: int = 0


class RecentSessionV1(WireModel):
    """A session of late, and what was asked first in it."""

    session: SessionHeadV1
    goal: DigestQuoteV1 | None = None


class ProjectDigestV1(WireModel):
    """How a project stands.

    Attributes:
        holds: decisions and preferences, then insights and facts, that were proved and nobody contradicts.
        since: when *lately* begins: some days before the project's last session began.
        recent_sessions: of late, the newest first.
        moved: tasks that moved of late, the newest first.
        replaced: memories that were said of late and set aside since.
        open: tasks in the order of the board.
        contested: open conflicts, the newest first.
    """

    schema_version: Literal["project_digest.v1"] = "project_digest.v1"
    project: str
    first_session_at: datetime
    last_session_at: datetime
    since: datetime
    holds: tuple[DigestLineV1, ...] = ()
    recent_sessions: tuple[RecentSessionV1, ...] = ()
    moved: tuple[TaskMoveV1, ...] = ()
    replaced: tuple[DigestLineV1, ...] = ()
    open: tuple[DigestLineV1, ...] = ()
    contested: tuple[DigestConflictV1, ...] = ()
    counts: ProjectCountsV1
