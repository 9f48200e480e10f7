"""The façade: one store, asked. What Python programs, the command line and the MCP server share.

What is asked often has a method. Everything else is a function of ``queries``, ``commands`` or ``maintenance``: one that reads
goes through :meth:`Memory.read`, one that writes or looks after the store is given :attr:`Memory.resources`. None holds a
connection while something else is waited for. What comes back are frozen records; :func:`as_plain` makes plain JSON values of
them, under the names that ``--json`` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from memory_assets.ask.request import AskRequest
from memory_assets.configuration import Resources
from memory_assets.evidence.model import Evidence
from memory_assets.log.errors import StoreError, StoreLockedError
from memory_assets.queries import entries, sessions, statistics
from memory_assets.results.memories import EvidenceView, MemoryPage
from memory_assets.results.sessions import SessionDetails, SessionSummary
from memory_assets.results.stats import Stats
from memory_assets.search.answers.budget import DEFAULT_BUDGET
from memory_assets.search.request import SearchRequest
from memory_assets.settings import Settings

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    import duckdb

    from memory_assets.ask.asker import Asker
    from memory_assets.log.database import Database
    from memory_assets.maintenance.audit import Audit
    from memory_assets.progress import Progress
    from memory_assets.queries.tasks import Which
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.context import ContextBundleV1
    from memory_assets.results.details import DetailsV1
    from memory_assets.results.digest import DayDigestV1, ProjectDigestV1, SessionDigestV1
    from memory_assets.results.disclosure import DisclosureV1
    from memory_assets.results.evaluation import EvalRunV1
    from memory_assets.results.feedback import AckV1
    from memory_assets.results.gotchas import GotchaListV1
    from memory_assets.results.outbox import Reembedded
    from memory_assets.results.search import BulkSearchItemV1, SearchResponseV1
    from memory_assets.results.shown import Resolved
    from memory_assets.results.tasks import TaskDetail, TaskView
    from memory_assets.results.timeline import TimelineV1
    from memory_assets.search.searcher import Searcher

__all__ = ["AskRequest", "Memory", "SearchRequest", "as_plain"]

P = ParamSpec("P")
Answer = TypeVar("Answer")


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
        return self.read(sessions.all_sessions, project=project, status=status)

    def session(self, session_id: str) -> SessionDetails:
        """A session with its messages.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        return self.read(sessions.session_details, session_id)

    def evidence(self, entry_id: str) -> EvidenceView:
        """An entry with each of its quotes in the message that holds it.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        return self.read(entries.evidence_of, entry_id)

    def memories(
        self, *, session_ids: Sequence[str] | None = None, project: str | None = None, limit: int | None = None
    ) -> MemoryPage:
        """Memories, the newest first: all, or those that have an entry in one of these sessions."""
        return self.read(entries.list_memories, session_ids=session_ids, project=project, limit=limit)

    def resolve(self, given: str) -> Resolved:
        """What an address or an id names, with what stands around it; see ``queries.resolve.resolve``.

        Raises:
            InvalidArgumentError: neither an address nor an id, or a span outside its message.
            NotFoundError, AmbiguousIdError: it names nothing here, or several things.
        """
        from memory_assets.queries.resolve import resolve

        return self.read(resolve, given)

    def read(
        self, query: Callable[Concatenate[duckdb.DuckDBPyConnection, P], Answer], /, *args: P.args, **kwargs: P.kwargs
    ) -> Answer:
        """What a function of ``queries`` finds on one bounded connection, as in ``memory.read(list_conflicts, status="open")``.

        Args:
            query: takes a connection, then ``args`` and ``kwargs``; what it raises is raised.
        """
        with self.database.reading() as connection:
            return query(connection, *args, **kwargs)

    @cached_property
    def searcher(self) -> Searcher:
        """Searches this store, for queries that have no method here; opened once."""
        from memory_assets.search.searcher import Searcher

        _ = self.database  # the index is read beside the store: what is to be forgotten goes out of it first
        return Searcher(self.resources, wait_for_model=self._wait_for_model)

    def prepare(self) -> None:
        """Open what the first search would wait for: the store's file and the index. Loads no model.

        Raises:
            IndexCorruptError
        """
        with self.database.reading():
            pass
        self.searcher.words.prepare()
        self.searcher.index.prepare()

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
        return self.searcher.search(request, explain=explain)

    @cached_property
    def asker(self) -> Asker:
        """Answers questions in cited quotes; see ``ask.asker.Asker``."""
        from memory_assets.ask.asker import Asker
        from memory_assets.queries.asked_lists import AskedLists

        return Asker(self.searcher, lists=AskedLists(self.resources.settings.tasks.quiet_after_sessions))

    def ask(self, request: AskRequest) -> AnswerV1:
        """The answer to a question in cited quotes, or a refusal; raises as ``ask.asker.Asker.ask``."""
        return self.asker.ask(request)

    def timeline(self, ids: Sequence[str], *, window: int = 3, budget: int | None = None) -> TimelineV1:
        """What was said around some ids; see ``queries.timeline.timeline``. An id that names nothing is an error of its own.

        Raises:
            InvalidArgumentError: no id, too many, or a window or budget out of bounds.
        """
        from memory_assets.queries.timeline import timeline

        return self.read(timeline, ids, window=window, budget=budget)

    def details(self, ids: Sequence[str], *, budget: int | None = None) -> DetailsV1:
        """Some things in full; see ``queries.details.details``. An id that names nothing is an error of its own.

        Raises:
            InvalidArgumentError: no id, too many, or a budget that holds nothing.
        """
        from memory_assets.queries.details import details

        return self.read(details, ids, budget=budget)

    def disclose(self, found: SearchResponseV1, *, ids: Sequence[str] = (), budget: int = 2000) -> DisclosureV1:
        """The hits of a search in layers within one budget; see ``queries.disclosure.disclose``.

        Raises:
            InvalidArgumentError: a budget that holds nothing.
        """
        from memory_assets.queries.disclosure import disclose

        return self.read(disclose, found, ids=ids, budget=budget)

    def context(
        self, query: str, *, project: str | None = None, budget: int = DEFAULT_BUDGET, log: bool = True
    ) -> ContextBundleV1:
        """What the store has for a question, as cited Markdown of at most ``budget`` tokens; see ``queries.context.context``.

        Raises:
            InvalidArgumentError: an empty question, or a budget that is none.
            EmbedderUnavailableError, IndexCorruptError
        """
        from memory_assets.queries.context import context

        return context(self.searcher, query, project=project, budget=budget, log=log)

    def search_gotchas(
        self, query: str, *, files: Sequence[str] = (), k: int = 10, project: str | None = None, log: bool = True
    ) -> GotchaListV1:
        """Known issues and what ended them; see ``queries.gotchas.search_gotchas``.

        Raises:
            InvalidArgumentError: an empty question, or a ``k`` out of bounds.
            EmbedderUnavailableError, IndexCorruptError
        """
        from memory_assets.queries.gotchas import search_gotchas

        return search_gotchas(self.searcher, query, files=files, k=k, project=project, log=log)

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
        from memory_assets.search.bulk import answered, in_batches

        for number, batch in in_batches(lines, first_line):
            yield from answered(self.searcher, batch, defaults or SearchRequest(""), first_line=number, explain=explain)

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
            which: ``all``, ``blocked``, ``only_suggested`` (nothing but suggestions says what they wait for),
                ``unknown_blocker`` (nobody said) or ``quiet`` (no session has spoken of them for long).

        Raises:
            InvalidArgumentError: there is no such status.
        """
        from memory_assets.queries.tasks import list_tasks

        quiet_after = self.resources.settings.tasks.quiet_after_sessions
        return self.read(list_tasks, which=which, status=status, project=project, limit=limit, quiet_after=quiet_after)

    def task(self, given: str) -> TaskDetail:
        """A task with its past, by id, beginning of an id, former id, or canonical key.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.task_detail import get_task_detail

        return self.read(get_task_detail, given, quiet_after=self.resources.settings.tasks.quiet_after_sessions)

    def session_digest(self, given: str) -> SessionDigestV1:
        """What a session was about, in its own words; see ``queries.session_digest.session_digest``.

        Raises:
            NotFoundError, AmbiguousIdError
        """
        from memory_assets.queries.session_digest import session_digest

        return self.read(session_digest, given)

    def day_digest(self, day: date, *, project: str | None = None) -> DayDigestV1:
        """What the sessions of a day (UTC) were about; see ``queries.day_digest.day_digest``."""
        from memory_assets.queries.day_digest import day_digest

        return self.read(day_digest, day, project=project)

    def project_digest(self, project: str, *, days: int | None = None, most: int | None = None) -> ProjectDigestV1:
        """How a project stands; see ``queries.project_digest.project_digest``.

        Raises:
            NotFoundError: no session is of it.
        """
        from memory_assets.queries.project_digest import LATELY, project_digest

        return self.read(project_digest, project, days=LATELY if days is None else days, most=most)

    def feedback(self, given: str, signal: str, *, by: str, note: str = "") -> AckV1:
        """A word on what was shown: ``used``, ``helpful`` or ``wrong``; see ``commands.feedback.give_feedback``."""
        from memory_assets.commands.feedback import give_feedback

        return give_feedback(self.resources, given, signal, by=by, note=note)

    def count_shown(self) -> int:
        """Count what was of use since the last time; see ``maintenance.usage.count_shown``."""
        from memory_assets.maintenance.usage import count_shown

        return count_shown(self.resources)

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
            self.searcher,
            golden_path(self.settings, file),
            asked_as=AskedAs(mode, k),
            unless_known=unless_known,
            progress=progress,
        )

    def stats(self, *, project: str | None = None) -> Stats:
        """What the store holds, counted; what was of use up to now among it, of one project alone where one is named."""
        self.count_shown()
        return self.read(statistics.store_stats, self.database.path, self.settings.vectors_folder, project=project)

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

    def audit(self, *, examples: int = 3) -> Audit:
        """The rates of duplicates, ungrounded, never-retrieved, contested and refuted memories of the whole store."""
        from memory_assets.maintenance.audit import audit

        self.count_shown()
        return self.read(audit, examples=examples)


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
