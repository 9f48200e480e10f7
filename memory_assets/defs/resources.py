"""The event log as a Dagster resource, and what a run needs beside it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import dagster as dg
from dagster_duckdb import DuckDBResource

from memory_assets.configuration import Resources
from memory_assets.defs.builds import closing, end_dead_builds, new_build
from memory_assets.defs.model_use import ModelUse
from memory_assets.defs.road import Road
from memory_assets.errors import UnavailableError
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.log.batches import Build
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.session_history import History, histories
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PipelineStage

if TYPE_CHECKING:
    import duckdb
    from dagster_shared.error import SerializableErrorInfo

    from memory_assets.defs.sources import SourceReader
    from memory_assets.results.error import ErrorV1

HISTORY_CACHE_SIZE = 100


class EventLogResource(DuckDBResource):
    """The store: dagster-duckdb's resource, but every connection is opened under the store's own lock.

    Its own ``get_connection`` retries for up to 100 s, holds the file for writing even to read, and leaves it open when the
    body raises (read in 0.29): so it is replaced.

    Attributes:
        database: the store's file; empty for the one that the settings name.
        settings_json: the settings of this code location, flags included; None for those of the environment.
    """

    database: str = ""
    settings_json: str | None = None

    @classmethod
    def _is_dagster_maintained(cls) -> bool:
        return False

    @contextlib.contextmanager
    def get_connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection under the shared lock."""
        with self.opened.database.reading() as connection:
            yield connection

    @property
    def opened(self) -> OpenStore:
        """The store behind this resource. Dagster copies resources for each run and each user of them: all share it."""
        return _store_of(self.settings_json) if self.settings_json else open_store(load_settings())

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """A run begins: what it appends belongs to one build."""
        self.opened.begin(context.run.run_id if context.run else None)

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """The run ended: its build is closed, if it wrote anything."""
        self.opened.end(_failures(context))


