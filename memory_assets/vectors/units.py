"""What the index holds and what is asked of it: units, and the outbox's jobs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memory_assets.vocabulary import Origin, Turn


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that search can find, as the index keeps it. Its full text stays in the store.

    Attributes:
        unit_kind: entry, task, passage, episode, gotcha or lesson.
        message_index: the message that a passage is of, or that an entry's first evidence stands in.
        place: the how-manieth passage of its session a passage is, from 0: its neighbours are the ones beside it.
        stage: the rung of the ladder, by name.
        occurred_at: aware; the session's own time.
        facets: what it can be filtered by, each ``name:value`` (``file:src/app.py``).
        own_text: tokens of what it says, as `text.lexical_text.search_text` makes them.
        context_text: ``own_text`` three times, and once what is said around it.
        embed_text: what is embedded; not stored.
        embed_hash: of ``embed_text``: equal ones have one vector.
        content_hash: of everything here that is stored or embedded.
        origin: who wrote a passage; None for what is none.
        turn: what a passage is in its conversation.
    """

    unit_id: str
    unit_kind: str
    project: str | None
    worktree: str | None
    session_id: str | None
    message_index: int | None
    place: int | None
    role: str | None
    speaker: str | None
    stage: str
    status: str
    confidence: float
    occurred_at: datetime
    facets: tuple[str, ...]
    own_text: str
    context_text: str
    embed_text: str
    embed_hash: str
    content_hash: str
    origin: Origin | None = None
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class UpsertJob:
    """Put a unit into the index, or bring it up to date."""

    job_id: str
    unit: Unit

    @property
    def unit_id(self) -> str:
        return self.unit.unit_id


@dataclass(frozen=True, slots=True)
class DeleteJob:
    """Take a unit out of the index; done as well when it is not there."""

    job_id: str
    unit_id: str


OutboxJob = UpsertJob | DeleteJob


@dataclass(frozen=True, slots=True)
class UnitFilter:
    """Which units a search may find. Empty or None: any.

    Attributes:
        worktree: a folder: units of sessions that worked in it or below it.
        session_ids, unit_ids: only these; an empty tuple is no condition.
        facets: every one of them, each ``name:value``.
        stages: any of them.
        since, until: aware; ``since`` inclusive, ``until`` exclusive.
    """

    project: str | None = None
    worktree: str | None = None
    unit_kinds: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    unit_ids: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


class UnitHit(NamedTuple):
    """A unit that a leg of the search found. A search makes hundreds, each of which would take 4 µs as a frozen dataclass.

    Attributes:
        score: BM25 for the lexical leg, cosine similarity in [-1, 1] for the vector leg; larger is better.
        own_text: the tokens of what it says, where they were asked for.
        origin: who wrote a passage; None for what is none, and where the row does not say it.
        turn: what a passage is in its conversation, where the row says it.
    """

    unit_id: str
    unit_kind: str
    project: str | None
    session_id: str | None
    message_index: int | None
    place: int | None
    role: str | None
    speaker: str | None
    stage: str
    status: str
    confidence: float
    occurred_at: datetime
    score: float
    own_text: str = ""
    origin: Origin | None = None
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """What the two indexed fields gave for one question, each best first.

    Attributes:
        context: by ``context_text``; these carry their ``own_text``.
        own: by ``own_text``.
    """

    context: tuple[UnitHit, ...]
    own: tuple[UnitHit, ...]
