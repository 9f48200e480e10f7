"""Hits that show words of which a person said otherwise, each with what they said instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memory_assets.citations.addresses import SpanCitation
from memory_assets.results.citation import CitationV1
from memory_assets.results.correction import SaidOtherwiseV1
from memory_assets.search.answers.corrections import CorrectedSpan, Correction, Place, corrected_spans
from memory_assets.search.answers.snippets import around
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.search import SearchHitV1

_TOLD: Final = 100
"""Characters of a correction that are told beside a hit; the correction is a hit of its own, or asked for by its address."""
_RUN: Final = 24
"""Characters of a sentence that, wherever they are shown, show something of it."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。…])\s+|\n+")


def with_what_was_said_otherwise(connection: duckdb.DuckDBPyConnection, hits: Sequence[SearchHitV1]) -> list[SearchHitV1]:
    """The hits, each that shows something of what a person corrected with what they said instead."""
    corrected = corrected_spans(connection, {place for hit in hits for place in _places(hit)})
    return [_marked(hit, [span for place in _places(hit) for span in corrected.get(place, ())]) for hit in hits]


def _places(hit: SearchHitV1) -> Iterator[Place]:
    """The messages of which a hit shows words."""
    for citation in (*hit.citations, *hit.beside):
        if isinstance(citation, CitationV1):
            yield citation.session_id, citation.message_index


def _marked(hit: SearchHitV1, corrected: Sequence[CorrectedSpan]) -> SearchHitV1:
    # A passage is called like its session.
    shown = _flat(hit.snippet if hit.unit_kind == "passage" else f"{hit.title}\n{hit.snippet}")
    correction = next((span.correction for span in corrected if shows_something_of(span.text, shown)), None)
    if correction is None:
        return hit
    said = _said(correction)
    tokens = hit.tokens + estimate_tokens(said.told) + estimate_tokens(said.text)
    return hit.model_copy(update={"said_otherwise": said, "tokens": tokens})


def shows_something_of(text: str, shown: str) -> bool:
    """Whether some words are shown in a text on one line, be it in part: a snippet leaves out sentences, and cuts long ones."""
    sentences = filter(None, map(_flat, _SENTENCE_END.split(text)))
    return any(run in shown for sentence in sentences for run in _runs(sentence))


def _runs(sentence: str) -> Iterator[str]:
    """Runs of its characters, each half over the one before it."""
    for start in range(0, max(1, len(sentence) - _RUN + 1), _RUN // 2):
        yield sentence[start : start + _RUN]


def _said(correction: Correction) -> SaidOtherwiseV1:
    return SaidOtherwiseV1(
        id=correction.address,
        uri=SpanCitation(*correction.place, ((correction.start, correction.end),)).uri,
        text=around(correction.text, 0, 0, _TOLD),
        said_by=correction.said_by,
        said_at=correction.said_at,
    )


def _flat(text: str) -> str:
    return " ".join(text.split())
