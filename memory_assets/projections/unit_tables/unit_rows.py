"""A row of ``memory_units`` and how it is made: its tokens, its summary and what tells that it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from memory_assets.identifiers import canonical_json, sha256_hex, typed_id
from memory_assets.search.question.time_cues import date_tokens
from memory_assets.text.lexical_text import SEARCH_TEXT_VERSION, search_text
from memory_assets.text.tokens import estimate_tokens
from memory_assets.vocabulary import Origin, Turn

UNIT_RECIPE = "2"
SUMMARY_TOKENS = 50
"""The most that a summary costs, by ``estimate_tokens``."""
# No text of the longest summary has more characters.
_SUMMARY_READ = 400
_ELLIPSIS = " …"


@dataclass(frozen=True, slots=True)
class Unit:
    """A row of ``memory_units``; its columns, in their order."""

    unit_id: str
    unit_kind: str
    source_id: str
    part: int
    title: str
    summary: str
    body: str
    own_text: str
    around_text: str
    summary_tokens: int
    body_tokens: int
    entry_type: str | None
    stage: str
    status: str
    confidence: float
    scope: str
    project: str | None
    worktree: str | None
    session_id: str | None
    message_index: int | None
    place: int | None
    span_start: int | None
    span_end: int | None
    role: str | None
    speaker: str | None
    occurred_at: datetime
    citations_json: str
    embed_hash: str
    content_hash: str
    origin: str | None
    turn: str | None


@dataclass(frozen=True, slots=True)
class Facet:
    """A row of ``unit_facets``; its columns."""

    unit_id: str
    facet: str
    value: str


@dataclass(frozen=True, slots=True)
class Found:
    """A unit with what it can be filtered by."""

    unit: Unit
    facets: tuple[Facet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a unit says and where that stands, before it is counted and hashed.

    Attributes:
        body: begins with the title, but for passages.
        own_text: the tokens of what it says, where they were made already.
        around_text: the tokens of what is said around it, without its date.
        facets: (facet, value) pairs, without its role and project.
        citations: as :func:`citation` makes them; none for what nobody is quoted for.
        origin, turn: of a passage.
    """

    kind: str
    source_id: str
    title: str
    body: str
    occurred_at: datetime
    citations: Sequence[Mapping[str, Any]]
    around_text: str = ""
    own_text: str | None = None
    summary: str | None = None
    facets: Iterable[tuple[str, str]] = ()
    part: int = 0
    entry_type: str | None = None
    stage: str = "raw"
    status: str = "active"
    confidence: float = 1.0
    project: str | None = None
    worktree: str | None = None
    session_id: str | None = None
    message_index: int | None = None
    place: int | None = None
    span: tuple[int, int] | None = None
    role: str | None = None
    speaker: str | None = None
    origin: Origin | None = None
    turn: Turn | None = None


def found(draft: Draft) -> Found:
    """The row of a draft and its facets."""
    said = spoken(draft.speaker, draft.body)
    own_text = search_text(said) if draft.own_text is None else draft.own_text
    around_text = f"{draft.around_text} {_date_text(draft.occurred_at)}".lstrip()
    embed_hash = sha256_hex(said)[:32]
    facets = sorted({*draft.facets, *_of_columns(draft)})
    # What the index keeps of a unit: while none of it changes, nothing need be written again.
    indexed = [
        UNIT_RECIPE,
        SEARCH_TEXT_VERSION,
        draft.kind,
        draft.project,
        draft.worktree,
        draft.session_id,
        draft.message_index,
        draft.place,
        draft.role,
        draft.speaker,
        draft.stage,
        draft.status,
        draft.confidence,
        draft.occurred_at.isoformat(),
        facets,
        own_text,
        around_text,
        embed_hash,
        *([draft.origin] if draft.origin else []),
        *([draft.turn] if draft.turn else []),
    ]
    unit_id = typed_id("unt", draft.kind, draft.source_id)
    summary = summary_of(draft.body if draft.summary is None else draft.summary)
    start, end = draft.span or (None, None)
    unit = Unit(
        unit_id=unit_id,
        unit_kind=draft.kind,
        source_id=draft.source_id,
        part=draft.part,
        title=draft.title,
        summary=summary,
        body=draft.body,
        own_text=own_text,
        around_text=around_text,
        summary_tokens=estimate_tokens(summary),
        body_tokens=estimate_tokens(draft.body),
        entry_type=draft.entry_type,
        stage=draft.stage,
        status=draft.status,
        confidence=draft.confidence,
        scope="project" if draft.project else "org",
        project=draft.project,
        worktree=draft.worktree,
        session_id=draft.session_id,
        message_index=draft.message_index,
        place=draft.place,
        span_start=start,
        span_end=end,
        role=draft.role,
        speaker=draft.speaker,
        occurred_at=draft.occurred_at,
        citations_json=canonical_json(list(draft.citations)),
        embed_hash=embed_hash,
        content_hash=sha256_hex(canonical_json(indexed))[:32],
        origin=draft.origin,
        turn=draft.turn,
    )
    return Found(unit, tuple(Facet(unit_id, facet, value) for facet, value in facets))


def spoken(speaker: str | None, text: str) -> str:
    """What is indexed and embedded of a text: with the name of who says it, where it is known."""
    return f"{speaker}: {text}" if speaker else text


def citation(session_id: str, message_index: int, start: int, end: int, segments_json: str | None = None) -> dict[str, Any]:
    """A place that a unit cites: half-open characters of a message, in segments where a quote leaves something out."""
    segments = json.loads(segments_json) if segments_json else None
    return {
        "session_id": session_id,
        "message_index": message_index,
        "span_start": start,
        "span_end": end,
        "segments": segments or [[start, end]],
    }


def summary_of(text: str) -> str:
    """The beginning of a text on one line, of at most ``SUMMARY_TOKENS``; never empty."""
    line = " ".join(text[: 2 * _SUMMARY_READ].split())[:_SUMMARY_READ]
    tokens = estimate_tokens(line)
    if tokens <= SUMMARY_TOKENS and len(text) <= 2 * _SUMMARY_READ:
        return line or "…"
    while line and tokens > SUMMARY_TOKENS:
        # A line of one script comes out right at once; of two it takes another step.
        shorter = min(len(line) - 1, len(line) * (SUMMARY_TOKENS - 2) // tokens)
        space = line.rfind(" ", shorter * 3 // 4, shorter)
        line = line[: space if space > 0 else shorter]
        tokens = estimate_tokens(line + _ELLIPSIS)
    return f"{line.rstrip(' ,;:')}…" if line else "…"


def _of_columns(draft: Draft) -> Iterable[tuple[str, str]]:
    if draft.role:
        yield "role", draft.role
    if draft.project:
        yield "project", draft.project


@lru_cache(maxsize=256)
def _date_text_of(year: int, month: int, day: int) -> str:
    return search_text(date_tokens(datetime(year, month, day)))


def _date_text(moment: datetime) -> str:
    return _date_text_of(moment.year, moment.month, moment.day)
