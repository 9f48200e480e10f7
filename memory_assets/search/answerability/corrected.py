"""Passages of which a person said otherwise: what they corrected is taken out, and what they said instead is added.

An answer is made of what is left. The correction keeps what it stands for, so that it is worth as much to a question as the
words that it corrects: "six minutes" need not say of what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from memory_assets.citations.addresses import SpanCitation
from memory_assets.results.citation import CitationV1
from memory_assets.search.answerability.passages import Passage, passages_of
from memory_assets.search.answers.corrections import CorrectedSpan, Correction, corrected_spans, correcting_sessions

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.search import SearchHitV1

_WORD: Final = re.compile(r"\w")

Shown = TypeVar("Shown")


def with_corrections(connection: duckdb.DuckDBPyConnection, passages: Sequence[Passage]) -> list[Passage]:
    """Passages without what persons corrected, and the corrections among them, found or not."""
    corrected = corrected_spans(connection, [passage.place for passage in passages])
    left: list[Passage] = []
    instead_of: dict[Correction, list[Passage]] = {}
    for passage in passages:
        spans = [_widened(passage, span) for span in corrected.get(passage.place, ()) if _is_looked_at(passage, span)]
        for span in spans:
            instead_of.setdefault(span.correction, []).append(_part(passage, span.start, span.end))
        left += _without(passage, spans) if spans else [passage]
    found = {passage.place for passage in left}
    hits = [_hit(correction, parts[0].hit) for correction, parts in instead_of.items() if correction.place not in found]
    said = [*left, *passages_of(connection, hits)]
    of_place = {correction.place: tuple(parts) for correction, parts in instead_of.items()}
    correcting = correcting_sessions(connection, {passage.place[0] for passage in said})
    return [
        replace(passage, instead_of=of_place.get(passage.place, ()), is_correction=passage.place[0] in correcting)
        for passage in said
    ]


def corrections_before(shown: Sequence[Shown], passage_of: Callable[[Shown], Passage]) -> list[Shown]:
    """What is shown, where each correction stands in front of all that is left of the messages which it corrects. Pure."""
    told = list(shown)
    for one in shown:
        corrected = {part.place for part in passage_of(one).instead_of}
        first = next((place for place, other in enumerate(told) if passage_of(other).place in corrected), None)
        if first is not None and first < (at := _index(told, one)):
            told.insert(first, told.pop(at))
    return told


def _index(told: Sequence[Shown], one: Shown) -> int:
    return next(place for place, other in enumerate(told) if other is one)


def _is_looked_at(passage: Passage, span: CorrectedSpan) -> bool:
    """Whether a passage or one of the lines around it has something of what was corrected."""
    return _overlap(span, passage.start, passage.end) or any(_overlap(span, one.start, one.end) for one in passage.lines)


def _overlap(span: CorrectedSpan, start: int, end: int) -> bool:
    return span.start < end and start < span.end


def _widened(passage: Passage, span: CorrectedSpan) -> CorrectedSpan:
    """What was corrected, with all of the sentences and lines that have something of it: half a sentence is quoted nowhere."""
    lines = [one for one in passage.lines if _overlap(span, one.start, one.end)]
    return replace(
        span,
        start=min([span.start, *(one.start for one in lines)]),
        end=max([span.end, *(one.end for one in lines)]),
    )


def _without(passage: Passage, spans: Sequence[CorrectedSpan]) -> Iterator[Passage]:
    """What is left of a passage before, between and behind what was corrected; each part is a passage, so no quote is made
    over what was taken out."""
    start = 0
    for span in (*sorted(spans, key=lambda span: span.start), None):
        end = len(passage.text) if span is None else span.start
        if start < end:
            part = _part(passage, start, end)
            if part.start < part.end and _WORD.search(part.text, part.start, part.end):
                yield part
        if span is not None:
            start = max(start, span.end)


def _part(passage: Passage, start: int, end: int) -> Passage:
    """Characters of a passage with its sentences and lines among them; it may hold none of its own part of the message."""
    low, high = max(start, passage.start), min(end, passage.end)
    said = passage.text[low:high] if low < high else ""
    low += len(said) - len(said.lstrip())
    return replace(
        passage,
        start=low,
        end=low + len(said.strip()),
        sentences=tuple(one for one in passage.sentences if start <= one.start and one.end <= end),
        lines=tuple(one for one in passage.lines if start <= one.start and one.end <= end),
    )


def _hit(correction: Correction, corrected: SearchHitV1) -> SearchHitV1:
    """A correction that search did not find, as good a hit as the one that shows what it corrects."""
    session_id, index = correction.place
    cited = CitationV1.of(
        SpanCitation(session_id, index, ((correction.start, correction.end),)),
        id=correction.address,
        name=correction.said_by,
        ts=correction.said_at,
    )
    return corrected.model_copy(
        update={
            "unit_kind": "entry",
            "id": correction.address,
            "title": correction.text,
            "summary": "",
            "snippet": correction.text,
            "session_id": session_id,
            "status": "active",
            "ts": correction.said_at,
            "origin": None,
            "citations": (cited,),
            "beside": (),
            "related": (),
        }
    )
