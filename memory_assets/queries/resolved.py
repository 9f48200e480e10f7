"""What `memory show` gives beside memories and spans; field names are the names in ``--json``, and are only ever added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.citations.addresses import CitationKind
from memory_assets.queries.records import CitedQuote, EntryView, MemoryView, MessageView, ResolvedSpan
from memory_assets.queries.task_records import TaskView


@dataclass(frozen=True, slots=True)
class ResolvedEntry:
    """What an entry's id names: the entry, with what stands around each of its quotes."""

    entry: EntryView
    quotes: tuple[CitedQuote, ...]


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """What a task's id names: the task as it stands, and the first places that speak of it.

    Attributes:
        place_count: how many places there are.
    """

    task: TaskView
    places: tuple[ResolvedSpan, ...]
    place_count: int


@dataclass(frozen=True, slots=True)
class ResolvedUnit:
    """What the id of a unit names that is neither a memory nor a task nor a passage: an episode, a gotcha.

    Attributes:
        citations: ``citation.v1`` objects: the places, and the files, commits and symbols that it names.
        places: the first of them in their messages; ``place_count`` counts them all.
    """

    unit_id: str
    unit_kind: str
    title: str
    summary: str
    body: str
    stage: str
    status: str
    project: str | None
    session_id: str | None
    occurred_at: datetime
    citations: tuple[Mapping[str, Any], ...]
    places: tuple[ResolvedSpan, ...]
    place_count: int


@dataclass(frozen=True, slots=True)
class NamingUnit:
    """A passage, task, episode or gotcha that names something; ``uri`` is where it does first."""

    unit_id: str
    unit_kind: str
    title: str
    summary: str
    project: str | None
    occurred_at: datetime
    uri: str | None


@dataclass(frozen=True, slots=True)
class SourceSession:
    """A session that was read from a file."""

    session_id: str
    title: str | None
    project: str | None
    messages: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """What the store knows of something outside it: who names it. Nothing of it is opened.

    Attributes:
        citation_kind: ``file``, ``commit``, ``page`` …
        name: the path, symbol or commit.
        memories, units: the first of those that name it; ``memory_count`` and ``unit_count`` count them all.
        sessions: those that were read from this file.
        message: of a log, the message that the address names.
    """

    uri: str
    citation_kind: CitationKind
    name: str
    memories: tuple[MemoryView, ...]
    memory_count: int
    units: tuple[NamingUnit, ...]
    unit_count: int
    sessions: tuple[SourceSession, ...]
    message: MessageView | None
