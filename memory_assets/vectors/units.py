"""What the index holds and what is asked of it: units, and the outbox's jobs (requirements G-110 to G-115)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that search can find, as the index keeps it. Its full text stays in the store.

    Attributes:
        unit_kind: entry, task, passage …
        message_index: the message that a passage is, or that an entry's first evidence stands in.
        occurred_at: aware; the session's own time.
        search_text: tokens as `retrieval.lexical_text.search_text` makes them.
        embed_text: what is embedded; not stored.
        content_hash: of everything here that is stored or embedded. Equal hashes mean equal ``embed_text``: a vector is
            taken over from whichever unit has the hash.
    """

    unit_id: str
    unit_kind: str
    project: str | None
    session_id: str | None
    message_index: int | None
    occurred_at: datetime | None
    search_text: str
    embed_text: str
    content_hash: str


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
        since, until: aware; ``since`` inclusive, ``until`` exclusive. Units without a time pass neither.
    """

    project: str | None = None
    unit_kinds: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class UnitHit:
    """A unit that a leg of the search found.

    Attributes:
        score: BM25 for the lexical leg, cosine similarity in [-1, 1] for the vector leg; larger is better.
    """

    unit_id: str
    unit_kind: str
    project: str | None
    session_id: str | None
    message_index: int | None
    occurred_at: datetime | None
    score: float
