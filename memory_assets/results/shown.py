"""What an address or an id names, as `memory show` prints it, told apart by ``kind``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from memory_assets.citations.addresses import CitationKind
from memory_assets.results.memories import CitedQuote, EntryView, MemoryView, Neighbour
from memory_assets.results.model import WireModel
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.results.sessions import MessageView, SessionSummary
from memory_assets.results.tasks import TaskView
from memory_assets.vocabulary import Assurance


class ResolvedMemory(WireModel):
    """What ``mem:a7Bc3x`` names: the memory that holds the entry now, with the evidence of all its entries."""

    kind: Literal["memory"]
    memory: MemoryView
    quotes: tuple[CitedQuote, ...]


class ResolvedSpan(WireModel):
    """What ``session:ID#m=12&c=140-182`` names.

    Attributes:
        text: the cited characters; of several segments, joined by `` … ``.
        segments: within ``message.text``.
        before, after: the messages around it.
        memories: those that rest on some of these characters.
        previous, next: what was remembered before and after it in the session.
        said_otherwise: what a person said instead of something of these characters.
    """

    uri: str
    session: SessionSummary
    message: MessageView
    text: str
    segments: tuple[tuple[int, int], ...]
    before: MessageView | None
    after: MessageView | None
    memories: tuple[MemoryView, ...]
    previous: Neighbour | None
    next: Neighbour | None
    said_otherwise: SaidOtherwiseV1 | None = None


class _SpanKind(WireModel):
    kind: Literal["span", "terminal_snapshot"]


class ShownSpan(ResolvedSpan, _SpanKind):  # what is inherited last is printed first
    __doc__ = ResolvedSpan.__doc__


class ResolvedEntry(WireModel):
    """What an entry's id names: the entry, with what stands around each of its quotes."""

    kind: Literal["entry"]
    entry: EntryView
    quotes: tuple[CitedQuote, ...]


class ResolvedTask(WireModel):
    """What a task's id names: the task as it stands, and the first places that speak of it.

    Attributes:
        place_count: how many places there are.
    """

    kind: Literal["task"]
    task: TaskView
    places: tuple[ResolvedSpan, ...]
    place_count: int


class ResolvedUnit(WireModel):
    """What the id of a unit names that is neither a memory nor a task nor a passage: an episode, a gotcha.

    Attributes:
        citations: ``citation.v1`` objects: the places, and the files, commits and symbols that it names.
        places: the first of them in their messages; ``place_count`` counts them all.
        assurance: it is made of words of its session, and quotes them.
    """

    kind: Literal["unit"]
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
    assurance: Assurance | None = None


class NamingUnit(WireModel):
    """A passage, task, episode or gotcha that names something; ``uri`` is where it does first."""

    unit_id: str
    unit_kind: str
    title: str
    summary: str
    project: str | None
    occurred_at: datetime
    uri: str | None


class SourceSession(WireModel):
    """A session that was read from a file."""

    session_id: str
    title: str | None
    project: str | None
    messages: int
    started_at: datetime


class ResolvedName(WireModel):
    """What the store knows of something outside it: who names it. Nothing of it is opened.

    Attributes:
        citation_kind: ``file``, ``commit``, ``page`` …
        name: the path, symbol or commit.
        memories, units: the first of those that name it; ``memory_count`` and ``unit_count`` count them all.
        sessions: those that were read from this file.
        message: of a log, the message that the address names.
    """

    kind: Literal["file", "line", "code", "symbol", "commit", "log", "page", "region", "caption", "time"]
    uri: str
    citation_kind: CitationKind
    name: str
    memories: tuple[MemoryView, ...]
    memory_count: int
    units: tuple[NamingUnit, ...]
    unit_count: int
    sessions: tuple[SourceSession, ...]
    message: MessageView | None


Resolved = ResolvedMemory | ShownSpan | ResolvedEntry | ResolvedTask | ResolvedUnit | ResolvedName
Shown = Annotated[Resolved, Field(discriminator="kind")]
