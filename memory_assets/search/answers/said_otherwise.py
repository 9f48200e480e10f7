"""What shows words of which a person said otherwise, each with what they said instead."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from memory_assets.citations.addresses import SpanCitation
from memory_assets.results.citation import CitationV1
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.search.answers.corrections import (
    CorrectedSpan,
    Correction,
    Place,
    corrected_spans,
    corrections_of,
    has_corrections,
)
from memory_assets.search.answers.snippets import around
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.search import SearchHitV1

Key = TypeVar("Key", bound=Hashable)

_TOLD: Final = 100
"""Characters of a correction that are told beside a hit; the correction is a hit of its own, or asked for by its address."""
_RUN: Final = 24
"""Characters of a sentence that, wherever they are shown, show something of it."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。…])\s+|\n+")


def with_what_was_said_otherwise(connection: duckdb.DuckDBPyConnection, hits: Sequence[SearchHitV1]) -> list[SearchHitV1]:
    """The hits, each that shows something of what a person corrected with what they said instead."""
    corrected = corrected_spans(connection, {place for hit in hits for place in _places(hit)})
    return [_marked(hit, [span for place in _places(hit) for span in corrected.get(place, ())]) for hit in hits]


def said_instead_of(connection: duckdb.DuckDBPyConnection, set_aside: Iterable[str]) -> dict[str, SaidOtherwiseV1]:
    """Of those among some memories that a person corrected, by id, what they said instead.

    Args:
        set_aside: ids of memories that something stands in the place of; no others need be asked for.
    """
    wanted = sorted(set(set_aside))
    return {of: _said(correction) for of, correction in corrections_of(connection, wanted).items()} if wanted else {}


def said_instead_where(
    connection: duckdb.DuckDBPyConnection, shown: Mapping[Key, tuple[Sequence[Place], str]]
) -> dict[Key, SaidOtherwiseV1]:
    """Of each thing that shows something of what a person corrected, what they said instead.

    Args:
        shown: of each the messages whose words it shows, and what it shows.
    """
    if not shown or not has_corrections(connection):
        return {}
    corrected = corrected_spans(connection, {place for places, _ in shown.values() for place in places})
    found = {
        key: _first_shown((span for of in places for span in corrected.get(of, ())), text)
        for key, (places, text) in shown.items()
    }
    return {key: _said(correction) for key, correction in found.items() if correction is not None}


def _places(hit: SearchHitV1) -> Iterator[Place]:
    """The messages of which a hit shows words."""
    for citation in (*hit.citations, *hit.beside):
        if isinstance(citation, CitationV1):
            yield citation.session_id, citation.message_index


def _marked(hit: SearchHitV1, corrected: Sequence[CorrectedSpan]) -> SearchHitV1:
    # A passage is called like its session.
    correction = _first_shown(corrected, hit.snippet if hit.unit_kind == "passage" else f"{hit.title}\n{hit.snippet}")
    if correction is None:
        return hit
    said = _said(correction)
    tokens = hit.tokens + estimate_tokens(said.told) + estimate_tokens(said.text)
    return hit.model_copy(update={"said_otherwise": said, "tokens": tokens})


def _first_shown(corrected: Iterable[CorrectedSpan], text: str) -> Correction | None:
    """What holds instead of the first of some characters of which a text shows something."""
    shown = _flat(text)
    return next((span.correction for span in corrected if shows_something_of(span.text, shown)), None)


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
