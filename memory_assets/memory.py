"""The façade that every surface shares: command line, later the MCP server and the viewer.

Each method is one bounded read of the store; none holds a connection while something else is waited for. What it gives are
frozen records; :func:`as_plain` makes plain JSON values of them, under the names that ``--json`` prints.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_assets.commands.outcomes import ConditionSpoken, TaskSpoken
from memory_assets.commands.outcomes import NotRecorded as NotRecordedDecision
from memory_assets.configuration import Resources
from memory_assets.evidence.model import AlignedEvidence, Evidence, FailedEvidence
from memory_assets.log.errors import StoreError, StoreLockedError
from memory_assets.queries import entries, events, sessions, statistics
from memory_assets.results.doctor import CheckV1, DoctorV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.events import EventDetails, EventStats, EventView
from memory_assets.results.memories import (
    CitedQuote,
    EntryView,
    EvidenceView,
    MemoryPage,
    MemoryView,
    Neighbour,
    Quote,
    QuoteInMessage,
)
from memory_assets.results.sessions import MessageView, Quarantined, SessionDetails, SessionSummary
from memory_assets.results.shown import (
    NamingUnit,
    ResolvedEntry,
    ResolvedMemory,
    ResolvedName,
    ResolvedSpan,
    ResolvedTask,
    ResolvedUnit,
    SourceSession,
)
from memory_assets.results.stats import Stats
from memory_assets.search.answers.budget import DEFAULT_BUDGET
from memory_assets.search.question.intents import parse_intent
from memory_assets.search.request import SearchRequest
from memory_assets.settings import Settings
from memory_assets.text.tokens import estimate_tokens
from memory_assets.vocabulary import INTENTS, Intent

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from typing import IO

    from memory_assets.commands.outcomes import Recorded
    from memory_assets.commands.promotions import Demotions, Spoken
    from memory_assets.graduation.proofs.module_files import FileVerdict
    from memory_assets.log.database import Database
    from memory_assets.maintenance.audit import Audit
    from memory_assets.maintenance.audit import Example as AuditExample
    from memory_assets.maintenance.audit import Measure as AuditMeasure
    from memory_assets.maintenance.fsck import Finding, FsckReport
    from memory_assets.maintenance.indexing import Written
    from memory_assets.maintenance.init import Made
    from memory_assets.maintenance.rebuild import Rebuilt
    from memory_assets.progress import Progress
    from memory_assets.projections.rebuild import RebuildReport
    from memory_assets.queries.conflicts import ConflictSide, ConflictView
    from memory_assets.queries.decisions import DecisionView
    from memory_assets.queries.extraction_plan import ExtractionPlan, PlannedWindow
    from memory_assets.queries.idris import IdrisStatus
    from memory_assets.queries.promotions import Ladder, Review
    from memory_assets.queries.proof import ProofModule, SessionProof
    from memory_assets.queries.refused_files import RefusedFile
    from memory_assets.queries.session_evidence import QuotedMessage, SessionEvidence, SupportingQuote
    from memory_assets.queries.tasks import Which
    from memory_assets.results.builds import BuildDetails, BuildPage, BuildView
    from memory_assets.results.context import ContextBundleV1
    from memory_assets.results.copies import Exported, Manifest, Recovered, Restored
    from memory_assets.results.details import DetailsV1, DetailV1
    from memory_assets.results.disclosure import DisclosedV1, DisclosureV1
    from memory_assets.results.evaluation import EvalComparisonV1, EvalInitV1, EvalQuestionV1, EvalRunV1
    from memory_assets.results.feedback import AckV1, UnitStandingV1
    from memory_assets.results.gotchas import GotchaListV1, GotchaV1
    from memory_assets.results.metrics import Metrics, StageTimes
    from memory_assets.results.outbox import (
        Calibration,
        Drained,
        FailedUnit,
        InLine,
        OutboxStatus,
        Reconciled,
        Reembedded,
        VersionQueue,
    )
    from memory_assets.results.schema import SchemaDefinitionV1, SchemaV1
    from memory_assets.results.search import BulkSearchItemV1, SearchHitV1, SearchResponseV1
    from memory_assets.results.shown import Resolved
    from memory_assets.results.tasks import (
        ArtifactView,
        BlockerCycle,
        ConditionView,
        PossibleDuplicate,
        RefusedBlocker,
        RefusedMove,
        TaskBlocker,
        TaskDetail,
        TaskEvent,
        TaskName,
        TaskReview,
        TaskView,
    )
    from memory_assets.results.timeline import TimelineItemV1, TimelineV1
    from memory_assets.results.unanswered import UnansweredV1
    from memory_assets.search.searcher import Searcher
    from memory_assets.sessions.privacy_scan import ScannedFile

__all__ = [
    "INTENTS",
    "AckV1",
    "AlignedEvidence",
    "ArtifactView",
    "Audit",
    "AuditExample",
    "AuditMeasure",
    "BlockerCycle",
    "BuildDetails",
    "BuildPage",
    "BuildView",
    "BulkSearchItemV1",
    "Calibration",
    "CheckV1",
    "CitedQuote",
    "ConditionSpoken",
    "ConditionView",
    "ConflictSide",
    "ConflictView",
    "ContextBundleV1",
    "DecisionView",
    "Demotions",
    "DetailV1",
    "DetailsV1",
    "DisclosedV1",
    "DisclosureV1",
    "DoctorV1",
    "Drained",
    "EntryView",
    "ErrorV1",
    "EvalComparisonV1",
    "EvalInitV1",
    "EvalQuestionV1",
    "EvalRunV1",
    "EventDetails",
    "EventStats",
    "EventView",
    "EvidenceView",
    "Exported",
    "ExtractionPlan",
    "FailedEvidence",
    "FailedUnit",
    "FileVerdict",
    "Finding",
    "FsckReport",
    "GotchaListV1",
    "GotchaV1",
    "IdrisStatus",
    "InLine",
    "Intent",
    "Ladder",
    "Memory",
    "MemoryPage",
    "MemoryView",
    "MessageView",
    "Metrics",
    "NamingUnit",
    "Neighbour",
    "NotRecordedDecision",
    "OutboxStatus",
    "PlannedWindow",
    "PossibleDuplicate",
    "ProofModule",
    "Quarantined",
    "Quote",
    "QuoteInMessage",
    "QuotedMessage",
    "RebuildReport",
    "Reconciled",
    "Reembedded",
    "RefusedBlocker",
    "RefusedFile",
    "RefusedMove",
    "Resolved",
    "ResolvedEntry",
    "ResolvedMemory",
    "ResolvedName",
    "ResolvedSpan",
    "ResolvedTask",
    "ResolvedUnit",
    "Review",
    "SchemaDefinitionV1",
    "SchemaV1",
    "SearchHitV1",
    "SearchRequest",
    "SearchResponseV1",
    "SessionDetails",
    "SessionEvidence",
    "SessionProof",
    "SessionSummary",
    "SourceSession",
    "Spoken",
    "StageTimes",
    "Stats",
    "SupportingQuote",
    "TaskBlocker",
    "TaskDetail",
    "TaskEvent",
    "TaskName",
    "TaskReview",
    "TaskSpoken",
    "TaskView",
    "TimelineItemV1",
    "TimelineV1",
    "UnansweredV1",
    "UnitStandingV1",
    "VersionQueue",
    "Which",
    "Written",
    "as_plain",
    "estimate_tokens",
    "parse_intent",
]


_PATIENCE_SECONDS = 0.5


class Memory:
    """A store, asked.

    Every method may raise StoreLockedError when a writer holds the store for longer than ``store.lock_timeout_seconds``,
    and StoreError when its file cannot be used. Ids may be given by their beginning, where that is unambiguous.
    """

    def __init__(self, settings: Settings, database: Database | None = None, *, wait_for_model: bool = True) -> None:
        """Ask the store of some settings.

        Args:
            database: that store, where the caller has it open already and has folded what its log holds.
            wait_for_model: see ``search.searcher.Searcher``.
        """
        self.resources = Resources(settings, database, before_reading=_forget_first)
        self._wait_for_model = wait_for_model

    @property
    def settings(self) -> Settings:
        """The settings that this store is asked with."""
        return self.resources.settings

    @property
    def database(self) -> Database:
        """The store's file; made at the first use, when what was to be forgotten is forgotten first."""
        return self.resources.database

    def align(self, text: str, quote: str) -> Evidence:
        """Where a quote stands in one message's text, or why it does not. Needs no store, and makes none."""
        return self.resources.new_aligner().align([text], quote, 0)

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

        return extraction_plan(self.resources, session_id)

    def memories(
        self, *, session_ids: Sequence[str] | None = None, project: str | None = None, limit: int | None = None
    ) -> MemoryPage:
        """Memories, the newest first: all, or those that have an entry in one of these sessions."""
        with self.database.reading() as connection:
            return entries.list_memories(connection, session_ids=session_ids, project=project, limit=limit)

    def resolve(self, given: str) -> Resolved:
        """What an address or an id names, with what stands around it; see ``queries.resolve.resolve``.

        Raises:
            InvalidArgumentError: neither an address nor an id, or a span outside its message.
            NotFoundError, AmbiguousIdError: it names nothing here, or several things.
        """
        from memory_assets.queries.resolve import resolve

        with self.database.reading() as connection:
            return resolve(connection, given)

    @cached_property
    def _searcher(self) -> Searcher:
        from memory_assets.search.searcher import Searcher

        return Searcher(self.resources, wait_for_model=self._wait_for_model)

    def prepare(self) -> None:
        """Open what the first search would wait for: the store's file and the index. Loads no model.

        Raises:
            IndexCorruptError
        """
        with self.database.reading():
            pass
        self._searcher.words.prepare()
        self._searcher.index.prepare()

    def search(self, query: str, *, explain: bool = False, **fields: Any) -> SearchResponseV1:
        """The best units for a question, each with its citations.

        Args:
            fields: of ``search.request.SearchRequest``.

        Raises: as :meth:`search_for`.
        """
        return self.search_for(SearchRequest(query, **fields), explain=explain)

    def search_for(self, request: SearchRequest, *, explain: bool = False) -> SearchResponseV1:
        """The best units for a question; see ``search.searcher.Searcher.search``.

        Raises:
            InvalidArgumentError, NotFoundError, AmbiguousIdError: the question cannot be asked so.
            EmbedderUnavailableError, IndexCorruptError
        """
        return self._searcher.search(request, explain=explain)

    def timeline(self, ids: Sequence[str], *, window: int = 3, budget: int | None = None) -> TimelineV1:
        """What was said around some ids; see ``queries.timeline.timeline``. An id that names nothing is an error of its own.

        Raises:
            InvalidArgumentError: no id, too many, or a window or budget out of bounds.
        """
        from memory_assets.queries.timeline import timeline

        with self.database.reading() as connection:
            return timeline(connection, ids, window=window, budget=budget)

    def details(self, ids: Sequence[str], *, budget: int | None = None) -> DetailsV1:
        """Some things in full; see ``queries.details.details``. An id that names nothing is an error of its own.

        Raises:
            InvalidArgumentError: no id, too many, or a budget that holds nothing.
        """
        from memory_assets.queries.details import details

        with self.database.reading() as connection:
            return details(connection, ids, budget=budget)

    def disclose(self, found: SearchResponseV1, *, ids: Sequence[str] = (), budget: int = 2000) -> DisclosureV1:
        """The hits of a search in layers within one budget; see ``queries.disclosure.disclose``.

        Raises:
            InvalidArgumentError: a budget that holds nothing.
        """
        from memory_assets.queries.disclosure import disclose

        with self.database.reading() as connection:
            return disclose(connection, found, ids=ids, budget=budget)

    def context(
        self, query: str, *, project: str | None = None, budget: int = DEFAULT_BUDGET, log: bool = True
    ) -> ContextBundleV1:
        """What the store has for a question, as cited Markdown of at most ``budget`` tokens; see ``queries.context.context``.

        Raises:
            InvalidArgumentError: an empty question, or a budget that is none.
            EmbedderUnavailableError, IndexCorruptError
        """
        from memory_assets.queries.context import context

        return context(self._searcher, query, project=project, budget=budget, log=log)

    def search_gotchas(
        self, query: str, *, files: Sequence[str] = (), k: int = 10, project: str | None = None, log: bool = True
    ) -> GotchaListV1:
        """Known issues and what ended them; see ``queries.gotchas.search_gotchas``.

        Raises:
            InvalidArgumentError: an empty question, or a ``k`` out of bounds.
            EmbedderUnavailableError, IndexCorruptError
        """
        from memory_assets.queries.gotchas import search_gotchas

        return search_gotchas(self._searcher, query, files=files, k=k, project=project, log=log)

    def bulk_search(
        self,
        lines: Iterable[str],
        *,
        defaults: SearchRequest | None = None,
        first_line: int = 1,
        explain: bool = False,
    ) -> Iterator[BulkSearchItemV1]:
        """The answer of each line of JSON, in their order, a hundred at a time; see ``search.bulk.answered``.

        Args:
            defaults: what a line does not say itself; its query is not read.
            first_line: the number of the first one, for the id of a line that has none.
        """
        from memory_assets.search.bulk import BATCH_SIZE, answered

        waiting, number = iter(lines), first_line
        while batch := list(itertools.islice(waiting, BATCH_SIZE)):
            yield from answered(self._searcher, batch, defaults or SearchRequest(""), first_line=number, explain=explain)
            number += len(batch)

    def _search_uncounted(self, query: str, *, mode: str, k: int, project: str | None) -> SearchResponseV1:
        """A search that shows nobody anything."""
        return self.search(query, mode=mode, k=k, project=project, log=False)

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

    def conflicts(self, *, status: str = "open", project: str | None = None, limit: int | None = None) -> list[ConflictView]:
        """What contradicts what, the newest first."""
        from memory_assets.queries.conflicts import list_conflicts

        with self.database.reading() as connection:
            return list_conflicts(connection, status=status, project=project, limit=limit)

    def conflict(self, conflict_id: str) -> ConflictView:
        """One conflict.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.conflicts import one_conflict

        with self.database.reading() as connection:
            return one_conflict(connection, conflict_id)

    def resolve_conflict(self, conflict_id: str, resolution: str, *, by: str, note: str = "") -> ConflictView:
        """Say which side of a conflict holds; see ``commands.conflicts.resolve_conflict``."""
        from memory_assets.commands.conflicts import resolve_conflict

        return resolve_conflict(self.resources, conflict_id, resolution, by=by, note=note)

    def reopen_conflict(self, conflict_id: str, *, by: str, note: str = "") -> ConflictView:
        """Take a resolution back; see ``commands.conflicts.reopen_conflict``."""
        from memory_assets.commands.conflicts import reopen_conflict

        return reopen_conflict(self.resources, conflict_id, by=by, note=note)

    def promotion_review(self, *, project: str | None = None, limit: int | None = None) -> Review:
        """What waits on the ladder, and for what."""
        from memory_assets.queries.promotions import review

        with self.database.reading() as connection:
            return review(connection, project=project, limit=limit)

    def ladder(self, given: str) -> Ladder:
        """Where one memory stands.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.commands.promotions import ladder_of

        return ladder_of(self.database, given)

    def promote(self, given: str, to_stage: str, *, by: str, note: str = "") -> Spoken:
        """A person's word on a memory; see ``commands.promotions.promote``."""
        from memory_assets.commands.promotions import promote

        return promote(self.resources, given, to_stage, by=by, note=note)

    def demote_by_age(self, *, as_of: datetime | None = None, apply: bool = False, by: str = "") -> Demotions:
        """What grew old; see ``commands.promotions.demote_by_age``."""
        from memory_assets.commands.promotions import demote_by_age

        return demote_by_age(self.resources, as_of=as_of, apply=apply, by=by)

    def decisions(self, *, source: str = "all", project: str | None = None, limit: int | None = None) -> list[DecisionView]:
        """What was decided, on what, and whether that still stands."""
        from memory_assets.queries.decisions import list_decisions

        with self.database.reading() as connection:
            return list_decisions(connection, source=source, project=project, limit=limit)

    def record_decision(
        self,
        action: str,
        *,
        because: Sequence[str],
        outcome: str = "",
        confidence: float | None = None,
        caused_by: str | None = None,
        decided_at: datetime | None = None,
        by: str,
    ) -> Recorded | NotRecordedDecision:
        """Write a decision into the ledger if its proof passes; see ``commands.decisions.record_decision``."""
        from memory_assets.commands.decisions import record_decision

        return record_decision(
            self.resources,
            action,
            because=because,
            outcome=outcome,
            confidence=confidence,
            caused_by=caused_by,
            decided_at=decided_at,
            by=by,
        )

    def tasks(
        self,
        *,
        which: Which = "all",
        status: str | None = None,
        project: str | None = None,
        limit: int | None = None,
    ) -> list[TaskView]:
        """Tasks in the order of the board, each with what it waits for and the quotes that speak of it.

        Args:
            which: ``all``, ``blocked``, ``only_suggested`` (nothing but suggestions says what they wait for) or
                ``unknown_blocker`` (nobody said).

        Raises:
            InvalidArgumentError: there is no such status.
        """
        from memory_assets.queries.tasks import list_tasks

        with self.database.reading() as connection:
            return list_tasks(connection, which=which, status=status, project=project, limit=limit)

    def task(self, given: str) -> TaskDetail:
        """A task with its past, by id, beginning of an id, former id, or canonical key.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.task_detail import get_task_detail

        with self.database.reading() as connection:
            return get_task_detail(connection, given)

    def task_review(self, *, project: str | None = None) -> TaskReview:
        """What of tasks waits for somebody's word."""
        from memory_assets.queries.task_review import task_review

        with self.database.reading() as connection:
            return task_review(connection, project=project)

    def conditions(self, *, status: str = "all", project: str | None = None, limit: int | None = None) -> list[ConditionView]:
        """What tasks wait for that is no task and no artifact; ``settled`` for what turned out to be something, or is met.

        Raises:
            InvalidArgumentError: there is no such status.
        """
        from memory_assets.queries.conditions import list_conditions

        with self.database.reading() as connection:
            return list_conditions(connection, status=status, project=project, limit=limit)

    def artifacts(self, *, kind: str | None = None, project: str | None = None, limit: int | None = None) -> list[ArtifactView]:
        """Pull requests, issues, addresses, files and commits that sessions name.

        Raises:
            InvalidArgumentError: there is no such kind.
        """
        from memory_assets.queries.artifacts import list_artifacts

        with self.database.reading() as connection:
            return list_artifacts(connection, kind=kind, project=project, limit=limit)

    def new_task(
        self,
        title: str,
        *,
        project: str | None = None,
        status: str | None = None,
        priority: str | None = None,
        blockers: Sequence[str] = (),
        again: bool = False,
        by: str,
    ) -> TaskSpoken:
        """Make a task; see ``commands.tasks.new_task``."""
        from memory_assets.commands.tasks import new_task

        return new_task(
            self.resources,
            title,
            project=project,
            status=status,
            priority=priority,
            blockers=blockers,
            again=again,
            by=by,
        )

    def set_task_status(self, given: str, status: str, *, by: str, note: str = "") -> TaskSpoken:
        """Say how a task stands; see ``commands.tasks.set_status``."""
        from memory_assets.commands.tasks import set_status

        return set_status(self.resources, given, status, by=by, note=note)

    def set_task_priority(self, given: str, priority: str, *, by: str, note: str = "") -> TaskSpoken:
        """Say how much a task matters; see ``commands.tasks.set_priority``."""
        from memory_assets.commands.tasks import set_priority

        return set_priority(self.resources, given, priority, by=by, note=note)

    def set_task_blockers(self, given: str, blockers: Sequence[str], *, by: str, note: str = "") -> TaskSpoken:
        """Say what a task waits for; see ``commands.tasks.set_blockers``."""
        from memory_assets.commands.tasks import set_blockers

        return set_blockers(self.resources, given, blockers, by=by, note=note)

    def accept_move(self, given: str, *, event: str | None = None, by: str, note: str = "") -> TaskSpoken:
        """Accept a move that a task was refused; see ``commands.tasks.accept``."""
        from memory_assets.commands.tasks import accept

        return accept(self.resources, given, event=event, by=by, note=note)

    def resolve_condition(
        self, given: str, *, to: str | None = None, satisfied: bool = False, by: str, note: str = ""
    ) -> ConditionSpoken:
        """Say what a condition is, or that it is met, or open; see ``commands.task_links.resolve``."""
        from memory_assets.commands.task_links import resolve

        return resolve(self.resources, given, to=to, satisfied=satisfied, by=by, note=note)

    def merge_tasks(self, given: str, into: str, *, by: str, note: str = "") -> TaskSpoken | ConditionSpoken:
        """Say that two tasks, or two conditions, are one; see ``commands.task_links.merge``."""
        from memory_assets.commands.task_links import merge

        return merge(self.resources, given, into, by=by, note=note)

    def unmerge_task(self, given: str, *, by: str, note: str = "") -> TaskSpoken | ConditionSpoken:
        """Take a merge back; see ``commands.task_links.unmerge``."""
        from memory_assets.commands.task_links import unmerge

        return unmerge(self.resources, given, by=by, note=note)

    def builds(self, *, limit: int = 20) -> BuildPage:
        """The newest builds: what each run of the stages was made with, appended, asked of a model and took."""
        from memory_assets.queries.builds import list_builds

        with self.database.reading() as connection:
            return list_builds(connection, self.settings.store_folder, limit=limit)

    def build(self, build_id: str) -> BuildDetails:
        """Everything of one build.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.builds import build_details

        with self.database.reading() as connection:
            return build_details(connection, self.settings.store_folder, build_id)

    def metrics(
        self,
        *,
        build_id: str | None = None,
        session_id: str | None = None,
        stage: str | None = None,
        since: datetime | None = None,
    ) -> Metrics:
        """What the stages measured: times, failures, tokens, verdicts, quotes by method, promotions by reason.

        Args:
            since: aware.

        Raises:
            NotFoundError, AmbiguousIdError
            InvalidArgumentError: there is no such stage.
        """
        from memory_assets.queries.builds import metrics_within

        with self.database.reading() as connection:
            return metrics_within(connection, build_id=build_id, session_id=session_id, stage=stage, since=since)

    def proof(self, session_id: str) -> SessionProof:
        """A session's verdict, its rules and entries, and its modules as the log gives them now.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.proof import session_proof

        return session_proof(self.database, session_id)

    def idris_status(self) -> IdrisStatus:
        """Which compiler there is and who judges proofs. Needs no store, and makes none."""
        from memory_assets.queries.idris import idris_status

        return idris_status(self.resources)

    def check_modules(self, paths: Sequence[Path], *, checker: str | None = None) -> list[FileVerdict]:
        """Generated modules in files, audited and judged, in their order. Needs no store, and makes none.

        Args:
            checker: ``embedded`` or ``idris2``; None for idris2 where it can be used.

        Raises:
            CheckerUnavailableError: idris2 is asked for and cannot be used.
        """
        from memory_assets.queries.idris import check_files

        return check_files(self.resources, paths, checker=checker)

    def feedback(self, given: str, signal: str, *, by: str, note: str = "") -> AckV1:
        """A word on what was shown: ``used``, ``helpful`` or ``wrong``; see ``commands.feedback.give_feedback``."""
        from memory_assets.commands.feedback import give_feedback

        return give_feedback(self.resources, given, signal, by=by, note=note)

    def count_shown(self) -> int:
        """Count what searches have delivered since the last time; how many deliveries that were.

        What cannot be counted now is counted another time: no reader waits long for it.
        """
        from memory_assets.search.usage import take_shown

        patience = min(_PATIENCE_SECONDS, self.settings.store.lock_timeout_seconds)
        with contextlib.suppress(StoreError, OSError):
            return take_shown(self.settings, self.resources.database_within(patience))
        return 0

    def evaluate(
        self,
        file: Path | None = None,
        *,
        mode: str | None = None,
        k: int | None = None,
        unless_known: bool = False,
        progress: Progress | None = None,
    ) -> EvalRunV1:
        """Put the golden questions of a file to search and record how it fared; see ``commands.evaluation.evaluate``."""
        from memory_assets.commands.evaluation import evaluate
        from memory_assets.queries.evaluation import AskedAs
        from memory_assets.queries.golden_file import golden_path

        return evaluate(
            self._searcher,
            golden_path(self.settings, file),
            asked_as=AskedAs(mode, k),
            unless_known=unless_known,
            progress=progress,
        )

    def compare_evaluations(
        self, before: str | None = None, after: str | None = None, *, file: Path | None = None
    ) -> EvalComparisonV1:
        """Two recorded evaluations beside each other, the last two where none is named.

        Args:
            file: golden questions, whose texts are shown where it still holds them.

        Raises:
            NotFoundError, AmbiguousIdError, InvalidArgumentError: see ``queries.evaluation.compared_runs``.
        """
        from memory_assets.queries.evaluation import compared_runs
        from memory_assets.queries.golden_file import golden_path

        with self.database.reading() as connection:
            return compared_runs(connection, before, after, golden=golden_path(self.settings, file))

    def write_golden(self, file: Path | None = None, *, count: int = 20, force: bool = False) -> EvalInitV1:
        """Write a first file of golden questions, made of so many memories; see ``queries.golden_file.write_golden``."""
        from memory_assets.queries.golden_file import golden_path, write_golden

        with self.database.reading() as connection:
            return write_golden(connection, golden_path(self.settings, file), count=count, force=force)

    def schema(self) -> SchemaV1:
        """What can be asked and what is answered: schemas, words, versions. Needs no store, and makes none."""
        from memory_assets.queries.capabilities import schema

        return schema(self.resources)

    def schema_definition(self, schema_id: str) -> SchemaDefinitionV1:
        """The JSON Schema of one printed object, by ``citation.v1`` or ``citation``. Needs no store, and makes none.

        Raises:
            NotFoundError: there is none.
        """
        from memory_assets.queries.capabilities import schema_definition

        return schema_definition(schema_id)

    def stats(self) -> Stats:
        """What the store holds, counted; what was shown up to now among it."""
        self.count_shown()
        with self.database.reading() as connection:
            return statistics.store_stats(connection, self.database.path, self.settings.vectors_folder)

    def outbox(self) -> OutboxStatus:
        """What waits to be written to the search index, what failed, and which tables there are. Loads no model."""
        from memory_assets.maintenance.outbox import outbox_status

        return outbox_status(self.resources)

    def drain(self, *, wait: bool = True, progress: Progress | None = None) -> Written:
        """Write what waits to the search index.

        Args:
            wait: for another process that is writing; else IndexBusyError names it.

        Raises:
            IndexBusyError, IndexWriteError, EmbedderUnavailableError, IndexCorruptError, FingerprintMismatchError
        """
        from memory_assets.maintenance.indexing import write_waiting

        return write_waiting(self.resources, wait=wait, progress=progress)

    def retry_failed(self, *, wait: bool = True, progress: Progress | None = None) -> Written:
        """:meth:`drain`, with what failed, and what was given up too."""
        from memory_assets.maintenance.indexing import write_waiting

        return write_waiting(self.resources, again_what_failed=True, wait=wait, progress=progress)

    def reconcile(self, *, dry_run: bool = False, drop_old: bool = False, progress: Progress | None = None) -> InLine:
        """Compare the search index with the units both ways, mend what differs, and write what waits then.

        Args:
            dry_run: compare alone.
            drop_old: drop the tables of every model but the one in force.

        Raises:
            IndexBusyError, IndexWriteError, EmbedderUnavailableError
        """
        from memory_assets.maintenance.indexing import bring_in_line

        return bring_in_line(self.resources, dry_run=dry_run, drop_old=drop_old, progress=progress)

    def reembed(
        self,
        to: str,
        *,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        dry_run: bool = False,
        accept_failed: bool = False,
        progress: Progress | None = None,
    ) -> Reembedded:
        """Change the embedding model; see ``maintenance.reembed.reembed``. This object keeps the settings that it has."""
        from memory_assets.maintenance.reembed import chosen_embedding, reembed

        wanted = chosen_embedding(self.settings, to, query_prefix=query_prefix, passage_prefix=passage_prefix)
        return reembed(self.resources, wanted, dry_run=dry_run, accept_failed=accept_failed, progress=progress)

    def doctor(self) -> list[CheckV1]:
        """Named checks of everything that the store needs; none raises, none loads a model."""
        from memory_assets.maintenance.doctor import checks

        return checks(self.resources)

    def refused_files(self) -> list[RefusedFile]:
        """Session files that cannot be taken in, as they are now."""
        from memory_assets.queries.refused_files import refused_files

        return refused_files(self.database)

    def fsck(self, *, realign: bool = False, log_only: bool = False, progress: Progress | None = None) -> FsckReport:
        """The log against its links, every quote of every current entry against its messages, all tables against a replay."""
        from memory_assets.maintenance.fsck import fsck

        return fsck(self.resources, realign=realign, log_only=log_only, progress=progress)

    def accept_log_end(self, *, by: str) -> None:
        """Take the log's end for what was written last, where it is not where it was, and log who said so.

        Raises:
            LogTamperedError: an event in the log itself is not what was written: no word makes it so.
        """
        from memory_assets.commands.log_end import accept_log_end

        accept_log_end(self.database, by=by)

    def audit(self, *, examples: int = 3) -> Audit:
        """The rates of duplicates, ungrounded, never-retrieved, contested and refuted memories of the whole store."""
        from memory_assets.maintenance.audit import audit

        self.count_shown()
        with self.database.reading() as connection:
            return audit(connection, examples=examples)

    def backup(self, target: Path, *, force: bool = False, progress: Progress | None = None) -> Manifest:
        """Write the store into one private file, verified, while others write; see ``backup.archive.back_up``."""
        from memory_assets.backup.archive import back_up

        return back_up(self.database, target, force=force, progress=progress)

    def export(
        self,
        target: Path,
        format_name: str,
        *,
        project: str | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Exported:
        """Write what the store holds into one private file; see ``exchange.exporting.export_to_file``."""
        from memory_assets.exchange.exporting import export_to_file

        return export_to_file(self.database, target, format_name, project=project, force=force, progress=progress)

    def export_to_stream(self, stream: IO[bytes], format_name: str, *, project: str | None = None) -> None:
        """Write what the store holds to a stream; see ``exchange.exporting.export_to_stream``."""
        from memory_assets.exchange.exporting import export_to_stream

        export_to_stream(self.database, stream, format_name, project=project)

    def restore(self, source: Path, *, force: bool = False, progress: Progress | None = None) -> Restored:
        """Put a backup in the place of the store, then bring tables and search index in line with the settings."""
        from memory_assets.backup.restore import restore
        from memory_assets.maintenance.rebuild import heal_index

        restored = restore(self.settings.store_folder, source, force=force, progress=progress)
        heal_index(self.resources, progress=progress)
        return restored

    def recover(
        self,
        store_file: Path | None = None,
        *,
        to: Path | None = None,
        backup: Path | None = None,
        progress: Progress | None = None,
    ) -> Recovered:
        """Save what can be read of a damaged store into a new one, and fold its tables; see ``backup.recover.recover``."""
        from memory_assets.backup.recover import default_folder, recover
        from memory_assets.log.database import STORE_FILE_NAME, Database
        from memory_assets.projections.fold import catch_up

        damaged = store_file or self.settings.store_folder / STORE_FILE_NAME
        folder = to or default_folder(damaged.absolute().parent)
        recovered = recover(damaged, folder, backup=backup, progress=progress)
        catch_up(Database(folder), self.resources.configured_versions, resolve=True)
        return recovered

    def privacy_scan(self, paths: Sequence[Path]) -> list[ScannedFile]:
        """What would be masked in some files; nothing is stored.

        Raises:
            ConfigInvalidError: the policy file cannot be used.
        """
        from memory_assets.sessions.privacy_scan import scan_files

        return list(scan_files(paths, self.resources.redaction_policy))

    def initialise(self, *, force: bool = False) -> list[Made]:
        """Make folders, store and settings file where they are missing."""
        from memory_assets.maintenance.init import initialise

        return initialise(self.resources, force=force)

    def rebuild(self, *, with_vectors: bool = False, progress: Progress | None = None) -> Rebuilt:
        """Throw every derived table away and fold it again from the log; mend the index, or make it again whole."""
        from memory_assets.maintenance.rebuild import rebuild_all

        return rebuild_all(self.resources, with_vectors=with_vectors, progress=progress)

    def verify_rebuild(self, *, with_vectors: bool = False) -> RebuildReport:
        """Replay the log into a scratch store and compare every derived table, and the index; vectors by value if asked."""
        from memory_assets.maintenance.rebuild import verify_all

        return verify_all(self.resources, with_vectors=with_vectors)


def _forget_first(resources: Resources) -> None:
    from memory_assets.maintenance.forget import honour_forgetting

    try:
        honour_forgetting(resources)
    except StoreLockedError:
        raise  # whoever asks would wait as long once more
    except StoreError:
        pass  # a store that cannot be opened says so to whoever asks it something


def as_plain(value: Any) -> Any:
    """Records, or lists of them, as plain JSON values."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value)
