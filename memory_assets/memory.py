"""The façade that every surface shares: command line, later the MCP server and the viewer (architecture.md section 3).

Each method is one bounded read of the store; none holds a connection while something else is waited for. What it gives are
frozen records; :func:`as_plain` makes plain JSON values of them, under the names that ``--json`` prints.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_assets import configuration
from memory_assets.evidence.model import AlignedEvidence, Evidence, FailedEvidence
from memory_assets.log.errors import StoreError
from memory_assets.queries import citations, entries, events, sessions, statistics
from memory_assets.queries.records import (
    Check,
    CitedQuote,
    EntryView,
    EventDetails,
    EventStats,
    EventView,
    EvidenceView,
    MemoryPage,
    MemoryView,
    MessageView,
    Neighbour,
    Quarantined,
    Quote,
    QuoteInMessage,
    ResolvedMemory,
    ResolvedSpan,
    SessionDetails,
    SessionSummary,
    Stats,
    as_json,
)
from memory_assets.settings import Settings

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.progress import Progress
    from memory_assets.projections.rebuild import RebuildReport
    from memory_assets.queries.audit import Audit
    from memory_assets.queries.audit import Example as AuditExample
    from memory_assets.queries.audit import Measure as AuditMeasure
    from memory_assets.queries.extraction_plan import ExtractionPlan, PlannedWindow
    from memory_assets.queries.found import FoundV1, MemoryHitV1
    from memory_assets.queries.fsck import Finding, FsckReport
    from memory_assets.queries.initialising import Made
    from memory_assets.queries.searching import AskedMode
    from memory_assets.queries.session_evidence import QuotedMessage, SessionEvidence, SupportingQuote
    from memory_assets.rebuilding import Rebuilt

__all__ = [
    "AlignedEvidence",
    "Audit",
    "AuditExample",
    "AuditMeasure",
    "Check",
    "CitedQuote",
    "EntryView",
    "EventDetails",
    "EventStats",
    "EventView",
    "EvidenceView",
    "ExtractionPlan",
    "FailedEvidence",
    "Finding",
    "FoundV1",
    "FsckReport",
    "Memory",
    "MemoryHitV1",
    "MemoryPage",
    "MemoryView",
    "MessageView",
    "Neighbour",
    "PlannedWindow",
    "Quarantined",
    "Quote",
    "QuoteInMessage",
    "QuotedMessage",
    "RebuildReport",
    "ResolvedMemory",
    "ResolvedSpan",
    "SessionDetails",
    "SessionEvidence",
    "SessionSummary",
    "Stats",
    "SupportingQuote",
    "as_plain",
]


class Memory:
    """A store, asked.

    Every method may raise StoreLockedError when a writer holds the store for longer than ``store.lock_timeout_seconds``,
    and StoreError when its file cannot be used. Ids may be given by their beginning, where that is unambiguous.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def database(self) -> Database:
        """The store's file; made at the first use, when what was to be forgotten is forgotten first."""
        from memory_assets.rebuilding import honour_forgetting

        database = configuration.database(self.settings)
        # A store that cannot be opened says so to whoever asks it something.
        with contextlib.suppress(StoreError):
            honour_forgetting(self.settings, database)
        return database

    def align(self, text: str, quote: str) -> Evidence:
        """Where a quote stands in one message's text, or why it does not. Needs no store, and makes none."""
        return configuration.aligner(self.settings).align([text], quote, 0)

    def sessions(self, *, project: str | None = None, status: str | None = None) -> list[SessionSummary]:
        """Every session, the newest first; also those that were put aside before their first stage was done."""
        with self.database.reading() as connection:
            return sessions.all_sessions(connection, project=project, status=status)

    def session(self, session_id: str) -> SessionDetails:
        """A session with its messages.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        with self.database.reading() as connection:
            return sessions.session_details(connection, session_id)

    def session_evidence(self, session_id: str) -> SessionEvidence:
        """A session with its messages, and in each the quotes of its current entries.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.session_evidence import session_evidence

        with self.database.reading() as connection:
            return session_evidence(connection, session_id)

    def messages(self, session_id: str) -> list[MessageView]:
        """A session's messages in source order; none for an id that is unknown."""
        with self.database.reading() as connection:
            return sessions.messages_of(connection, session_id)

    def quarantined(self) -> list[Quarantined]:
        """What stages put aside."""
        with self.database.reading() as connection:
            return sessions.quarantined(connection)

    def entries(
        self,
        *,
        session_id: str | None = None,
        project: str | None = None,
        entry_type: str | None = None,
        stage: str | None = None,
        limit: int | None = None,
    ) -> tuple[list[EntryView], int]:
        """Current entries of every stage, the newest first, and how many there are without the limit."""
        with self.database.reading() as connection:
            return entries.list_entries(
                connection, session_id=session_id, project=project, entry_type=entry_type, stage=stage, limit=limit
            )

    def entry(self, entry_id: str) -> EntryView:
        """One entry, by id, beginning of an id, or ``mem:`` address; superseded ones too.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        with self.database.reading() as connection:
            return entries.one_entry(connection, entry_id)

    def evidence(self, entry_id: str) -> EvidenceView:
        """An entry with each of its quotes in the message that holds it.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        with self.database.reading() as connection:
            return entries.evidence_of(connection, entry_id)

    def extraction_plan(self, session_id: str) -> ExtractionPlan:
        """What the configured extractor would be asked about a session. Nothing is sent and nothing written.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.extraction_plan import extraction_plan

        return extraction_plan(self.settings, self.database, session_id)

    def memories(
        self, *, session_ids: Sequence[str] | None = None, project: str | None = None, limit: int | None = None
    ) -> MemoryPage:
        """Memories, the newest first: all, or those that have an entry in one of these sessions."""
        with self.database.reading() as connection:
            return entries.list_memories(connection, session_ids=session_ids, project=project, limit=limit)

    def resolve(self, citation: str) -> ResolvedMemory | ResolvedSpan:
        """What ``mem:a7Bc3x`` or ``session:ID#m=12&c=140-182`` names, with what stands around it.

        Raises:
            InvalidArgumentError: no address, or a span outside its message.
            NotFoundError: it names nothing here.
        """
        with self.database.reading() as connection:
            return citations.resolve(connection, citation)

    def search(
        self,
        query: str,
        *,
        mode: AskedMode = "auto",
        k: int = 10,
        project: str | None = None,
        kinds: Sequence[str] = (),
    ) -> FoundV1:
        """The ``k`` best units for a question, each with its citations; see ``queries.searching.search``."""
        from memory_assets.queries.searching import search

        return search(self.settings, self.database, query, mode=mode, k=k, project=project, kinds=kinds)

    def events_tail(
        self, *, limit: int = 20, session_id: str | None = None, event_type: str | None = None, after: int = 0
    ) -> list[EventView]:
        """The newest events behind seq ``after``, in commit order, without their payloads."""
        with self.database.reading() as connection:
            return events.newest_events(connection, limit=limit, session_id=session_id, event_type=event_type, after=after)

    def event(self, event_id: str) -> EventDetails:
        """One visible event with its payload, by id, beginning of an id, or seq.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        with self.database.reading() as connection:
            return events.one_event(connection, event_id)

    def events_stats(self) -> EventStats:
        """How many events of which type."""
        with self.database.reading() as connection:
            return events.event_stats(connection)

    def stats(self) -> Stats:
        """What the store holds, counted."""
        with self.database.reading() as connection:
            return statistics.store_stats(connection, self.database.path, self.settings.vectors_folder)

    def doctor(self) -> list[Check]:
        """Named checks of everything that the store needs; none raises, none loads a model."""
        from memory_assets.queries.health import checks

        return checks(self.settings, self.database)

    def fsck(self, *, realign: bool = False, progress: Progress | None = None) -> FsckReport:
        """Every quote of every current entry against the log's messages, and the tables of entries against the log."""
        from memory_assets.queries.fsck import fsck

        return fsck(self.settings, self.database, realign=realign, progress=progress)

    def audit(self, *, examples: int = 3) -> Audit:
        """The rates of duplicates, ungrounded, never-retrieved and contested memories of the whole store."""
        from memory_assets.queries.audit import audit

        with self.database.reading() as connection:
            return audit(connection, examples=examples)

    def initialise(self, *, force: bool = False) -> list[Made]:
        """Make folders, store and settings file where they are missing."""
        from memory_assets.queries.initialising import initialise

        return initialise(self.settings, force=force)

    def rebuild(self, *, with_vectors: bool = False, progress: Progress | None = None) -> Rebuilt:
        """Throw every derived table away and fold it again from the log; mend the index, or make it again whole."""
        from memory_assets.rebuilding import rebuild_all

        return rebuild_all(self.settings, self.database, with_vectors=with_vectors, progress=progress)

    def verify_rebuild(self, *, with_vectors: bool = False) -> RebuildReport:
        """Replay the log into a scratch store and compare every derived table, and the index; vectors by value if asked."""
        from memory_assets.rebuilding import verify_all

        return verify_all(self.settings, self.database, with_vectors=with_vectors)


def as_plain(value: Any) -> Any:
    """Records, or lists of them, as plain JSON values."""
    return as_json(value)