class OpenStore:
    """An open store with what depends on its settings. One a process; runs follow one another in it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.resources = Resources(settings)
        self.build: Build | None = None
        self._histories: dict[str, History] = {}
        self._sources: SourceReader | None = None
        self._wrote = False
        self._looked_for_dead = False
        self._meters: list[ModelUse] = []
        self._build_use = ModelUse()
        self.listener: Progress = NoProgress()
        """Whoever waits for what this process does."""
        self.road = Road()
        """Where the sessions of this process's run are, for whoever waits for them."""
        self.waiting: dict[str, UnavailableError] = {}
        """Sessions that this process left for another run, each with what could not be reached."""
        self.elsewhere: set[str] = set()
        """Sessions of this command whose files only other machines have, which take them in."""
        self.unheard: dict[str, ErrorV1] = {}
        """Sessions that this process could not hear as cases, each with why."""
        self.more_to_come = False
        """The sessions of this command are being written: what nobody waits for is left until they have come to a rest."""
        self.appended = 0
        """Events that this process has written, whatever other processes wrote meanwhile."""
        self.idle_files: dict[str, tuple[str, dict[str, int]]] = {}
        """Files that this process found nothing to do in, with the reader's version and the file's time and size."""

    @property
    def database(self) -> Database:
        """The store's file."""
        return self.resources.database

    @cached_property
    def log(self) -> EventLog:
        """The log in it."""
        return EventLog(self.database)

    @cached_property
    def versions(self) -> dict[PipelineStage, str]:
        """Each stage's configured version."""
        return self.resources.stage_versions

    def begin_command(self) -> None:
        """What earlier commands of this process could not reach, this one tries to."""
        self.waiting.clear()
        self.elsewhere.clear()
        self.resources.forget_extractor()

    def follow_versions(self) -> None:
        """Tell the log which versions to follow: a process with other settings may have told it others since."""
        self.log.configure(self.resources.configured_versions)

    @property
    def sources(self) -> SourceReader:
        """Reads session files and masks them by the policy as its file is now: a code location lives for weeks."""
        from memory_assets.defs.sources import SourceReader

        policy = self.resources.redaction_policy
        if self._sources is None or self._sources.policy is not policy:
            self._sources = SourceReader(policy)
        return self._sources

    def histories(self, session_ids: list[str]) -> dict[str, History]:
        """Each session's newest history. A revision never changes, so the last ones read are kept."""
        with self.database.reading():
            heads = self.log.current(session_ids, "session_ingested")
            kept = {
                session_id: self._histories[head.event_id]
                for session_id, head in heads.items()
                if head.event_id in self._histories
            }
            read = histories(self.log, {session_id: head for session_id, head in heads.items() if session_id not in kept})
        for history in read.values():
            self._histories[history.event_id] = history
        while len(self._histories) > HISTORY_CACHE_SIZE:
            del self._histories[next(iter(self._histories))]
        return kept | read

    def begin(self, run_id: str | None) -> None:
        """A run starts. Dagster says so for each user of the resource."""
        if self.build is not None and self.build.dagster_run_id == run_id:
            return
        self._wrote = False
        self._build_use = ModelUse()
        self.follow_versions()
        self.build = None
        if run_id:
            self._end_dead_builds()
            self.build = new_build(self.resources, self.versions, run_id)

    def _end_dead_builds(self) -> None:
        # Once a process: those that die later are ended by the next one, and shown as what they are meanwhile.
        if not self._looked_for_dead:
            self._looked_for_dead = True
            self.appended += end_dead_builds(self.settings, self.database, self.log)

    def wrote(self, events: int) -> None:
        """The run has appended so many events."""
        self._wrote = self._wrote or events > 0
        self.appended += events

    def paid(self, spent: ExtractionTelemetry, *, windows: int = 0) -> None:
        """A model was asked; ``windows`` is how many it answered."""
        for meter in (self._build_use, *self._meters):
            meter.add(spent, windows=windows)

    @contextlib.contextmanager
    def metered(self) -> Iterator[ModelUse]:
        """Counts what models are asked meanwhile."""
        use = ModelUse()
        self._meters.append(use)
        try:
            yield use
        finally:
            self._meters = [meter for meter in self._meters if meter is not use]

    def end(self, failures: Sequence[str] = ()) -> None:
        """The run is over; a run that appended nothing leaves no trace in the log.

        Args:
            failures: what failed in it, as stage and kind of error.
        """
        build, self.build = self.build, None
        if build is None or not self._wrote:
            return
        self.appended += self.log.append([closing(build, failures, self._build_use)], build=build).new
        # The run's own marks are folded too, so that nobody has to come and do it before tables can be read.
        catch_up(self.database, self.resources.configured_versions)


@lru_cache(maxsize=8)
def open_store(settings: Settings) -> OpenStore:
    """The store of these settings, one a process. What it and Dagster write from here on is the user's alone."""
    os.umask(0o077)
    return OpenStore(settings)


@lru_cache(maxsize=8)
def _store_of(settings_json: str) -> OpenStore:
    # Dagster asks for the resource 50 times a run, and settings take 10 ms to be read.
    return open_store(load_settings(json.loads(settings_json)))


def _failures(context: dg.InitResourceContext) -> list[str]:
    """The stages of the run that failed, each with the kind of its error: what an error says may quote a session."""
    if context.run is None or context.instance is None:
        return []
    failed = []
    for record in context.instance.all_logs(context.run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
        if record.dagster_event is not None:
            error = root_cause(record.dagster_event.step_failure_data.error)
            failed.append(f"{record.step_key}: {error.cls_name if error else 'interrupted'}")
    return failed


def root_cause(error: SerializableErrorInfo | None) -> SerializableErrorInfo | None:
    """The error that says what happened: our own where there is one, else the first one; around it stand Dagster's."""
    while error is not None and error.cause is not None and not error.message.startswith("memory_assets."):
        error = error.cause
    return error
